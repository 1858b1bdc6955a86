// SPDX-License-Identifier: MIT
// The schedules of the executor sim: when what is asynchronous happens. A pair is a schedule and a seed, as the
// variables TMAREF_SCHEDULE and TMAREF_SEED of the environment have them, which the simulated driver reads at a launch.
#ifndef TMAREF_SCHEDULES_H
#define TMAREF_SCHEDULES_H

#include "family.h"

// Every schedule with each of 16 seeds. The first 16 pairs have all seeds, and each schedule four times.
enum { SCHEDULE_PAIRS = 64, SCHEDULE_NONE = -1 };

// Sets a pair for the launches of this process.
void schedule_set(int pair);

// The pair that was set; SCHEDULE_NONE: what the environment says.
int schedule_pair(void);

// The schedule and the seed that are set now, for messages: "late, seed 3"; "default, seed 0" where nobody set any.
const char *schedule_text(void);

// Does the schedule that is set have what a result rests on?
bool schedule_has(enum family_ground ground);

#endif
