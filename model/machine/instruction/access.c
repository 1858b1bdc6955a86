// SPDX-License-Identifier: MIT
// Loads and stores. Lanes side by side in memory are copied as one; all others one by one.
#include <string.h>

#include "form_number.h"
#include "handler.h"
#include "span.h"
#include "veil.h"

static int is_store(const struct ptx_choice *choice)
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

static uint64_t read_value(const uint8_t *at, uint32_t bytes, int is_signed)
{
    const uint64_t value = read_element(at, bytes);
    if (!is_signed || bytes >= 8) return value;
    uint64_t sign = (uint64_t)1 << (8 * bytes - 1);
    return (value ^ sign) - sign;
}

static void load_lane(const struct machine_strand *strand, const struct machine_transfer *transfer, const uint8_t *at,
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
        for (uint32_t lane = 1; lane < MACHINE_LANES; lane++) to[lane] = first;                                        \
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

static enum machine_next each_lane(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes,
                                   const struct machine_transfer *transfer, const uint64_t address[MACHINE_LANES])
{
    for (uint32_t lane = 0; lane < MACHINE_LANES; lane++) {
        enum rule rule;
        if (!(lanes >> lane & 1)) continue;
        struct machine_place place = machine_place(strand, transfer->space, address[lane]);
        uint8_t *at = machine_at(strand, place, lane, transfer->whole_bytes, transfer->use, &rule);
        if (at == NULL) return machine_fault_at(strand, code, lane, rule, place, transfer->whole_bytes);
        if (transfer->use == MEMORY_WRITES)
            store_lane(strand, transfer, at, lane);
        else
            load_lane(strand, transfer, at, lane);
    }
    return MACHINE_NEXT;
}

// --- Lanes side by side ----------------------------------------------------------------------------------------------

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
static int is_plain(const struct machine_transfer *transfer)
{
    static const uint32_t lane_bytes[PTX_FILES + 1] = {0, 2, 4, 8, 16, 0};
    for (uint32_t i = 0; i < transfer->parts; i++) {
        if (lane_bytes[transfer->data[i].file] != transfer->bytes) return 0;
        for (uint32_t k = 0; k < i && transfer->use == MEMORY_READS; k++)
            if (transfer->data[i].slot == transfer->data[k].slot) return 0;
    }
    return 1;
}

void machine_transfer_prepare(struct machine_transfer *transfer, const struct machine_code *code)
{
    const struct ptx_choice *choice = code->choice;
    const struct ptx_type_row *type = ptx_type_row((enum ptx_type)choice->type[0]);
    int stores = is_store(choice);
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
    for (uint32_t i = 0; i < transfer->parts && i < ALU_SPAN_PARTS; i++) transfer->slot[i] = transfer->data[i].slot;
    transfer->step = alu_span()->step;
    transfer->move_span = span_mover_of(transfer, alu_span());
}

// How far each lane's address lies behind that of the lane before, if all do alike; else UINT64_MAX. *address: the
// first.
static uint64_t step_of(const struct machine_strand *strand, const struct machine_transfer *transfer, uint64_t *address)
{
    uint64_t *lanes = machine_slot(strand, transfer->at->slot), all[MACHINE_LANES];
    const int is_whole = transfer->at->file == PTX_FILE_64;
    if (!is_whole) machine_addresses(strand, transfer->at, lanes = all);
    *address = lanes[0] + (is_whole ? (uint64_t)transfer->at->add : 0);
    return transfer->at->is_uniform ? 0 : transfer->step(lanes);
}

// A loop over spans goes on as it has begun: what comes some turns later is asked of memory now. It comes into the
// second level of the cache, for which there are more buffers than for the first.
static void fetch_ahead(uintptr_t *last, uintptr_t at, uint64_t bytes)
{
    enum { LINE = 64, TURNS = 4 };
    const uintptr_t ahead = at + TURNS * (at - *last);
    const uint64_t lines = (ahead % LINE + bytes + LINE - 1) / LINE;
    for (uint64_t i = 0; i < lines; i++) __builtin_prefetch((const void *)(ahead / LINE * LINE + i * LINE), 0, 2);
    *last = at;
}

// The region of global memory that an address lies in, or NULL. The one of the last time is looked at first.
static const struct region *region_of(const struct machine_strand *strand, uint64_t address)
{
    const struct region **hit = &strand->warp->hit[strand->pc % MACHINE_HITS];
    const struct region *region = region_find(&strand->warp->cta->cluster->machine->global, *hit, address);
    if (region != NULL) *hit = region;
    return region;
}

uint8_t *machine_span_at(const struct machine_strand *strand, enum ptx_word space, uint64_t address, uint32_t each,
                         enum memory_use use)
{
    const struct machine_cta *cta = strand->warp->cta;
    struct machine_place place = machine_place(strand, space, address);
    const uint64_t bytes = (uint64_t)each * MACHINE_LANES;
    if (address & (each - 1)) return NULL;
    if (place.space == PTX_SHARED_CLUSTER && place.address >> SHARED_RANK_SHIFT == cta->rank)
        place = (struct machine_place){PTX_SHARED, place.address % SHARED_WINDOW_BYTES};
    if (place.space == PTX_SHARED) {
        uint8_t *at = memory_at(&cta->cluster->memory[cta->rank], place.address, bytes);
        if (at != NULL && use == MEMORY_WRITES) machine_veil_write(strand->warp, at, bytes);
        return at;
    }
    if (place.space != PTX_GLOBAL) return NULL;
    const struct region *region = region_of(strand, place.address);
    fetch_ahead(&strand->warp->row[strand->pc % MACHINE_HITS], place.address, bytes);
    return region_at(region, place.address, bytes, use);
}

// --- Lanes here and there --------------------------------------------------------------------------------------------

// Where one lane's scalar is; not 0: it is not aligned, or not in `memory`. Of its address the bits outside `cut` are
// those of `window`.
static inline uint64_t locate(const struct memory *memory, uint64_t address, uint64_t window, uint64_t cut,
                              uint64_t bytes, uint8_t **at)
{
    const uint64_t offset = (address & cut) - memory->base;
    *at = (uint8_t *)((uintptr_t)memory->bytes + offset);
    return (address & (bytes - 1)) | ((address ^ window) & ~cut) | (offset > memory->size_bytes - bytes);
}

// Where each lane's bytes of local memory are; 0 if some are not there, or not in local memory.
static int find_local(const struct machine_warp *warp, uint64_t bytes, uint32_t lanes, uint64_t first,
                      const uint64_t address[MACHINE_LANES], uint8_t *at[MACHINE_LANES])
{
    uint64_t wrong = bytes > MACHINE_LOCAL_GRANULE;
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        const uint64_t offset = (uint32_t)address[lane];
        wrong |= (address[lane] ^ first) >> 32 | (offset & (bytes - 1)) | (offset + bytes > warp->local_bytes);
        if (wrong) return 0;
        at[lane] = warp->local + (offset / MACHINE_LOCAL_GRANULE * MACHINE_LANES + lane) * MACHINE_LOCAL_GRANULE +
                   offset % MACHINE_LOCAL_GRANULE;
    }
    return 1;
}

