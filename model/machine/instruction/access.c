// SPDX-License-Identifier: MIT
// Loads and stores. Lanes side by side in memory are copied as one; others in one loop, if each is where it may be.
#include <string.h>

#include "each.h"
#include "form_number.h"
#include "late_reads.h"
#include "movers.h"
#include "remote.h"
#include "span.h"
#include "veil.h"

static bool is_store(const struct ptx_choice *choice)
{
    return choice->form >= PTX_FORM_ST && choice->form <= PTX_FORM_ST_MMIO;
}

// --- One lane --------------------------------------------------------------------------------------------------------

typedef uint16_t __attribute__((may_alias)) element_16;
typedef uint32_t __attribute__((may_alias)) element_32;
typedef uint64_t __attribute__((may_alias)) element_64;

// An element is one access of the host: acquire and release cost an x86 nothing, and serve weak accesses too.
static uint64_t read_element(const uint8_t *at, uint32_t bytes)
{
    switch (bytes) {
    case 1:
        return __atomic_load_n(at, __ATOMIC_ACQUIRE);
    case 2:
        return __atomic_load_n((const element_16 *)(const void *)at, __ATOMIC_ACQUIRE);
    case 4:
        return __atomic_load_n((const element_32 *)(const void *)at, __ATOMIC_ACQUIRE);
    default:
        return __atomic_load_n((const element_64 *)(const void *)at, __ATOMIC_ACQUIRE);
    }
}

static void write_element(uint8_t *at, uint32_t bytes, uint64_t value)
{
    switch (bytes) {
    case 1:
        __atomic_store_n(at, (uint8_t)value, __ATOMIC_RELEASE);
        return;
    case 2:
        __atomic_store_n((element_16 *)(void *)at, (uint16_t)value, __ATOMIC_RELEASE);
        return;
    case 4:
        __atomic_store_n((element_32 *)(void *)at, (uint32_t)value, __ATOMIC_RELEASE);
        return;
    default:
        __atomic_store_n((element_64 *)(void *)at, value, __ATOMIC_RELEASE);
    }
}

static uint64_t read_value(const uint8_t *at, uint32_t bytes, bool is_signed)
{
    const uint64_t value = read_element(at, bytes);
    if (!is_signed || bytes >= 8) return value;
    uint64_t sign = (uint64_t)1 << (8 * bytes - 1);
    return (value ^ sign) - sign;
}

void machine_load_lane(const struct machine_strand *strand, const struct machine_transfer *transfer, const uint8_t *at,
                       uint32_t lane)
{
    for (uint32_t i = 0; i < transfer->parts; i++, at += transfer->bytes) {
        const struct machine_operand *to = &transfer->data[i];
        if (transfer->bytes == 16)
            memcpy((struct machine_wide *)machine_slot(strand, to->slot) + lane, at, 16);
        else
            machine_set_value(strand, to, lane, read_value(at, transfer->bytes, transfer->is_signed));
    }
}

// Gives all lanes what the first has.
#define SPREAD_FIRST(T)                                                                                                \
    {                                                                                                                  \
        T *const to = machine_slot(strand, operand->slot);                                                             \
        const T first = to[0];                                                                                         \
        for (uint32_t lane = 0; lane < MACHINE_LANES; lane++) to[lane] = first;                                        \
        return;                                                                                                        \
    }
static void spread_first(const struct machine_strand *strand, const struct machine_operand *operand)
{
    if (operand->file == PTX_FILE_16) SPREAD_FIRST(uint16_t)
    if (operand->file == PTX_FILE_32) SPREAD_FIRST(uint32_t)
    if (operand->file == PTX_FILE_64) SPREAD_FIRST(uint64_t)
    SPREAD_FIRST(struct machine_wide)
}

static void store_lane(const struct machine_strand *strand, const struct machine_transfer *transfer, uint8_t *at,
                       uint32_t lane)
{
    for (uint32_t i = 0; i < transfer->parts; i++, at += transfer->bytes) {
        const struct machine_operand *from = &transfer->data[i];
        uint64_t value = transfer->bytes == 16 ? 0 : machine_value(strand, from, lane);
        if (transfer->bytes == 16)
            memcpy(at, (struct machine_wide *)machine_slot(strand, from->slot) + lane, 16);
        else
            write_element(at, transfer->bytes, value);
    }
}

