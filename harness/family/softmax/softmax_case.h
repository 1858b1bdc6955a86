// SPDX-License-Identifier: MIT
// Attention of one query to many keys as data: how the keys are split, what they are, and what it means to the model
// and to a GPU.
#ifndef TMAREF_SOFTMAX_CASE_H
#define TMAREF_SOFTMAX_CASE_H

#include "family.h"
#include "gpu.h"
#include "softmax_job.h"

// What the inputs are: numbers below 2 in magnitude; the same with keys a hundred times as large, so that most weights
// are 0 and the greatest score moves; keys of 0, which all weigh the same.
#define SOFTMAX_INPUTS(X)            X(PLAIN, "plain") X(STEEP, "steep") X(FLAT, "flat")
#define SOFTMAX_ENUMERATOR(id, name) SOFTMAX_##id,
enum softmax_inputs { SOFTMAX_INPUTS(SOFTMAX_ENUMERATOR) SOFTMAX_INPUTS_COUNT };
#undef SOFTMAX_ENUMERATOR

enum { SOFTMAX_MAX_ROWS = 64, SOFTMAX_MAX_COUNT = 1 << 14, SOFTMAX_GUARD_WORDS = 8 };

// `rows` queries of `dims` (64 or 128) numbers, each with `count` keys of its own that `parts` CTAs of `threads`
// threads take.
struct softmax_case {
    uint32_t variant, parts, rows, dims, count, threads, inputs, seed;
};

// The inputs, as bits of bf16: number `i` of the queries, of the keys or of the values of all rows.
enum softmax_input { SOFTMAX_QUERY, SOFTMAX_KEY, SOFTMAX_VALUE };
uint16_t softmax_input(const struct softmax_case *c, enum softmax_input which, uint32_t i);

// The factor of scores, with log2(e): for these dims, 1 / sqrt(dims).
float softmax_scale(uint32_t dims);

enum rule softmax_model(const void *test_case, struct result *result);
// The launches of a variant for `rows` queries, with the addresses, count, parts and scale that `job` has: 1, or 2 for
// global. `arguments` (1 pointer) and `job` live as long as the launches.
int softmax_launches(enum softmax_variant variant, uint32_t rows, uint32_t dims, uint32_t threads,
                     struct softmax_job *job, void **arguments, struct gpu_launch launch[2]);

#endif
