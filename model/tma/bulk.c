// SPDX-License-Identifier: MIT
// Bulk operations are one run of bytes: what moves, whether it may, and the move itself. Tensor copies are in copy.h.
#include "bulk.h"

#include <string.h>

#include "broken.h"
#include "bulk_check.h"
#include "global_check.h"
#include "operand.h"
#include "rules/bulk.h"
#include "rules/mbarrier.h"

enum { BULK_UNIT_BYTES = 16, BULK_UNITS_MASK = 0xffff, BARRIER_BYTES = 8 };

static const struct bulk_reduction reductions[BULK_REDUCTIONS] = {
#define ANYWHERE(op, op_ptx, dtype, type_ptx) {REDUCE_##op, DTYPE_##dtype, op_ptx, type_ptx, 0},
#define GLOBAL(op, op_ptx, dtype, type_ptx)   {REDUCE_##op, DTYPE_##dtype, op_ptx, type_ptx, 1},
    BULK_REDUCTIONS_ANYWHERE(ANYWHERE) BULK_REDUCTIONS_GLOBAL(GLOBAL)
#undef ANYWHERE
#undef GLOBAL
};

const struct bulk_reduction *bulk_reduction(enum bulk_reduction_id id)
{
    return &reductions[id];
}

bool bulk_is_from_global(enum bulk_form form)
{
    return form == BULK_GLOBAL_TO_SHARED || form == BULK_GLOBAL_TO_OTHER;
}

bool bulk_is_to_global(enum bulk_form form)
{
    return form == BULK_SHARED_TO_GLOBAL;
}

bool bulk_is_to_other(enum bulk_form form)
{
    return form == BULK_GLOBAL_TO_OTHER || form == BULK_SHARED_TO_OTHER || form == BULK_REGISTERS_TO_OTHER;
}

uint32_t bulk_moved_bytes(enum bulk_form form, uint32_t size_bytes)
{
    if (form == BULK_REGISTERS_TO_OTHER) return size_bytes;
    return (size_bytes / BULK_UNIT_BYTES & BULK_UNITS_MASK) * BULK_UNIT_BYTES;
}

// The warnings: rules BULK_SIZE, BULK_SIZE_FIELD.
static void check_size(const struct bulk *bulk, enum rule *first, struct findings *findings)
{
    const uint32_t most = BULK_UNITS_MASK * BULK_UNIT_BYTES;
    uint32_t size = bulk->size_bytes, moved = bulk_moved_bytes(bulk->form, size);
    if (bulk->form == BULK_REGISTERS_TO_OTHER) return;
    if (size % BULK_UNIT_BYTES != 0)
        finding_broken(findings, first,
                       FINDING(RULE_BULK_SIZE, "size", .value = size, .limit = BULK_UNIT_BYTES,
                               .nearest = size - size % BULK_UNIT_BYTES));
    if (size > most + BULK_UNIT_BYTES - 1)
        finding_broken(findings, first,
                       FINDING(RULE_BULK_SIZE_FIELD, "size", .value = size, .limit = most, .nearest = moved));
}

static void check_align(const struct bulk *bulk, const char *argument, uint64_t address, enum rule *first,
                        struct findings *findings)
{
    bool is_register = bulk->form == BULK_REGISTERS_TO_OTHER;
    uint64_t align = is_register ? bulk->size_bytes : BULK_UNIT_BYTES;
    enum rule rule = is_register ? RULE_BULK_ASYNC_ALIGN : RULE_BULK_ALIGN;
    if (address % align != 0) finding_broken(findings, first, finding_of_align(rule, argument, address, align));
}

static void check_both_aligns(const struct bulk *bulk, enum rule *first, struct findings *findings)
{
    if ((bulk->from | bulk->to) % BULK_UNIT_BYTES == 0) return; // the usual case, whatever it is
    if (bulk->form != BULK_REGISTERS_TO_OTHER) check_align(bulk, "srcMem", bulk->from, first, findings);
    check_align(bulk, "dstMem", bulk->to, first, findings);
}

// One end of the operation in global memory.
static void check_global(const struct global_memory *global, const char *argument, uint64_t address, uint64_t bytes,
                         enum memory_use use, enum rule *first, struct findings *findings)
{
    if (!global_is_usable(global, address, bytes, use))
        finding_broken(findings, first, global_finding(global, RULE_BULK_UNMAPPED, argument, address, bytes));
}