// Where the bytes of each lane are, if all are in global memory, or all in the CTA's own shared memory, or all in local
// memory, and aligned. 0 if some are not: then nothing is known.
static int find_lanes(const struct machine_strand *strand, const struct machine_transfer *transfer, uint32_t lanes,
                      const uint64_t address[MACHINE_LANES], uint8_t *at[MACHINE_LANES])
{
    const struct machine_cta *cta = strand->warp->cta;
    struct machine_place first = machine_place(strand, transfer->space, address[__builtin_ctz(lanes)]);
    if (first.space == PTX_LOCAL)
        return find_local(strand->warp, transfer->whole_bytes, lanes, address[__builtin_ctz(lanes)], address, at);
    uint64_t bytes = transfer->whole_bytes, wrong = 0, cut = UINT64_MAX, window = 0;
    const struct memory *memory = &cta->cluster->memory[cta->rank];
    if (first.space == PTX_GLOBAL) {
        const struct region *region = region_of(strand, first.address);
        if (region == NULL || (transfer->use == MEMORY_WRITES && region->is_read_only)) return 0;
        memory = &region->memory;
    } else if (first.space != PTX_SHARED || address[__builtin_ctz(lanes)] >> SHARED_RANK_SHIFT != cta->rank) {
        return 0;
    } else {
        cut = SHARED_WINDOW_BYTES - 1;
        window = (uint64_t)cta->rank << SHARED_RANK_SHIFT;
    }
    if (lanes == UINT32_MAX)
        for (uint32_t lane = 0; lane < MACHINE_LANES; lane++)
            wrong |= locate(memory, address[lane], window, cut, bytes, &at[lane]);
    else
        for (uint32_t left = lanes; left != 0; left &= left - 1)
            wrong |= locate(memory, address[__builtin_ctz(left)], window, cut, bytes, &at[__builtin_ctz(left)]);
    return wrong == 0 && memory->size_bytes >= bytes;
}

