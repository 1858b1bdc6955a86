// SPDX-License-Identifier: MIT
// A program of setmaxnreg as data, and what it does on the model.
#ifndef TMAREF_SETMAXNREG_CASE_H
#define TMAREF_SETMAXNREG_CASE_H

#include "family.h"
#include "rule.h"
#include "setmaxnreg_job.h"

struct random;

// `warpgroups` is that of one of SETMAXNREG_LAUNCHES.
struct setmaxnreg_case {
    uint32_t warpgroups, count;
    struct setmaxnreg_step step[SETMAXNREG_STEPS];
};

// The slots in which the warps of a step's warpgroup are done with it, ascending: all that a result says.
struct setmaxnreg_log {
    uint32_t slot[SETMAXNREG_STEPS][SETMAXNREG_WARPS];
};

enum setmaxnreg_end {
    SETMAXNREG_ENDS,
    SETMAXNREG_FAULTS,   // `rule` of the run says why
    SETMAXNREG_TWO_WAIT, // two warpgroups wait at once, and which is served first is open
    SETMAXNREG_FOREVER,  // a warp waits for registers that nobody will give
};

struct setmaxnreg_run {
    enum setmaxnreg_end end;
    enum rule rule;
    struct setmaxnreg_log log;
};

// The registers that each thread of a CTA of so many warpgroups starts with; 0 if there is no such kernel.
uint32_t setmaxnreg_start(uint32_t warpgroups);

// Runs the program on the model.
struct setmaxnreg_run setmaxnreg_run(const struct setmaxnreg_case *c);

#endif
