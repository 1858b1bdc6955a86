// SPDX-License-Identifier: MIT
// Encoding tensor maps: the model against the real driver's calls in the same run, on the same random arguments. Where
// there is no driver, it says so and times nothing.
#include <stdio.h>
#include <stdlib.h>

#include "cuda.h"
#include "map_args.h"
#include "pair.h"

enum { CALLS = 20000, ROUNDS = 9, SEED = 7 };

struct encode_bench {
    struct cuda_driver driver;
    struct map_args args[CALLS];
};

static void model_calls(void *context)
{
    struct encode_bench *bench = context;
    struct tensormap_image image;
    for (int i = 0; i < CALLS; i++) map_args_encode(&bench->args[i], &image, NULL);
}

static void driver_calls(void *context)
{
    struct encode_bench *bench = context;
    struct tensormap_image image;
    for (int i = 0; i < CALLS; i++) map_args_call(&bench->driver, &bench->args[i], &image);
}

// Without the copying of arguments that map_args_call() does: one legal call, again and again.
static const uint64_t dim[] = {4096, 4096}, strides[] = {8192};
static const uint32_t box[] = {64, 128}, estride[] = {1, 1};

static void model_same(void *context)
{
    struct tensormap_image image;
    (void)context;
    for (int i = 0; i < CALLS; i++)
        if (tensormap_encode_tiled(&image, DTYPE_FLOAT16, 2, 1 << 20, dim, strides, box, estride, INTERLEAVE_NONE,
                                   SWIZZLE_128B, L2_PROMOTION_NONE, OOB_FILL_ZERO, NULL) != RULE_OK)
            abort();
}

static void driver_same(void *context)
{
    struct encode_bench *bench = context;
    struct tensormap_image image;
    for (int i = 0; i < CALLS; i++)
        if (bench->driver.cuTensorMapEncodeTiled(&image, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, (void *)(1 << 20), dim,
                                                 strides, box, estride, 0, CU_TENSOR_MAP_SWIZZLE_128B, 0,
                                                 0) != CUDA_SUCCESS)
            abort();
}

static bool start_driver(struct cuda_driver *driver)
{
    struct text why;
    struct CUctx_st *context;
    if (!cuda_load(driver, &why)) {
        printf("encode_bench: skipped: %s\n", why.at);
        return false;
    }
    if (driver->cuInit(0) == CUDA_SUCCESS && driver->cuDevicePrimaryCtxRetain(&context, 0) == CUDA_SUCCESS &&
        driver->cuCtxSetCurrent(context) == CUDA_SUCCESS)
        return true;
    printf("encode_bench: skipped: the CUDA driver finds no device\n");
    return false;
}

static void measure(struct encode_bench *bench, const char *what, void (*model)(void *), void (*driver)(void *))
{
    pair_measure(&(struct pair){.what = what,
                                .ours = {"model", model},
                                .theirs = {{"driver", driver}},
                                .context = bench,
                                .unit = "calls",
                                .units = CALLS,
                                .rounds = ROUNDS});
}

int main(int argc, char **argv)
{
    static struct encode_bench bench;
    int count = 0;
    pair_open(&argc, argv);
    if (!start_driver(&bench.driver)) return 0;
    for (uint64_t i = 0; count < CALLS; i++) {
        struct random random = random_for(SEED, i);
        map_args_generate(&random, &bench.args[count]);
        if (bench.args[count].null == 0 && bench.args[count].rank <= MAP_ARGS_ENTRIES) count++;
    }
    measure(&bench, "random calls of all four functions", model_calls, driver_calls);
    measure(&bench, "one legal cuTensorMapEncodeTiled", model_same, driver_same);
    pair_close();
    return 0;
}