#define GATHER(name)                                                                                                   \
    static void load_each_##name(void *slot, uint32_t lanes, uint8_t *const at[MACHINE_LANES])                         \
    {                                                                                                                  \
        for (uint32_t left = lanes; left != 0; left &= left - 1) {                                                     \
            const int lane = __builtin_ctz(left);                                                                      \
            ((name *)slot)[lane] = *(const name *)(const void *)at[lane];                                              \
        }                                                                                                              \
    }                                                                                                                  \
    static void store_each_##name(void *slot, uint32_t lanes, uint8_t *const at[MACHINE_LANES])                        \
    {                                                                                                                  \
        for (uint32_t left = lanes; left != 0; left &= left - 1) {                                                     \
            const int lane = __builtin_ctz(left);                                                                      \
            *(name *)(void *)at[lane] = ((const name *)slot)[lane];                                                    \
        }                                                                                                              \
    }                                                                                                                  \
    static void acquire_each_##name(void *slot, uint32_t lanes, uint8_t *const at[MACHINE_LANES])                      \
    {                                                                                                                  \
        for (uint32_t left = lanes; left != 0; left &= left - 1) {                                                     \
            const int lane = __builtin_ctz(left);                                                                      \
            ((name *)slot)[lane] = __atomic_load_n((const name *)(const void *)at[lane], __ATOMIC_ACQUIRE);            \
        }                                                                                                              \
    }                                                                                                                  \
    static void release_each_##name(void *slot, uint32_t lanes, uint8_t *const at[MACHINE_LANES])                      \
    {                                                                                                                  \
        for (uint32_t left = lanes; left != 0; left &= left - 1) {                                                     \
            const int lane = __builtin_ctz(left);                                                                      \
            __atomic_store_n((name *)(void *)at[lane], ((const name *)slot)[lane], __ATOMIC_RELEASE);                  \
        }                                                                                                              \
    }
GATHER(element_16)
GATHER(element_32)
GATHER(element_64)

// Moves the lanes' bytes, of registers that are as wide as what is moved.
static void move_each(const struct machine_strand *strand, const struct machine_transfer *transfer, uint32_t lanes,
                      uint8_t *at[MACHINE_LANES])
{
    typedef void each(void *slot, uint32_t lanes, uint8_t *const at[MACHINE_LANES]);
    static each *const movers[PTX_FILES][2][2] = {[PTX_FILE_16] = {{load_each_element_16, store_each_element_16},
                                                                   {acquire_each_element_16, release_each_element_16}},
                                                  [PTX_FILE_32] = {{load_each_element_32, store_each_element_32},
                                                                   {acquire_each_element_32, release_each_element_32}},
                                                  [PTX_FILE_64] = {{load_each_element_64, store_each_element_64},
                                                                   {acquire_each_element_64, release_each_element_64}}};
    const int is_strong = transfer->is_strong && transfer->parts == 1;
    each *const mover = movers[transfer->data->file][is_strong][transfer->use == MEMORY_WRITES];
    for (uint32_t i = 0; i < transfer->parts; i++) {
        mover(machine_slot(strand, transfer->data[i].slot), lanes, at);
        for (uint32_t left = i + 1 < transfer->parts ? lanes : 0; left != 0; left &= left - 1)
            at[__builtin_ctz(left)] += transfer->bytes;
    }
}

