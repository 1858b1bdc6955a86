// SPDX-License-Identifier: MIT
// Instructions of the copy engine, and st.async and red.async: each lane's operation (tma/operation.h), checked and
// issued into the engine. cp.async is in small_copies.c.
#include <string.h>

#include "cluster.h"
#include "copy_report.h"
#include "flight_item.h"
#include "form_number.h"
#include "location.h"
#include "rules/map.h"
#include "tensormap.h"

enum { NONE = -1, MAP_PART_BYTES = 64 };

// Of each form its operation, how it ends, and which operands of the row are what; NONE: it has no such. A tensor copy
// has `map`, its coordinates behind it; all others `to`, `from` and `size`.
// `async`: ASYNC_COPY, it is not of this file.
struct copy_row {
    uint8_t kind, async;
    int8_t to, from, size, map, barrier, offsets, mask, policy;
};

#define BULK_REDUCTION(name)                                                                                           \
    [PTX_FORM_CP_REDUCE_ASYNC_BULK_##                                                                                  \
        name] = {OPERATION_BULK_STORE_REDUCE, ASYNC_BULK, 0, 1, 2, NONE, NONE, NONE, NONE, 3}
#define SEND_REDUCTION(name)                                                                                           \
    [PTX_FORM_CP_REDUCE_ASYNC_BULK_REMOTE_##                                                                           \
        name] = {OPERATION_BULK_SEND_REDUCE, ASYNC_ALONE, 0, 1, 2, NONE, 3, NONE, NONE, NONE}
#define REGISTERS(name, kind) [PTX_FORM_##name] = {OPERATION_##kind, ASYNC_ALONE, 0, 1, NONE, NONE, 2, NONE, NONE, NONE}

static const struct copy_row rows[PTX_FORMS] = {
    // kind, async, to, from, size, map, barrier, offsets, mask, policy
    [PTX_FORM_CP_ASYNC_BULK_LOAD] = {OPERATION_BULK_LOAD, ASYNC_ALONE, 0, 1, 2, NONE, 3, NONE, NONE, 4},
    [PTX_FORM_CP_ASYNC_BULK_MULTICAST] = {OPERATION_BULK_LOAD, ASYNC_ALONE, 0, 1, 2, NONE, 3, NONE, 4, 5},
    [PTX_FORM_CP_ASYNC_BULK_REMOTE] = {OPERATION_BULK_SEND, ASYNC_ALONE, 0, 1, 2, NONE, 3, NONE, NONE, NONE},
    [PTX_FORM_CP_ASYNC_BULK_STORE] = {OPERATION_BULK_STORE, ASYNC_BULK, 0, 1, 2, NONE, NONE, NONE, NONE, 3},
    [PTX_FORM_CP_ASYNC_BULK_PREFETCH] = {OPERATION_BULK_PREFETCH, ASYNC_ALONE, NONE, 0, 1, NONE, NONE, NONE, NONE, 2},
    BULK_REDUCTION(WRAP),
    BULK_REDUCTION(MINMAX),
    BULK_REDUCTION(ADD),
    BULK_REDUCTION(BITS),
    BULK_REDUCTION(NOFTZ),
    SEND_REDUCTION(WRAP),
    SEND_REDUCTION(MINMAX),
    SEND_REDUCTION(ADD),
    SEND_REDUCTION(BITS),
    REGISTERS(ST_ASYNC, ST_ASYNC),
    REGISTERS(RED_ASYNC_WRAP, RED_ASYNC),
    REGISTERS(RED_ASYNC_MINMAX, RED_ASYNC),
    REGISTERS(RED_ASYNC_ADD, RED_ASYNC),
    REGISTERS(RED_ASYNC_BITS, RED_ASYNC),
    [PTX_FORM_TENSOR_LOAD] = {OPERATION_TENSOR_LOAD, ASYNC_ALONE, 0, NONE, NONE, 1, 3, NONE, NONE, 4},
    [PTX_FORM_TENSOR_LOAD_MULTICAST] = {OPERATION_TENSOR_LOAD, ASYNC_ALONE, 0, NONE, NONE, 1, 3, NONE, 4, 5},
    [PTX_FORM_TENSOR_LOAD_IM2COL] = {OPERATION_TENSOR_LOAD, ASYNC_ALONE, 0, NONE, NONE, 1, 3, 4, NONE, 5},
    [PTX_FORM_TENSOR_LOAD_IM2COL_MULTICAST] = {OPERATION_TENSOR_LOAD, ASYNC_ALONE, 0, NONE, NONE, 1, 3, 4, 5, 6},
    [PTX_FORM_TENSOR_STORE] = {OPERATION_TENSOR_STORE, ASYNC_BULK, NONE, 2, NONE, 0, NONE, NONE, NONE, 3},
    [PTX_FORM_TENSOR_STORE_IM2COL] = {OPERATION_TENSOR_STORE, ASYNC_BULK, NONE, 2, NONE, 0, NONE, NONE, NONE, 3},
    [PTX_FORM_TENSOR_REDUCE] = {OPERATION_TENSOR_REDUCE, ASYNC_BULK, NONE, 2, NONE, 0, NONE, NONE, NONE, 3},
    [PTX_FORM_TENSOR_REDUCE_IM2COL] = {OPERATION_TENSOR_REDUCE, ASYNC_BULK, NONE, 2, NONE, 0, NONE, NONE, NONE, 3},
    [PTX_FORM_TENSOR_PREFETCH] = {OPERATION_TENSOR_PREFETCH, ASYNC_ALONE, NONE, NONE, NONE, 0, NONE, NONE, NONE, 2},
    [PTX_FORM_TENSOR_PREFETCH_IM2COL] = {OPERATION_TENSOR_PREFETCH, ASYNC_ALONE, NONE, NONE, NONE, 0, NONE, 2, NONE, 3},
};

