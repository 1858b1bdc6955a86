// SPDX-License-Identifier: MIT
// atom and red: one lane after another, from the lowest, in one loop where each is where it may be. What an operation
// makes of two numbers is in tma/reduce.h.
#include <string.h>

#include "each.h"
#include "form_number.h"
#include "handler.h"
#include "noted.h"
#include "reducer.h"
#include "veil.h"

enum { MOST_PARTS = 8, ELEMENT_BYTES = 16 };

// `op` is REDUCE_OPS for exch and cas. `dtype`, flushed: what global memory takes for an f32.
struct atomic {
    const struct machine_operand *old, *at, *operand, *compare; // old: NULL of red, and where it is not wanted
    uint32_t parts, bytes;
    enum ptx_word space, word;
    enum reduce_op op;
    enum dtype dtype;
    bool is_shared_by_threads;
};

static enum dtype dtype_of(enum ptx_type type)
{
    switch (type) {
    case PTX_TYPE_s32:
        return DTYPE_INT32;
    case PTX_TYPE_u64:
    case PTX_TYPE_b64:
        return DTYPE_UINT64;
    case PTX_TYPE_s64:
        return DTYPE_INT64;
    case PTX_TYPE_f16:
    case PTX_TYPE_f16x2:
        return DTYPE_FLOAT16;
    case PTX_TYPE_bf16:
    case PTX_TYPE_bf16x2:
        return DTYPE_BFLOAT16;
    case PTX_TYPE_f32:
        return DTYPE_FLOAT32;
    case PTX_TYPE_f64:
        return DTYPE_FLOAT64;
    default:
        return DTYPE_UINT32;
    }
}

static enum reduce_op op_of(enum ptx_word word)
{
    switch (word) {
    case PTX_ADD:
        return REDUCE_ADD;
    case PTX_MIN:
        return REDUCE_MIN;
    case PTX_MAX:
        return REDUCE_MAX;
    case PTX_INC:
        return REDUCE_INC;
    case PTX_DEC:
        return REDUCE_DEC;
    case PTX_AND:
        return REDUCE_AND;
    case PTX_OR:
        return REDUCE_OR;
    case PTX_XOR:
        return REDUCE_XOR;
    default:
        return REDUCE_OPS;
    }
}

static bool is_red(const struct ptx_choice *choice)
{
    return choice->form >= PTX_FORM_RED_ADD && choice->form <= PTX_FORM_RED_VECTOR_HALF2;
}

static struct atomic atomic_of(const struct machine_strand *strand, const struct machine_code *code)
{
    const struct ptx_choice *choice = code->choice;
    enum ptx_type type = (enum ptx_type)choice->type[0];
    uint32_t at = is_red(choice) ? 0 : code->operand[0].parts;
    struct atomic atomic = {.old = at == 0 ? NULL : code->operand,
                            .at = &code->operand[at],
                            .operand = &code->operand[at + 1],
                            .space = (enum ptx_word)(choice->spaces > 0 ? choice->space[0] : PTX_WORD_NONE),
                            .word = (enum ptx_word)choice->word[PTX_CLASS_OPERATION],
                            .dtype = dtype_of(type),
                            .bytes = ptx_type_row(type)->bits / 8};
    atomic.parts = atomic.operand->parts;
    atomic.op = op_of(atomic.word);
    if (choice->form == PTX_FORM_ATOM_CAS) atomic.compare = atomic.operand, atomic.operand = atomic.compare + 1;
    if (atomic.old != NULL && atomic.old->parts != atomic.parts) atomic.old = NULL; // the sink of a vector
    atomic.is_shared_by_threads =
        strand->warp->cta->cluster->machine->combined_lock != NULL ||
        choice->word[PTX_CLASS_SCOPE] == PTX_SYS; // the program's own threads are of the system
    return atomic;
}

// --- One element -----------------------------------------------------------------------------------------------------

