// SPDX-License-Identifier: MIT
// What threads have stored to shared memory and the async proxy does not see yet: bulk and tensor stores, bulk copies
// and wgmma read the bytes from before, until a fence.proxy.async. Only LATE and SHUFFLED have a veil; the others show
// every write at once. A fence publishes what its own warp has stored, and what all others had stored when its warp
// last learnt of them: at a barrier, a wait that succeeded, an atomic or a strong read. One that comes too early
// publishes nothing of what comes behind it.
#ifndef TMAREF_MACHINE_VEIL_H
#define TMAREF_MACHINE_VEIL_H

#include "state.h"

#pragma GCC visibility push(hidden)

// Opens the veil of a cluster whose CTAs and memories are in place, if its schedule wants one; 0 if there is no memory.
int machine_veil_open(struct machine_cluster *cluster);
void machine_veil_close(struct machine_cluster *cluster);

// A warp is about to store `bytes` bytes at `at` on the host, in shared memory or elsewhere.
void machine_veil_note(const struct machine_warp *warp, const uint8_t *at, uint64_t bytes);

// The same for any schedule.
static inline void machine_veil_write(const struct machine_warp *warp, const uint8_t *at, uint64_t bytes)
{
    if (warp->cta->cluster->veil != NULL) machine_veil_note(warp, at, bytes);
}

// The warp executes fence.proxy.async; the warp has learnt of what others did.
void machine_veil_fence(const struct machine_warp *warp);
void machine_veil_learn(const struct machine_warp *warp);

// The async proxy, or a copy engine, writes `bytes` bytes at `at` on the host: these it sees.
void machine_veil_lift(const struct machine_cluster *cluster, const uint8_t *at, uint64_t bytes);

// Does the veil hide any of the `bytes` bytes at `at`?
int machine_veil_hides(const struct machine_cluster *cluster, const uint8_t *at, uint64_t bytes);

// Copies `bytes` bytes at `at` as the async proxy sees them.
void machine_veil_read(const struct machine_cluster *cluster, const uint8_t *at, uint64_t bytes, uint8_t *to);

// The shared memory of a CTA as the async proxy sees it: its own where nothing is hidden, else a copy in `room`, good
// until the next call.
const struct memory *machine_veil_memory(const struct machine_cta *cta, struct memory *room);

#pragma GCC visibility pop

#endif
