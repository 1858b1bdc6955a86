// SPDX-License-Identifier: MIT
// Model tiled stores against model loads of the same boxes, and tensor and bulk reductions against memcpy of the same
// bytes, in the same run, over 128 MiB of global memory with rotating boxes of 16 KiB in a wide tensor.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bulk.h"
#include "copy.h"
#include "flight.h"
#include "im2col_store.h"
#include "operation.h"
#include "pair.h"
#include "store.h"

enum { ROUNDS = 7, WIDTH_BYTES = 16384, BOX_BYTES = 16384, NO_OP = -1 };
#define GLOBAL_BYTES   ((uint64_t)128 << 20)
#define GLOBAL_ADDRESS ((uint64_t)1 << 32)

// `op` is an enum reduce_op or NO_OP; `row_bytes` those of a row of the box.
struct store_bench {
    uint8_t *global;
    int op;
    uint32_t row_bytes;
    struct tensormap map;
    uint8_t shared[BOX_BYTES];
};

static void check(enum rule rule)
{
    if (rule != RULE_OK) abort();
}

static void for_boxes(struct store_bench *bench, void (*box)(struct store_bench *bench, uint32_t x, uint32_t y))
{
    const uint32_t *elems = bench->map.box;
    for (uint32_t y = 0; y < GLOBAL_BYTES / WIDTH_BYTES; y += elems[1])
        for (uint32_t x = 0; x < bench->map.dim[0]; x += elems[0]) box(bench, x, y);
}

static void store_box(struct store_bench *bench, uint32_t x, uint32_t y)
{
    const struct memory global = {bench->global, GLOBAL_ADDRESS, GLOBAL_BYTES}, shared = {bench->shared, 0, BOX_BYTES};
    const int32_t coord[] = {(int32_t)x, (int32_t)y};
    check(bench->op == NO_OP
              ? tile_store(&bench->map, 2, coord, &global, &shared, 0, NULL)
              : tile_reduce((enum reduce_op)bench->op, &bench->map, 2, coord, &global, &shared, 0, NULL));
}

static void load_box(struct store_bench *bench, uint32_t x, uint32_t y)
{
    const struct memory global = {bench->global, GLOBAL_ADDRESS, GLOBAL_BYTES}, shared = {bench->shared, 0, BOX_BYTES};
    const int32_t coord[] = {(int32_t)x, (int32_t)y};
    uint32_t transaction_bytes;
    check(tile_load(&bench->map, 2, coord, &global, &shared, 0, &transaction_bytes, NULL));
}

static void memcpy_box(struct store_bench *bench, uint32_t x, uint32_t y)
{
    uint8_t *to = bench->global + (uint64_t)y * WIDTH_BYTES + x * bench->map.stride[0];
    for (uint32_t at = 0; at < BOX_BYTES; at += bench->row_bytes, to += WIDTH_BYTES)
        memcpy(to, bench->shared + at, bench->row_bytes);
}

static void stores(void *context)
{
    for_boxes(context, store_box);
}

static void loads(void *context)
{
    for_boxes(context, load_box);
}

static void memcpy_rows(void *context)
{
    for_boxes(context, memcpy_box);
}

static void bulk_reductions(void *context)
{
    struct store_bench *bench = context;
    const struct memory global = {bench->global, GLOBAL_ADDRESS, GLOBAL_BYTES}, shared = {bench->shared, 0, BOX_BYTES};
    uint32_t transaction_bytes;
    for (uint64_t at = 0; at < GLOBAL_BYTES; at += BOX_BYTES) {
        const struct bulk bulk = {BULK_SHARED_TO_GLOBAL, &shared, &global, 0, GLOBAL_ADDRESS + at, BOX_BYTES};
        check(bulk_reduce(&bulk, (enum reduce_op)bench->op, bench->map.dtype, &transaction_bytes, NULL));
    }
}

static void memcpy_pieces(void *context)
{
    struct store_bench *bench = context;
    for (uint64_t at = 0; at < GLOBAL_BYTES; at += BOX_BYTES) memcpy(bench->global + at, bench->shared, BOX_BYTES);
}

