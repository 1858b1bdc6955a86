// SPDX-License-Identifier: MIT
// What the setmaxnreg kernels and the harness agree on: one job is a program of a CTA, a step after the other in slots
// of time. Plain C, included by both.
#ifndef TMAREF_SETMAXNREG_JOB_H
#define TMAREF_SETMAXNREG_JOB_H

#include <stdint.h>

enum {
    SETMAXNREG_STEPS = 8,
    SETMAXNREG_WARPS = 4,           // of a warpgroup
    SETMAXNREG_MAX_WARPGROUPS = 8,  // of a CTA
    SETMAXNREG_SLOT_CLOCKS = 16384, // longer than any setmaxnreg that need not wait
    SETMAXNREG_LEAST = 24,          // counts go from here to 256, in units of 8
};

// The instruction's operand is a constant: every one that the assembler takes.
// clang-format off
#define SETMAXNREG_COUNTS(X)                                                                                           \
    X(24) X(32) X(40) X(48) X(56) X(64) X(72) X(80) X(88) X(96) X(104) X(112) X(120) X(128) X(136) X(144) X(152)       \
    X(160) X(168) X(176) X(184) X(192) X(200) X(208) X(216) X(224) X(232) X(240) X(248) X(256)
// clang-format on

// The kernels: warpgroups of a CTA, and the registers that each thread starts with.
#define SETMAXNREG_LAUNCHES(X) X(3, 168) X(4, 128) X(5, 96) X(6, 80) X(8, 64)

enum setmaxnreg_op { SETMAXNREG_INC, SETMAXNREG_DEC, SETMAXNREG_OPS };

// By all four warps of a warpgroup.
struct setmaxnreg_step {
    uint32_t op, count, warpgroup;
};

// Step i begins in slot i, or when the step before of its warpgroup is done. After the last one, in slot `count`, every
// warp that is done goes down to SETMAXNREG_LEAST, so that those that wait get what they want. `output`: where for each
// step and warp the slot goes in which the step was done.
struct setmaxnreg_job {
    uint64_t output;
    uint32_t count;
    struct setmaxnreg_step step[SETMAXNREG_STEPS];
};

enum { SETMAXNREG_OUTPUT_WORDS = SETMAXNREG_STEPS * SETMAXNREG_WARPS };

#endif
