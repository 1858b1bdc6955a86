// SPDX-License-Identifier: MIT
// Model tiled loads against memcpy of the same bytes, in the same run, over a source of 256 MiB with rotating boxes:
// once in a wide tensor, whose rows memcpy copies one by one, once in a tensor as wide as the box, where one memcpy
// takes the whole tile.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "copy.h"
#include "flight.h"
#include "operation.h"
#include "pair.h"

enum { ROUNDS = 9, ELEMENT_BYTES = 2, SHARED_BYTES = 65536 };
#define SOURCE_BYTES   ((uint64_t)256 << 20)
#define GLOBAL_ADDRESS ((uint64_t)1 << 32)

struct load_bench {
    uint8_t *source;
    uint64_t width, height; // elements
    uint32_t box[2];
    struct tensormap map;
    uint8_t shared[SHARED_BYTES];
};

static void model_loads(void *context)
{
    struct load_bench *bench = context;
    const struct memory global_memory = {bench->source, GLOBAL_ADDRESS, SOURCE_BYTES};
    const struct memory shared_memory = {bench->shared, 0, SHARED_BYTES};
    uint32_t transaction_bytes;
    for (uint64_t y = 0; y < bench->height; y += bench->box[1])
        for (uint64_t x = 0; x < bench->width; x += bench->box[0]) {
            const int32_t coord[] = {(int32_t)x, (int32_t)y};
            if (tile_load(&bench->map, 2, coord, &global_memory, &shared_memory, 0, &transaction_bytes, NULL) !=
                RULE_OK)
                abort();
        }
}

// The compiler may not drop a copy that nobody reads.
static void keep(void *bytes)
{
    __asm__ volatile("" : : "r"(bytes) : "memory");
}

static void memcpy_rows(void *context)
{
    struct load_bench *bench = context;
    uint64_t row_bytes = bench->box[0] * ELEMENT_BYTES, pitch = bench->width * ELEMENT_BYTES;
    for (uint64_t y = 0; y < bench->height; y += bench->box[1])
        for (uint64_t x = 0; x < bench->width; x += bench->box[0]) {
            const uint8_t *from = bench->source + y * pitch + x * ELEMENT_BYTES;
            for (uint64_t row = 0; row < bench->box[1]; row++)
                memcpy(bench->shared + row * row_bytes, from + row * pitch, row_bytes);
            keep(bench->shared);
        }
}

static void memcpy_tiles(void *context)
{
    struct load_bench *bench = context;
    uint64_t tile_bytes = (uint64_t)bench->box[0] * bench->box[1] * ELEMENT_BYTES;
    for (uint64_t at = 0; at < SOURCE_BYTES; at += tile_bytes) {
        memcpy(bench->shared, bench->source + at, tile_bytes);
        keep(bench->shared);
    }
}

static void measure(struct load_bench *bench, uint64_t width, uint32_t columns, uint32_t rows, uint32_t swizzle)
{
    char what[64];
    struct tensormap_image image;
    const uint32_t estride[] = {1, 1};
    bench->width = width;
    bench->height = SOURCE_BYTES / ELEMENT_BYTES / width;
    bench->box[0] = columns;
    bench->box[1] = rows;
    const uint64_t dim[] = {bench->width, bench->height}, strides[] = {width * ELEMENT_BYTES};
    if (tensormap_encode_tiled(&image, DTYPE_FLOAT16, 2, GLOBAL_ADDRESS, dim, strides, bench->box, estride,
                               INTERLEAVE_NONE, swizzle, L2_PROMOTION_NONE, OOB_FILL_ZERO, NULL) != RULE_OK)
        abort();
    tensormap_decode(&image, &bench->map, NULL);
    bool is_dense = width == columns;
    snprintf(what, sizeof what, "f16 {%u, %u} of %s tensor, %s", columns, rows, is_dense ? "a dense" : "a wide",
             swizzle == SWIZZLE_NONE ? "unswizzled" : "128B swizzle");
    const struct pair_side rows_side = {"memcpy of rows", memcpy_rows}, tiles = {"memcpy of tiles", memcpy_tiles};
    pair_measure(&(struct pair){.what = what,
                                .ours = {"model", model_loads},
                                .theirs = {is_dense ? tiles : rows_side},
                                .context = bench,
                                .unit = "GB",
                                .units = (double)SOURCE_BYTES / 1e9,
                                .rounds = ROUNDS});
}

int main(int argc, char **argv)
{
    static struct load_bench bench;
    pair_open(&argc, argv);
    bench.source = malloc(SOURCE_BYTES);
    if (bench.source == NULL) {
        fprintf(stderr, "load_bench: no memory for a source of 256 MiB\n");
        return 2;
    }
    for (uint64_t i = 0; i < SOURCE_BYTES; i++) bench.source[i] = (uint8_t)(i * 37 >> 3);
    measure(&bench, 8192, 64, 128, SWIZZLE_128B);
    measure(&bench, 64, 64, 128, SWIZZLE_128B);
    measure(&bench, 8192, 128, 64, SWIZZLE_NONE);
    measure(&bench, 128, 128, 64, SWIZZLE_NONE);
    pair_close();
    free(bench.source);
    return 0;
}
