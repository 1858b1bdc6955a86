// SPDX-License-Identifier: MIT
// What families of tensor loads share: the windows of a result, the model's CTA, and what of a job follows from them.
// Read load_case.h and kernels/load_job.h first.
#ifndef TMAREF_LOAD_LAUNCH_H
#define TMAREF_LOAD_LAUNCH_H

#include <stddef.h>

#include "gpu_jobs.h"
#include "load_case.h"
#include "load_job.h"

enum { LOAD_LEAD_BYTES = 16 };

// The window around a box of `extent` bytes at shared address `shared`: whole 128-byte lines, and 256 bytes more on
// both sides.
struct load_window load_window_around(uint32_t shared, uint64_t extent);

// Takes the windows: the barrier's word in the second half of the first 16 bytes, then shared memory.
void load_lay_out(struct load_window window, struct result *result);

// What shared memory holds before: words that tell their address.
void load_canaries(uint32_t base, uint8_t *bytes, uint32_t size_bytes);

// What a case works on when the model runs it: the barrier's word, and shared memory. It points to itself: do not copy.
struct load_cta {
    uint8_t bytes[LOAD_SHARED_BYTES];
    struct memory shared;
    uint64_t word;
};

// Puts canaries into the window of shared memory; hands word and window over to the result.
void load_cta_open(struct load_cta *cta, const struct result *result);
void load_cta_close(const struct load_cta *cta, const struct result *result);

// Where the job's result goes.
void load_set_window(const struct gpu_place *place, struct load_job *job);

#endif
