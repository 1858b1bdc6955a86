// SPDX-License-Identifier: MIT
// Loads and stores whose addresses are a ramp (code/ramps.h): where lanes lie follows from three numbers, so no lane is
// looked at. Most often they lie side by side, in the region of the last time. No schedule is out to show what comes
// late: nothing is hidden, nor noted.
#include "even.h"
#include "movers.h"
#include "ramps.h"

#define LEAN static inline __attribute__((always_inline))

enum { MOST_STEP = 1 << 24 };

static bool is_small(int64_t step)
{
    return step > -MOST_STEP && step < MOST_STEP;
}

static int64_t below(int64_t a)
{
    return a < 0 ? a : 0;
}

// How the lanes of a ramp lie: of `bytes` each, the least of them `least` from the first, all in `extent` bytes. 0: it
// is not so simple.
__attribute__((noinline)) static bool span_learn(struct machine_span *span, const struct machine_ramp *ramp,
                                                 uint64_t bytes, const struct machine_warp *warp)
{
    if (!is_small(ramp->step) || !is_small(ramp->rise)) return false;
    if ((((uint64_t)ramp->step | (uint64_t)ramp->rise) & (bytes - 1)) != 0) return false;
    const int64_t across = ramp->step * warp->last_column, down = ramp->rise * warp->last_row;
    const int64_t least = below(across) + below(down);
    const uint64_t extent = (uint64_t)(across + down - 2 * least) + bytes;
    *span = (struct machine_span){ramp->step, ramp->rise, least, bytes, extent};
    return true;
}

// Most often they lie side by side, or as the last time.
LEAN const struct machine_span *span_of(const struct machine_strand *strand, const struct machine_ramp_code *as,
                                        const struct machine_ramp *ramp)
{
    struct machine_span *const span = &strand->warp->span[as->span];
    const uint64_t bytes = as->transfer->whole_bytes;
    const bool is_known = span->step == ramp->step && span->rise == ramp->rise && span->bytes == bytes;
    return is_known || span_learn(span, ramp, bytes, strand->warp) ? span : NULL;
}

// A part of each lane after the other.
static inline void move_parts(const struct machine_strand *strand, const struct machine_transfer *transfer,
                              const struct machine_ramp *ramp, uint8_t *at)
{
    const uint32_t width = strand->warp->width;
    for (uint32_t i = 0; i < transfer->parts; i++, at += transfer->bytes)
        transfer->move_rows(machine_slot(strand, transfer->slot[i]), at, ramp->step, ramp->rise, width);
}

void machine_ramp_move_some(const struct machine_strand *strand, const struct machine_transfer *transfer,
                            const struct machine_ramp *ramp, uint8_t *at, uint32_t lanes)
{
    struct machine_spots spots = {.at = at};
    const bool are_at_one = (ramp->step | ramp->rise) == 0 && lanes == UINT32_MAX;
    alu_span()->ramp[0](spots.of.offset, 0, ramp->step, ramp->rise, strand->warp->width);
    machine_move_reached(strand, transfer, are_at_one ? ALU_AT_ONE : ALU_SCATTERED, lanes, &spots);
}

// What moves no rows: wherever the lanes are.
__attribute__((noinline)) static void move_lanes(const struct machine_strand *strand,
                                                 const struct machine_transfer *transfer,
                                                 const struct machine_ramp *ramp, uint8_t *at)
{
    machine_ramp_move_some(strand, transfer, ramp, at, UINT32_MAX);
}

// The memory in which the first lane is; NULL: shared memory of another CTA, or no memory for this. *origin: its first
// address. A region is the warp's `hit` from then on.
LEAN const struct memory *memory_of(const struct machine_strand *strand, const struct machine_ramp_code *as,
                                    bool is_shared, uint64_t address, uint64_t *origin)
{
    const struct machine_cta *cta = strand->warp->cta;
    if (is_shared) {
        const uint64_t rank = address >> SHARED_RANK_SHIFT;
        *origin = MACHINE_SHARED_BASE + (rank << SHARED_RANK_SHIFT);
        return rank == cta->rank || rank == 0 ? &cta->cluster->memory[cta->rank] : NULL;
    }
    const struct region **hit = &strand->warp->hit[as->hit];
    const struct region *region = *hit;
    if (region == NULL || address - region->memory.base >= region->memory.size_bytes)
        region = *hit = region_find(&cta->cluster->machine->global, region, address);
    if (region == NULL || (as->transfer->use == MEMORY_WRITES && region->is_read_only)) return NULL;
    *origin = region->memory.base;
    return &region->memory;
}

// Where the ramp's first lane is in memory, if the lanes of this instruction may be there; the warp's `reached` too, if
// so may those of the group below. NULL: it is not so simple.
LEAN uint8_t *reach(const struct machine_strand *strand, const struct machine_ramp_code *as,
                    const struct machine_ramp *ramp, bool is_shared, bool are_side_by_side)
{
    const uint64_t bytes = as->transfer->whole_bytes;
    const int64_t add = as->transfer->at->add;
    uint64_t address = ramp->first + (uint64_t)add, origin;
    if (is_shared) address = (uint32_t)address;
    const struct machine_span row = {.least = 0, .extent = MACHINE_LANES * bytes};
    const struct machine_span *const span = are_side_by_side ? &row : span_of(strand, as, ramp);
    const struct memory *memory = memory_of(strand, as, is_shared, address, &origin);
    if (span == NULL || memory == NULL || ((address | origin) & (bytes - 1)) != 0) return NULL;
    const uint64_t room = memory->size_bytes, offset = address - origin, least = offset + (uint64_t)span->least;
    if (least >= room || span->extent > room - least) return NULL;
    uint8_t *const first = (uint8_t *)((uintptr_t)(memory->bytes + offset) - (uintptr_t)add);
    const uint64_t before = (uint64_t)(add - as->least), behind = (uint64_t)(as->most - add);
    const bool has_all = before <= least && behind <= room - least - span->extent;
    strand->warp->reached[as->group] = has_all ? first : NULL;
    return first;
}

