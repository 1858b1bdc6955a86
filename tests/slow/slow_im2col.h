// SPDX-License-Identifier: MIT
// The slow im2col load: the walk of HARDWARE.md part 4 spelled out pixel by pixel and byte by byte, written from the
// text, sharing no code with model/. It can be told to misread one rule. Tests only; read slow.h first.
#ifndef TMAREF_SLOW_IM2COL_H
#define TMAREF_SLOW_IM2COL_H

#include "slow.h"
#include "slow_vectors.h"

// Misreadings: id, rule misread, what the misreading says. Each must change the outcome of a vector of im2col_test.c.
#define SLOW_IM2COL_MUTANTS(X)                                                                                         \
    X(WRAP_TO_ZERO, IM2COL_WALK, "W, H, D return to 0, not to the lower corner")                                       \
    X(WRAP_TO_START, IM2COL_WALK, "W returns to the start coordinate")                                                 \
    X(WRAP_KEEPS_REST, IM2COL_WALK, "W keeps what it stepped past the end of the box")                                 \
    X(WRAP_WITH_OFFSET, IM2COL_WALK, "the offset is part of the position that is compared with the box")               \
    X(UPPER_EXCLUSIVE, IM2COL_WALK, "the box ends one before globalDim - 1 + upper")                                   \
    X(UPPER_ABSOLUTE, IM2COL_WALK, "the upper corner is the last position")                                            \
    X(CORNERS_REVERSED, IM2COL_WALK, "corners are ordered D, H, W")                                                    \
    X(H_FIRST, IM2COL_WALK, "H steps fastest")                                                                         \
    X(STEPS_OF_ONE, IM2COL_WALK, "positions step by 1")                                                                \
    X(PIXELS_OVER_STRIDE, IM2COL_WALK, "pixelsPerColumn counts positions before the element stride of W")              \
    X(BATCH_BY_ONE, IM2COL_BATCH, "N steps by 1")                                                                      \
    X(BATCH_STAYS, IM2COL_BATCH, "after the box the walk starts again in the same image")                              \
    X(CHANNEL_STRIDE, IM2COL_BATCH, "channels step by their element stride")                                           \
    X(BOUNDS_POSITION, IM2COL_BOUNDS, "the position without the offset is bounded")                                    \
    X(BOUNDS_PIECE, IM2COL_BOUNDS, "a 16-byte piece with one channel in bounds is loaded whole, as stores do")         \
    X(BOUNDS_CHANNEL, IM2COL_BOUNDS, "channels are not bounded")                                                       \
    X(BOUNDS_BATCH, IM2COL_BOUNDS, "N is not bounded")                                                                 \
    X(OFFSETS_SIGNED, IM2COL_OFFSETS, "offsets are signed")                                                            \
    X(OFFSETS_REVERSED, IM2COL_OFFSETS, "offsets are ordered D, H, W")                                                 \
    X(OFFSETS_16_BITS, IM2COL_OFFSET_FIELDS, "every offset has 16 bits")                                               \
    X(OFFSETS_MASKED, IM2COL_OFFSET_FIELDS, "rank 5 takes the low 5 bits of each, with no carry")                      \
    X(OFFSETS_BIT_15, IM2COL_OFFSET_FIELDS, "bit 15 of the sum counts")                                                \
    X(PITCH_PACKED, IM2COL_PITCH, "pixels are packed, with a swizzle too")                                             \
    X(GAP_FILLED, IM2COL_PITCH, "the rest of a short pixel is written with the fill")                                  \
    X(INTERLEAVE_CHANNELS, IM2COL_INTERLEAVE, "an interleaved pixel has channelsPerPixel channels")                    \
    X(INTERLEAVE_PADDED, IM2COL_INTERLEAVE, "slices lie a swizzle span apart")                                         \
    X(INTERLEAVE_ELEMENTS, IM2COL_INTERLEAVE, "the slice coordinate counts channels")                                  \
    X(TX_IN_BOUNDS, IM2COL_TX_BYTES, "bytes out of bounds are not counted")                                            \
    X(TX_GAPS, IM2COL_TX_BYTES, "the gaps between pixels are counted")                                                 \
    X(TX_CHANNELS, IM2COL_TX_BYTES, "an interleaved pixel counts channelsPerPixel channels")                           \
    X(START_UNCHECKED, IM2COL_START, "any start will do")                                                              \
    X(START_WITH_OFFSET, IM2COL_START, "start plus offset must lie in the box")                                        \
    X(START_IN_TENSOR, IM2COL_START, "the start must lie in the tensor")                                               \
    X(START_ONLY_W, IM2COL_START, "only W is checked")

enum slow_im2col_mutant {
    IM2COL_RIGHT,
#define X(id, rule, sentence) IM2COL_##id,
    SLOW_IM2COL_MUTANTS(X)
#undef X
        IM2COL_MUTANTS
};

// One im2col load; the fields are those of struct slow_tile.
struct slow_im2col {
    struct tensormap map;
    int dims;
    int32_t coord[5];
    uint16_t offset[3];
    uint32_t destination;
    const uint8_t *gmem;
    uint64_t gmem_base, gmem_bytes;
    uint64_t smem_base, smem_bytes;
};

// Performs `load` on shared memory `smem` (smem_bytes bytes).
//   tx_bytes  what the load signals to its mbarrier; written only when 0 is returned                   (bytes)
//   returns   0, or the CUDA error 715, 716 or 700 (in this order); then nothing was written
//   source    HARDWARE.md part 4
int slow_im2col(const struct slow_im2col *load, uint8_t *smem, uint32_t *tx_bytes, enum slow_im2col_mutant mutant);

// All fields of `load` as text of one line, cut to `capacity`.
void slow_im2col_text(const struct slow_im2col *load, char *text, size_t capacity);

// A random im2col load, biased to limits, against SLOW_GMEM_BASE memory `gmem`.
void slow_generate_im2col(struct slow_random *random, const uint8_t *gmem, struct slow_im2col *load);

#endif
