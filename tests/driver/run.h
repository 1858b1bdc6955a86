// SPDX-License-Identifier: MIT
// What the programs of these tests share that run a file of PTX: they end at the first error of CUDA, and print it.
#ifndef TMAREF_TESTS_RUN_H
#define TMAREF_TESTS_RUN_H

#include <stdio.h>
#include <stdlib.h>

#include "cuda_api.h"
#include "tensormap.h"

enum { RUN_TILE = 16, RUN_SIDE = 64, RUN_MOST_BYTES = 1 << 20 };

static inline void must(enum cuda_result error, const char *what)
{
    const char *name = "?";
    if (error == CUDA_SUCCESS) return;
    cuGetErrorName(error, &name);
    printf("%s: %s\n", what, name);
    exit(1);
}

static inline char *read_text(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = calloc(1, RUN_MOST_BYTES);
    if (file == NULL || text == NULL || fread(text, 1, RUN_MOST_BYTES - 1, file) == 0) {
        perror(path);
        exit(2);
    }
    fclose(file);
    return text;
}

static inline struct CUctx_st *begin(void)
{
    struct CUctx_st *context;
    must(cuInit(0), "cuInit");
    must(cuDevicePrimaryCtxRetain(&context, 0), "context");
    must(cuCtxSetCurrent(context), "context");
    return context;
}

// Two dimensions of 64 words.
static inline void encode(struct tensormap_image *map, unsigned long long buffer, const uint32_t box[2], int swizzle)
{
    const uint64_t dim[] = {RUN_SIDE, RUN_SIDE}, stride[] = {4 * RUN_SIDE};
    const uint32_t step[] = {1, 1};
    must(cuTensorMapEncodeTiled(map, 2, 2, (void *)(uintptr_t)buffer, dim, stride, box, step, 0, swizzle, 0, 0), "map");
}

// One dimension of CTAs; `attributes` are `count` of its attributes.
static inline struct cuda_launch_config config_of(unsigned ctas, unsigned threads,
                                                  struct cuda_launch_attribute *attributes, unsigned count)
{
    return (struct cuda_launch_config){.grid_x = ctas,
                                       .grid_y = 1,
                                       .grid_z = 1,
                                       .block_x = threads,
                                       .block_y = 1,
                                       .block_z = 1,
                                       .attributes = attributes,
                                       .attribute_count = count};
}

static inline struct cuda_launch_attribute clusters_of(unsigned ctas)
{
    struct cuda_launch_attribute cluster = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
    cluster.value.cluster.x = ctas;
    cluster.value.cluster.y = cluster.value.cluster.z = 1;
    return cluster;
}

#endif
