// SPDX-License-Identifier: MIT
// What families of tensor loads share: the windows of a result, the model's CTA, the launch of the load kernel. A
// family says with a struct load_kind what is its own. Read load_case.h and kernels/load_job.h first.
#ifndef TMAREF_LOAD_LAUNCH_H
#define TMAREF_LOAD_LAUNCH_H

#include <stddef.h>

#include "load_case.h"
#include "load_job.h"

struct gpu;

//   window    the shared addresses that the result of a case holds
//   run       the case on the model: the barrier's word, and shared memory, which holds canaries in the window
//   make_job  fills a job but for its window and output; returns the CUDA error of the encode
struct load_kind {
    size_t case_bytes;
    struct load_window (*window)(const void *test_case);
    enum rule (*run)(const void *test_case, const struct memory *shared, uint64_t *word);
    int (*make_job)(struct gpu *gpu, const void *test_case, struct load_job *job);
};

// The window around a box of `extent` bytes at shared address `shared`: whole 128-byte lines, and 256 bytes more on
// both sides.
struct load_window load_window_around(uint32_t shared, uint64_t extent);

// Bytes of a result with this window.
size_t load_window_bytes(struct load_window window);

// Runs one case on the model. A case that faults has no windows.
void load_on_model(const struct load_kind *kind, const void *test_case, struct result *result);

// Runs cases on the GPU in one launch. Returns the CUDA error that killed the context, or 0.
int load_on_gpu(const struct load_kind *kind, struct gpu *gpu, const void *cases, int count, struct result *results);

#endif
