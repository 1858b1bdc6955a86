// SPDX-License-Identifier: MIT
// The special registers of a warp, as slots: those that the kernel reads.
#include "special.h"

#include <string.h>

#include "decoder.h"
#include "handler.h"
#include "hopper.h"

enum { RESERVED_END_BYTES = 0x120, READ_CLOCKS = 15, READS_OF_TURN = 16 };

static uint32_t part_of(const uint32_t extent[3], uint32_t part, uint32_t fourth)
{
    return part < 3 ? extent[part] : fourth;
}

// The thread of a lane, x fastest.
static uint32_t thread_of(const struct machine_warp *warp, uint32_t lane, uint32_t part)
{
    const uint32_t *block = warp->cta->cluster->machine->launch->block;
    const uint32_t thread = warp->index * MACHINE_LANES + lane;
    if (block[1] == 1 && block[2] == 1) return part == 0 ? thread : 0;
    const uint32_t parts[3] = {thread % block[0], thread / block[0] % block[1], thread / block[0] / block[1]};
    return part_of(parts, part, 0);
}

static uint64_t lane_mask(enum ptx_special special, uint32_t lane)
{
    uint64_t bit = (uint64_t)1 << lane, all = UINT32_MAX;
    switch (special) {
    case PTX_SPECIAL_LANEMASK_EQ:
        return bit;
    case PTX_SPECIAL_LANEMASK_LE:
        return 2 * bit - 1;
    case PTX_SPECIAL_LANEMASK_LT:
        return bit - 1;
    case PTX_SPECIAL_LANEMASK_GE:
        return all & ~(bit - 1);
    default:
        return all & ~(2 * bit - 1);
    }
}

static uint64_t cluster_value(const struct machine_cta *cta, enum ptx_special special, uint32_t part)
{
    struct cluster_registers of = cluster_registers(&cta->cluster->machine->shape, cta->ctaid);
    switch (special) {
    case PTX_SPECIAL_IS_EXPLICIT_CLUSTER:
        return of.is_explicit_cluster;
    case PTX_SPECIAL_CLUSTERID:
        return part_of(of.clusterid, part, 0);
    case PTX_SPECIAL_NCLUSTERID:
        return part_of(of.nclusterid, part, 1);
    case PTX_SPECIAL_CLUSTER_CTAID:
        return part_of(of.cluster_ctaid, part, 0);
    case PTX_SPECIAL_CLUSTER_NCTAID:
        return part_of(of.cluster_nctaid, part, 1);
    case PTX_SPECIAL_CLUSTER_CTARANK:
        return of.cluster_ctarank;
    default:
        return of.cluster_nctarank;
    }
}

static uint64_t launch_value(const struct machine_cta *cta, enum ptx_special special, uint32_t part)
{
    const struct machine *machine = cta->cluster->machine;
    switch (special) {
    case PTX_SPECIAL_NTID:
        return part_of(machine->launch->block, part, 1);
    case PTX_SPECIAL_CTAID:
        return part_of(cta->ctaid, part, 0);
    case PTX_SPECIAL_NCTAID:
        return part_of(machine->launch->grid, part, 1);
    case PTX_SPECIAL_NWARPID:
        return LAUNCH_MAX_THREADS * 2 / MACHINE_LANES;
    case PTX_SPECIAL_SMID:
        return cta->number % H200_SMS;
    case PTX_SPECIAL_NSMID:
        return H200_SMS;
    case PTX_SPECIAL_GRIDID:
        return machine->launch->number;
    case PTX_SPECIAL_TOTAL_SMEM_SIZE:
        return machine->shared_bytes;
    case PTX_SPECIAL_AGGR_SMEM_SIZE: // not rounded, and with what is reserved: up to the end of the dynamic part
        if (machine->launch->dynamic_shared_bytes > 0)
            return machine->kernel->dynamic_shared_at + machine->launch->dynamic_shared_bytes;
        return machine->kernel->facts.static_shared_bytes + MACHINE_SHARED_BASE;
    case PTX_SPECIAL_DYNAMIC_SMEM_SIZE:
        return machine->launch->dynamic_shared_bytes;
    case PTX_SPECIAL_RESERVED_END: // as an H200 says
        return RESERVED_END_BYTES;
    case PTX_SPECIAL_RESERVED_CAP:
        return MACHINE_SHARED_BASE;
    case PTX_SPECIAL_ENVREG: // what cooperative groups read of a grid's workspace
        if (part != 1 && part != 2) return 0;
        return part == 1 ? machine->launch->grid_workspace >> 32 : (uint32_t)machine->launch->grid_workspace;
    default:
        return 0; // %pm, %reserved_smem_offset_begin, %current_graph_exec
    }
}

// Of those whose lanes differ. 0: it is none of them.
static bool lane_value(const struct machine_warp *warp, const struct machine_special *special, uint32_t lane,
                       uint64_t *value)
{
    switch ((enum ptx_special)special->special) {
    case PTX_SPECIAL_TID:
        *value = thread_of(warp, lane, special->part);
        return true;
    case PTX_SPECIAL_LANEID:
        *value = lane;
        return true;
    case PTX_SPECIAL_LANEMASK_EQ:
    case PTX_SPECIAL_LANEMASK_LE:
    case PTX_SPECIAL_LANEMASK_LT:
    case PTX_SPECIAL_LANEMASK_GE:
    case PTX_SPECIAL_LANEMASK_GT:
        *value = lane_mask((enum ptx_special)special->special, lane);
        return true;
    default:
        return false;
    }
}

