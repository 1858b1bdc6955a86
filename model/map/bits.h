// SPDX-License-Identifier: MIT
// The bit layout of the 128 bytes, stated once: pack and decode both read this list. Private to model/map.
// Positions count from bit 0 of word 0; rule MAP_BITS_LAYOUT, traces/sm_90a/encode.
#ifndef TMAREF_BITS_H
#define TMAREF_BITS_H

#include "tensormap.h"

struct bits {
    int first, count;
};

#define BITS_ADDRESS        ((struct bits){0, 57})
#define BITS_MODE           ((struct bits){64, 1})
#define BITS_RANK           ((struct bits){68, 3})
#define BITS_FORMAT         ((struct bits){71, 4})
#define BITS_INTERLEAVE     ((struct bits){75, 2})
#define BITS_SWIZZLE        ((struct bits){77, 2})
#define BITS_OOB_FILL       ((struct bits){79, 1})
#define BITS_TF32           ((struct bits){80, 1})
#define BITS_L2_PROMOTION   ((struct bits){81, 2})
#define BITS_STRIDE_LOW(i)  ((struct bits){96 + 32 * (i), 32}) // i: 0 .. 3 is globalStrides[i] >> 4
#define BITS_STRIDE_HIGH(i) ((struct bits){224 + 4 * (i), 4})
#define BITS_DIM(i)         ((struct bits){256 + 32 * (i), 32}) // minus one
#define BITS_ESTRIDE(i)     ((struct bits){416 + 3 * (i), 3})   // minus one
#define BITS_BOX(i)         ((struct bits){440 + 8 * (i), 8})   // minus one; im2col: only i = 0
#define BITS_LOWER          ((struct bits){448, 16})            // im2col: 16, 8 + 8 or 5 + 5 + 5 bits
#define BITS_UPPER          ((struct bits){464, 16})
#define BITS_PIXELS         ((struct bits){480, 10}) // minus one
#define BITS_BOX_BYTES      ((struct bits){512, 18})
#define BITS_PATTERN_BYTES  ((struct bits){576, 11})

static inline uint64_t bits_mask(struct bits at)
{
    return (((uint64_t)1 << at.count) - 1) << at.first % 64;
}

static inline uint64_t bits_get(const struct tensormap_image *image, struct bits at)
{
    return (image->word[at.first / 64] & bits_mask(at)) >> at.first % 64;
}

// ORs `value`, cut to the field, into a field that is still zero.
static inline void bits_put(struct tensormap_image *image, struct bits at, uint64_t value)
{
    image->word[at.first / 64] |= value << at.first % 64 & bits_mask(at);
}

// Bits of one im2col corner entry: 16, 8 or 5 for rank 3, 4, 5.
static inline int bits_corner(int rank)
{
    static const int width[] = {16, 8, 5};
    return width[rank - 3];
}

#endif
