// SPDX-License-Identifier: MIT
// Launches of kernels/opponent.cu, and CUB's histogram.
#ifndef TMAREF_BENCH_OPPONENTS_H
#define TMAREF_BENCH_OPPONENTS_H

#include "gpu.h"
#include "histogram_job.h"
#include "opponent_job.h"
#include "softmax_job.h"

// Counts the values of `job`, whose bins are added to, in the fewest parts that fit in shared memory. `count` is a
// multiple of OPPONENT_VECTOR_VALUES. Returns 0 or the CUDA error, as all of these do.
int opponent_histogram(struct gpu *gpu, const struct histogram_job *job);

// CUB's, from libtmaref_cub.so beside the kernels; `temporary` is of temporary_bytes.
struct cub {
    int (*histogram)(void *temporary, size_t *temporary_bytes, const int *values, int count, unsigned *bins, int nbins,
                     void *stream);
    unsigned long long temporary;
    size_t temporary_bytes;
};

// Opens it, with memory for `nbins` bins from buffer `slot`. Returns 0 if it is not there.
bool cub_open(struct cub *cub, struct gpu *gpu, int slot, const struct histogram_job *job);
int cub_histogram(struct gpu *gpu, const struct cub *cub, const struct histogram_job *job);

// Attention of `rows` queries of SOFTMAX_MAX_DIMS dimensions: the last CTA of a row merges (`slots`: a counter for each
// row, zeros); or two kernels, the second launched while the first runs. Both need `states`.
int opponent_last_merges(struct gpu *gpu, uint32_t rows, uint32_t threads, struct softmax_job *job);
int opponent_early_merge(struct gpu *gpu, uint32_t rows, uint32_t threads, struct softmax_job *job);

// Transposes with tiles of `side` elements, one of OPPONENT_TILES for `element_bytes`.
int opponent_transpose(struct gpu *gpu, uint32_t element_bytes, uint32_t side,
                       const struct opponent_transposition *job);

// Side number `index` for elements of `element_bytes`; 0 past the last.
uint32_t opponent_side(uint32_t element_bytes, int index);

#endif