// One end in shared memory: are its `bytes` bytes at `address` there? `rule` if not.
static void check_bounds(const struct memory *memory, const char *argument, uint64_t address, uint64_t bytes,
                         enum rule rule, enum rule *first, struct findings *findings)
{
    if (!memory_holds(memory, address, bytes))
        finding_broken(findings, first, finding_of_bounds(rule, argument, memory, address, bytes));
}

// One end in shared memory, as the copy engine reads its address.
static void check_shared(const struct memory *memory, const char *argument, uint32_t address, uint64_t bytes,
                         enum rule rule, enum rule *first, struct findings *findings)
{
    if (operand_fits(address, bytes, memory)) return;
    check_bounds(memory, argument, operand_place(address), bytes, rule, first, findings);
}

// Past the end of what another CTA has, or the own one where it is written as a CTA of the cluster: what reaches past
// the shared memory of an SM, wherever it starts, is another fault. The whole offset in the CTA counts here.
static void check_remote(const struct memory *memory, const char *argument, uint32_t offset, uint64_t bytes,
                         enum rule *first, struct findings *findings)
{
    enum rule rule = offset + bytes <= SM_SHARED_BYTES ? RULE_BULK_REMOTE_BOUNDS : RULE_BULK_REMOTE_LIMIT;
    check_bounds(memory, argument, offset, bytes, rule, first, findings);
}

// Which operands in shared memory does the copy engine read as operand.h says?
static bool has_place_source(const struct bulk *bulk)
{
    return !bulk_is_from_global(bulk->form) && bulk->form != BULK_REGISTERS_TO_OTHER;
}

static bool has_place_destination(const struct bulk *bulk)
{
    return bulk->form == BULK_GLOBAL_TO_SHARED;
}

// Does one of them name no place, so that nothing happens?
static bool is_nowhere(const struct bulk *bulk)
{
    return (has_place_source(bulk) && operand_is_nowhere((uint32_t)bulk->from)) ||
           (has_place_destination(bulk) && operand_is_nowhere((uint32_t)bulk->to));
}

// The source's bounds; global memory is not looked at where nothing moves.
static void check_source(const struct bulk *bulk, const struct global_memory *global, uint32_t bytes, enum rule *first,
                         struct findings *findings)
{
    if (has_place_source(bulk))
        check_shared(bulk->source, "srcMem", (uint32_t)bulk->from, bytes, RULE_BULK_SMEM_BOUNDS, first, findings);
    else if (bulk_is_from_global(bulk->form) && !is_nowhere(bulk))
        check_global(global, "srcMem", bulk->from, bytes, MEMORY_READS, first, findings);
}

static void check_destination(const struct bulk *bulk, const struct global_memory *global, uint32_t bytes,
                              enum rule *first, struct findings *findings)
{
    if (has_place_destination(bulk))
        check_shared(bulk->destination, "dstMem", (uint32_t)bulk->to, bytes, RULE_BULK_SMEM_BOUNDS, first, findings);
    else if (!bulk_is_to_global(bulk->form))
        check_remote(bulk->destination, "dstMem", (uint32_t)bulk->to, bytes, first, findings);
    else if (!is_nowhere(bulk))
        check_global(global, "dstMem", bulk->to, bytes, MEMORY_WRITES, first, findings);
}

// Is there such an operation? Registers hold 4, 8 or 16 bytes.
static bool has_form(enum bulk_form form, uint32_t size_bytes)
{
    if (form != BULK_REGISTERS_TO_OTHER) return (unsigned)form < BULK_FORMS;
    return size_bytes == 4 || size_bytes == 8 || size_bytes == 16;
}

enum rule bulk_check_in(const struct bulk *bulk, const struct global_memory *global, struct findings *findings)
{
    enum rule first = RULE_OK;
    findings_clear(findings);
    if (!has_form(bulk->form, bulk->size_bytes)) return finding_of_form(findings, "form", (uint64_t)bulk->form);
    uint32_t bytes = bulk_moved_bytes(bulk->form, bulk->size_bytes);
    check_size(bulk, &first, findings);
    if (bytes == 0) return first;
    if (has_place_source(bulk)) operand_check((uint32_t)bulk->from, "srcMem", findings, &first);
    if (has_place_destination(bulk)) operand_check((uint32_t)bulk->to, "dstMem", findings, &first);
    check_both_aligns(bulk, &first, findings);
    check_source(bulk, global, bytes, &first, findings);
    check_destination(bulk, global, bytes, &first, findings);
    return first;
}

