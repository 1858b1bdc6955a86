// SPDX-License-Identifier: MIT
// The benchmarks, a file each; their rows are in bench.c.
#ifndef TMAREF_SUBJECTS_H
#define TMAREF_SUBJECTS_H

#include "bench.h"

int bench_cluster(struct bench *bench, struct text *why);
int bench_copy(struct bench *bench, struct text *why);
int bench_gemm(struct bench *bench, struct text *why);
int bench_latency(struct bench *bench, struct text *why);
int bench_model(struct bench *bench, struct text *why);
int bench_transpose(struct bench *bench, struct text *why);

#endif