// --- Operands --------------------------------------------------------------------------------------------------------

// One lane of one instruction.
struct asking {
    struct machine_strand *strand;
    const struct machine_code *code;
    const struct copy_row *row;
    uint32_t lane;
};

static const struct machine_operand *operand_of(const struct asking *asking, int n)
{
    return &asking->code->operand[machine_operand_at(asking->code, (uint32_t)n)];
}

static uint64_t value_of(const struct asking *asking, int n)
{
    return machine_value(asking->strand, operand_of(asking, n), asking->lane);
}

// An address operand: the register and the number behind it.
static uint64_t address_of(const struct asking *asking, int n)
{
    return machine_address(asking->strand, operand_of(asking, n), asking->lane);
}

static const enum dtype dtypes[PTX_TYPES] = {
    [PTX_TYPE_u32] = DTYPE_UINT32,  [PTX_TYPE_b32] = DTYPE_UINT32,    [PTX_TYPE_s32] = DTYPE_INT32,
    [PTX_TYPE_u64] = DTYPE_UINT64,  [PTX_TYPE_b64] = DTYPE_UINT64,    [PTX_TYPE_s64] = DTYPE_INT64,
    [PTX_TYPE_f16] = DTYPE_FLOAT16, [PTX_TYPE_bf16] = DTYPE_BFLOAT16, [PTX_TYPE_f32] = DTYPE_FLOAT32,
    [PTX_TYPE_f64] = DTYPE_FLOAT64,
};

static enum reduce_op op_of(const struct ptx_choice *choice)
{
    static const struct {
        enum ptx_word word;
        enum reduce_op op;
    } ops[] = {{PTX_ADD, REDUCE_ADD}, {PTX_MIN, REDUCE_MIN}, {PTX_MAX, REDUCE_MAX}, {PTX_INC, REDUCE_INC},
               {PTX_DEC, REDUCE_DEC}, {PTX_AND, REDUCE_AND}, {PTX_OR, REDUCE_OR},   {PTX_XOR, REDUCE_XOR}};
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++)
        if (choice->word[PTX_CLASS_OPERATION] == ops[i].word) return ops[i].op;
    return REDUCE_OPS;
}

