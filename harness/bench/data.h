// SPDX-License-Identifier: MIT
// Random data in device memory for benchmarks: never zeros, with which an H200 runs faster than with real numbers.
#ifndef TMAREF_BENCH_DATA_H
#define TMAREF_BENCH_DATA_H

#include "gpu.h"

enum data_kind { DATA_BYTES, DATA_BF16, DATA_F16, DATA_E4M3, DATA_E5M2, DATA_F32 };

// Device memory of `bytes` bytes: random ones, or numbers of the format from a normal distribution (deviation 1). Other
// seeds give other data. Returns 0 if there is no room. data_free() takes it back.
unsigned long long data_new(struct gpu *gpu, enum data_kind kind, size_t bytes, uint64_t seed);
void data_free(struct gpu *gpu, unsigned long long address);

// Input sets of a contest that copies: random bytes, and where they go. Made at the first call; returns 0 if there is
// no room.
enum { DATA_SETS = 2 };
struct data_sets {
    unsigned long long from[DATA_SETS], to[DATA_SETS];
};
bool data_sets_new(struct gpu *gpu, size_t bytes, struct data_sets *sets);
void data_sets_free(struct gpu *gpu, const struct data_sets *sets);

#endif