static void get(const struct machine_strand *strand, const struct machine_operand *operand, uint32_t lane, void *to)
{
    uint64_t value = machine_value(strand, operand, lane);
    if (operand->file == PTX_FILE_128)
        memcpy(to, (const struct machine_wide *)machine_slot(strand, operand->slot) + lane, ELEMENT_BYTES);
    else
        memcpy(to, &value, sizeof value);
}

static void set(const struct machine_strand *strand, const struct machine_operand *operand, uint32_t lane,
                const void *from)
{
    uint64_t value;
    memcpy(&value, from, sizeof value);
    if (operand->file == PTX_FILE_128)
        memcpy((struct machine_wide *)machine_slot(strand, operand->slot) + lane, from, ELEMENT_BYTES);
    else
        machine_set_value(strand, operand, lane, value);
}

// What is left of `old`.
static void apply(const struct atomic *atomic, enum dtype dtype, uint8_t *value, const uint8_t *operand,
                  const uint8_t *compare)
{
    if (atomic->op != REDUCE_OPS)
        reduce_apply(atomic->op, dtype, value, operand, atomic->bytes / dtype_row(dtype)->size_bytes);
    else if (atomic->compare == NULL || memcmp(value, compare, atomic->bytes) == 0)
        memcpy(value, operand, atomic->bytes);
}

// One word of the host. A store of another of its threads may be faster, which takes no lock: then once more.
#define RUN_WORD(T)                                                                                                    \
    static int run_##T(const struct atomic *atomic, enum dtype dtype, uint8_t *at, const uint8_t *operand,             \
                       const uint8_t *compare, uint8_t old[ELEMENT_BYTES])                                             \
    {                                                                                                                  \
        T before, after;                                                                                               \
        T *const word = (T *)(void *)at;                                                                               \
        do {                                                                                                           \
            before = __atomic_load_n(word, __ATOMIC_SEQ_CST);                                                          \
            after = before;                                                                                            \
            apply(atomic, dtype, (uint8_t *)&after, operand, compare);                                                 \
            if (!atomic->is_shared_by_threads) __atomic_store_n(word, after, __ATOMIC_RELAXED);                        \
        } while (atomic->is_shared_by_threads &&                                                                       \
                 !__atomic_compare_exchange_n(word, &before, after, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));           \
        const uint64_t wide = before;                                                                                  \
        memcpy(old, &wide, sizeof wide);                                                                               \
        return after != before;                                                                                        \
    }
RUN_WORD(uint16_t)
RUN_WORD(uint32_t)
RUN_WORD(uint64_t)

// `old`: what was there. Has it changed?
static bool run_element(const struct atomic *atomic, enum dtype dtype, uint8_t *at, const uint8_t *operand,
                        const uint8_t *compare, uint8_t old[ELEMENT_BYTES])
{
    switch (atomic->bytes) {
    case sizeof(uint16_t):
        return run_uint16_t(atomic, dtype, at, operand, compare, old);
    case sizeof(uint32_t):
        return run_uint32_t(atomic, dtype, at, operand, compare, old);
    case sizeof(uint64_t):
        return run_uint64_t(atomic, dtype, at, operand, compare, old);
    default:
        memcpy(old, at, ELEMENT_BYTES);
        apply(atomic, dtype, at, operand, compare);
        return memcmp(old, at, ELEMENT_BYTES) != 0;
    }
}

// All parts are read before the first result is written: it may go to a register of another part. Has memory changed?
static bool run_lane(const struct machine_strand *strand, const struct atomic *atomic, enum dtype dtype, uint8_t *at,
                     uint32_t lane)
{
    uint8_t operand[MOST_PARTS][ELEMENT_BYTES], compare[ELEMENT_BYTES], old[MOST_PARTS][ELEMENT_BYTES];
    for (uint32_t part = 0; part < atomic->parts; part++) get(strand, &atomic->operand[part], lane, operand[part]);
    if (atomic->compare != NULL) get(strand, atomic->compare, lane, compare);
    bool has_changed = false;
    for (uint32_t part = 0; part < atomic->parts; part++)
        has_changed |= run_element(atomic, dtype, at + part * atomic->bytes, operand[part], compare, old[part]);
    for (uint32_t part = 0; part < atomic->parts && atomic->old != NULL; part++)
        set(strand, &atomic->old[part], lane, old[part]);
    return has_changed;
}

