// SPDX-License-Identifier: MIT
// The state of a warp is what decides how it goes on: where its lanes are, their registers, their stack. At the first
// round, and at each power of two behind it, a number is made of it, to which those of rounds are compared that find
// the warp at the same place. Of a warp that comes there again and again few are made: this costs little even
// where a loop polls a million times, or computes as long. A clock makes each state a new one, as in the wait of
// cuda::barrier, which sleeps the longer the longer it has waited. What such a warp may still do it does at a time of
// its own, and no program is known that sets one of more than some minutes.
#include "polling.h"

#include "each.h"
#include "even.h"

#include <stddef.h>

enum { LOOKS = 64 };

static uint64_t mix(uint64_t state, uint64_t word)
{
    state = (state ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return state ^ state >> 32;
}

// `bytes` is a multiple of 8, as all rows of lanes are.
static uint64_t mix_bytes(uint64_t state, const void *from, uint64_t bytes)
{
    const uint64_t *word = from;
    for (uint64_t i = 0; i < bytes / sizeof *word; i++) state = mix(state, word[i]);
    return state;
}

// A frame lies elsewhere each time it is made: where it is does not count.
static uint64_t mix_frames(uint64_t state, const struct machine_frame *frame)
{
    for (; frame != NULL; frame = frame->caller) {
        state = mix(mix(state, (uintptr_t)frame->function), (uint64_t)frame->lanes << 32 | frame->return_pc);
        state = mix_bytes(state, frame->slots, frame->function->frame_bytes);
    }
    return state;
}

// It has said so, and nothing has come since, or what came was not for it: all its lanes have begun to wait.
static bool is_waiting(const struct machine_strand *strand)
{
    const struct machine_warp *warp = strand->warp;
    return strand->waiting_at == warp->cta->cluster->progress || (strand->lanes & ~warp->begun) == 0;
}

// The lowest round of the strands that run.
static uint32_t first_round(const struct machine_warp *warp)
{
    uint32_t first = UINT32_MAX;
    for (uint32_t i = 0; i < warp->strands; i++)
        if (!is_waiting(&warp->strand[i]) && warp->strand[i].round < first) first = warp->strand[i].round;
    return first;
}

// How far the strand is behind the first in turn. One that waits while others poll falls ever further back: by how much
// makes no difference.
static uint32_t rounds_behind(const struct machine_strand *strand, uint32_t first)
{
    return strand->round > first ? strand->round - first : 0;
}

static uint32_t stack_of(const struct machine_warp *warp)
{
    uint32_t top = 0;
    for (int lane = 0; lane < MACHINE_LANES; lane++)
        if (warp->stack_top[lane] > top) top = warp->stack_top[lane];
    return top < warp->local_bytes ? top : warp->local_bytes;
}

static uint64_t state_of(struct machine_warp *warp)
{
    machine_even_settle(warp, UINT64_MAX);
    uint64_t state =
        mix(mix(warp->strands, (uint64_t)warp->live << 32 | warp->begun), (uint64_t)warp->syncing << 32 | warp->synced);
    for (uint32_t i = 0; i < warp->strands; i++) {
        const struct machine_strand *strand = &warp->strand[i];
        state = mix(mix(state, (uint64_t)strand->lanes << 32 | strand->pc),
                    (uint64_t)rounds_behind(strand, first_round(warp)) << 1 | (uint64_t)is_waiting(strand));
        if (i == 0 || strand->frame != warp->strand[i - 1].frame) state = mix_frames(state, strand->frame);
    }
    for (EACH_BIT(lane, warp->syncing)) // at a barrier it is the phase, which only counts
        state = mix(state, warp->mark[lane]);
    return mix_bytes(mix(state, warp->carry), warp->local, (uint64_t)stack_of(warp) / 16 * 16 * MACHINE_LANES);
}

uint64_t machine_poll_state(struct machine_warp *warp)
{
    return state_of(warp);
}

bool machine_poll_outlasts(const struct machine_cluster *cluster)
{
    return cluster->time - cluster->polled_from > MACHINE_HOUR;
}

// The rounds up to now in which nothing has changed, by the count that knows of most.
static uint64_t rounds_of_calm(const struct machine_cluster *cluster)
{
    const uint64_t count[] = {cluster->calm, cluster->idle, cluster->still, cluster->watched, cluster->unchanged};
    uint64_t most = 0;
    for (size_t i = 0; i < sizeof count / sizeof count[0]; i++)
        if (count[i] > most) most = count[i];
    return most;
}

bool machine_poll_looks(const struct machine_strand *strand)
{
    const struct machine_warp *warp = strand->warp;
    const struct machine_cluster *cluster = warp->cta->cluster;
    if (warp->looking_at == NULL || warp->looking_in != strand->frame->function) return false;
    if ((warp->looking_lanes & strand->lanes) == 0) return false;
    return cluster->rounds - warp->looked_in_round <= rounds_of_calm(cluster) / 2;
}

static uint64_t place_of(const struct machine_warp *warp)
{
    return warp->strands == 0 ? 0 : (uint64_t)warp->strand[0].lanes << 32 | warp->strand[0].pc;
}

static bool is_back(struct machine_warp *warp)
{
    if (warp->repeats || warp->clock_reads != warp->polled_reads) return true;
    if (warp->polled_place != place_of(warp) || warp->polled_looks == 0) return false;
    warp->polled_looks--;
    return warp->polled_state == state_of(warp);
}

static void look(struct machine_warp *warp, bool is_first)
{
    if (is_first) {
        warp->polled_place = place_of(warp);
        warp->polled_state = state_of(warp);
        warp->polled_reads = warp->clock_reads;
        warp->polled_looks = LOOKS;
    }
    warp->repeats = !is_first && is_back(warp);
}

bool machine_poll_repeats(struct machine_cluster *cluster, uint64_t calm, uint64_t first)
{
    bool is_first = calm >= first && (calm & (calm - 1)) == 0, repeats = true;
    if (calm < first) cluster->looks = 0;
    if (is_first) cluster->looks = first == POLL_FIRST_LOOK ? LOOKS + 1 : UINT32_MAX;
    if (cluster->looks == 0) return false;
    cluster->looks--;
    for (uint32_t rank = 0; rank < cluster->ctas; rank++)
        for (uint32_t i = 0; i < cluster->cta[rank].warps; i++) {
            struct machine_warp *warp = &cluster->cta[rank].warp[i];
            look(warp, is_first);
            repeats &= warp->repeats;
        }
    return repeats;
}