static int is_word(const struct machine_transfer *transfer)
{
    return transfer->is_plain && transfer->data->file != PTX_FILE_128;
}

static int run_scattered(const struct machine_strand *strand, const struct machine_transfer *transfer, uint32_t lanes,
                         const uint64_t address[MACHINE_LANES])
{
    uint8_t *at[MACHINE_LANES];
    if (transfer->bytes == 16 || !find_lanes(strand, transfer, lanes, address, at)) return 0;
    for (uint32_t left = transfer->use == MEMORY_WRITES ? lanes : 0; left != 0; left &= left - 1)
        machine_veil_write(strand->warp, at[__builtin_ctz(left)], transfer->whole_bytes);
    if (is_word(transfer)) {
        move_each(strand, transfer, lanes, at);
        return 1;
    }
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        if (transfer->use == MEMORY_WRITES)
            store_lane(strand, transfer, at[lane], lane);
        else
            load_lane(strand, transfer, at[lane], lane);
    }
    return 1;
}

// --- The instructions ------------------------------------------------------------------------------------------------

// All lanes at one address: each has its own local memory there; of other memory they read the same. Else 0, and
// nothing has been done.
static int run_uniform(const struct machine_strand *strand, const struct machine_transfer *transfer, uint64_t address)
{
    enum rule rule;
    uint8_t *each[MACHINE_LANES];
    const struct machine_place place = machine_place(strand, transfer->space, address);
    const int is_local = place.space == PTX_LOCAL;
    if (is_local ? !is_word(transfer) : transfer->use == MEMORY_WRITES || transfer->is_strong) return 0;
    uint8_t *at = machine_at(strand, place, 0, transfer->whole_bytes, transfer->use, &rule);
    if (at == NULL) return 0;
    if (is_local) {
        for (uint32_t lane = 0; lane < MACHINE_LANES; lane++) each[lane] = at + lane * MACHINE_LOCAL_GRANULE;
        move_each(strand, transfer, UINT32_MAX, each);
        return 1;
    }
    load_lane(strand, transfer, at, 0);
    for (uint32_t i = 0; i < transfer->parts; i++) spread_first(strand, &transfer->data[i]);
    return 1;
}

// All lanes at once, if they are side by side or read the same; else 0, and nothing has been done.
static int run_together(const struct machine_strand *strand, const struct machine_transfer *transfer)
{
    uint64_t address;
    const uint64_t step = step_of(strand, transfer, &address);
    if (step == 0) return run_uniform(strand, transfer, address);
    if (step != transfer->whole_bytes || transfer->move_span == NULL) return 0;
    uint8_t *at = machine_span_at(strand, transfer->space, address, transfer->whole_bytes, transfer->use);
    if (at == NULL) return 0;
    transfer->move_span(&strand->registers, transfer->slot, at);
    return 1;
}

enum machine_next machine_run_transfer(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    const struct machine_transfer *transfer = code->transfer;
    uint64_t address[MACHINE_LANES];
    if (transfer->use == MEMORY_WRITES) machine_progress(strand);
    int is_heard = machine_is_heard(strand);
    if (lanes == UINT32_MAX && !is_heard && run_together(strand, transfer)) return MACHINE_NEXT;
    machine_addresses(strand, transfer->at, address);
    if (transfer->is_strong && transfer->use == MEMORY_READS) {
        machine_veil_learn(strand->warp);
        machine_look(strand, code, machine_place(strand, transfer->space, address[__builtin_ctz(lanes)]).space,
                     address[__builtin_ctz(lanes)]);
    }
    if (is_heard)
        machine_tell_access(strand, code, lanes, transfer->use == MEMORY_READS ? ACCESS_READ : ACCESS_WRITE, address,
                            transfer->whole_bytes);
    if (run_scattered(strand, transfer, lanes, address)) return MACHINE_NEXT;
    return each_lane(strand, code, lanes, transfer, address);
}

machine_handler *machine_access_find(const struct ptx_choice *choice)
{
    int is_load = choice->form >= PTX_FORM_LD && choice->form <= PTX_FORM_LDU;
    return is_load || is_store(choice) ? machine_run_transfer : NULL;
}
