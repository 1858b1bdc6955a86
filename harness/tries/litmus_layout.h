// SPDX-License-Identifier: MIT
// Where a litmus test lies when a GPU runs it: a group of CTAs for each 32 tries, a warp for each thread of the test, a
// lane for each try. What a GPU cannot run so is refused with a reason.
#ifndef TMAREF_LITMUS_LAYOUT_H
#define TMAREF_LITMUS_LAYOUT_H

#include "litmus.h"
#include "text.h"

enum { LITMUS_LANES = 32, LITMUS_SEEN = 15, LITMUS_SEEN_BITS = 4, LITMUS_OTHER = 15 };

// A value that a try ends with: of register `index` of thread `thread`, or of place `index` where `thread` is -1. Seen
// are 0 to 14; all others are LITMUS_OTHER.
struct litmus_seen {
    int thread, index;
};

//   ctas      of a group; `cluster` of them are a cluster, 0: they are in none
//   cta_of    of each thread, its number in the group; warp_of: its warp there
//   owner     of each place in shared memory, the CTA whose it is; -1: it is in global memory
//   bytes_of  of each mbarrier, what one operation that completes on it brings
//   is_turned  shared data is of the CTA that writes it
//   meets_cluster  some thread is at a barrier.cluster
//   lands_late  nobody waits for some operation that completes on an mbarrier
struct litmus_layout {
    int ctas, cluster, warps, lands_late;
    bool is_turned;
    int meets_cluster;
    int cta_of[LITMUS_THREADS], warp_of[LITMUS_THREADS];
    int owner[LITMUS_PLACES], bytes_of[LITMUS_PLACES];
    int seen;
    struct litmus_seen see[LITMUS_SEEN];
};

// 0 with a sentence in `why` if no GPU runs such a test so.
bool litmus_layout_of(const struct litmus *test, struct litmus_layout *layout, struct text *why);

// The same test with its shared data where it is written, not where it is read; 0 if that is no other layout.
int litmus_layout_turned(const struct litmus *test, const struct litmus_layout *layout, struct litmus_layout *turned);

// What bulk copies move, st.async and red.async.
enum { LITMUS_COPY_BYTES = 16, LITMUS_ASYNC_BYTES = 4 };

#endif
