// SPDX-License-Identifier: MIT
// The schedules of the executor sim: when what is asynchronous happens. A pair is a schedule and a seed; processes that
// are started after it was set run under it (TMAREF_SCHEDULE and TMAREF_SEED, as for `tmaref exec`).
#ifndef TMAREF_SCHEDULES_H
#define TMAREF_SCHEDULES_H

#include "family.h"

// Every schedule with each of 16 seeds. The first 16 pairs have all seeds, and each schedule four times.
enum { SCHEDULE_PAIRS = 64 };

void schedule_set(int pair);

// The schedule and the seed that are set now, for messages: "late, seed 3"; "default, seed 0" where nobody set any.
const char *schedule_text(void);

// Does the schedule that is set have what a result rests on?
int schedule_has(enum family_ground ground);

#endif
