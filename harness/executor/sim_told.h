// SPDX-License-Identifier: MIT
// What the simulated driver says of a launch that fails: the rule that was broken and the whole message. It tells its
// standard error, in the words of `tmaref exec --json`.
#ifndef TMAREF_SIM_TOLD_H
#define TMAREF_SIM_TOLD_H

#include "result.h"

// Before the driver is started: it will tell of launches in JSON.
void sim_told_ask(void);

// Once it has started: from now on its standard error is kept, and nobody else hears it. 0 if that cannot be.
int sim_told_listen(void);

// Forgets what was kept.
void sim_told_clear(void);

// Sets the rule of `result` and what was told, if a launch has failed since.
void sim_told(struct result *result);

#endif
