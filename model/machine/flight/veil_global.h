// SPDX-License-Identifier: MIT
// The part of the veil (veil.h) over global memory: words that threads of a cluster have stored to, with their bytes
// from before. It keeps the latest ones; older ones have reached memory. Bulk and tensor loads read through it; other
// clusters (unseen.h) find the bytes from before in memory.
#ifndef TMAREF_MACHINE_VEIL_GLOBAL_H
#define TMAREF_MACHINE_VEIL_GLOBAL_H

#include <stdbool.h>

#include "memory.h"

#pragma GCC visibility push(hidden)

// What is published of one space: of each warp, by number, what it had stored at that time; of all warps.
struct veil_times {
    uint32_t *own, all;
};

static inline bool veil_times_hide(const struct veil_times *times, uint32_t stamp, uint32_t writer)
{
    return stamp > times->all && stamp > times->own[writer];
}

struct veil_global;
struct veil_global *veil_global_open(void); // NULL if there is no memory
void veil_global_close(struct veil_global *global);

// Warp `writer` is about to store `bytes` bytes at `at`, at the time `now`.
void veil_global_note(struct veil_global *global, const struct veil_times *times, uint32_t now, uint32_t writer,
                      const uint8_t *at, uint64_t bytes);

// What lies at addresses `low` up to `end` is seen from now on; of few bytes, faster.
void veil_global_lift(struct veil_global *global, uint64_t low, uint64_t end);
void veil_global_lift_word(struct veil_global *global, uint64_t low, uint64_t end);

// Other clusters see from now on what was stored there, whoever sees it else.
void veil_global_see(struct veil_global *global, uint64_t low, uint64_t end);

// The cluster's turn ends: memory gets the bytes from before of stores that nothing has published and that the schedule
// holds back. With is_random some reach memory at each turn; 1 if any has at this one.
struct veil_choice {
    uint64_t seed;
    bool is_random;
};
bool veil_global_leave(struct veil_global *global, const struct veil_times *times, const struct veil_choice *choice);

bool veil_global_is_away(const struct veil_global *global);

// They come back, for the cluster's next turn or for good; 0 if none were away.
bool veil_global_return(struct veil_global *global, bool is_for_good);

// Global memory as the async proxy sees it at addresses `low` up to `end`: NULL if nothing is hidden there, or there is
// no memory; else a table that free() gives back.
struct global_memory *veil_global_view(struct veil_global *global, const struct veil_times *times,
                                       const struct global_memory *real, uint64_t low, uint64_t end);

#pragma GCC visibility pop

#endif