static bool is_of_another(const struct machine_strand *strand, struct machine_place place)
{
    return place.space == PTX_SHARED_CLUSTER &&
           (uint32_t)(place.address >> SHARED_RANK_SHIFT) != strand->warp->cta->rank;
}

// The bytes of a store to another CTA are under way for a while; 0: they land now.
static bool store_late(const struct machine_strand *strand, const struct machine_transfer *transfer,
                       struct machine_place place, uint8_t *at, uint32_t lane, struct flight_stores *late)
{
    if (late == NULL || !is_of_another(strand, place)) return false;
    late->to[lane] = at;
    store_lane(strand, transfer, late->data[lane], lane);
    return true;
}

// Not inline: what is rare here would slow down what is not.
__attribute__((noinline)) static enum machine_next each_lane(struct machine_strand *strand,
                                                             const struct machine_code *code, uint32_t lanes,
                                                             const struct machine_transfer *transfer,
                                                             const uint64_t address[MACHINE_LANES])
{
    const bool may_be_late = transfer->use == MEMORY_WRITES && !transfer->is_strong;
    struct flight_stores *late = may_be_late ? machine_remote_begin(strand, transfer->whole_bytes) : NULL;
    const uint8_t *read_at[MACHINE_LANES];
    uint32_t late_lanes = 0, read_lanes = 0;
    for (EACH_BIT(lane, lanes)) {
        enum rule rule;
        struct machine_place place = machine_place(strand, transfer->space, address[lane]);
        uint8_t *at = machine_at(strand, place, lane, transfer->whole_bytes, transfer->use, &rule);
        if (at == NULL) {
            if (late != NULL) machine_remote_issue(late, late_lanes);
            return machine_fault_at(strand, code, lane, rule, place, transfer->whole_bytes);
        }
        if (store_late(strand, transfer, place, at, lane, late))
            late_lanes |= UINT32_C(1) << lane;
        else if (transfer->use == MEMORY_WRITES)
            store_lane(strand, transfer, at, lane);
        else
            machine_load_lane(strand, transfer, at, lane);
        read_at[lane] = at;
        if (transfer->use == MEMORY_READS && is_of_another(strand, place)) read_lanes |= UINT32_C(1) << lane;
    }
    if (late != NULL) machine_remote_issue(late, late_lanes);
    if (read_lanes != 0 && !transfer->is_strong) machine_reads_note(strand, code, read_lanes, read_at);
    return MACHINE_NEXT;
}

// --- At decoding -----------------------------------------------------------------------------------------------------

// What moves 32 lanes that lie side by side; NULL: each lane for itself.
static alu_span_mover *span_mover_of(const struct machine_transfer *transfer, const struct alu_span *span)
{
    static const uint8_t sizes[PTX_FILES] = {[PTX_FILE_32] = 1, [PTX_FILE_64] = 2, [PTX_FILE_128] = 3};
    static const uint8_t by_parts[] = {[1] = 1, [2] = 2, [4] = 3};
    uint32_t parts = transfer->parts < sizeof by_parts ? by_parts[transfer->parts] : 0;
    if (parts == 0 || !transfer->is_plain || transfer->is_strong) return NULL;
    return span->move[sizes[transfer->data->file]][transfer->use == MEMORY_WRITES][parts - 1];
}

// Are the registers exactly as wide as what is moved, and is none loaded twice? Then bits are copied as they are.
static bool is_plain(const struct machine_transfer *transfer)
{
    static const uint32_t lane_bytes[PTX_FILES + 1] = {0, 2, 4, 8, 16, 0};
    for (uint32_t i = 0; i < transfer->parts; i++) {
        if (lane_bytes[transfer->data[i].file] != transfer->bytes) return false;
        for (uint32_t k = 0; k < i && transfer->use == MEMORY_READS; k++)
            if (transfer->data[i].slot == transfer->data[k].slot) return false;
    }
    return true;
}

static enum machine_guess guess_of(const struct machine_transfer *transfer)
{
    const bool is_wide = transfer->at->file == PTX_FILE_64, is_narrow = transfer->at->file == PTX_FILE_32;
    if (is_narrow && (transfer->space == PTX_SHARED || transfer->space == PTX_SHARED_CTA)) return MACHINE_GUESS_SHARED;
    if (is_wide && (transfer->space == PTX_GLOBAL || transfer->space == PTX_WORD_NONE)) return MACHINE_GUESS_REGION;
    return MACHINE_GUESS_NOTHING;
}

