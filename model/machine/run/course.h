// SPDX-License-Identifier: MIT
// A course: what every warp of a CTA does from its first instruction to its last, where all go the same way. It is
// found out once for the CTA: ramps (even.h) rise on from warp to warp, so three numbers stand for all of its threads.
// What is left for a warp is to load, to compute lane by lane, and to store. The warps still go one after the other, so
// memory changes in the same order as always.
//
// A CTA takes a course if its threads fill whole warps, nobody hears or sees what it does, and the schedule lets
// nothing come late. A kernel that meets others, or whose branches depend on what it loads, has none.
#ifndef TMAREF_MACHINE_COURSE_H
#define TMAREF_MACHINE_COURSE_H

#include "state.h"

#pragma GCC visibility push(hidden)

// The CTA of the cluster takes a course: none of its warps has to be started. 0: it does not.
int machine_course_plan(struct machine_cluster *cluster);

// The warp goes all of it. Returns how many instructions it was; 0: something is not where it most often is, and
// nothing has been done.
uint32_t machine_course_run(struct machine_cluster *cluster, uint32_t warp);

// What its instructions found last in global memory may be gone.
void machine_course_forget(struct machine_course *course);
void machine_course_free(struct machine_course *course);

#pragma GCC visibility pop

#endif
