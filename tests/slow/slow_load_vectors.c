// SPDX-License-Identifier: MIT
// Hand-chosen tiled loads. `address` counts from the start of global memory; `stride` is globalStrides.
#include <string.h>

#include "slow_vectors.h"

#define GIB ((uint64_t)1 << 30)

// How map and instruction disagree: the instruction is .1d, or the map im2col.
enum disagreement { AGREE, DIMS, MODE };

struct vector {
    const char *why;
    enum dtype dtype;
    int rank, interleave, swizzle, fill;
    int64_t address;
    uint64_t dim[5], stride[4];
    uint32_t box[5], estride[5];
    int32_t coord[5];
    uint32_t destination;
    enum disagreement disagreement;
};

// clang-format off
static const struct vector vectors[] = {
    // Rows, pitch, steps, strides.
    {"1-D, nothing special",
     DTYPE_UINT8, 1, 0, 0, 0, 0, {256}, {0}, {64}, {1}, {16}, 0x400, AGREE},
    {"2-D at an odd 128-byte line: without a swizzle nothing moves",
     DTYPE_UINT16, 2, 0, 0, 0, 0, {64, 16}, {128}, {16, 4}, {1, 1}, {8, 2}, 0x480, AGREE},
    {"7 by steps of 3 are 3 steps, at 2, 5 and 8",
     DTYPE_UINT16, 2, 0, 0, 0, 0, {64, 16}, {128}, {16, 7}, {1, 3}, {0, 2}, 0x400, AGREE},
    {"the third step of 3 leaves a tensor of 8 rows",
     DTYPE_UINT16, 2, 0, 0, 0, 0, {64, 8}, {128}, {16, 7}, {1, 3}, {0, 2}, 0x400, AGREE},
    {"element stride 3 of dimension 0 is ignored without interleave",
     DTYPE_UINT16, 2, 0, 0, 0, 0, {64, 8}, {128}, {16, 2}, {3, 1}, {8, 2}, 0x400, AGREE},
    {"three strides in falling order",
     DTYPE_UINT8, 4, 0, 0, 0, 64, {64, 4, 5, 6}, {4096, 512, 80}, {32, 3, 2, 3}, {1, 1, 1, 2},
     {16, 1, 2, 1}, 0x400, AGREE},
    {"a stride of 0 repeats a row, one of 16 overlaps",
     DTYPE_UINT32, 3, 0, 0, 0, 0, {16, 8, 8}, {0, 16}, {16, 3, 3}, {1, 1, 1}, {0, 2, 1}, 0x400, AGREE},
    {"rank 5, steps 2 x 3 x 2 x 2 of unequal strides",
     DTYPE_UINT8, 5, 0, 0, 0, 0, {32, 4, 4, 4, 4}, {32, 160, 688, 2800}, {16, 4, 3, 2, 3},
     {1, 2, 1, 1, 2}, {16, 1, 0, 1, 1}, 0x400, AGREE},
    {"a stride above 2^32",
     DTYPE_UINT8, 2, 0, 0, 0, -(int64_t)(8 * GIB), {64, 4}, {8 * GIB}, {32, 1}, {1, 1}, {0, 1}, 0x400, AGREE},
    {"coordinate 0 times 8 bytes is above 2^32",
     DTYPE_FLOAT64, 1, 0, 0, 0, -(int64_t)(5 * GIB), {GIB}, {0}, {16}, {1}, {(int32_t)(5 * GIB / 8)}, 0x400, AGREE},

    // Swizzle.
    {"128B, full rows, from a line in mid-pattern on",
     DTYPE_UINT8, 2, 0, 3, 0, 0, {128, 64}, {128}, {128, 20}, {1, 1}, {0, 3}, 0x680, AGREE},
    {"64B, two rows to a line, start in mid-pattern",
     DTYPE_UINT16, 2, 0, 2, 0, 0, {64, 64}, {128}, {32, 20}, {1, 1}, {0, 3}, 0x480, AGREE},
    {"32B, four rows to a line, start at bit 7",
     DTYPE_UINT32, 2, 0, 1, 0, 0, {32, 64}, {128}, {8, 20}, {1, 1}, {4, 3}, 0x480, AGREE},
    {"32B with rows of 16 bytes: pitch 32, gaps untouched",
     DTYPE_UINT8, 2, 0, 1, 0, 0, {128, 64}, {128}, {16, 20}, {1, 1}, {16, 3}, 0x400, AGREE},
    {"64B with rows of 48 bytes, partly filled",
     DTYPE_FLOAT16, 3, 0, 2, 1, 0, {20, 8, 2}, {128, 1024}, {24, 5, 2}, {1, 2, 1}, {8, 6, 1}, 0x580, AGREE},
    {"128B with rows of 80 bytes",
     DTYPE_UINT64, 2, 0, 3, 0, 0, {32, 32}, {256}, {10, 9}, {1, 1}, {2, 0}, 0x400, AGREE},

    // Bounds and fill.
    {"13 of 16 elements are in bounds; element 13 too is mapped memory",
     DTYPE_UINT16, 2, 0, 0, 0, 0, {13, 16}, {128}, {16, 4}, {1, 1}, {0, 2}, 0x400, AGREE},
    {"negative in both dimensions, the last elements in bounds",
     DTYPE_UINT8, 2, 0, 0, 0, 4096, {128, 16}, {128}, {64, 4}, {1, 1}, {-32, -2}, 0x400, AGREE},
    {"the first 16 elements out of bounds, the others not",
     DTYPE_UINT8, 1, 0, 0, 0, 4096, {128}, {0}, {32}, {1}, {-16}, 0x400, AGREE},
    {"rows 2 and 3 lie past the last row",
     DTYPE_UINT8, 2, 0, 0, 0, 0, {128, 4}, {128}, {64, 4}, {1, 1}, {16, 2}, 0x400, AGREE},
    {"the least coordinates: all fill",
     DTYPE_UINT8, 2, 0, 0, 0, 0, {128, 16}, {128}, {64, 4}, {1, 1}, {INT32_MIN, INT32_MIN}, 0x400, AGREE},
    {"the greatest coordinates: all fill, no wrap to -2^31",
     DTYPE_UINT8, 2, 0, 0, 0, 0, {2 * GIB, 16}, {128}, {64, 4}, {1, 8}, {0x7ffffff0, INT32_MAX}, 0x400, AGREE},
    {"dimension 2^31, its last 16 elements in bounds, the base unmapped",
     DTYPE_UINT8, 1, 0, 0, 0, -0x7ffffff0, {2 * GIB}, {0}, {32}, {1}, {0x7ffffff0}, 0x400, AGREE},
    {"the box is larger than the tensor in every dimension",
     DTYPE_FLOAT32, 3, 0, 0, 1, 0, {3, 2, 1}, {16, 32}, {8, 4, 3}, {1, 1, 1}, {0, 0, 0}, 0x400, AGREE},
    {"NaN fill of f16",
     DTYPE_FLOAT16, 1, 0, 0, 1, 0, {13}, {0}, {24}, {1}, {0}, 0x400, AGREE},
    {"NaN fill of bf16",
     DTYPE_BFLOAT16, 1, 0, 0, 1, 0, {13}, {0}, {24}, {1}, {0}, 0x400, AGREE},
    {"NaN fill of f64",
     DTYPE_FLOAT64, 1, 0, 0, 1, 0, {13}, {0}, {24}, {1}, {0}, 0x400, AGREE},
    {"NaN fill of tf32: not rounded",
     DTYPE_TFLOAT32, 1, 0, 0, 1, 0, {13}, {0}, {24}, {1}, {0}, 0x400, AGREE},

    // Number formats.
    {"tf32: ties, subnormals, NaN, overflow",
     DTYPE_TFLOAT32, 1, 0, 0, 0, SLOW_SPECIALS, {250}, {0}, {256}, {1}, {0}, 0x400, AGREE},
    {"tf32_ftz: the same",
     DTYPE_TFLOAT32_FTZ, 1, 0, 0, 0, SLOW_SPECIALS, {250}, {0}, {256}, {1}, {0}, 0x400, AGREE},
    {"f32_ftz: no bit changes",
     DTYPE_FLOAT32_FTZ, 1, 0, 0, 0, SLOW_SPECIALS, {250}, {0}, {256}, {1}, {0}, 0x400, AGREE},
    {"f32: no bit changes",
     DTYPE_FLOAT32, 1, 0, 0, 0, SLOW_SPECIALS, {250}, {0}, {256}, {1}, {0}, 0x400, AGREE},

    // Interleave.
    {"16B: pixels, the channel box of 3 is one slice, pixel 3 needs no alignment",
     DTYPE_UINT16, 3, 1, 0, 0, 0, {12, 6, 5}, {256, 2048}, {8, 3, 2}, {1, 2, 1}, {3, 2, 1}, 0x400, AGREE},
    {"16B: element stride 3 of dimension 0 counts pixels",
     DTYPE_UINT16, 3, 1, 0, 0, 0, {12, 6, 5}, {256, 2048}, {8, 1, 2}, {3, 1, 1}, {-1, 2, 1}, 0x400, AGREE},
    {"16B with 64B swizzle: 3 pixels to a row, rows are packed",
     DTYPE_UINT8, 4, 1, 2, 0, 0, {12, 6, 5, 4}, {256, 2048, 8192}, {16, 9, 1, 2}, {6, 1, 1, 1},
     {1, 1, 3, 1}, 0x480, AGREE},
    {"32B with 128B swizzle, rank 5, some pixels filled with NaN",
     DTYPE_FLOAT32, 5, 2, 3, 1, 0, {6, 4, 3, 5, 2}, {256, 1024, 4096, 20480}, {8, 3, 2, 4, 2},
     {1, 2, 1, 4, 1}, {-2, 1, 1, 2, 0}, 0x500, AGREE},
    {"32B: slice 5 of 5 is out of bounds",
     DTYPE_UINT8, 3, 2, 1, 0, 0, {6, 5, 8}, {256, 2048}, {16, 1, 1}, {1, 1, 1}, {0, 5, 6}, 0x400, AGREE},
    {"32B of tf32: every element of a pixel is rounded",
     DTYPE_TFLOAT32, 3, 2, 0, 1, SLOW_SPECIALS, {6, 5, 2}, {256, 2048}, {8, 1, 1}, {1, 1, 1}, {0, 0, 0}, 0x400, AGREE},

    // Faults.
    {"715: coordinate 0 at byte 8",
     DTYPE_UINT16, 1, 0, 0, 0, 0, {256}, {0}, {64}, {1}, {4}, 0x400, AGREE},
    {"715: coordinate 0 at byte -8, out of bounds",
     DTYPE_UINT16, 1, 0, 0, 0, 0, {256}, {0}, {64}, {1}, {-4}, 0x400, AGREE},
    {"715: .1d with a map of rank 2",
     DTYPE_UINT8, 2, 0, 0, 0, 0, {64, 4}, {64}, {32, 1}, {1, 1}, {0, 0}, 0x400, DIMS},
    {"715: an im2col map",
     DTYPE_UINT8, 3, 0, 0, 0, 0, {64, 4, 4}, {64, 256}, {32, 1, 1}, {1, 1, 1}, {0, 0, 0}, 0x400, MODE},
    {"715: a dimension of 2^31 + 1",
     DTYPE_UINT8, 2, 0, 0, 0, 0, {64, 2 * GIB + 1}, {64}, {32, 1}, {1, 1}, {0, 0}, 0x400, AGREE},
    {"716: destination at 64",
     DTYPE_UINT8, 1, 0, 0, 0, 0, {256}, {0}, {64}, {1}, {0}, 0x440, AGREE},
    {"715 before 716",
     DTYPE_UINT16, 1, 0, 0, 0, 0, {256}, {0}, {64}, {1}, {4}, 0x440, AGREE},
    {"716 before 700",
     DTYPE_UINT8, 1, 0, 0, 0, 65536 - 32, {256}, {0}, {64}, {1}, {0}, 0x440, AGREE},
    {"700: the box ends past shared memory",
     DTYPE_UINT8, 2, 0, 0, 0, 0, {256, 8}, {256}, {64, 3}, {1, 1}, {0, 0}, 0x8380, AGREE},
    {"700: the box begins before shared memory",
     DTYPE_UINT8, 2, 0, 0, 0, 0, {256, 8}, {256}, {64, 3}, {1, 1}, {0, 0}, 0x380, AGREE},
    {"700: the last 32 bytes are not mapped",
     DTYPE_UINT8, 1, 0, 0, 0, 65536 - 32, {256}, {0}, {64}, {1}, {0}, 0x400, AGREE},
    {"700: the first element is out of bounds and the base not mapped",
     DTYPE_UINT8, 1, 0, 0, 0, 65536 + 1024, {256}, {0}, {64}, {1}, {-64}, 0x400, AGREE},
};
// clang-format on

