// SPDX-License-Identifier: MIT
// A reduction of many rows: what reduce_apply() does, but the floating-point environment is set once for all of them,
// and not at all where no floats are added. And of elements here and there, one after the other, as atomics of a warp
// do. Private to model/tma and model/machine.
#ifndef TMAREF_REDUCER_H
#define TMAREF_REDUCER_H

#include <stdbool.h>

#include "float_environment.h"
#include "reduce.h"

typedef void reducer_run(uint8_t *restrict memory, const uint8_t *restrict source, uint32_t bytes);
typedef int reducer_each(uint8_t *memory, const int32_t *offset, uint32_t lanes, const void *source, void *old);

// Between begin and end run(memory, source, bytes) reduces whole elements; they do not overlap.
//   each        for each bit i of `lanes`, from the lowest: the `each_bytes` bytes at memory + offset[i] by element i of
//               `source`; what was there before goes to element i of `old`, which may be NULL, or `source`. Has any changed?
//   each_bytes  f16 and bf16 are added in pairs
struct reducer {
    reducer_run *run;
    reducer_each *each;
    uint32_t each_bytes;
    bool adds_floats;
    struct float_environment caller;
};

// `op` is legal for `dtype`.
struct reducer reducer_begin(enum reduce_op op, enum dtype dtype);
void reducer_end(const struct reducer *reducer);

#endif