// Global memory flushes subnormals of f32; shared memory keeps them.
static enum dtype dtype_in(const struct atomic *atomic, enum ptx_word space)
{
    return atomic->dtype == DTYPE_FLOAT32 && space == PTX_GLOBAL ? DTYPE_FLOAT32_FTZ : atomic->dtype;
}

static enum machine_next run_lanes(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes,
                                   const struct atomic *atomic)
{
    uint64_t address[MACHINE_LANES];
    machine_addresses(strand, atomic->at, address);
    uint32_t whole = atomic->bytes * atomic->parts;
    enum ptx_word space = PTX_WORD_NONE;
    bool has_changed = false;
    for (uint32_t lane = 0; lane < MACHINE_LANES; lane++) {
        enum rule rule;
        if (!(lanes >> lane & 1)) continue;
        struct machine_place place = machine_place(strand, atomic->space, address[lane]);
        uint8_t *at = machine_at(strand, place, lane, whole, MEMORY_WRITES, &rule);
        if (at == NULL) return machine_fault_at(strand, code, lane, rule, place, whole);
        has_changed |= run_lane(strand, atomic, dtype_in(atomic, place.space), at, lane);
        if (place.space == PTX_GLOBAL) machine_veil_lift_word(strand->warp, at, whole);
        space = place.space;
    }
    strand->warp->cta->cluster->vain += !has_changed;
    machine_look(strand, code, space, address[__builtin_ctz(lanes)]);
    return MACHINE_NEXT;
}

// --- All lanes at once -----------------------------------------------------------------------------------------------

// Is each lane's operand one whole element of its register, as it is reduced?
static bool is_row(const struct atomic *atomic)
{
    static const uint32_t lane_bytes[PTX_FILES + 1] = {[PTX_FILE_16] = 2, [PTX_FILE_32] = 4, [PTX_FILE_64] = 8};
    const bool has_old = atomic->old != NULL && lane_bytes[atomic->old->file] != atomic->bytes;
    return atomic->parts == 1 && lane_bytes[atomic->operand->file] == atomic->bytes && !has_old;
}

// All lanes have places of their own, side by side. Is anything changed? Nobody asks.
static void run_span(const struct machine_strand *strand, const struct atomic *atomic, const struct reducer *reducer,
                     uint8_t *at)
{
    uint8_t operand[MACHINE_LANES * sizeof(uint64_t)]; // `old` may be its register
    const uint32_t bytes = atomic->bytes * MACHINE_LANES;
    machine_veil_write(strand->warp, at, bytes);
    memcpy(operand, machine_slot(strand, atomic->operand->slot), bytes);
    if (atomic->old != NULL) memcpy(machine_slot(strand, atomic->old->slot), at, bytes);
    reducer->run(at, operand, bytes);
}

static void run_each(const struct machine_strand *strand, const struct atomic *atomic, const struct reducer *reducer,
                     uint32_t lanes, const struct machine_spots *spots)
{
    for (EACH_BIT(lane, strand->warp->cta->cluster->veil == NULL ? 0 : lanes))
        machine_veil_write(strand->warp, spots->at + spots->of.offset[lane], atomic->bytes);
    void *const old = atomic->old == NULL ? NULL : machine_slot(strand, atomic->old->slot);
    const bool has_changed =
        reducer->each(spots->at, spots->of.offset, lanes, machine_slot(strand, atomic->operand->slot), old);
    strand->warp->cta->cluster->vain += !has_changed;
}

