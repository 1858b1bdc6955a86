// SPDX-License-Identifier: MIT
// What threads have stored and the async proxy does not see yet: operations read the bytes from before. Of shared
// memory these are bulk and tensor stores, bulk copies and wgmma, until a fence.proxy.async; of global memory bulk and
// tensor loads of the same cluster, until a fence.proxy.async, or a fence or release of a scope wider than the CTA,
// which has an H200 wait for its stores too. Only LATE and SHUFFLED have a veil; the others show every write at once. A
// fence publishes what its own warp has stored, and what all others had stored when its warp last learnt of them: at a
// barrier, a wait that succeeded, an atomic or a strong read. One that comes too early publishes nothing of what comes
// behind it.
#ifndef TMAREF_MACHINE_VEIL_H
#define TMAREF_MACHINE_VEIL_H

#include "operation.h"
#include "state.h"

#pragma GCC visibility push(hidden)

// Opens the veil of a cluster whose CTAs and memories are in place, if its schedule wants one; 0 if there is no memory.
bool machine_veil_open(struct machine_cluster *cluster);
void machine_veil_close(struct machine_cluster *cluster);

// A warp is about to store `bytes` bytes at `at` on the host, in shared memory or elsewhere.
void machine_veil_note(const struct machine_warp *warp, const uint8_t *at, uint64_t bytes);

// The same for any schedule.
static inline void machine_veil_write(const struct machine_warp *warp, const uint8_t *at, uint64_t bytes)
{
    if (warp->cta->cluster->veil != NULL) machine_veil_note(warp, at, bytes);
}

// The warp executes a fence that publishes what was stored to a space; the warp has learnt of what others did.
enum veil_space { VEIL_SHARED, VEIL_GLOBAL, VEIL_SPACES };
void machine_veil_fence(const struct machine_warp *warp, enum veil_space space);
void machine_veil_learn(const struct machine_warp *warp);

// The time of what is stored now, 0 without a veil; has the warp learnt of what was stored at that time?
uint32_t machine_veil_now(const struct machine_cluster *cluster);
bool machine_veil_knows(const struct machine_warp *warp, uint32_t stamp);

// Has a fence.proxy.async covered what the warp did to shared memory at that time? Does the kernel, or another of its
// module, have operations of the async proxy that write shared memory?
bool machine_veil_is_fenced(const struct machine_warp *warp, uint32_t stamp);
bool machine_veil_has_writers(const struct machine_cluster *cluster);

// The async proxy, or a copy engine, writes `bytes` bytes at `at` on the host: these it sees.
void machine_veil_lift(const struct machine_cluster *cluster, const uint8_t *at, uint64_t bytes);

// The same of global memory: a store or reduction of the async proxy, and an atomic, which goes past the caches.
void machine_veil_lift_global(const struct machine_cluster *cluster, const struct operation *operation);
void machine_veil_lift_word(const struct machine_warp *warp, const uint8_t *at, uint64_t bytes);

// Do other clusters miss weak stores of this one (unseen.h)? Those at a global address they see from now on.
static inline bool machine_is_spoken(const struct machine_warp *warp)
{
    return warp->cta->cluster->machine->is_spoken;
}
void machine_veil_see(const struct machine_warp *warp, uint64_t address, uint64_t bytes);

// Global memory as a load sees it; NULL: as it is. free() gives it back.
struct global_memory *machine_veil_global(const struct machine_cluster *cluster, const struct operation *operation);

// What is hidden of global memory (veil_global.h), NULL: nothing, and what of it is published. Taken, it is the
// caller's; the cluster must have a veil.
struct veil_global *machine_veil_stores(const struct machine_cluster *cluster);
struct veil_global *machine_veil_take_stores(struct machine_cluster *cluster);
const struct veil_times *machine_veil_times(const struct machine_cluster *cluster);

// Does the veil hide any of the `bytes` bytes at `at`?
bool machine_veil_hides(const struct machine_cluster *cluster, const uint8_t *at, uint64_t bytes);

// Copies `bytes` bytes at `at` as the async proxy sees them.
void machine_veil_read(const struct machine_cluster *cluster, const uint8_t *at, uint64_t bytes, uint8_t *to);

// The shared memory of a CTA as the async proxy sees it: its own where nothing is hidden, else a copy in `room`, good
// until the next call.
const struct memory *machine_veil_memory(const struct machine_cta *cta, struct memory *room);

#pragma GCC visibility pop

#endif
