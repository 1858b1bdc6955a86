// SPDX-License-Identifier: MIT
// Transpositions on a GPU: one launch each, on the arena and on outputs that lie as the results' windows do.
#include "transpose_launch.h"

#include <string.h>

#include "gpu_jobs.h"

enum { SM_SHARED = SM_SHARED_BYTES, CTA_RESERVED_BYTES = 2048 }; // the system's 1 KiB, and barriers up to the next one

static const char *kernel_name(uint32_t element_bytes, bool is_clocks)
{
    static const char *const names[][2] = {[1] = {"transpose_1", "transpose_clocks_1"},
                                           [2] = {"transpose_2", "transpose_clocks_2"},
                                           [4] = {"transpose_4", "transpose_clocks_4"},
                                           [8] = {"transpose_8", "transpose_clocks_8"},
                                           [16] = {"transpose_16", "transpose_clocks_16"}};
    return names[element_bytes][is_clocks];
}

static int encode(struct gpu *gpu, const struct transpose_case *c, uint64_t source, uint64_t result,
                  struct tensormap_image image[2])
{
    struct map_args maps[2];
    transpose_maps(c, source, result, maps);
    int error = map_args_call(&gpu->driver, &maps[0], &image[0]);
    return error == CUDA_SUCCESS ? map_args_call(&gpu->driver, &maps[1], &image[1]) : error;
}

static int launch_article(struct gpu *gpu, const struct transpose_case *c, struct tensormap_image image[2],
                          uint64_t dump)
{
    static const uint32_t lines[] = {1, 2, 4, 8};
    struct article_job job = {.x = (int32_t)c->x,
                              .y = (int32_t)c->y,
                              .side = transpose_tiles(c).side,
                              .lines = lines[c->swizzle],
                              .loaded = c->loaded,
                              .transposed = c->transposed,
                              .dump = dump};
    void *arguments[] = {&image[0], &image[1], &job};
    struct gpu_launch launch = {.module = "transpose",
                                .kernel = "transpose_article",
                                .grid = 1,
                                .block = ARTICLE_THREADS,
                                .shared_bytes = ARTICLE_SHARED_BYTES,
                                .arguments = arguments};
    return gpu_start(gpu, &launch);
}

static int launch_matrix(struct gpu *gpu, const struct transpose_case *c, struct tensormap_image image[2],
                         uint64_t dump)
{
    struct transpose_tiles tiles = transpose_tiles(c);
    struct transpose_job job = {.tiles_down = tiles.down,
                                .tiles_across = tiles.across,
                                .band = c->band,
                                .walk = c->walk,
                                .line_mask = c->swizzle == SWIZZLE_128B ? 7 : 0,
                                .dumped = dump != 0 ? c->tile : TRANSPOSE_NO_TILE,
                                .dump = dump};
    void *arguments[] = {&image[0], &image[1], &job};
    uint64_t count = (uint64_t)tiles.down * tiles.across;
    struct gpu_launch launch = {.module = "transpose",
                                .kernel = kernel_name(c->element_bytes, false),
                                .grid = c->ctas < count ? c->ctas : (unsigned)count,
                                .block = TRANSPOSE_THREADS,
                                .shared_bytes = TRANSPOSE_SHARED_BYTES(c->element_bytes),
                                .arguments = arguments};
    return gpu_start(gpu, &launch);
}

int transpose_launch(struct gpu *gpu, const struct transpose_case *c, uint64_t source, uint64_t result, uint64_t dump)
{
    struct tensormap_image image[2];
    int error = encode(gpu, c, source, result, image);
    if (error != CUDA_SUCCESS) return error;
    return c->is_article ? launch_article(gpu, c, image, dump) : launch_matrix(gpu, c, image, dump);
}

struct transpose_case transpose_fast_case(const struct gpu *gpu, uint32_t element_bytes, uint32_t rows,
                                          uint32_t columns)
{
    uint32_t each = TRANSPOSE_SHARED_BYTES(element_bytes) + CTA_RESERVED_BYTES;
    struct transpose_case c = {.element_bytes = element_bytes,
                               .rows = rows,
                               .columns = columns,
                               .source_pitch = (columns * element_bytes + 15) / 16 * 16,
                               .result_pitch = (rows * element_bytes + 15) / 16 * 16,
                               .swizzle = SWIZZLE_128B,
                               .walk = transpose_best_walk(element_bytes),
                               .ctas = (uint32_t)gpu->processors * (SM_SHARED / each)};
    c.band = transpose_tiles(&c).down;
    return c;
}

int transpose_start_turning(struct gpu *gpu, uint32_t element_bytes, enum tensormap_swizzle swizzle,
                            enum transpose_walk walk, uint32_t rounds, uint64_t answer)
{
    struct transpose_job job = {.walk = walk, .line_mask = swizzle == SWIZZLE_128B ? 7 : 0};
    void *arguments[] = {&job, &rounds, &answer};
    struct gpu_launch launch = {.module = "transpose",
                                .kernel = kernel_name(element_bytes, true),
                                .grid = (unsigned)gpu->processors * TRANSPOSE_TIMED_CTAS,
                                .block = TRANSPOSE_THREADS,
                                .shared_bytes = 2 * TRANSPOSE_TILE_BYTES(element_bytes),
                                .arguments = arguments};
    return gpu_start(gpu, &launch);
}

static int start_case(struct gpu *gpu, const void *test_case, struct result *result, uint64_t shift)
{
    const struct transpose_case *c = test_case;
    uint64_t output = shift + (uint64_t)(uintptr_t)result->window[0].bytes + TRANSPOSE_GUARD_BYTES;
    uint64_t dump = shift + (uint64_t)(uintptr_t)result->window[1].bytes;
    return transpose_launch(gpu, c, gpu_arena(gpu) + c->source, output, dump);
}

int transpose_run_gpu(struct gpu *gpu, const void *cases, int count, struct result *results)
{
    int error = gpu_run_each(gpu, cases, sizeof(struct transpose_case), count, results, start_case);
    return error == CUDA_SUCCESS ? gpu_late(gpu, "transpose", &results[0].late) : error;
}
