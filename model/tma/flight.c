// SPDX-License-Identifier: MIT
// Issue and advance: what is left of an operation, the next bytes of it, and where one walk takes them.
#include "flight.h"

#include "hopper.h"
#include "linear.h"
#include "operand.h"
#include "operation_part.h"
#include "tensor.h"

static bool is_tensor(enum operation_kind kind)
{
    return kind <= OPERATION_TENSOR_PREFETCH;
}

// Does it do nothing? One of its operands names no place, or its mask nobody.
static bool is_idle(const struct operation *o)
{
    bool is_load = operation_is_load(o->kind),
         is_read = o->kind == OPERATION_TENSOR_PREFETCH || o->kind == OPERATION_BULK_PREFETCH ||
                   o->kind == OPERATION_CP_ASYNC || operation_is_register(o->kind);
    uint32_t operand = is_tensor(o->kind) ? o->shared : is_load ? (uint32_t)o->to : (uint32_t)o->from;
    if (is_load && (operation_targets(o) == 0 || operand_is_nowhere(o->barrier))) return true;
    return !is_read && operand_is_nowhere(operand);
}

enum rule flight_check(struct flight *f, const struct memories *memories, struct findings *findings)
{
    const struct question question = {&f->operation, memories, &f->box, operation_has_barrier(f->operation.kind)};
    return operation_question(&question, findings);
}

void flight_begin(struct flight *f, const struct memories *memories, const struct teller *teller)
{
    static const struct memories none;
    f->memories = memories != NULL ? *memories : none;
    if (teller == NULL)
        f->teller.observer = NULL;
    else if (teller != &f->teller)
        f->teller = *teller;
    f->targets = operation_targets(&f->operation);
    f->done_bytes = f->all_bytes = 0;
    f->has_begun = f->is_walked = 0;
    f->is_idle = is_idle(&f->operation);
    // An operation that does nothing passes its check with any map, which may have no box.
    if (f->is_idle) return;
    if (is_tensor(f->operation.kind))
        tensor_start(f);
    else
        f->all_bytes = linear_bytes(&f->operation);
}

struct flight operation_issue(const struct operation *operation, const struct memories *memories,
                              const struct teller *teller)
{
    struct flight f;
    f.operation = *operation;
    if (is_tensor(operation->kind) && !is_idle(operation)) tensor_box(&f);
    flight_begin(&f, memories, teller);
    return f;
}

// As many bytes as a piece may have.
static uint64_t whole_units(uint64_t most_bytes)
{
    return most_bytes < PIECE_UNIT_BYTES ? PIECE_UNIT_BYTES : most_bytes / PIECE_UNIT_BYTES * PIECE_UNIT_BYTES;
}

struct piece flight_advance(struct flight *f, uint64_t most_bytes)
{
    struct piece piece = {.is_last = 1};
    if (f->is_idle) return piece;
    piece.targets = operation_has_barrier(f->operation.kind) ? f->targets : 0;
    if (is_tensor(f->operation.kind))
        piece.is_last = tensor_advance(f, whole_units(most_bytes), &piece.bytes);
    else
        piece.is_last = linear_advance(f, whole_units(most_bytes), &piece.bytes);
    f->done_bytes += piece.bytes;
    if (piece.targets != 0) piece.complete_bytes = (uint32_t)piece.bytes;
    return piece;
}

uint64_t flight_reach_bytes(struct flight *f)
{
    if (f->is_idle) return 0;
    return is_tensor(f->operation.kind) ? (tensor_reach_bytes(f) + 127) / 128 * 128 : f->all_bytes;
}

enum rule operation_run(const struct operation *operation, const struct memories *memories, const struct teller *teller,
                        struct piece *piece, struct findings *findings)
{
    struct flight flight;
    flight.operation = *operation;
    enum rule rule = flight_check(&flight, memories, findings);
    if (rule != RULE_OK) return rule;
    flight_begin(&flight, memories, teller);
    struct piece all = flight_advance(&flight, UINT64_MAX);
    if (piece != NULL) *piece = all;
    return RULE_OK;
}