// What moves a part of lanes here and there.
static alu_gatherer *many_mover_of(const struct machine_transfer *transfer, const struct alu_span *span)
{
    const bool is_wide = transfer->bytes == sizeof(uint64_t);
    if (!transfer->is_plain || transfer->is_strong || (transfer->bytes != sizeof(uint32_t) && !is_wide))
        return transfer->move;
    alu_gatherer *const some = span->some[is_wide][transfer->use == MEMORY_WRITES];
    return some != NULL ? some : transfer->move;
}

static alu_rower *row_mover_of(const struct machine_transfer *transfer, const struct alu_span *span)
{
    const bool is_wide = transfer->bytes == sizeof(uint64_t), is_word = transfer->bytes == sizeof(uint32_t) || is_wide;
    if (!transfer->is_plain || transfer->is_strong || !is_word || transfer->parts > ALU_SPAN_PARTS) return NULL;
    return span->rows[is_wide][transfer->use == MEMORY_WRITES];
}

void machine_transfer_prepare(struct machine_transfer *transfer, const struct machine_code *code)
{
    const struct ptx_choice *choice = code->choice;
    const struct ptx_type_row *type = ptx_type_row((enum ptx_type)choice->type[0]);
    bool stores = is_store(choice);
    *transfer = (struct machine_transfer){.data = &code->operand[stores ? 1 : 0],
                                          .use = stores ? MEMORY_WRITES : MEMORY_READS,
                                          .space = (enum ptx_word)(choice->spaces > 0 ? choice->space[0] : 0),
                                          .bytes = type->bits / 8,
                                          .is_signed = type->kind == PTX_KIND_SIGNED};
    transfer->parts = transfer->data->parts;
    transfer->at = stores ? &code->operand[0] : &code->operand[transfer->parts];
    transfer->whole_bytes = transfer->bytes * transfer->parts;
    transfer->is_plain = is_plain(transfer);
    int order = choice->word[PTX_CLASS_ORDER];
    transfer->is_strong = order != PTX_WORD_NONE && order != PTX_WEAK;
    transfer->may_be_late = machine_reads_may_be_late(transfer);
    for (uint32_t i = 0; i < transfer->parts && i < ALU_SPAN_PARTS; i++) transfer->slot[i] = transfer->data[i].slot;
    transfer->is_parameter = transfer->use == MEMORY_READS && !transfer->is_strong &&
                             transfer->at->slot == (MACHINE_SLOT_PARAMETERS | MACHINE_IN_WARP) &&
                             ((uint64_t)transfer->at->add & (transfer->whole_bytes - 1)) == 0;
    transfer->reach = alu_span()->reach[transfer->at->file == PTX_FILE_64];
    transfer->guess = guess_of(transfer);
    transfer->move_span = span_mover_of(transfer, alu_span());
    transfer->move = machine_mover_of(transfer);
    transfer->move_many = many_mover_of(transfer, alu_span());
    transfer->move_rows = row_mover_of(transfer, alu_span());
}

// The region of global memory that an address lies in, or NULL. The one of the last time is looked at first.
static const struct region *region_of(const struct machine_strand *strand, uint64_t address)
{
    const struct region **hit = &strand->warp->hit[strand->pc % MACHINE_HITS];
    const struct region *region = region_find(&strand->warp->cta->cluster->machine->global, *hit, address);
    if (region != NULL) *hit = region;
    return region;
}

// --- Where lanes are -------------------------------------------------------------------------------------------------

// In local memory.
static enum alu_reach reach_local(const struct machine_strand *strand, const struct machine_operand *operand,
                                  uint64_t bytes, uint32_t lanes, struct machine_spots *spots)
{
    enum { MOST_BYTES = INT32_MAX / MACHINE_LANES };
    const struct machine_warp *warp = strand->warp;
    uint64_t address[MACHINE_LANES], wrong = bytes > MACHINE_LOCAL_GRANULE || warp->local_bytes > MOST_BYTES;
    machine_addresses(strand, operand, address);
    const uint64_t first = address[__builtin_ctz(lanes)];
    spots->at = warp->local;
    for (uint32_t lane = 0; lane < MACHINE_LANES; lane++) {
        const uint64_t offset = (uint32_t)address[lane], inside = offset % MACHINE_LOCAL_GRANULE;
        const uint64_t mine = 0 - (uint64_t)(lanes >> lane & 1);
        wrong |= ((address[lane] ^ first) >> 32 | (offset & (bytes - 1)) | (offset + bytes > warp->local_bytes)) & mine;
        spots->of.offset[lane] = (int32_t)((offset - inside) * MACHINE_LANES + lane * MACHINE_LOCAL_GRANULE + inside);
    }
    return wrong == 0 ? ALU_SCATTERED : ALU_OUTSIDE;
}