// In a shared::cta space the rank is the own one, whether it stands in the register or not.
static uint32_t shared_of(const struct asking *asking, enum ptx_word space, uint64_t address)
{
    const struct machine_cta *cta = asking->strand->warp->cta;
    bool is_own = space == PTX_SHARED || space == PTX_SHARED_CTA;
    return is_own && address < SHARED_WINDOW_BYTES ? cluster_mapa((uint32_t)address, cta->rank) : (uint32_t)address;
}

// The words of st.async and red.async.
static void take_registers(const struct asking *asking, struct operation *o)
{
    const struct machine_operand *first = operand_of(asking, asking->row->from);
    uint32_t each = ptx_type_row(asking->code->choice->type[0])->bits / 8;
    o->size_bytes = each * first->parts;
    for (uint32_t part = 0; part < first->parts; part++) {
        uint64_t value = machine_value(asking->strand, first + part, asking->lane);
        memcpy((uint8_t *)o->value + part * each, &value, each);
    }
}

// The spaces of a copy are named destination first; a prefetch names its source alone, st.async its destination.
static void set_plain(const struct asking *asking, struct operation *o)
{
    const struct copy_row *row = asking->row;
    const struct ptx_choice *choice = asking->code->choice;
    bool is_register = row->size == NONE;
    int spaces = choice->spaces;
    o->op = op_of(choice);
    o->dtype = choice->types > 0 ? dtypes[choice->type[0]] : DTYPE_UINT8;
    if (row->to != NONE) o->to = address_of(asking, row->to);
    if (row->to != NONE && (is_register || choice->space[0] != PTX_GLOBAL))
        o->to = shared_of(asking, is_register ? PTX_SHARED_CLUSTER : (enum ptx_word)choice->space[0], o->to);
    if (is_register) {
        take_registers(asking, o);
        return;
    }
    o->from = address_of(asking, row->from);
    if (spaces > 1 && choice->space[1] != PTX_GLOBAL)
        o->from = shared_of(asking, (enum ptx_word)choice->space[1], o->from);
    o->size_bytes = (uint32_t)value_of(asking, row->size);
}

// Decodes a map, but not again as long as its bytes stay as they are.
static void decode_map(const struct asking *asking, const struct tensormap_image *image, struct operation *o)
{
    struct flight_map *last = &flights_of(asking->strand->warp)->map[o->map_address / sizeof *image % FLIGHT_MAPS];
    if (!last->is_there || memcmp(&last->image, image, sizeof *image) != 0) {
        last->is_there = true;
        last->image = *image;
        tensormap_decode(image, &last->map, NULL);
    }
    o->map = last->map;
}

// Reads the map where it lies. RULE_OK, or why no copy can.
static enum rule read_map(const struct asking *asking, struct operation *o)
{
    struct machine_place place = machine_place(asking->strand, PTX_WORD_NONE, o->map_address);
    struct tensormap_image image;
    enum map_location location = place.space == PTX_LOCAL    ? MAP_IN_LOCAL
                                 : place.space == PTX_GLOBAL ? MAP_IN_GLOBAL
                                                             : MAP_IN_SHARED;
    enum rule rule = map_location_check(location, o->map_address, NULL, NULL), unmapped;
    for (uint32_t at = 0; rule == RULE_OK && at < sizeof image; at += MAP_PART_BYTES, place.address += MAP_PART_BYTES) {
        const uint8_t *bytes = machine_at(asking->strand, place, asking->lane, MAP_PART_BYTES, MEMORY_READS, &unmapped);
        if (bytes == NULL) return RULE_MAP_LOCATION_UNMAPPED;
        memcpy((uint8_t *)&image + at, bytes, MAP_PART_BYTES);
    }
    o->map_location = MAP_IN_PARAM; // its place has been looked at, parameters and constants among them
    if (rule == RULE_OK && location == MAP_IN_GLOBAL) flight_map_read(asking->strand->warp, o->map_address, &image);
    if (rule == RULE_OK) decode_map(asking, &image, o);
    return rule;
}

