// SPDX-License-Identifier: MIT
// One run of the prefetch pipeline as data, where its result lies, and how to launch it.
#ifndef TMAREF_PREFETCH_CASE_H
#define TMAREF_PREFETCH_CASE_H

#include "family.h"
#include "gpu.h"
#include "prefetch_job.h"

// Where the model sees the windows of the two arrays; a GPU has them somewhere else.
#define PREFETCH_SOURCE      ((uint64_t)1 << 45)
#define PREFETCH_DESTINATION ((uint64_t)3 << 44)

enum {
    PREFETCH_SURROUND_BYTES = 128,
    PREFETCH_MAX_OFFSET = 128,
    PREFETCH_MAX_CTAS = 64,
    PREFETCH_MAX_THREADS = 512,
    PREFETCH_MAX_BYTES = 1 << 22,
};

// `count_bytes` bytes that begin `offset` bytes behind a multiple of 128; the other terms are those of struct
// prefetch_job. `in_place`: source and destination are one array. `seed` decides what it holds.
struct prefetch_case {
    uint32_t stages, stores, ctas, threads;
    uint32_t count_bytes, batch_bytes, offset, in_place, seed;
};

// The same in the configuration that is fastest on an H200, nothing dumped: addresses and `count_bytes` are multiples
// of 16. Measured in docs/articles/async-copy-guide.md.
int prefetch_start_fast(struct gpu *gpu, unsigned long long destination, unsigned long long source,
                        uint64_t count_bytes);

#endif