// The memory that the place of an address lies in: the CTA's own shared memory, or a region of global memory. NULL if
// it is neither, or may not be used so. *origin: the address that its first byte has where `address` is one.
static const struct memory *memory_of(const struct machine_strand *strand, struct machine_place place, uint64_t address,
                                      enum memory_use use, uint64_t *origin)
{
    const struct machine_cta *cta = strand->warp->cta;
    if (place.space == PTX_GLOBAL) {
        const struct region *region = region_of(strand, place.address);
        if (region == NULL || (use == MEMORY_WRITES && region->is_read_only)) return NULL;
        *origin = region->memory.base + (address - place.address);
        return &region->memory;
    }
    const uint64_t rank = place.address >> SHARED_RANK_SHIFT;
    if (rank != cta->rank && (rank != 0 || place.space == PTX_SHARED_CLUSTER)) return NULL;
    *origin = MACHINE_SHARED_BASE + (address - address % SHARED_WINDOW_BYTES);
    return &cta->cluster->memory[cta->rank];
}

enum alu_reach machine_reach(const struct machine_strand *strand, const struct machine_operand *operand,
                             alu_reacher *reacher, struct machine_use use, uint32_t lanes, struct machine_spots *spots)
{
    const uint64_t address = machine_address(strand, operand, (uint32_t)__builtin_ctz(lanes)), bytes = use.bytes;
    const struct machine_place place = machine_place(strand, use.space, address);
    struct alu_stretch stretch;
    if (place.space == PTX_LOCAL) return reach_local(strand, operand, bytes, lanes, spots);
    const struct memory *memory = memory_of(strand, place, address, use.use, &stretch.origin);
    if (memory == NULL || memory->size_bytes < bytes || (stretch.origin & (bytes - 1)) != 0) return ALU_OUTSIDE;
    stretch.last = memory->size_bytes - bytes;
    spots->at = memory->bytes;
    if (operand->is_uniform && lanes == UINT32_MAX) {
        if ((address & (bytes - 1)) != 0 || address - stretch.origin > stretch.last) return ALU_OUTSIDE;
        spots->at += address - stretch.origin;
        return ALU_AT_ONE;
    }
    if (operand->file != PTX_FILE_64 && (operand->file != PTX_FILE_32 || place.space == PTX_GLOBAL)) return ALU_OUTSIDE;
    const enum alu_reach reach =
        reacher(&stretch, machine_slot(strand, operand->slot), (uint64_t)operand->add, bytes, lanes, &spots->of);
    if (reach == ALU_OUTSIDE) return reach;
    spots->at += spots->of.begin;
    if (reach == ALU_SIDE_BY_SIDE && place.space == PTX_GLOBAL)
        machine_fetch_ahead(&strand->warp->row[strand->pc % MACHINE_HITS], (uintptr_t)spots->at, bytes * MACHINE_LANES);
    return reach;
}

// --- Moving ----------------------------------------------------------------------------------------------------------

static void hide(const struct machine_strand *strand, const struct machine_transfer *transfer, uint32_t lanes,
                 const struct machine_spots *spots)
{
    for (EACH_BIT(lane, lanes))
        machine_veil_write(strand->warp, spots->at + spots->of.offset[lane], transfer->whole_bytes);
}

// One lane, by what moves the others too: an access of the host that is weak where the kernel's is.
static void move_lane(const struct machine_strand *strand, const struct machine_transfer *transfer, uint8_t *at,
                      uint32_t lane)
{
    static const int32_t here[MACHINE_LANES];
    if (transfer->move == NULL && transfer->use == MEMORY_WRITES)
        store_lane(strand, transfer, at, lane);
    else if (transfer->move == NULL)
        machine_load_lane(strand, transfer, at, lane);
    else
        for (uint32_t i = 0; i < transfer->parts; i++, at += transfer->bytes)
            transfer->move(machine_slot(strand, transfer->data[i].slot), UINT32_C(1) << lane, at, here);
}

