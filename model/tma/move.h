// SPDX-License-Identifier: MIT
// The only code that writes shared memory for a tensor copy, or reads it for a store: bytes, fill and converted floats,
// swizzled. Private to model/tma. It checks nothing: whoever calls it has checked that all of it lies in shared memory.
#ifndef TMAREF_MOVE_H
#define TMAREF_MOVE_H

#include <stdbool.h>

#include "reduce.h"
#include "tensormap.h"

enum { LINE_BYTES = 128, CHUNK_BYTES = 16 }; // the XOR of a swizzle is constant in a line, and moves whole chunks

// The shared memory of a CTA as a tensor copy sees it: address `base` is at `bytes`.
struct swizzled {
    uint8_t *bytes;
    uint32_t base;
    enum tensormap_swizzle swizzle;
};

// `count` rows of `bytes` bytes, each pitch_bytes further in shared and step_bytes further in global memory.
struct rows {
    uint32_t count, bytes;
    uint32_t pitch_bytes;
    uint64_t step_bytes;
};

// Copies rows to shared address `to`; `is_tf32` converts them on the way. Rule TILE_TF32.
void put_rows(const struct swizzled *shared, const struct rows *rows, bool is_tf32, uint32_t to, const uint8_t *from);

// Writes the 16-bit pattern of out-of-bounds elements over rows. Rules TILE_FILL_ZERO, TILE_FILL_NAN.
void put_fill_rows(const struct swizzled *shared, const struct rows *rows, uint16_t pattern, uint32_t to);

// The way back: copies rows of whole 16-byte chunks from shared address `from` to `to`, or reduces them into it element
// by element. Rule STORE_BITS.
void take_rows(const struct swizzled *shared, const struct rows *rows, uint8_t *to, uint32_t from);
void reduce_rows(const struct swizzled *shared, const struct rows *rows, enum reduce_op op, enum dtype dtype,
                 uint8_t *to, uint32_t from);

#endif
