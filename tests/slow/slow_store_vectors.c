// SPDX-License-Identifier: MIT
// Hand-chosen tiled stores and reductions, followed by those load vectors that have no negative coordinate, as stores;
// and the reductions of one element, which are the vectors of reduce_test.c.
#include <string.h>

#include "../unit/reduce_rows.h"
#include "slow_store.h"

enum { COPY = -1 };

struct vector {
    const char *why;
    int op; // or COPY
    enum dtype dtype;
    int rank, interleave, swizzle;
    int64_t address;
    uint64_t dim[5], stride[4];
    uint32_t box[5], estride[5];
    int32_t coord[5];
    uint32_t shared;
};

// clang-format off
static const struct vector vectors[] = {
    {"add u32, nothing special",
     REDUCE_ADD, DTYPE_UINT32, 2, 0, 0, 0, {64, 16}, {256}, {16, 4}, {1, 1}, {8, 2}, 0x400},
    {"3 of 16 elements in bounds: the 8 of their piece are stored",
     COPY, DTYPE_UINT16, 2, 0, 0, 0, {3, 16}, {128}, {32, 4}, {1, 1}, {0, 2}, 0x400},
    {"a single byte in bounds: 16 are stored",
     COPY, DTYPE_UINT8, 1, 0, 0, 0, {33}, {0}, {48}, {1}, {16}, 0x400},
    {"add f32: a piece with one element in bounds is added whole",
     REDUCE_ADD, DTYPE_FLOAT32, 2, 0, 3, 0, {5, 16}, {128}, {16, 9}, {1, 2}, {0, 0}, 0x480},
    {"max f16: the last piece has 2 of its 8 elements in bounds",
     REDUCE_MAX, DTYPE_FLOAT16, 2, 0, 2, 0, {26, 16}, {64}, {32, 8}, {1, 1}, {0, 1}, 0x500},
    {"every third row of a 32B-swizzled box is added",
     REDUCE_ADD, DTYPE_FLOAT64, 3, 0, 1, 0, {6, 9, 3}, {64, 1024}, {4, 7, 2}, {1, 3, 1}, {2, 1, 1}, 0x400},
    {"64B with rows of 48 bytes: nothing lies behind a row",
     COPY, DTYPE_UINT8, 2, 0, 2, 0, {256, 16}, {256}, {48, 5}, {1, 1}, {16, 1}, 0x400},
    {"f32_ftz is stored as it is",
     COPY, DTYPE_FLOAT32_FTZ, 1, 0, 0, 0, {256}, {0}, {256}, {1}, {0}, 0x400},
    {"tf32 is stored as it is",
     COPY, DTYPE_TFLOAT32, 1, 0, 0, 0, {256}, {0}, {256}, {1}, {0}, 0x400},
    {"16B interleave: 3 pixels in bounds, the piece is the pixel",
     REDUCE_XOR, DTYPE_UINT64, 3, 1, 0, 0, {3, 6, 5}, {256, 2048}, {8, 3, 2}, {1, 2, 1}, {0, 2, 1}, 0x400},
    {"32B interleave and 32B swizzle: add f16",
     REDUCE_ADD, DTYPE_FLOAT16, 4, 2, 1, 0, {7, 4, 3, 5}, {256, 1024, 4096}, {8, 3, 16, 4}, {1, 2, 1, 4},
     {2, 1, 2, 2}, 0x480},
    {"rows 2 and 3 are out of bounds and past shared memory: not read",
     COPY, DTYPE_UINT8, 2, 0, 0, 0, {128, 4}, {128}, {64, 4}, {1, 1}, {16, 2}, 0x8380},
    {"all outside, the base unmapped",
     COPY, DTYPE_UINT8, 2, 0, 0, 65536, {128, 4}, {128}, {64, 4}, {1, 1}, {16, 4}, 0x400},
    {"rows that share an address: the last is seen",
     COPY, DTYPE_UINT8, 2, 0, 0, 0, {64, 8}, {0}, {32, 4}, {1, 1}, {16, 1}, 0x400},
    {"one row that takes four rows of counts",
     REDUCE_INC, DTYPE_UINT32, 2, 0, 0, 0, {64, 8}, {0}, {32, 4}, {1, 1}, {16, 1}, 0x400},

    {"715: add s64",
     REDUCE_ADD, DTYPE_INT64, 1, 0, 0, 0, {64}, {0}, {16}, {1}, {0}, 0x400},
    {"715: xor u8, with a misaligned source",
     REDUCE_XOR, DTYPE_UINT8, 1, 0, 0, 0, {64}, {0}, {16}, {1}, {0}, 0x410},
    {"715: coordinate 0 is -16",
     COPY, DTYPE_UINT8, 2, 0, 0, 4096, {128, 16}, {128}, {64, 4}, {1, 1}, {-16, 2}, 0x400},
    {"715: coordinate 1 is -1",
     COPY, DTYPE_UINT8, 2, 0, 0, 4096, {128, 16}, {128}, {64, 4}, {1, 1}, {16, -1}, 0x400},
    {"715: negative, and all outside",
     REDUCE_ADD, DTYPE_UINT32, 2, 0, 0, 4096, {64, 16}, {256}, {16, 4}, {1, 1}, {0, -4}, 0x400},
    {"715: pixel -1",
     COPY, DTYPE_UINT16, 3, 1, 0, 4096, {12, 6, 5}, {256, 2048}, {8, 3, 2}, {1, 1, 1}, {-1, 2, 1}, 0x400},
    {"715: coordinate 0 at byte 264, out of bounds",
     COPY, DTYPE_UINT16, 1, 0, 0, 0, {64}, {0}, {64}, {1}, {132}, 0x400},
    {"716: source at 64",
     REDUCE_ADD, DTYPE_FLOAT16, 1, 0, 0, 0, {256}, {0}, {64}, {1}, {0}, 0x440},
    {"700: row 2 is in bounds and past shared memory",
     COPY, DTYPE_UINT8, 2, 0, 0, 0, {128, 5}, {128}, {64, 4}, {1, 1}, {16, 2}, 0x8380},
    {"700: the second row is unmapped",
     REDUCE_MIN, DTYPE_BFLOAT16, 2, 0, 0, 65536 - 128, {64, 4}, {128}, {64, 2}, {1, 1}, {0, 0}, 0x400},
};
enum { VECTORS = sizeof vectors / sizeof vectors[0] };
// clang-format on