uint64_t machine_special_of_warp(const struct machine_warp *warp, const struct machine_special *special)
{
    enum ptx_special which = (enum ptx_special)special->special;
    switch (which) {
    case PTX_SPECIAL_WARPID:
        return warp->index;
    case PTX_SPECIAL_IS_EXPLICIT_CLUSTER:
    case PTX_SPECIAL_CLUSTERID:
    case PTX_SPECIAL_NCLUSTERID:
    case PTX_SPECIAL_CLUSTER_CTAID:
    case PTX_SPECIAL_CLUSTER_NCTAID:
    case PTX_SPECIAL_CLUSTER_CTARANK:
    case PTX_SPECIAL_CLUSTER_NCTARANK:
        return cluster_value(warp->cta, which, special->part);
    default:
        return launch_value(warp->cta, which, special->part);
    }
}

// All lanes at once; a predicate, which is rare, lane by lane.
static void put_lanes(const struct machine_strand *strand, const struct machine_operand *operand,
                      const uint64_t value[MACHINE_LANES])
{
    uint32_t *const words = machine_slot(strand, operand->slot);
    for (uint32_t lane = 0; lane < MACHINE_LANES; lane++) {
        if (operand->file == PTX_FILE_32)
            words[lane] = (uint32_t)value[lane];
        else if (operand->file == PTX_FILE_64)
            ((uint64_t *)(void *)words)[lane] = value[lane];
        else
            machine_set_value(strand, operand, lane, value[lane]);
    }
}

static void fill(const struct machine_strand *strand, uint32_t slot, uint32_t file, uint64_t value)
{
    const struct machine_operand operand = {.slot = slot, .file = (uint8_t)file};
    uint64_t same[MACHINE_LANES];
    uint32_t *const words = machine_slot(strand, slot);
    for (uint32_t lane = 0; file == PTX_FILE_32 && lane < MACHINE_LANES; lane++) words[lane] = (uint32_t)value;
    if (file == PTX_FILE_32) return;
    for (uint32_t lane = 0; lane < MACHINE_LANES; lane++) same[lane] = value;
    put_lanes(strand, &operand, same);
}

static void set_special(const struct machine_warp *warp, const struct machine_special *special)
{
    const struct machine_strand *strand = &warp->strand[0];
    const struct machine_operand operand = {.slot = special->slot, .file = special->file};
    uint64_t value[MACHINE_LANES];
    if (!lane_value(warp, special, 0, &value[0])) {
        fill(strand, special->slot, special->file, machine_special_of_warp(warp, special));
        return;
    }
    for (uint32_t lane = 1; lane < MACHINE_LANES; lane++) lane_value(warp, special, lane, &value[lane]);
    put_lanes(strand, &operand, value);
}

void machine_special_set(struct machine_warp *warp)
{
    const struct machine *machine = warp->cta->cluster->machine;
    const struct machine_strand *strand = &warp->strand[0];
    fill(strand, MACHINE_SLOT_ZERO | MACHINE_IN_WARP, PTX_FILE_64, 0);
    fill(strand, MACHINE_SLOT_SHARED | MACHINE_IN_WARP, PTX_FILE_64, (uint64_t)warp->cta->rank << SHARED_RANK_SHIFT);
    fill(strand, MACHINE_SLOT_PARAMETERS | MACHINE_IN_WARP, PTX_FILE_64, machine_parameter_window(machine));
    for (uint32_t i = 0; i < machine->kernel->specials; i++) set_special(warp, &machine->kernel->special[i]);
}

bool machine_special_differs(const struct machine_special *special)
{
    return special->special == PTX_SPECIAL_CTAID || special->special == PTX_SPECIAL_SMID ||
           special->special == PTX_SPECIAL_CLUSTERID;
}

void machine_special_renew(struct machine_warp *warp)
{
    const struct machine_kernel *kernel = warp->cta->cluster->machine->kernel;
    for (uint32_t i = 0; i < kernel->specials; i++)
        if (machine_special_differs(&kernel->special[i])) set_special(warp, &kernel->special[i]);
}

// The clock of a cluster goes on by the longest turn of each round, and in a turn by what a thread of an H200 takes to
// read it, for each time that it is read. It never goes back, whoever reads it. A nanosecond is two of its clocks.
static uint64_t clock_of(struct machine_warp *warp)
{
    struct machine_cluster *cluster = warp->cta->cluster;
    const uint64_t own = cluster->time + READ_CLOCKS * ++cluster->reads_of_turn;
    cluster->clock_reads++;
    warp->clock_reads++;
    if (own > cluster->clock) cluster->clock = own;
    return cluster->clock;
}

enum machine_next machine_read_clock(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    const uint64_t clock = clock_of(strand->warp);
    uint64_t value;
    (void)lanes; // the slot is the warp's
    switch ((enum ptx_special)code->operand[1].add) {
    case PTX_SPECIAL_CLOCK_HI:
        value = clock >> 32;
        break;
    case PTX_SPECIAL_GLOBALTIMER:
    case PTX_SPECIAL_GLOBALTIMER_LO:
        value = clock / MACHINE_CLOCKS_OF_NS;
        break;
    case PTX_SPECIAL_GLOBALTIMER_HI:
        value = clock / MACHINE_CLOCKS_OF_NS >> 32;
        break;
    default:
        value = clock;
    }
    uint64_t *row = machine_slot(strand, code->operand[0].slot);
    const bool is_wide = code->operand[0].file == PTX_FILE_64;
    for (uint32_t lane = 0; is_wide && lane < MACHINE_LANES; lane++) row[lane] = value;
    for (uint32_t lane = 0; !is_wide && lane < MACHINE_LANES; lane++)
        machine_set_value(strand, &code->operand[0], lane, value);
    return strand->warp->cta->cluster->reads_of_turn % READS_OF_TURN == 0 ? MACHINE_REST : MACHINE_NEXT;
}
