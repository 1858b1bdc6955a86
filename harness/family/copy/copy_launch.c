// SPDX-License-Identifier: MIT
// Tile sizes, stages and CTAs on a multiprocessor are those that an H200 is fastest with: 40 KiB on their way in each
// multiprocessor, in the order of addresses.
#include "copy_launch.h"

#include "copy_case.h"
#include "gpu.h"

enum {
    CHUNK_BYTES = 4096,
    RESIDENT = 10, // CTAs on a multiprocessor
    COLUMNS = 8192,
    TILE_COLUMNS = 256,
    TILE_ROWS = CHUNK_BYTES / TILE_COLUMNS / 4,
    RING_ROWS = 32,
    RING_STAGES = 4,
    STREAM_ROWS = 128,
    STREAM_COLUMNS = 64,
    STREAM_STAGES = 4,
    SLICES_MAX = 16,
};

// Dynamic shared memory of each CTA, so that no more than `resident` fit; the system has 1 KiB of each.
static unsigned bytes_for(unsigned resident)
{
    return (SM_SHARED_BYTES / resident - 1024) / 128 * 128;
}

static int start_flat(struct gpu *gpu, const char *kernel, unsigned threads, uint64_t per_cta, unsigned shared_bytes,
                      struct copy_flat *flat)
{
    void *arguments[] = {flat};
    uint64_t ctas = (flat->size_bytes + per_cta - 1) / per_cta;
    if (ctas > INT32_MAX) return CUDA_ERROR_INVALID_VALUE;
    return gpu_start(gpu, &(struct gpu_launch){.module = "copy",
                                               .kernel = kernel,
                                               .grid = ctas > 0 ? (unsigned)ctas : 1,
                                               .block = threads,
                                               .shared_bytes = shared_bytes,
                                               .arguments = arguments});
}

int copy_start_bytes(struct gpu *gpu, uint64_t to, uint64_t from, uint64_t size_bytes)
{
    struct copy_flat flat = {to, from, size_bytes, CHUNK_BYTES};
    return start_flat(gpu, "copy_bytes", 32, CHUNK_BYTES, bytes_for(RESIDENT), &flat);
}

int copy_start_vector(struct gpu *gpu, uint64_t to, uint64_t from, uint64_t size_bytes)
{
    struct copy_flat flat = {to, from, size_bytes, 0};
    return start_flat(gpu, "copy_vector", COPY_VECTOR_THREADS, 16 * COPY_VECTOR_THREADS, 0, &flat);
}

// A matrix of `rows` rows at `address`, and its boxes.
static int encode(struct gpu *gpu, enum dtype dtype, uint64_t address, uint64_t rows, const uint32_t box[2],
                  uint32_t swizzle, struct tensormap_image *image)
{
    const struct map_args args = {.function = MAP_TILED,
                                  .data_type = dtype,
                                  .rank = 2,
                                  .address = address,
                                  .dim = {COLUMNS, rows},
                                  .strides = {(uint64_t)COLUMNS * dtype_row(dtype)->size_bytes},
                                  .box = {box[0], box[1]},
                                  .estride = {1, 1},
                                  .swizzle = swizzle,
                                  .l2_promotion = swizzle == SWIZZLE_NONE ? L2_PROMOTION_NONE : L2_PROMOTION_L2_128B};
    return map_args_call(&gpu->driver, &args, image);
}

static struct copy_job job_of(uint64_t rows, uint32_t tile_columns, uint32_t tile_rows, uint32_t element_bytes)
{
    struct copy_job job = {.rank = 2,
                           .box = {tile_columns, tile_rows, 1},
                           .cut = {1, 1, 1},
                           .tiles = {COLUMNS / tile_columns, (uint32_t)(rows / tile_rows), 1},
                           .shared = COPY_TILE_START,
                           .boxes = 1};
    job.count = job.tiles[0] * job.tiles[1];
    job.tile_bytes = job.load_bytes = job.box_pitch_bytes = tile_columns * tile_rows * element_bytes;
    return job;
}