// Load vector `i` of those without a negative coordinate.
static const char *load_as_store(int i, struct slow_store *store)
{
    const char *why;
    for (int at = 0; (why = slow_load_vector(at, &store->tile)) != NULL; at++) {
        int negative = 0;
        for (int d = 0; d < store->tile.map.rank; d++) negative += store->tile.coord[d] < 0;
        if (negative == 0 && i-- == 0) return why;
    }
    return NULL;
}

const char *slow_store_vector(int i, struct slow_store *store)
{
    static const uint64_t element[] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    struct tensormap *map = &store->tile.map;
    memset(store, 0, sizeof *store);
    if (i >= VECTORS) return load_as_store(i - VECTORS, store);
    const struct vector *from = &vectors[i];
    store->is_reduction = from->op != COPY;
    store->op = (enum reduce_op)(from->op == COPY ? 0 : from->op);
    map->rank = store->tile.dims = from->rank;
    map->dtype = from->dtype;
    map->interleave = (enum tensormap_interleave)from->interleave;
    map->swizzle = (enum tensormap_swizzle)from->swizzle;
    map->address = SLOW_GMEM_BASE + (uint64_t)from->address;
    map->stride[0] = from->interleave == 0 ? element[from->dtype] : 16 * (uint64_t)from->interleave;
    for (int d = 1; d < from->rank; d++) map->stride[d] = from->stride[d - 1];
    memcpy(map->dim, from->dim, sizeof map->dim);
    memcpy(map->box, from->box, sizeof map->box);
    memcpy(map->estride, from->estride, sizeof map->estride);
    memcpy(store->tile.coord, from->coord, sizeof store->tile.coord);
    store->tile.shared = from->shared;
    store->tile.gmem_base = SLOW_GMEM_BASE;
    store->tile.gmem_bytes = SLOW_GMEM_BYTES;
    store->tile.smem_base = SLOW_SMEM_BASE;
    store->tile.smem_bytes = SLOW_SMEM_BYTES;
    return from->why;
}

const char *slow_reduce_vector(int i, enum reduce_op *op, enum dtype *dtype, uint64_t *memory, uint64_t *source)
{
    if (i >= rows_count(REDUCE_ROWS, NULL)) return NULL;
    const struct reduce_row of = reduce_row_at(i);
    *op = of.op;
    *dtype = of.dtype;
    *memory = of.memory;
    *source = of.source;
    return of.row->where;
}
