// SPDX-License-Identifier: MIT
// mma.sync as a warp executes it again and again: with one A and several B. For model/machine alone.
#ifndef TMAREF_MMA_KEPT_H
#define TMAREF_MMA_KEPT_H

#include <stdbool.h>

#include "lanes.h"
#include "mma.h"

#pragma GCC visibility push(hidden)

// The last A, its registers and what was made of them; zeroed, it is none. A of the same bits and form is not taken
// apart again.
enum { MMA_KEPT_REGISTERS = 4, MMA_KEPT_FACTORS = 64 };
struct mma_kept {
    bool is_there;
    enum mma_form form;
    uint32_t words[MMA_KEPT_REGISTERS * MMA_LANES];
    _Alignas(32) struct number_factors factors[MMA_KEPT_FACTORS];
};

// mma_execute_rounded() of a dense form that there is.
void mma_execute_keeping(enum mma_form form, enum number_rounding rounding, const uint32_t *a, const uint32_t *b,
                         uint32_t *d, struct mma_kept *kept);

#pragma GCC visibility pop

#endif