// Strides of the dimensions as struct tensormap has them: entry 0 is the step of dimension 0.
static void set_strides(struct tensormap *map, const uint64_t *global_strides)
{
    static const uint64_t element[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    map->stride[0] = map->interleave == INTERLEAVE_NONE ? element[map->dtype] : 16 * (uint64_t)map->interleave;
    for (int d = 1; d < map->rank; d++) map->stride[d] = global_strides[d - 1];
}

const char *slow_load_vector(int i, struct slow_tile *tile)
{
    if (i >= (int)(sizeof vectors / sizeof vectors[0])) return NULL;
    const struct vector *from = &vectors[i];
    struct tensormap *map = &tile->map;
    memset(tile, 0, sizeof *tile);
    map->mode = from->disagreement == MODE ? TENSORMAP_IM2COL : TENSORMAP_TILED;
    map->rank = from->rank;
    map->dtype = from->dtype;
    map->interleave = (enum tensormap_interleave)from->interleave;
    map->swizzle = (enum tensormap_swizzle)from->swizzle;
    map->oob_fill = (enum tensormap_oob_fill)from->fill;
    map->address = SLOW_GMEM_BASE + (uint64_t)from->address;
    memcpy(map->dim, from->dim, sizeof map->dim);
    memcpy(map->box, from->box, sizeof map->box);
    memcpy(map->estride, from->estride, sizeof map->estride);
    set_strides(map, from->stride);
    memcpy(tile->coord, from->coord, sizeof tile->coord);
    tile->dims = from->disagreement == DIMS ? 1 : from->rank;
    tile->shared = from->destination;
    tile->gmem_base = SLOW_GMEM_BASE;
    tile->gmem_bytes = SLOW_GMEM_BYTES;
    tile->smem_base = SLOW_SMEM_BASE;
    tile->smem_bytes = SLOW_SMEM_BYTES;
    return from->why;
}