static int start_matrix(struct gpu *gpu, const char *kernel, uint64_t to, uint64_t from, uint64_t size_bytes,
                        uint32_t tile_rows, uint32_t stages)
{
    struct tensormap_image maps[2];
    uint64_t rows = size_bytes / (4 * COLUMNS);
    struct copy_job job = job_of(rows, TILE_COLUMNS, tile_rows, 4);
    void *arguments[] = {&maps[0], &maps[1], &job};
    if (size_bytes == 0 || size_bytes % COPY_MATRIX_BYTES != 0) return CUDA_ERROR_INVALID_VALUE;
    const uint32_t box[2] = {TILE_COLUMNS, tile_rows};
    int error = encode(gpu, DTYPE_UINT32, from, rows, box, SWIZZLE_NONE, &maps[0]);
    if (error == CUDA_SUCCESS) error = encode(gpu, DTYPE_UINT32, to, rows, box, SWIZZLE_NONE, &maps[1]);
    job.stages = stages;
    unsigned shared_bytes =
        stages > 1 ? COPY_TILE_START - COPY_SHARED_START + stages * job.tile_bytes : bytes_for(RESIDENT);
    struct gpu_launch launch = {.module = "copy",
                                .kernel = kernel,
                                .grid = stages > 1 ? (unsigned)gpu->processors : job.count,
                                .block = 32,
                                .shared_bytes = shared_bytes,
                                .arguments = arguments};
    return error == CUDA_SUCCESS ? gpu_start(gpu, &launch) : error;
}

int copy_start_tiles(struct gpu *gpu, uint64_t to, uint64_t from, uint64_t size_bytes)
{
    return start_matrix(gpu, "copy_tiles", to, from, size_bytes, TILE_ROWS, 1);
}

int copy_start_ring(struct gpu *gpu, uint64_t to, uint64_t from, uint64_t size_bytes)
{
    return start_matrix(gpu, "copy_ring", to, from, size_bytes, RING_ROWS, RING_STAGES);
}

int copy_start_stream(struct gpu *gpu, const struct copy_stream *stream)
{
    struct tensormap_image map;
    uint64_t rows = stream->size_bytes / (2 * COLUMNS);
    uint32_t slices = stream->is_multicast ? stream->cluster : 1;
    if (stream->cluster == 0 || stream->cluster > SLICES_MAX || STREAM_ROWS % stream->cluster != 0 ||
        stream->size_bytes == 0 || stream->size_bytes % COPY_STREAM_BYTES != 0)
        return CUDA_ERROR_INVALID_VALUE;
    struct copy_job job = job_of(rows, STREAM_COLUMNS, STREAM_ROWS, 2);
    void *arguments[] = {&map, &job};
    job.box[1] = STREAM_ROWS / slices;
    job.cut[1] = job.boxes = slices;
    job.box_pitch_bytes = job.tile_bytes / slices;
    job.count *= stream->repeats; // numbers past the last tile begin again
    job.stages = STREAM_STAGES;
    job.stagger = stream->is_multicast ? 0 : stream->stagger;
    job.is_multicast = stream->is_multicast;
    for (uint32_t rank = 0; rank < stream->cluster; rank++) {
        job.mask[rank] = (uint16_t)((1u << stream->cluster) - 1);
        job.slice[rank] = (uint16_t)(rank % slices);
    }
    const uint32_t box[2] = {STREAM_COLUMNS, job.box[1]};
    int error = encode(gpu, DTYPE_BFLOAT16, stream->from, rows, box, SWIZZLE_128B, &map);
    unsigned shared_bytes = COPY_TILE_START - COPY_SHARED_START + STREAM_STAGES * job.tile_bytes;
    struct gpu_launch launch = {.module = "copy",
                                .kernel = "copy_stream",
                                .block = COPY_STREAM_THREADS,
                                .cluster = stream->cluster,
                                .shared_bytes = shared_bytes,
                                .arguments = arguments};
    int clusters = gpu_clusters(gpu, &launch);
    if (error != CUDA_SUCCESS || clusters == 0) return error != CUDA_SUCCESS ? error : CUDA_ERROR_INVALID_VALUE;
    launch.grid = (unsigned)clusters * stream->cluster;
    return gpu_start(gpu, &launch);
}

uint64_t copy_stream_bytes(const struct copy_stream *stream)
{
    return stream->size_bytes * stream->repeats * stream->cluster;
}
