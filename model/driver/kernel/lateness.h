// SPDX-License-Identifier: MIT
// The delays of the schedules DELAY and PCT: which file says them, and which one they are written to.
#ifndef TMAREF_DRIVER_LATENESS_H
#define TMAREF_DRIVER_LATENESS_H

#include "delays.h"
#include "driver.h"

#pragma GCC visibility push(hidden)

// What the file of the options says; NULL under other schedules, or if it cannot be read, which is told once.
const struct machine_delays *lateness_delays(const struct driver *driver);

// Writes a line to the other file of the options. NULL: there is none.
typedef void lateness_teller(void *driver, const char *line);
lateness_teller *lateness_tell(const struct driver *driver);

#pragma GCC visibility pop

#endif
