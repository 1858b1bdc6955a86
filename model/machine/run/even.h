// SPDX-License-Identifier: MIT
// Warps all of whose lanes go together compute with ramps (code/ramps.h): three numbers instead of 32 lanes. The lanes
// of a ramp are written when an instruction reads them, where somebody looks at all registers (polling.c), and where
// lanes part. Once they part, the warp goes on with lanes to its end. It does so from the
// beginning where somebody hears of it or looks on (but for a looker that skips plain instructions), where its %tid is
// no ramp, and where the schedule lets loads and stores come late.
#ifndef TMAREF_MACHINE_EVEN_H
#define TMAREF_MACHINE_EVEN_H

#include "going.h"

#pragma GCC visibility push(hidden)

// A warp begins. `is_new`: its special registers have just been set; else it renews those that differ from CTA to CTA,
// or does so when it needs their lanes.
void machine_even_start(struct machine_warp *warp, bool is_new);
void machine_even_free(struct machine_warp *warp);

// Writes the lanes of those of the ramps whose lanes are not written yet.
void machine_even_settle(struct machine_warp *warp, uint64_t ramps);

// The ramp that the lanes of a register are; 0: they are none.
bool machine_even_read(struct machine_ramp *ramp, const void *row, uint32_t file, uint32_t width);

// The warp goes on with lanes.
void machine_even_part(struct machine_warp *warp);

// May the strand go on evenly? If it stands in the entry and may not, its warp never will again.
static inline bool machine_even_may(const struct machine_strand *strand)
{
    struct machine_warp *warp = strand->warp;
    if (!warp->is_even || strand->frame != warp->entry) return false;
    if (warp->strands == 1 && strand->lanes == UINT32_MAX) return true;
    machine_even_part(warp);
    return false;
}

// As machine_go_along(). looker: who skips plain instructions; NULL: nobody
struct machine_looker;
enum machine_next machine_go_on_evenly(struct machine_strand *strand, struct machine_going *going,
                                       const struct machine_looker *looker);

// The instructions of `again`, which all are plain or make ramps.
void machine_even_again(struct machine_strand *strand, const struct machine_again *again);

#pragma GCC visibility pop

#endif