// All lanes at one place: they read the same, and of what they store the last one's stays.
static void run_at_one(const struct machine_strand *strand, const struct machine_transfer *transfer, uint8_t *at)
{
    if (transfer->use == MEMORY_WRITES) {
        machine_veil_write(strand->warp, at, transfer->whole_bytes);
        move_lane(strand, transfer, at, MACHINE_LANES - 1);
        return;
    }
    move_lane(strand, transfer, at, 0);
    for (uint32_t i = 0; i < transfer->parts; i++) spread_first(strand, &transfer->data[i]);
}

static void run_scattered(const struct machine_strand *strand, const struct machine_transfer *transfer, uint32_t lanes,
                          struct machine_spots *spots)
{
    if (transfer->use == MEMORY_WRITES && strand->warp->cta->cluster->veil != NULL)
        hide(strand, transfer, lanes, spots);
    if (transfer->move == NULL) {
        for (EACH_BIT(lane, lanes)) move_lane(strand, transfer, spots->at + spots->of.offset[lane], lane);
        return;
    }
    for (uint32_t i = 0; i < transfer->parts; i++, spots->at += transfer->bytes)
        transfer->move_many(machine_slot(strand, transfer->data[i].slot), lanes, spots->at, spots->of.offset);
}

// All lanes side by side.
static void run_span(const struct machine_strand *strand, const struct machine_transfer *transfer,
                     struct machine_spots *spots)
{
    const uint32_t bytes = transfer->whole_bytes;
    if (transfer->move_span == NULL) {
        for (uint32_t lane = 0; lane < MACHINE_LANES; lane++) spots->of.offset[lane] = (int32_t)(lane * bytes);
        run_scattered(strand, transfer, UINT32_MAX, spots);
        return;
    }
    if (transfer->use == MEMORY_WRITES) machine_veil_write(strand->warp, spots->at, (uint64_t)bytes * MACHINE_LANES);
    transfer->move_span(&strand->registers, transfer->slot, spots->at);
}

void machine_move_reached(const struct machine_strand *strand, const struct machine_transfer *transfer,
                          enum alu_reach reach, uint32_t lanes, struct machine_spots *spots)
{
    if (reach == ALU_SIDE_BY_SIDE)
        run_span(strand, transfer, spots);
    else if (reach == ALU_AT_ONE)
        run_at_one(strand, transfer, spots->at);
    else
        run_scattered(strand, transfer, lanes, spots);
}

// A parameter of the entry, which is the same for all lanes; 0 if it is none, and nothing has been done.
static bool run_parameter(const struct machine_strand *strand, const struct machine_transfer *transfer)
{
    const struct machine *machine = strand->warp->cta->cluster->machine;
    const uint64_t offset = (uint64_t)transfer->at->add, bytes = machine->kernel->facts.parameter_bytes;
    if (offset > bytes || transfer->whole_bytes > bytes - offset) return false;
    run_at_one(strand, transfer, machine->parameters + offset);
    return true;
}

// The memory in which lanes are most often: the CTA's own shared memory, or the region of the last time; NULL if it is
// not known. *origin: the address that its first byte has where `address` is one.
static const struct memory *guess_memory(const struct machine_strand *strand, const struct machine_transfer *transfer,
                                         uint64_t address, uint64_t *origin)
{
    const struct machine_cta *cta = strand->warp->cta;
    if (transfer->guess == MACHINE_GUESS_SHARED) {
        const uint32_t rank = (uint32_t)address >> SHARED_RANK_SHIFT;
        *origin = MACHINE_SHARED_BASE + ((uint64_t)rank << SHARED_RANK_SHIFT);
        return rank == cta->rank || rank == 0 ? &cta->cluster->memory[cta->rank] : NULL;
    }
    const struct region *region = strand->warp->hit[strand->pc % MACHINE_HITS];
    if (region == NULL || (transfer->use == MEMORY_WRITES && region->is_read_only)) return NULL;
    *origin = region->memory.base;
    return &region->memory;
}

enum alu_reach machine_reach_guessed(const struct machine_strand *strand, const struct machine_transfer *transfer,
                                     struct machine_spots *spots)
{
    const void *const row = machine_slot(strand, transfer->at->slot);
    const uint64_t bytes = transfer->whole_bytes, add = (uint64_t)transfer->at->add;
    const uint64_t address =
        transfer->guess == MACHINE_GUESS_SHARED ? *(const uint32_t *)row + (uint32_t)add : *(const uint64_t *)row + add;
    struct alu_stretch stretch;
    const struct memory *memory = guess_memory(strand, transfer, address, &stretch.origin);
    if (memory == NULL || memory->size_bytes < bytes || (stretch.origin & (bytes - 1)) != 0) return ALU_OUTSIDE;
    stretch.last = memory->size_bytes - bytes;
    const enum alu_reach reach = transfer->reach(&stretch, row, add, bytes, UINT32_MAX, &spots->of);
    spots->at = memory->bytes + spots->of.begin;
    return reach;
}

