// SPDX-License-Identifier: MIT
// A chain of mma.sync on one accumulator as data, and what it means to the model.
#ifndef TMAREF_MMA_CASE_H
#define TMAREF_MMA_CASE_H

#include "family.h"
#include "mma.h"
#include "mma_job.h"

// `steps` instructions of `form` follow each other, each with an A and a B of its own (and metadata, of a sparse form,
// whose `selector` it is; else 0); `seed` decides what registers hold before.
struct mma_case {
    enum mma_form form;
    uint32_t steps, seed, selector;
};

// The registers of a warp as mma_execute() takes them.
enum { MMA_MAX_WORDS = 2 * MMA_MAX_REGISTERS * MMA_LANES };
struct mma_state {
    uint32_t a[MMA_MAX_WORDS], b[MMA_MAX_WORDS], d[MMA_MAX_WORDS], metadata[MMA_LANES];
};

// D as it is before the first step; A, B and metadata of a step; and the step.
void mma_case_start(const struct mma_case *test_case, struct mma_state *state);
void mma_case_operands(const struct mma_case *test_case, uint32_t step, struct mma_state *state);
void mma_case_step(const struct mma_case *test_case, uint32_t step, struct mma_state *state);

// What makes one element of D, part `part` of register `index` of `lane`, from the operands in `state`: the units of A,
// those of B that they meet (mma_units() of each), and the element before. Returns where in D it is.
struct mma_element {
    uint64_t a[MMA_MAX_COLUMN], b[MMA_MAX_COLUMN], c;
};

struct number_place mma_case_element(const struct mma_case *test_case, const struct mma_state *state, int lane,
                                     int index, int part, struct mma_element *element);

#endif
