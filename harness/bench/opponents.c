// SPDX-License-Identifier: MIT
#include "opponents.h"

#include <limits.h>
#include <stdio.h>

#include "cuda.h"

// --- Histograms ------------------------------------------------------------------------------------------------------

int opponent_histogram(struct gpu *gpu, const struct histogram_job *job)
{
    struct opponent_histogram to = {.input = job->input, .count = job->count, .bins = job->bins, .nbins = job->nbins};
    uint32_t room = (uint32_t)gpu->processors;
    void *arguments[] = {&to};
    to.parts = (job->nbins - 1) / HISTOGRAM_MAX_CTA_BINS + 1;
    to.part_bins = (job->nbins - 1) / to.parts + 1;
    struct gpu_launch launch = {.module = "opponent",
                                .kernel = "histogram_parts",
                                .grid = room / to.parts * to.parts,
                                .block = HISTOGRAM_MAX_THREADS,
                                .shared_bytes = 4 * to.part_bins,
                                .arguments = arguments};
    return gpu_start(gpu, &launch);
}

bool cub_open(struct cub *cub, struct gpu *gpu, int slot, const struct histogram_job *job)
{
    char path[PATH_MAX];
    void *library = NULL;
    *cub = (struct cub){0};
    if (gpu_kernel_path("libtmaref_cub.so", path, sizeof path)) library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL || !symbol_find(library, "tmaref_cub_histogram", &cub->histogram)) return false;
    if (cub->histogram(NULL, &cub->temporary_bytes, NULL, (int)job->count, NULL, (int)job->nbins, NULL) != 0)
        return false;
    cub->temporary = gpu_buffer(gpu, slot, cub->temporary_bytes > 0 ? cub->temporary_bytes : 1);
    return cub->temporary != 0;
}

int cub_histogram(struct gpu *gpu, const struct cub *cub, const struct histogram_job *job)
{
    size_t bytes = cub->temporary_bytes;
    return cub->histogram((void *)(uintptr_t)cub->temporary, &bytes, (const int *)(uintptr_t)job->input,
                          (int)job->count, (unsigned *)(uintptr_t)job->bins, (int)job->nbins, gpu->stream);
}

// --- Attention -------------------------------------------------------------------------------------------------------

static struct gpu_launch attention(const char *kernel, uint32_t grid, uint32_t threads, uint32_t shared_bytes,
                                   void **arguments)
{
    return (struct gpu_launch){.module = "opponent",
                               .kernel = kernel,
                               .grid = grid,
                               .block = threads,
                               .shared_bytes = shared_bytes,
                               .arguments = arguments};
}

int opponent_last_merges(struct gpu *gpu, uint32_t rows, uint32_t threads, struct softmax_job *job)
{
    void *arguments[] = {job};
    const struct gpu_launch launch = attention("attention_last_merges", rows * job->parts, threads,
                                               softmax_shared_bytes(SOFTMAX_MAX_DIMS, threads), arguments);
    return gpu_start(gpu, &launch);
}

int opponent_early_merge(struct gpu *gpu, uint32_t rows, uint32_t threads, struct softmax_job *job)
{
    void *arguments[] = {job};
    struct gpu_launch launch[] = {attention("attention_early_part", rows * job->parts, threads,
                                            softmax_shared_bytes(SOFTMAX_MAX_DIMS, threads), arguments),
                                  attention("attention_early_merge", rows, SOFTMAX_MAX_DIMS, 0, arguments)};
    launch[0].is_programmatic = launch[1].is_programmatic = true;
    int error = gpu_start(gpu, &launch[0]);
    return error != CUDA_SUCCESS ? error : gpu_start(gpu, &launch[1]);
}

// --- Transposition ---------------------------------------------------------------------------------------------------

static const struct {
    uint32_t element_bytes, side;
    const char *kernel;
} tiles[] = {
#define ROW(bytes, side) {bytes, side, "transpose_shared_" #bytes "_" #side},
    OPPONENT_TILES(ROW)
#undef ROW
};
enum { TILES = sizeof tiles / sizeof tiles[0] };

int opponent_transpose(struct gpu *gpu, uint32_t element_bytes, uint32_t side, const struct opponent_transposition *job)
{
    struct opponent_transposition to = *job;
    void *arguments[] = {&to};
    int i = 0;
    while (i < TILES && (tiles[i].element_bytes != element_bytes || tiles[i].side != side)) i++;
    if (i == TILES) return CUDA_ERROR_NOT_FOUND;
    struct gpu_launch launch = {.module = "opponent",
                                .kernel = tiles[i].kernel,
                                .grid = job->columns / side,
                                .grid_y = job->rows / side,
                                .block = OPPONENT_THREADS,
                                .shared_bytes = side * side * element_bytes,
                                .arguments = arguments};
    return gpu_start(gpu, &launch);
}

uint32_t opponent_side(uint32_t element_bytes, int index)
{
    for (int i = 0; i < TILES; i++)
        if (tiles[i].element_bytes == element_bytes && index-- == 0) return tiles[i].side;
    return 0;
}