bool machine_run_guessed(const struct machine_strand *strand, const struct machine_transfer *transfer)
{
    struct machine_spots spots;
    const enum alu_reach reach = machine_reach_guessed(strand, transfer, &spots);
    const uint32_t bytes = transfer->whole_bytes * MACHINE_LANES;
    if (reach == ALU_OUTSIDE) return false;
    if (reach == ALU_SIDE_BY_SIDE && transfer->guess != MACHINE_GUESS_SHARED)
        machine_fetch_ahead(&strand->warp->row[strand->pc % MACHINE_HITS], (uintptr_t)spots.at, bytes);
    machine_move_reached(strand, transfer, reach, UINT32_MAX, &spots);
    return true;
}

// The lanes at once, if each of them is where it may be; else 0, and nothing has been done.
static bool run_together(const struct machine_strand *strand, const struct machine_transfer *transfer, uint32_t lanes)
{
    struct machine_spots spots;
    const struct machine_use use = {transfer->space, transfer->use, transfer->whole_bytes};
    const enum alu_reach reach = machine_reach(strand, transfer->at, transfer->reach, use, lanes, &spots);
    if (reach == ALU_OUTSIDE) return false;
    machine_move_reached(strand, transfer, reach, lanes, &spots);
    return true;
}

// --- The instructions ------------------------------------------------------------------------------------------------

// Somebody hears of it, or it is a release, or a strong read, from where a warp may learn of others.
static void tell(const struct machine_strand *strand, const struct machine_code *code, uint32_t lanes,
                 const uint64_t address[MACHINE_LANES])
{
    const struct machine_transfer *transfer = code->transfer;
    const uint64_t first = address[__builtin_ctz(lanes)];
    if (transfer->is_strong && machine_is_wide(code->choice)) machine_release(strand->warp);
    if (transfer->is_strong && transfer->use == MEMORY_READS) {
        machine_veil_learn(strand->warp);
        machine_look(strand, code, machine_place(strand, transfer->space, first).space, first);
    }
    if (machine_is_heard(strand))
        machine_tell_access(strand, code, lanes, transfer->use == MEMORY_READS ? ACCESS_READ : ACCESS_WRITE, address,
                            transfer->whole_bytes);
}

// A strong store that other clusters see at once. Not inline, as above.
__attribute__((noinline)) static enum machine_next store_shown(struct machine_strand *strand,
                                                               const struct machine_code *code, uint32_t lanes,
                                                               const uint64_t address[MACHINE_LANES])
{
    const enum machine_next next = each_lane(strand, code, lanes, code->transfer, address);
    machine_show(strand, code->transfer->space, lanes, address, code->transfer->whole_bytes);
    return next;
}

enum machine_next machine_transfer(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    const struct machine_transfer *transfer = code->transfer;
    uint64_t address[MACHINE_LANES];
    if (transfer->is_strong || machine_is_heard(strand)) {
        machine_addresses(strand, transfer->at, address);
        tell(strand, code, lanes, address);
        if (transfer->is_strong && transfer->use == MEMORY_WRITES && machine_is_spoken(strand->warp))
            return store_shown(strand, code, lanes, address);
    }
    if (transfer->is_parameter && lanes == UINT32_MAX && run_parameter(strand, transfer)) return MACHINE_NEXT;
    if (lanes == UINT32_MAX && transfer->guess != 0 && machine_run_guessed(strand, transfer)) return MACHINE_NEXT;
    if (run_together(strand, transfer, lanes)) return MACHINE_NEXT;
    machine_addresses(strand, transfer->at, address);
    return each_lane(strand, code, lanes, transfer, address);
}

enum machine_next machine_run_transfer(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    if (code->transfer->use == MEMORY_WRITES) return machine_store(strand, code, lanes);
    machine_reads_begin(strand, code, lanes);
    return machine_transfer(strand, code, lanes);
}

machine_handler *machine_access_find(const struct ptx_choice *choice)
{
    bool is_load = choice->form >= PTX_FORM_LD && choice->form <= PTX_FORM_LDU;
    return is_load || is_store(choice) ? machine_run_transfer : NULL;
}
