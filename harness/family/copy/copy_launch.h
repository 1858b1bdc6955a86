// SPDX-License-Identifier: MIT
// The kernels of copy.cu as functions on device memory, for measures of time: each starts one launch and does not wait.
#ifndef TMAREF_COPY_LAUNCH_H
#define TMAREF_COPY_LAUNCH_H

#include <stdint.h>

struct gpu;

// Copies `size_bytes` from `from` to `to`, device addresses that are multiples of 16. All return 0 or the CUDA error.
//   copy_start_bytes   bulk copies through shared memory (kernel copy_bytes): the fast copy
//   copy_start_vector  through registers (copy_vector)
//   copy_start_tiles   tensor copies (copy_tiles), a CTA for each tile: the same, of a matrix
//   copy_start_ring    tensor copies by CTAs that stay (copy_ring)
// Tiles and ring take the bytes as a matrix of 8192 words a row: `size_bytes` is a multiple of COPY_MATRIX_BYTES,
// else CUDA_ERROR_INVALID_VALUE.
enum { COPY_MATRIX_BYTES = 8192 * 4 * 32, COPY_STREAM_BYTES = 8192 * 2 * 128 };

int copy_start_bytes(struct gpu *gpu, uint64_t to, uint64_t from, uint64_t size_bytes);
int copy_start_vector(struct gpu *gpu, uint64_t to, uint64_t from, uint64_t size_bytes);
int copy_start_tiles(struct gpu *gpu, uint64_t to, uint64_t from, uint64_t size_bytes);
int copy_start_ring(struct gpu *gpu, uint64_t to, uint64_t from, uint64_t size_bytes);

// Clusters of 1, 2, 4, 8 or 16 CTAs, as many as run at once, share out the tiles of a matrix (128 rows of 128 bytes
// each); every CTA of a cluster takes each of the cluster's tiles, `repeats` times all of them.
//   is_multicast  each CTA loads a slice for all (copy_stream); else each loads the whole tile for itself
//   stagger       without multicast: tiles from where one CTA of a cluster starts to where the next one does. 0: they
//                 load the same tile at the same time, and the machine makes one request to L2 of it
struct copy_stream {
    uint64_t from, size_bytes; // a multiple of COPY_STREAM_BYTES: 128 rows of 8192 halves
    uint32_t cluster, is_multicast, stagger, repeats;
};

// Returns 0 or the CUDA error.
int copy_start_stream(struct gpu *gpu, const struct copy_stream *stream);

// The bytes that arrive in the shared memory of all CTAs in one such launch.
uint64_t copy_stream_bytes(const struct copy_stream *stream);

#endif
