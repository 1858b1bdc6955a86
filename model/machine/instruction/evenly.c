// SPDX-License-Identifier: MIT
// Loads and stores whose addresses are a ramp (code/ramps.h): where lanes lie follows from three numbers, so no lane is
// looked at. Most often they lie side by side, in the region of the last time. No schedule is out to show what comes
// late: nothing is hidden, nor noted.
#include "even.h"
#include "movers.h"
#include "ramps.h"

enum { MOST_STEP = 1 << 24 };

static int is_small(int64_t step)
{
    return step > -MOST_STEP && step < MOST_STEP;
}

static int64_t below(int64_t a)
{
    return a < 0 ? a : 0;
}

// Where lanes are in memory, from the offset `first` on. OUTSIDE: it is not so simple.
static enum alu_reach reach(const struct machine_strand *strand, const struct machine_transfer *transfer,
                            const struct machine_ramp *ramp, uint64_t first, uint64_t last)
{
    const int64_t width = strand->warp->width, bytes = transfer->whole_bytes;
    if (!is_small(ramp->step) || !is_small(ramp->rise)) return ALU_OUTSIDE;
    const int64_t across = ramp->step * strand->warp->last_column, down = ramp->rise * strand->warp->last_row;
    const uint64_t least = first + (uint64_t)(below(across) + below(down));
    const uint64_t greatest = first + (uint64_t)(across + down - below(across) - below(down));
    if (least > last || greatest > last) return ALU_OUTSIDE;
    if (((first | (uint64_t)ramp->step | (uint64_t)ramp->rise) & (uint64_t)(bytes - 1)) != 0) return ALU_OUTSIDE;
    if ((ramp->step | ramp->rise) == 0) return ALU_AT_ONE;
    return ramp->step == bytes && ramp->rise == width % MACHINE_LANES * bytes ? ALU_SIDE_BY_SIDE : ALU_SCATTERED;
}

// Lanes that lie here and there: a part of each after the other.
static void move_scattered(const struct machine_strand *strand, const struct machine_transfer *transfer,
                           const struct machine_ramp *ramp, struct machine_spots *spots)
{
    const uint32_t width = strand->warp->width;
    if (transfer->move_rows == NULL) {
        alu_span()->ramp[0](spots->of.offset, 0, ramp->step, ramp->rise, width);
        machine_move_reached(strand, transfer, ALU_SCATTERED, UINT32_MAX, spots);
        return;
    }
    for (uint32_t i = 0; i < transfer->parts; i++, spots->at += transfer->bytes)
        transfer->move_rows(machine_slot(strand, transfer->slot[i]), spots->at, ramp->step, ramp->rise, width);
}

// The memory in which the first lane is; NULL: shared memory of another CTA, or no memory for this. *origin: its first
// address. A region is the warp's `hit` from then on.
static inline const struct memory *memory_of(const struct machine_strand *strand, const struct machine_ramp_code *as,
                                             int is_shared, uint64_t address, uint64_t *origin)
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

// Any weak one.
__attribute__((noinline)) static enum machine_even move(uint8_t *ramps, const struct machine_ramp_code *as,
                                                        const struct machine_strand *strand)
{
    const struct machine_transfer *transfer = as->transfer;
    const struct machine_ramp *ramp = (const struct machine_ramp *)(const void *)(ramps + as->at);
    const int is_shared = transfer->guess == MACHINE_GUESS_SHARED;
    uint64_t address = ramp->first + (uint64_t)transfer->at->add, origin;
    struct machine_spots spots;
    if (is_shared) address = (uint32_t)address;
    const struct memory *memory = memory_of(strand, as, is_shared, address, &origin);
    if (memory == NULL || memory->size_bytes < transfer->whole_bytes) return MACHINE_IN_ANOTHER_WAY;
    if ((origin & (transfer->whole_bytes - 1)) != 0) return MACHINE_IN_ANOTHER_WAY;
    const enum alu_reach reached =
        reach(strand, transfer, ramp, address - origin, memory->size_bytes - transfer->whole_bytes);
    if (reached == ALU_OUTSIDE) return MACHINE_IN_ANOTHER_WAY;
    spots.at = memory->bytes + (address - origin);
    if ((strand->warp->late & as->lanes) != 0) machine_even_settle(strand->warp, as->lanes);
    if (transfer->use == MEMORY_WRITES) machine_progress(strand);
    if (reached == ALU_SCATTERED)
        move_scattered(strand, transfer, ramp, &spots);
    else
        machine_move_reached(strand, transfer, reached, UINT32_MAX, &spots);
    return MACHINE_EVEN;
}

// One that lies side by side in memory of the guess; else as above.
static inline enum machine_even move_span(uint8_t *ramps, const struct machine_ramp_code *as,
                                          const struct machine_strand *strand, int is_shared, int is_store)
{
    struct machine_warp *const warp = strand->warp;
    const struct machine_transfer *transfer = as->transfer;
    const struct machine_ramp *ramp = (const struct machine_ramp *)(const void *)(ramps + as->at);
    const uint64_t bytes = transfer->whole_bytes, more = (MACHINE_LANES - 1) * bytes;
    const int64_t rise = (int64_t)(warp->width % MACHINE_LANES * bytes);
    uint64_t address = ramp->first + (uint64_t)transfer->at->add, origin;
    if (is_shared) address = (uint32_t)address;
    if (ramp->step != (int64_t)bytes || ramp->rise != rise) return move(ramps, as, strand);
    const struct memory *memory = memory_of(strand, as, is_shared, address, &origin);
    if (memory == NULL || ((address | origin) & (bytes - 1)) != 0) return MACHINE_IN_ANOTHER_WAY;
    const uint64_t offset = address - origin, end = offset + more + bytes;
    if (offset >= memory->size_bytes || end > memory->size_bytes || end < offset) return MACHINE_IN_ANOTHER_WAY;
    uint8_t *const at = memory->bytes + offset;
    if (!is_shared) machine_fetch_ahead(&warp->row[as->hit], (uintptr_t)at, more + bytes);
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
        return move_span(ramps, as, strand, is_shared, is_store);                                                      \
    }
MOVE(load_global, 0, 0)
MOVE(load_shared, 1, 0)
MOVE(store_global, 0, 1)
MOVE(store_shared, 1, 1)

machine_ramp_function *machine_ramp_transfer_find(const struct machine_transfer *transfer)
{
    static machine_ramp_function *const spans[2][2] = {{load_global, store_global}, {load_shared, store_shared}};
    if (transfer->is_strong || transfer->guess == MACHINE_GUESS_NOTHING) return NULL;
    if (transfer->move_span == NULL) return move;
    return spans[transfer->guess == MACHINE_GUESS_SHARED][transfer->use == MEMORY_WRITES];
}