// All lanes at once, if each is where it may be; else 0, and nothing has been done. In global memory other threads of
// the host must see each element change at once: there may be none.
static bool run_together(struct machine_strand *strand, const struct machine_code *code, const struct atomic *atomic,
                         uint32_t lanes)
{
    const uint64_t first = machine_address(strand, atomic->at, (uint32_t)__builtin_ctz(lanes));
    const enum ptx_word space = machine_place(strand, atomic->space, first).space;
    const enum dtype dtype = dtype_in(atomic, space);
    const struct machine_use use = {atomic->space, MEMORY_WRITES, atomic->bytes};
    const bool is_veiled = strand->warp->cta->cluster->veil != NULL;
    struct machine_spots spots;
    if (!reduce_is_legal(atomic->op, dtype) || !is_row(atomic)) return false;
    if (atomic->is_shared_by_threads && space == PTX_GLOBAL) return false;
    const struct reducer reducer = reducer_begin(atomic->op, dtype);
    enum alu_reach reach =
        reducer.each_bytes != atomic->bytes
            ? ALU_OUTSIDE
            : machine_reach(strand, atomic->at, alu_span()->reach[atomic->at->file == PTX_FILE_64], use, lanes, &spots);
    if (reach == ALU_SIDE_BY_SIDE) run_span(strand, atomic, &reducer, spots.at);
    if (reach == ALU_SIDE_BY_SIDE && space == PTX_GLOBAL)
        machine_veil_lift_word(strand->warp, spots.at, (uint64_t)atomic->bytes * MACHINE_LANES);
    if (reach == ALU_AT_ONE) memset(spots.of.offset, 0, sizeof spots.of.offset);
    if (reach == ALU_AT_ONE || reach == ALU_SCATTERED) {
        run_each(strand, atomic, &reducer, lanes, &spots);
        for (EACH_BIT(lane, space == PTX_GLOBAL && is_veiled ? lanes : 0))
            machine_veil_lift_word(strand->warp, spots.at + spots.of.offset[lane], atomic->bytes);
        machine_look(strand, code, space, first);
    }
    reducer_end(&reducer);
    return reach != ALU_OUTSIDE;
}

// --- The instructions ------------------------------------------------------------------------------------------------

static void tell(const struct machine_strand *strand, const struct machine_code *code, uint32_t lanes,
                 const struct atomic *atomic)
{
    uint64_t address[MACHINE_LANES];
    machine_addresses(strand, atomic->at, address);
    machine_tell_access(strand, code, lanes, ACCESS_REDUCE, address, atomic->bytes * atomic->parts);
}

static enum machine_next run_atomic(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    const struct machine *machine = strand->warp->cta->cluster->machine;
    struct atomic atomic = atomic_of(strand, code);
    bool is_global = atomic.space == PTX_GLOBAL || atomic.space == PTX_WORD_NONE; // or may be
    if (machine_is_wide(code->choice)) machine_release(strand->warp);
    machine_veil_learn(strand->warp);
    machine_progress(strand);
    if (machine_is_heard(strand)) tell(strand, code, lanes, &atomic);
    const bool is_noted = is_global && (lanes & (lanes - 1)) == 0;
    const uint64_t address = is_noted ? machine_address(strand, atomic.at, (uint32_t)__builtin_ctz(lanes)) : 0;
    const uint64_t vain = strand->warp->cta->cluster->vain;
    enum machine_next next = MACHINE_NEXT;
    if (!run_together(strand, code, &atomic, lanes)) {
        if (is_global) machine_combine_lock(machine);
        next = run_lanes(strand, code, lanes, &atomic);
        if (is_global) machine_combine_unlock(machine);
    }
    if (!is_noted || next != MACHINE_NEXT || vain != strand->warp->cta->cluster->vain) return next;
    if (machine_place(strand, atomic.space, address).space == PTX_GLOBAL)
        machine_note_write(strand, code, address, atomic.bytes, NULL);
    return next;
}

machine_handler *machine_atomic_find(const struct ptx_choice *choice)
{
    bool is_atom = choice->form >= PTX_FORM_ATOM_ADD && choice->form <= PTX_FORM_ATOM_VECTOR_HALF2;
    return is_atom || is_red(choice) || choice->form == PTX_FORM_ATOM_EXCH || choice->form == PTX_FORM_ATOM_CAS
               ? run_atomic
               : NULL;
}
