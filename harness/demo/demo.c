// SPDX-License-Identifier: MIT
// The program of `tmaref demo`: three mistakes that people make with TMA, from PTX that lies beside it, so that no nvcc
// is needed. usage: demo hang|tile|map FOLDER [TILE]; `tile` writes the tile as its kernel read it to the file TILE.
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "cuda_api.h"
#include "tensormap.h"

enum { RING_INTS = 8 * 256, COLUMNS = 64, ROWS = 32, TILE_BYTES = 2 * COLUMNS * ROWS, PATH_BYTES = 4096 };

static const char *folder;

static int fails(enum cuda_result error, const char *call)
{
    const char *name = "?";
    if (error == CUDA_SUCCESS) return 0;
    cuGetErrorName(error, &name);
    printf("%s returned %s (%d)\n", call, name, (int)error);
    return 1;
}

static bool start(void)
{
    struct CUctx_st *context;
    return fails(cuInit(0), "cuInit") || fails(cuDevicePrimaryCtxRetain(&context, 0), "cuDevicePrimaryCtxRetain") ||
           fails(cuCtxSetCurrent(context), "cuCtxSetCurrent");
}

static bool load(const char *file, const char *name, struct CUfunc_st **function)
{
    struct CUmod_st *module;
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    return fails(cuModuleLoad(&module, path), "cuModuleLoad") ||
           fails(cuModuleGetFunction(function, module, name), "cuModuleGetFunction");
}

static int run(struct CUfunc_st *function, void **parameter)
{
    return fails(cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, NULL, parameter, NULL), "cuLaunchKernel") ||
           fails(cuCtxSynchronize(), "cuCtxSynchronize");
}

// A ring of two stages, whose consumer does not arrive in round 5.
static int run_hang(void)
{
    static const int tiles[RING_INTS];
    unsigned long long input, sum;
    struct CUfunc_st *function;
    void *parameter[] = {&input, &sum};
    if (load("ring.ptx", "_Z4ringPKiPi", &function) || fails(cuMemAlloc_v2(&input, sizeof tiles), "cuMemAlloc") ||
        fails(cuMemAlloc_v2(&sum, sizeof(int)), "cuMemAlloc") ||
        fails(cuMemcpyHtoD_v2(input, tiles, sizeof tiles), "cuMemcpyHtoD"))
        return 1;
    return run(function, parameter);
}

// `box`: elements of its inner dimension.
static enum cuda_result encode(struct tensormap_image *map, unsigned long long tensor, uint32_t box)
{
    const uint64_t dim[] = {2 * COLUMNS, ROWS}, stride[] = {2 * 2 * COLUMNS};
    const uint32_t extent[] = {box, ROWS}, step[] = {1, 1};
    return cuTensorMapEncodeTiled(map, DTYPE_UINT16, 2, (void *)(uintptr_t)tensor, dim, stride, extent, step,
                                  INTERLEAVE_NONE, SWIZZLE_128B, L2_PROMOTION_NONE, OOB_FILL_ZERO);
}

static bool write_tile(const char *path, const uint16_t *tile)
{
    FILE *file = fopen(path, "wb");
    const bool is_written = file != NULL && fwrite(tile, TILE_BYTES, 1, file) == 1;
    if (!is_written || fclose(file) != 0) {
        perror(path);
        return true;
    }
    return false;
}

// The tensor is its own index: what came tells where it came from.
static bool compare(const uint16_t *tile)
{
    int wrong = 0, first = -1;
    for (int i = 0; i < COLUMNS * ROWS; i++)
        if (tile[i] != i % COLUMNS + i / COLUMNS * 2 * COLUMNS) {
            if (first < 0) first = i;
            wrong++;
        }
    if (first < 0) return false;
    printf("%d of %d elements are wrong: tile[%d][%d] is %d, wanted %d\n", wrong, COLUMNS * ROWS, first / COLUMNS,
           first % COLUMNS, tile[first], first % COLUMNS + first / COLUMNS * 2 * COLUMNS);
    return true;
}

// A load with the 128B swizzle, whose reader forgets the swizzle.
static int run_tile(const char *path)
{
    static uint16_t tensor[2 * COLUMNS * ROWS], tile[COLUMNS * ROWS];
    static struct tensormap_image map;
    unsigned long long input, output;
    struct CUfunc_st *function;
    void *parameter[] = {&map, &output};
    for (int i = 0; i < 2 * COLUMNS * ROWS; i++) tensor[i] = (uint16_t)i;
    if (load("tile.ptx", "tile", &function) || fails(cuMemAlloc_v2(&input, sizeof tensor), "cuMemAlloc") ||
        fails(cuMemAlloc_v2(&output, sizeof tile), "cuMemAlloc") ||
        fails(cuMemcpyHtoD_v2(input, tensor, sizeof tensor), "cuMemcpyHtoD") ||
        fails(encode(&map, input, COLUMNS), "cuTensorMapEncodeTiled") || run(function, parameter) ||
        fails(cuMemcpyDtoH_v2(tile, output, sizeof tile), "cuMemcpyDtoH"))
        return 1;
    return write_tile(path, tile) || compare(tile);
}

// A box whose rows are wider than the span of the swizzle.
static int run_map(void)
{
    static struct tensormap_image map;
    unsigned long long input;
    if (fails(cuMemAlloc_v2(&input, 2 * TILE_BYTES), "cuMemAlloc")) return 1;
    return fails(encode(&map, input, 2 * COLUMNS), "cuTensorMapEncodeTiled");
}

int main(int argc, char **argv)
{
    if (argc < 3 || (strcmp(argv[1], "tile") == 0 && argc < 4)) {
        fprintf(stderr, "usage: demo hang|tile|map FOLDER [TILE]\n");
        return 2;
    }
    folder = argv[2];
    if (start()) return 1;
    if (strcmp(argv[1], "hang") == 0) return run_hang();
    return strcmp(argv[1], "tile") == 0 ? run_tile(argv[3]) : run_map();
}
