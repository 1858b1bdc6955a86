// SPDX-License-Identifier: MIT
#include "late_reads.h"

#include <stdlib.h>
#include <string.h>

#include "flights.h"
#include "veil.h"

enum { MOST_READS = 16, MOST_TURNS = 4 };

// A load of some lanes: `at` on the host. stamp: the veil's time when it was executed.
struct late_read {
    const struct machine_code *code;
    const struct machine_frame *frame;
    uint32_t lanes, stamp;
    const uint8_t *at[MACHINE_LANES];
};

// Those of a turn. turns: others know that they may overwrite, and have so many turns to do it; 0: nobody knows.
struct machine_reads {
    uint32_t count, turns;
    struct late_read read[MOST_READS];
};

void machine_reads_note(const struct machine_strand *strand, const struct machine_code *code, uint32_t lanes,
                        const uint8_t *const at[MACHINE_LANES])
{
    struct machine_warp *warp = strand->warp;
    if (warp->cta->cluster->veil == NULL || lanes == 0) return;
    if (warp->reads == NULL) warp->reads = calloc(1, sizeof *warp->reads);
    if (warp->reads == NULL) return; // then it is early
    if (warp->reads->count == MOST_READS)
        memmove(warp->reads->read, warp->reads->read + 1, --warp->reads->count * sizeof(struct late_read));
    struct late_read *read = &warp->reads->read[warp->reads->count++];
    *read = (struct late_read){code, strand->frame, lanes, machine_veil_now(warp->cta->cluster), {NULL}};
    memcpy(read->at, at, sizeof read->at);
}

// Does an instruction between the load and `told` name a register that was loaded? The warp has not gone back since.
static int is_used(const struct late_read *read, const struct machine_code *told)
{
    const struct machine_transfer *transfer = read->code->transfer;
    if (told <= read->code) return 1;
    for (const struct machine_code *code = read->code + 1; code < told; code++)
        for (uint32_t i = 0; i < code->operands; i++)
            for (uint32_t part = 0; part < transfer->parts; part++)
                if (code->operand[i].slot == transfer->data[part].slot) return 1;
    return 0;
}

enum machine_next machine_reads_told(const struct machine_strand *strand, const struct machine_code *code)
{
    struct machine_reads *reads = strand->warp->reads;
    uint32_t kept = 0;
    if (reads == NULL || reads->count == 0) return MACHINE_NEXT;
    for (uint32_t i = 0; i < reads->count; i++)
        if (reads->read[i].frame == strand->frame && !is_used(&reads->read[i], code))
            reads->read[kept++] = reads->read[i];
    reads->count = kept;
    reads->turns = kept > 0 ? MOST_TURNS : 0;
    return kept > 0 ? MACHINE_REST : MACHINE_NEXT;
}

void machine_reads_end(struct machine_warp *warp)
{
    warp->reads->count = warp->reads->turns = 0;
}

// A way out of the CTA that counts has a release by one of its own warps.
void machine_reads_release(const struct machine_warp *warp)
{
    for (uint32_t i = 0; i < warp->cta->warps; i++) {
        const struct machine_warp *other = &warp->cta->warp[i];
        struct machine_reads *reads = other->reads;
        uint32_t kept = 0;
        if (reads == NULL) continue;
        for (uint32_t k = 0; k < reads->count; k++)
            if (other != warp && !machine_veil_knows(warp, reads->read[k].stamp)) reads->read[kept++] = reads->read[k];
        reads->count = kept;
    }
}

static void load_again(const struct machine_warp *warp, const struct late_read *read)
{
    for (uint32_t i = 0; i < warp->strands; i++) {
        const struct machine_strand *strand = &warp->strand[i];
        if (strand->frame != read->frame) continue;
        for (uint32_t left = read->lanes & strand->lanes; left != 0; left &= left - 1) {
            const uint32_t lane = (uint32_t)__builtin_ctz(left);
            machine_load_lane(strand, read->code->transfer, read->at[lane], lane);
        }
    }
}

// What others have begun to copy over the bytes may be there too: that it takes long is no promise.
int machine_reads_arrive(struct machine_warp *warp)
{
    struct machine_reads *reads = warp->reads;
    if (reads->count > 0 && reads->turns > 1) {
        reads->turns--;
        return 0;
    }
    if (reads->count > 0 && reads->turns == 1) {
        machine_flights_force(warp->cta->cluster);
        for (uint32_t i = 0; i < reads->count; i++) load_again(warp, &reads->read[i]);
    }
    reads->count = reads->turns = 0;
    return 1;
}