// The end of it that is global memory, if one is.
static struct region global_end(const struct bulk *bulk)
{
    return (struct region){bulk_is_from_global(bulk->form) ? *bulk->source : *bulk->destination, 0};
}

enum rule bulk_check(const struct bulk *bulk, struct findings *findings)
{
    const struct region region = global_end(bulk);
    const struct global_memory global = {&region, 1};
    return bulk_check_in(bulk, &global, findings);
}

enum rule bulk_check_barrier(enum bulk_form form, uint32_t barrier, const struct memory *memory,
                             struct findings *findings)
{
    const uint32_t in_cta = barrier % (1u << SHARED_RANK_SHIFT);
    enum rule first = RULE_OK;
    findings_clear(findings);
    if (!has_form(form, BARRIER_BYTES)) return finding_of_form(findings, "form", (uint64_t)form);
    if (bulk_is_from_global(form)) return operand_check_barrier(barrier, memory, findings);
    if (barrier % BARRIER_BYTES != 0)
        finding_broken(findings, &first, finding_of_align(RULE_MBARRIER_ADDRESS_ALIGN, "mbar", barrier, BARRIER_BYTES));
    check_remote(memory, "mbar", in_cta, BARRIER_BYTES, &first, findings);
    return first;
}

bool bulk_reduce_is_legal(enum bulk_form form, enum reduce_op op, enum dtype dtype)
{
    if (bulk_is_from_global(form)) return false;
    for (int i = 0; i < BULK_REDUCTIONS; i++)
        if (reductions[i].op == op && reductions[i].dtype == dtype)
            return bulk_is_to_global(form) || !reductions[i].is_global_only;
    return false;
}

// Where the ends are, as the checks look at them: of an operand that the copy engine reads, its place; of another CTA,
// the offset in its memory.
static uint64_t place_of_source(const struct bulk *bulk)
{
    return has_place_source(bulk) ? operand_place((uint32_t)bulk->from) : bulk->from;
}

static uint64_t place_of_destination(const struct bulk *bulk)
{
    if (has_place_destination(bulk)) return operand_place((uint32_t)bulk->to);
    return bulk_is_to_global(bulk->form) ? bulk->to : (uint32_t)bulk->to;
}

// Moves the bytes of an operation that passed its check, and returns how many.
static uint32_t move(const struct bulk *bulk, bool is_reduction, enum reduce_op op, enum dtype dtype)
{
    uint32_t bytes = is_nowhere(bulk) ? 0 : bulk_moved_bytes(bulk->form, bulk->size_bytes);
    if (bytes == 0) return 0;
    const uint8_t *from = memory_at(bulk->source, place_of_source(bulk), bytes);
    uint8_t *to = memory_at(bulk->destination, place_of_destination(bulk), bytes);
    if (is_reduction)
        reduce_apply(op, dtype, to, from, bytes / dtype_row(dtype)->size_bytes);
    else
        memmove(to, from, bytes);
    return bytes;
}

static enum rule run(const struct bulk *bulk, bool is_reduction, enum reduce_op op, enum dtype dtype,
                     uint32_t *transaction_bytes, struct findings *findings)
{
    enum rule rule = bulk_check(bulk, findings);
    if (rule != RULE_OK) return rule;
    uint32_t bytes = move(bulk, is_reduction, op, dtype);
    *transaction_bytes = bulk_is_to_global(bulk->form) ? 0 : bytes;
    return RULE_OK;
}

enum rule bulk_copy(const struct bulk *bulk, uint32_t *transaction_bytes, struct findings *findings)
{
    return run(bulk, false, REDUCE_OPS, DTYPE_COUNT, transaction_bytes, findings);
}

enum rule bulk_reduce(const struct bulk *bulk, enum reduce_op op, enum dtype dtype, uint32_t *transaction_bytes,
                      struct findings *findings)
{
    findings_clear(findings);
    if (bulk_reduce_is_legal(bulk->form, op, dtype)) return run(bulk, true, op, dtype, transaction_bytes, findings);
    finding_add(findings, FINDING(RULE_BULK_REDUCE_TYPE, "type", .value = dtype));
    return RULE_BULK_REDUCE_TYPE;
}