LEAN uint8_t *place_of(const struct machine_strand *strand, const struct machine_ramp_code *as,
                       const struct machine_ramp *ramp)
{
    const struct machine_transfer *transfer = as->transfer;
    uint8_t *at = as->follows ? strand->warp->reached[as->group] : NULL;
    if (at == NULL) at = reach(strand, as, ramp, transfer->guess == MACHINE_GUESS_SHARED, false);
    return at == NULL ? NULL : (uint8_t *)((uintptr_t)at + (uintptr_t)transfer->at->add);
}

LEAN void move_each(const struct machine_strand *strand, const struct machine_transfer *transfer,
                    const struct machine_ramp *ramp, uint8_t *at)
{
    if (transfer->move_rows != NULL)
        move_parts(strand, transfer, ramp, at);
    else
        move_lanes(strand, transfer, ramp, at);
}

// Lanes that do not lie side by side. Not inline: they are rare.
__attribute__((noinline)) static enum machine_even move_apart(uint8_t *ramps, const struct machine_ramp_code *as,
                                                              const struct machine_strand *strand)
{
    const struct machine_transfer *transfer = as->transfer;
    const struct machine_ramp *ramp = (const struct machine_ramp *)(const void *)(ramps + as->at);
    uint8_t *const at = place_of(strand, as, ramp);
    if (at == NULL) return MACHINE_IN_ANOTHER_WAY;
    if ((strand->warp->late & as->lanes) != 0) machine_even_settle(strand->warp, as->lanes);
    if (transfer->use == MEMORY_WRITES) machine_progress(strand);
    move_each(strand, transfer, ramp, at);
    return MACHINE_EVEN;
}

uint8_t *machine_ramp_place(const struct machine_strand *strand, const struct machine_ramp_code *as,
                            const struct machine_ramp *ramp)
{
    return place_of(strand, as, ramp);
}

void machine_ramp_move(const struct machine_strand *strand, const struct machine_transfer *transfer,
                       const struct machine_ramp *ramp, uint8_t *at)
{
    move_each(strand, transfer, ramp, at);
}

// One that lies side by side; else as above.
LEAN enum machine_even move(uint8_t *ramps, const struct machine_ramp_code *as, const struct machine_strand *strand,
                            bool is_shared, bool is_store)
{
    struct machine_warp *const warp = strand->warp;
    const struct machine_transfer *transfer = as->transfer;
    const struct machine_ramp *ramp = (const struct machine_ramp *)(const void *)(ramps + as->at);
    const uint64_t bytes = transfer->whole_bytes;
    const int64_t rise = (int64_t)(warp->width % MACHINE_LANES * bytes);
    if (ramp->step != (int64_t)bytes || ramp->rise != rise || transfer->move_span == NULL)
        return move_apart(ramps, as, strand);
    uint8_t *at = as->follows ? warp->reached[as->group] : NULL;
    if (at == NULL && (at = reach(strand, as, ramp, is_shared, true)) == NULL) return MACHINE_IN_ANOTHER_WAY;
    at = (uint8_t *)((uintptr_t)at + (uintptr_t)transfer->at->add);
    if (!is_shared) machine_fetch_ahead(&warp->row[as->hit], (uintptr_t)at, bytes * MACHINE_LANES);
    if (is_store) {
        if ((warp->late & as->lanes) != 0) machine_even_settle(warp, as->lanes);
        machine_progress(strand);
    }
    transfer->move_span(&strand->registers, transfer->slot, at);
    return MACHINE_EVEN;
}

#define MOVE(name, is_shared, is_store)                                                                                \
    static enum machine_even name(uint8_t *ramps, const struct machine_ramp_code *as,                                  \
                                  const struct machine_strand *strand)                                                 \
    {                                                                                                                  \
        return move(ramps, as, strand, is_shared, is_store);                                                           \
    }
MOVE(load_global, 0, 0)
MOVE(load_shared, 1, 0)
MOVE(store_global, 0, 1)
MOVE(store_shared, 1, 1)

machine_ramp_function *machine_ramp_transfer_find(const struct machine_transfer *transfer)
{
    static machine_ramp_function *const spans[2][2] = {{load_global, store_global}, {load_shared, store_shared}};
    if (transfer->is_strong || transfer->guess == MACHINE_GUESS_NOTHING) return NULL;
    return spans[transfer->guess == MACHINE_GUESS_SHARED][transfer->use == MEMORY_WRITES];
}

bool machine_load_guessed(struct machine_strand *strand, const struct machine_code *code)
{
    const struct machine_transfer *transfer = code->transfer;
    if (transfer->is_parameter) return machine_transfer(strand, code, UINT32_MAX) == MACHINE_NEXT;
    if (machine_run_guessed(strand, transfer)) return true;
    if (transfer->guess != MACHINE_GUESS_REGION) return false;
    const uint64_t address = *(const uint64_t *)machine_slot(strand, transfer->at->slot) + (uint64_t)transfer->at->add;
    const struct region **hit = &strand->warp->hit[strand->pc % MACHINE_HITS];
    const struct region *region = region_find(&strand->warp->cta->cluster->machine->global, *hit, address);
    if (region == NULL) return false;
    *hit = region;
    return machine_run_guessed(strand, transfer);
}
