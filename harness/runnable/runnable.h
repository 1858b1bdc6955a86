// SPDX-License-Identifier: MIT
// The kernels that `tmaref run NAME` knows by name: a family's case with defaults, and what more can be done with it.
#ifndef TMAREF_RUNNABLE_H
#define TMAREF_RUNNABLE_H

#include "family.h"
#include "gpu.h"
#include "timeline.h"

// `defaults` is the case as JSON: each key is an option of the command; those that are null are left out of the case
// unless they are given. NULL functions: the kernel cannot be timed, or has no timeline. They return 0 or the CUDA
// error.
//   time      how long each of `rounds` launches takes
//   work      what one launch does, in `unit` (1e12 of them are shown as "T", 1e9 as "G")
//   timeline  what happened when in CTA 0; CUDA_ERROR_NOT_FOUND with a sentence where this case has no such variant
struct runnable {
    const char *name, *summary, *family, *defaults;
    int (*time)(struct gpu *gpu, const void *test_case, int rounds, float *milliseconds);
    double (*work)(const void *test_case);
    const char *unit;
    int (*timeline)(struct gpu *gpu, const void *test_case, struct timeline *timeline, struct text *why);
};

// All of them, in the order of the help; a row without a name ends them.
extern const struct runnable runnables[];

// The one named `name`, or NULL.
const struct runnable *runnable_find(const char *name);

#endif
