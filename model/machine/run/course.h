// SPDX-License-Identifier: MIT
// A course: what every warp of a CTA does from its first instruction to its last, where all go the same way. It is
// found out once for the CTA: ramps (even.h) rise on from warp to warp, so three numbers stand for all of its threads.
// What is left for a warp is to load, to compute lane by lane, and to store. The warps still go one after the other, so
// memory changes in the same order as always.
//
// A CTA takes a course if its threads fill whole warps, nobody hears or sees what it does, and the schedule lets
// nothing come late. Who hears by rows (looker.h) hears of all loads and stores of a course, if it has no barriers.
// Barriers of the whole CTA cut it into parts: each is found out when all have come to the barrier in front of it, and
// each warp goes it in its own turn, with its own registers. Where a course leads no further, all warps go on by
// themselves from where they are. A kernel without barriers whose branches depend on what it loads has none.
#ifndef TMAREF_MACHINE_COURSE_H
#define TMAREF_MACHINE_COURSE_H

#include "state.h"

#pragma GCC visibility push(hidden)

// The CTA of the cluster may take a course: then warps are on it. Returns whether none of them has to be started.
bool machine_course_plan(struct machine_cluster *cluster);

// Turns of warps that are on a course, from `first` on, at most `most` one behind the other. Returns how many are over.
// Then none of them is, or the next one is off: something is not where it most often is, or the course leads no
// further. No warp is on it any more, and the rest of that one's turn, of which `used` instructions are done, is its
// own. Where warps had not been started, they are to be now: those still in cluster->to_start.
struct machine_off {
    int is_off;
    uint32_t used;
};
struct machine_round;
uint32_t machine_course_run(struct machine_cluster *cluster, uint32_t first, uint32_t most, struct machine_round *round,
                            struct machine_off *off);

// Between two turns: whoever is on a course goes on by itself, where it is. `look`: if for a while nobody has stored
// anything, so that somebody may soon ask what states warps are in.
void machine_course_leave(struct machine_cluster *cluster);
void machine_course_look(struct machine_cluster *cluster);

// What its instructions found last in global memory may be gone.
void machine_course_forget(struct machine_course *course);
void machine_course_free(struct machine_course *course);

#pragma GCC visibility pop

#endif
