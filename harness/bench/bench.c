// SPDX-License-Identifier: MIT
// The list of benchmarks.
#include "bench.h"

#include "subjects.h"

const struct bench_subject bench_subjects[] = {
    {"copy", "TMA copies and pipelines, multicast", bench_copy},
    {0},
};
