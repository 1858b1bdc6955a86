// SPDX-License-Identifier: MIT
// A reduction of many rows: what reduce_apply() does, but the floating-point environment is set once for all of them,
// and not at all where no floats are added. Private to model/tma.
#ifndef TMAREF_REDUCER_H
#define TMAREF_REDUCER_H

#include "float_environment.h"
#include "reduce.h"

// Between begin and end run(memory, source, bytes) reduces whole elements; they do not overlap.
struct reducer {
    void (*run)(uint8_t *restrict memory, const uint8_t *restrict source, uint32_t bytes);
    int adds_floats;
    struct float_environment caller;
};

// `op` is legal for `dtype`.
struct reducer reducer_begin(enum reduce_op op, enum dtype dtype);
void reducer_end(const struct reducer *reducer);

#endif