// Numbers between 1 and 2 of either sign, so that no sum of a run is special; integers take the same bits.
static void fill(struct store_bench *bench)
{
    static const struct {
        enum dtype dtype;
        uint64_t one, fraction;
    } formats[] = {{DTYPE_FLOAT16, 0x3c00, 0x83ff},
                   {DTYPE_BFLOAT16, 0x3f80, 0x807f},
                   {DTYPE_FLOAT64, 0x3ff0000000000000, 0x800fffffffffffff},
                   {DTYPE_FLOAT32, 0x3f800000, 0x807fffff}};
    uint32_t format = 0, element = (uint32_t)bench->map.stride[0];
    uint64_t state = 1;
    while (format < 3 && formats[format].dtype != bench->map.dtype) format++;
    for (uint32_t at = 0; at < BOX_BYTES; at += element) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        uint64_t bits = formats[format].one | ((state >> 32 | state << 32) & formats[format].fraction);
        memcpy(bench->shared + at, &bits, element);
    }
    memset(bench->global, 0, GLOBAL_BYTES);
}

static void set_up(struct store_bench *bench, int op, enum dtype dtype, uint32_t swizzle)
{
    struct tensormap_image image;
    const uint32_t element = dtype_row(dtype)->size_bytes, estride[] = {1, 1};
    bench->op = op;
    bench->row_bytes = swizzle == SWIZZLE_NONE ? 256 : 128;
    const uint32_t box[] = {bench->row_bytes / element, BOX_BYTES / bench->row_bytes};
    const uint64_t dim[] = {WIDTH_BYTES / element, GLOBAL_BYTES / WIDTH_BYTES}, strides[] = {WIDTH_BYTES};
    check(tensormap_encode_tiled(&image, dtype, 2, GLOBAL_ADDRESS, dim, strides, box, estride, INTERLEAVE_NONE, swizzle,
                                 L2_PROMOTION_NONE, OOB_FILL_ZERO, NULL));
    tensormap_decode(&image, &bench->map, NULL);
    fill(bench);
}

static void measure_pair(struct store_bench *bench, const char *what, struct pair_side ours, struct pair_side theirs)
{
    pair_measure(&(struct pair){.what = what,
                                .ours = ours,
                                .theirs = {theirs},
                                .context = bench,
                                .unit = "GB",
                                .units = (double)GLOBAL_BYTES / 1e9,
                                .rounds = ROUNDS});
}

static void measure(struct store_bench *bench, int op, enum dtype dtype, uint32_t swizzle)
{
    char what[64];
    bool is_store = op == NO_OP;
    set_up(bench, op, dtype, swizzle);
    snprintf(what, sizeof what, "%s %s, %s", is_store ? "store" : reduce_op_name((enum reduce_op)op),
             dtype_row(dtype)->ptx, swizzle == SWIZZLE_NONE ? "unswizzled" : "128B swizzle");
    const struct pair_side load = {"load", loads}, rows = {"memcpy of rows", memcpy_rows};
    measure_pair(bench, what, (struct pair_side){is_store ? "store" : "reduction", stores}, is_store ? load : rows);
}

static void measure_bulk(struct store_bench *bench, enum reduce_op op, enum dtype dtype)
{
    char what[64];
    set_up(bench, (int)op, dtype, SWIZZLE_NONE);
    snprintf(what, sizeof what, "bulk %s %s", reduce_op_name(op), dtype_row(dtype)->ptx);
    measure_pair(bench, what, (struct pair_side){"reduction", bulk_reductions},
                 (struct pair_side){"memcpy", memcpy_pieces});
}

int main(int argc, char **argv)
{
    static struct store_bench bench;
    pair_open(&argc, argv);
    static const struct {
        int op;
        enum dtype dtype;
    } rows[] = {
        {NO_OP, DTYPE_FLOAT16},      {REDUCE_ADD, DTYPE_UINT32},  {REDUCE_ADD, DTYPE_FLOAT32},
        {REDUCE_ADD, DTYPE_FLOAT64}, {REDUCE_ADD, DTYPE_FLOAT16}, {REDUCE_ADD, DTYPE_BFLOAT16},
        {REDUCE_MIN, DTYPE_FLOAT16}, {REDUCE_MAX, DTYPE_FLOAT16},
    };
    bench.global = malloc(GLOBAL_BYTES);
    if (bench.global == NULL) {
        fprintf(stderr, "store_bench: no memory for 128 MiB\n");
        return 2;
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        measure(&bench, rows[i].op, rows[i].dtype, SWIZZLE_128B);
        measure(&bench, rows[i].op, rows[i].dtype, SWIZZLE_NONE);
    }
    measure_bulk(&bench, REDUCE_ADD, DTYPE_FLOAT32);
    pair_close();
    free(bench.global);
    return 0;
}
