// SPDX-License-Identifier: MIT
// How fast the model is: calls and bytes per second of the work that replays and fuzzing are made of. One line per
// case; every case checks that its result is right before it is timed. Run it in the preset `release`.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tmaref.h"

enum { GLOBAL_BYTES = 8 << 20, SHARED_BYTES = 232448, SECONDS = 1 };

// One kind of work: `run` does it once and returns the bytes it moved, 0 if it went wrong.
struct bench {
    const char *name;
    uint32_t (*run)(struct memory *global_memory, struct memory *shared_memory);
};

static enum rule encode(struct tensormap_image *image, enum dtype dtype, uint32_t columns, uint32_t swizzle)
{
    const uint64_t dim[] = {1024, 1024}, stride_bytes[] = {1024 * (uint64_t)dtype_row(dtype)->size_bytes};
    const uint32_t box[] = {columns, 128}, estride[] = {1, 1};
    return tensormap_encode_tiled(image, dtype, 2, 0x1000000, dim, stride_bytes, box, estride, INTERLEAVE_NONE, swizzle,
                                  L2_PROMOTION_NONE, OOB_FILL_ZERO, NULL);
}

static uint32_t load(enum dtype dtype, uint32_t columns, enum tensormap_swizzle swizzle, int32_t column,
                     struct memory *global_memory, struct memory *shared_memory)
{
    struct tensormap_image image;
    struct tensormap map;
    uint32_t transaction_bytes;
    const int32_t coord[] = {column, 64};
    if (encode(&image, dtype, columns, swizzle) != RULE_OK) return 0;
    if (tensormap_decode(&image, &map, NULL) != RULE_OK) return 0;
    if (tile_load(&map, 2, coord, global_memory, shared_memory, 0, &transaction_bytes) != RULE_OK) return 0;
    return transaction_bytes;
}

static uint32_t run_encode(struct memory *global_memory, struct memory *shared_memory)
{
    struct tensormap_image image;
    (void)global_memory, (void)shared_memory;
    return encode(&image, DTYPE_FLOAT16, 64, SWIZZLE_128B) == RULE_OK ? TENSORMAP_BYTES : 0;
}

static uint32_t run_refuse(struct memory *global_memory, struct memory *shared_memory)
{
    struct tensormap_image image;
    (void)global_memory, (void)shared_memory;
    return encode(&image, DTYPE_FLOAT16, 128, SWIZZLE_128B) == RULE_MAP_SWIZZLE_SPAN ? TENSORMAP_BYTES : 0;
}

static uint32_t run_plain(struct memory *global_memory, struct memory *shared_memory)
{
    return load(DTYPE_FLOAT16, 256, SWIZZLE_NONE, 0, global_memory, shared_memory);
}

static uint32_t run_swizzled(struct memory *global_memory, struct memory *shared_memory)
{
    return load(DTYPE_FLOAT16, 64, SWIZZLE_128B, 0, global_memory, shared_memory);
}

static uint32_t run_edge(struct memory *global_memory, struct memory *shared_memory)
{
    return load(DTYPE_FLOAT16, 64, SWIZZLE_128B, 992, global_memory, shared_memory);
}

static uint32_t run_tf32(struct memory *global_memory, struct memory *shared_memory)
{
    return load(DTYPE_TFLOAT32, 32, SWIZZLE_128B, 0, global_memory, shared_memory);
}

static const struct bench benches[] = {
    {"encode a legal map", run_encode},         {"refuse a map", run_refuse},
    {"encode, decode, load 64 KiB", run_plain}, {"the same, 16 KiB swizzled 128B", run_swizzled},
    {"the same, half out of bounds", run_edge}, {"the same, rounded to TF32", run_tf32},
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int measure(const struct bench *bench, struct memory *global_memory, struct memory *shared_memory)
{
    uint32_t bytes = bench->run(global_memory, shared_memory);
    if (bytes == 0) {
        fprintf(stderr, "model_bench: '%s' gives a wrong result\n", bench->name);
        return 0;
    }
    double start = now(), elapsed = 0;
    long runs = 0;
    while (elapsed < SECONDS) {
        for (int i = 0; i < 100; i++) bytes = bench->run(global_memory, shared_memory);
        runs += 100;
        elapsed = now() - start;
    }
    printf("%-32s %10.0f a second %10.1f MB/s\n", bench->name, (double)runs / elapsed,
           (double)runs * (double)bytes / elapsed / 1e6);
    return 1;
}

int main(void)
{
    static uint8_t shared_bytes[SHARED_BYTES];
    struct memory global_memory = {malloc(GLOBAL_BYTES), 0x1000000, GLOBAL_BYTES};
    struct memory shared_memory = {shared_bytes, 0, sizeof shared_bytes};
    if (global_memory.bytes == NULL) return 1;
    memset(global_memory.bytes, 0x3c, GLOBAL_BYTES);
    int good = 1;
    for (size_t i = 0; i < sizeof benches / sizeof benches[0]; i++)
        good &= measure(&benches[i], &global_memory, &shared_memory);
    free(global_memory.bytes);
    return good ? 0 : 1;
}