static enum rule set_tensor(const struct asking *asking, struct operation *o)
{
    const struct copy_row *row = asking->row;
    const struct ptx_choice *choice = asking->code->choice;
    const struct machine_operand *coord = operand_of(asking, row->map + 1);
    bool is_load = row->to != NONE;
    int tile = choice->word[PTX_CLASS_TILE];
    o->mode = tile == PTX_IM2COL || tile == PTX_IM2COL_NO_OFFS ? TENSORMAP_IM2COL : TENSORMAP_TILED;
    o->dims = choice->word[PTX_CLASS_DIM] - PTX_D1 + 1;
    o->op = op_of(choice);
    o->map_address = address_of(asking, row->map);
    for (int i = 0; i < o->dims; i++) o->coord[i] = (int32_t)machine_value(asking->strand, coord + i, asking->lane);
    for (int i = 0; row->offsets != NONE && i < o->dims - 2; i++)
        o->offset[i] = (uint16_t)machine_value(asking->strand, operand_of(asking, row->offsets) + i, asking->lane);
    int shared = is_load ? row->to : row->from;
    if (shared != NONE)
        o->shared = shared_of(asking, (enum ptx_word)choice->space[is_load ? 0 : 1], address_of(asking, shared));
    return read_map(asking, o);
}

static enum rule operation_of(const struct asking *asking, struct operation *o)
{
    const struct copy_row *row = asking->row;
    memset(o, 0, sizeof *o);
    o->kind = (enum operation_kind)row->kind;
    o->issuer = asking->strand->warp->cta->rank;
    if (row->barrier != NONE) o->barrier = (uint32_t)address_of(asking, row->barrier);
    o->is_multicast = row->mask != NONE;
    if (o->is_multicast) o->mask = (uint32_t)value_of(asking, row->mask);
    o->has_policy = row->policy != NONE && asking->code->choice->word[PTX_CLASS_CACHE_HINT] != 0;
    if (o->has_policy) o->policy = value_of(asking, row->policy);
    if (row->map != NONE) return set_tensor(asking, o);
    set_plain(asking, o);
    return RULE_OK;
}

// --- Faults ----------------------------------------------------------------------------------------------------------

static enum machine_next refuse(const struct asking *asking, const struct operation *o, enum rule rule, bool is_read,
                                const struct findings *findings)
{
    char what[2048];
    const struct finding of_map = {
        rule, "tensorMap", -1, 0, o->map_address, MAP_ALIGN, o->map_address / MAP_ALIGN * MAP_ALIGN};
    const struct finding *finding = is_read ? findings_of_rule(findings, rule) : &of_map;
    machine_copy_explain(asking->strand->warp->cta->cluster->machine, o, is_read, finding, what, sizeof what);
    return machine_fault_with(asking->strand, asking->code, asking->lane, rule, finding->value, what);
}

static enum machine_next no_memory(const struct asking *asking)
{
    return machine_stop(asking->strand, asking->code, asking->lane, MACHINE_NO_MEMORY, 0,
                        "not enough memory for one more copy in flight");
}

// --- Issue -----------------------------------------------------------------------------------------------------------

static struct flight_operation *new_item(const struct asking *asking)
{
    struct machine_warp *warp = asking->strand->warp;
    struct flight_operation *item = flight_new(warp, FLIGHT_OPERATION, UINT32_C(1) << asking->lane, sizeof *item);
    if (item != NULL) item->own = NULL;
    if (item != NULL) item->own_global = NULL;
    return item;
}

// Puts one flight into the list. Every operation has a number of its own.
static void issue(const struct asking *asking, struct flight_operation *item, const struct teller *teller,
                  uint32_t targets)
{
    struct machine_warp *warp = asking->strand->warp;
    item->head.async = (enum async_kind)asking->row->async;
    flight_begin(&item->flight, &flights_of(warp)->memories, teller);
    item->flight.targets = targets;
    item->group = 0;
    if (item->head.async == ASYNC_BULK)
        item->group = async_issue(&flight_warp_of(warp)->lane[asking->lane], ASYNC_BULK, teller).group;
    else
        event_tell(teller, (struct event){.kind = EVENT_GROUP, .group = {ASYNC_ALONE, GROUP_ISSUE, 0}});
    flight_veil_source(item);
    const bool is_veiled = flight_veil_global(item);
    flight_issue(&item->head);
    if (is_veiled) flight_end(&item->head);
}

// Where the schedule is random the CTAs of a multicast get their bytes at different times: each from a flight of its
// own. 0 if there is no memory for them.
static bool issue_all(const struct asking *asking, struct flight_operation *item)
{
    const struct machine_cluster *cluster = asking->strand->warp->cta->cluster;
    const struct operation *o = &item->flight.operation;
    uint32_t targets = operation_targets(o);
    bool is_split = cluster->machine->launch->schedule.policy == MACHINE_SHUFFLED && o->is_multicast;
    for (; is_split && (targets & (targets - 1)) != 0; targets &= targets - 1) {
        struct flight_operation *part = new_item(asking);
        if (part == NULL) return false;
        part->flight.operation = *o;
        part->flight.box = item->flight.box;
        issue(asking, part, &item->flight.teller, targets & -targets);
    }
    issue(asking, item, &item->flight.teller, targets);
    return true;
}

// The operation is made where it will be under way.
static enum machine_next run_lane(const struct asking *asking)
{
    struct machine_flights *flights = flights_of(asking->strand->warp);
    struct flight_operation *item = new_item(asking);
    struct findings findings;
    if (item == NULL) return no_memory(asking);
    struct teller *teller = &item->flight.teller;
    struct operation *o = &item->flight.operation;
    enum rule rule = operation_of(asking, o);
    bool is_read = rule == RULE_OK;
    if (is_read) rule = flight_check(&item->flight, &flights->memories, NULL);
    if (rule != RULE_OK) {
        findings_clear(&findings);
        if (is_read) operation_check(o, &flights->memories, &findings);
        enum machine_next next = refuse(asking, o, rule, is_read, &findings);
        flight_free(&item->head);
        return next;
    }
    machine_teller(asking->strand, asking->code, UINT32_C(1) << asking->lane, teller);
    teller->origin.operation = ++flights->operations;
    if (issue_all(asking, item)) return MACHINE_NEXT;
    flight_free(&item->head);
    return no_memory(asking);
}

static enum machine_next copy(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    struct asking asking = {strand, code, &rows[code->choice->form], 0};
    enum machine_next next = MACHINE_NEXT;
    for (uint32_t left = lanes; left != 0 && next == MACHINE_NEXT; left &= left - 1) {
        asking.lane = (uint32_t)__builtin_ctz(left);
        next = run_lane(&asking);
    }
    return next;
}

int machine_copies_load(const struct ptx_choice *choice)
{
    const struct copy_row *row = &rows[choice->form];
    return row->async != ASYNC_COPY && (row->kind == OPERATION_BULK_LOAD || row->kind == OPERATION_TENSOR_LOAD);
}

int machine_copies_write(const struct ptx_choice *choice)
{
    const struct copy_row *row = &rows[choice->form];
    return row->async != ASYNC_COPY && operation_has_barrier(row->kind);
}

machine_handler *machine_copies_find(const struct ptx_choice *choice)
{
    return rows[choice->form].async != ASYNC_COPY ? copy : NULL;
}
