// SPDX-License-Identifier: MIT
// What the GEMM kernels and the host agree on: the instances that are compiled, the boxes of their tensor maps, their
// shared memory, and the job of a launch. Plain C, included by both.
//
// D[m][n] = A[m][k] * B[n][k]^T; all three are row-major. The tensor maps are 2-D, innermost dimension first: A {k, m},
// B {k, n}, D {n, m}; no interleave, fill with zeros. Any m, n, k >= 1; the rows start at multiples of 16 bytes.
#ifndef TMAREF_GEMM_JOB_H
#define TMAREF_GEMM_JOB_H

#include <stdint.h>

#ifdef __CUDACC__
#define GEMM_DEVICE __host__ __device__
#else
#define GEMM_DEVICE
#endif

enum gemm_kernel {
    GEMM_PINGPONG,
    GEMM_PINGPONG_TURNED,
    GEMM_COOPERATIVE,
    GEMM_COOPERATIVE_TURNED,
    GEMM_SPLIT_K,
    GEMM_TURNED,
    GEMM_GATHER,
    GEMM_CP_ASYNC
};
enum gemm_type { GEMM_BF16, GEMM_F16, GEMM_E4M3, GEMM_E5M2, GEMM_F32 };

enum {
    GEMM_BLOCK_BYTES = 128, // a row of a block of A and of B: 64 elements of 16 bits or 128 of 8; also the swizzle
    GEMM_BOX_ROWS = 64,     // of D
    GEMM_THREADS = 384,     // warpgroup 0 produces, 1 and 2 consume
    GEMM_CONSUMERS = 2,
    GEMM_GATHERERS = 128,     // threads of a producer that gathers
    GEMM_SHARED_START = 1024, // the shared address of stage 0 of every CTA
    GEMM_SHARED_MAX = 232448, // bytes of dynamic shared memory of a CTA
    GEMM_MAX_STAGES = 16,
    GEMM_MAX_CLUSTER = 8,
    GEMM_COUNTERS = 1 << 14, // of a workspace, at its start
    GEMM_MAX_SPLITS_IN_MEMORY = 32,
};

// The enumerators, by the names that the rows below have for them.
#define GEMM_KERNEL_pingpong           GEMM_PINGPONG
#define GEMM_KERNEL_pingpong_turned    GEMM_PINGPONG_TURNED
#define GEMM_KERNEL_cooperative        GEMM_COOPERATIVE
#define GEMM_KERNEL_cooperative_turned GEMM_COOPERATIVE_TURNED
#define GEMM_KERNEL_split_k            GEMM_SPLIT_K
#define GEMM_KERNEL_turned             GEMM_TURNED
#define GEMM_KERNEL_gather             GEMM_GATHER
#define GEMM_KERNEL_cp_async           GEMM_CP_ASYNC
#define GEMM_TYPE_bf16                 GEMM_BF16
#define GEMM_TYPE_f16                  GEMM_F16
#define GEMM_TYPE_e4m3                 GEMM_E4M3
#define GEMM_TYPE_e5m2                 GEMM_E5M2
#define GEMM_TYPE_f32                  GEMM_F32

// X(kernel, in, out, tile_m, tile_n, rows, columns, boxes, pace): `rows` x `columns` consumer warpgroups share a tile
// (1 x 1: each has tiles of its own, ping-pong); each warpgroup stages its part of D in a ring of `boxes` boxes. `pace`
// is for gemm_choose.h alone: the time that the instance takes, in percent of what gemm_clocks() counts for it.
// The modules are gemm_<kernel>.cubin, the functions gemm_<kernel>_<in>_<out>_<tile_m>x<tile_n>.
#define GEMM_PINGPONG_TILES(X, in, out)                                                                                \
    X(pingpong, in, out, 128, 128, 1, 1, 2, 98)                                                                        \
    X(pingpong, in, out, 128, 192, 1, 1, 2, 99)                                                                        \
    X(pingpong, in, out, 128, 160, 1, 1, 2, 100)                                                                       \
    X(pingpong, in, out, 64, 256, 1, 1, 2, 102)                                                                        \
    X(pingpong, in, out, 64, 128, 1, 1, 2, 95)                                                                         \
    X(pingpong, in, out, 128, 96, 1, 1, 2, 101)
#define GEMM_COOPERATIVE_TILES(X, in, out)                                                                             \
    X(cooperative, in, out, 128, 256, 2, 1, 2, 101)                                                                    \
    X(cooperative, in, out, 256, 128, 2, 1, 2, 102)                                                                    \
    X(cooperative, in, out, 128, 128, 2, 1, 2, 96)                                                                     \
    X(cooperative, in, out, 256, 160, 2, 1, 2, 104)                                                                    \
    X(cooperative, in, out, 128, 224, 2, 1, 2, 103)                                                                    \
    X(cooperative, in, out, 256, 64, 2, 1, 2, 98)                                                                      \
    X(cooperative, in, out, 128, 64, 2, 1, 2, 97)                                                                      \
    X(cooperative, in, out, 128, 32, 2, 1, 2, 106)                                                                     \
    X(cooperative, in, out, 64, 256, 1, 2, 2, 97)                                                                      \
    X(cooperative, in, out, 64, 192, 1, 2, 2, 99)                                                                      \
    X(cooperative, in, out, 64, 128, 1, 2, 2, 98)                                                                      \
    X(cooperative, in, out, 64, 64, 1, 2, 2, 112)
#define GEMM_PINGPONG_MORE_TILES(X, in, out)                                                                           \
    X(pingpong, in, out, 64, 64, 1, 1, 2, 104)                                                                         \
    X(pingpong, in, out, 64, 96, 1, 1, 2, 98)                                                                          \
    X(pingpong, in, out, 64, 160, 1, 1, 2, 100)                                                                        \
    X(pingpong, in, out, 64, 192, 1, 1, 2, 97)                                                                         \
    X(pingpong, in, out, 128, 176, 1, 1, 2, 100)                                                                       \
    X(pingpong, in, out, 192, 80, 1, 1, 2, 102)                                                                        \
    X(pingpong, in, out, 192, 112, 1, 1, 2, 101)                                                                       \
    X(pingpong, in, out, 192, 128, 1, 1, 2, 99)
#define GEMM_PINGPONG_TURNED_TILES(X, in, out)                                                                         \
    X(pingpong_turned, in, out, 48, 64, 1, 1, 2, 112)                                                                  \
    X(pingpong_turned, in, out, 80, 64, 1, 1, 2, 102)                                                                  \
    X(pingpong_turned, in, out, 96, 64, 1, 1, 2, 97)                                                                   \
    X(pingpong_turned, in, out, 112, 64, 1, 1, 2, 99)                                                                  \
    X(pingpong_turned, in, out, 128, 64, 1, 1, 2, 95)                                                                  \
    X(pingpong_turned, in, out, 160, 64, 1, 1, 2, 100)                                                                 \
    X(pingpong_turned, in, out, 192, 64, 1, 1, 2, 97)                                                                  \
    X(pingpong_turned, in, out, 96, 128, 1, 1, 2, 100)                                                                 \
    X(pingpong_turned, in, out, 160, 128, 1, 1, 2, 100)                                                                \
    X(pingpong_turned, in, out, 80, 192, 1, 1, 2, 103)                                                                 \
    X(pingpong_turned, in, out, 112, 192, 1, 1, 2, 101)
#define GEMM_COOPERATIVE_MORE_TILES(X, in, out)                                                                        \
    X(cooperative, in, out, 192, 256, 1, 2, 2, 104)                                                                    \
    X(cooperative, in, out, 192, 224, 1, 2, 2, 104)                                                                    \
    X(cooperative, in, out, 192, 192, 1, 2, 2, 103)                                                                    \
    X(cooperative, in, out, 192, 160, 1, 2, 2, 105)                                                                    \
    X(cooperative, in, out, 192, 128, 1, 2, 2, 100)                                                                    \
    X(cooperative, in, out, 256, 192, 2, 1, 2, 102)                                                                    \
    X(cooperative, in, out, 256, 176, 2, 1, 2, 105)                                                                    \
    X(cooperative, in, out, 256, 144, 2, 1, 2, 104)                                                                    \
    X(cooperative, in, out, 256, 112, 2, 1, 2, 105)                                                                    \
    X(cooperative, in, out, 256, 32, 2, 1, 2, 102)                                                                     \
    X(cooperative, in, out, 128, 192, 2, 1, 2, 98)                                                                     \
    X(cooperative, in, out, 128, 176, 2, 1, 2, 103)                                                                    \
    X(cooperative, in, out, 128, 160, 2, 1, 2, 100)                                                                    \
    X(cooperative, in, out, 128, 144, 2, 1, 2, 101)                                                                    \
    X(cooperative, in, out, 128, 112, 2, 1, 2, 100)                                                                    \
    X(cooperative, in, out, 128, 96, 2, 1, 2, 98)                                                                      \
    X(cooperative, in, out, 128, 80, 2, 1, 2, 99)                                                                      \
    X(cooperative, in, out, 128, 48, 2, 1, 2, 101)                                                                     \
    X(cooperative, in, out, 64, 224, 1, 2, 2, 101)                                                                     \
    X(cooperative, in, out, 64, 160, 1, 2, 2, 102)                                                                     \
    X(cooperative, in, out, 64, 96, 1, 2, 2, 104)
#define GEMM_COOPERATIVE_TURNED_TILES(X, in, out)                                                                      \
    X(cooperative_turned, in, out, 16, 128, 1, 2, 2, 110)                                                              \
    X(cooperative_turned, in, out, 32, 128, 1, 2, 2, 104)                                                              \
    X(cooperative_turned, in, out, 48, 128, 1, 2, 2, 102)                                                              \
    X(cooperative_turned, in, out, 80, 128, 1, 2, 2, 101)                                                              \
    X(cooperative_turned, in, out, 96, 128, 1, 2, 2, 98)                                                               \
    X(cooperative_turned, in, out, 112, 128, 1, 2, 2, 99)                                                              \
    X(cooperative_turned, in, out, 144, 128, 1, 2, 2, 101)                                                             \
    X(cooperative_turned, in, out, 160, 128, 1, 2, 2, 100)                                                             \
    X(cooperative_turned, in, out, 176, 128, 1, 2, 2, 103)                                                             \
    X(cooperative_turned, in, out, 224, 128, 1, 2, 2, 101)                                                             \
    X(cooperative_turned, in, out, 96, 64, 2, 1, 2, 103)                                                               \
    X(cooperative_turned, in, out, 160, 64, 2, 1, 2, 99)                                                               \
    X(cooperative_turned, in, out, 112, 256, 1, 2, 2, 105)                                                             \
    X(cooperative_turned, in, out, 160, 256, 1, 2, 2, 103)                                                             \
    X(cooperative_turned, in, out, 176, 256, 1, 2, 2, 106)                                                             \
    X(cooperative_turned, in, out, 96, 192, 2, 1, 2, 105)                                                              \
    X(cooperative_turned, in, out, 160, 192, 2, 1, 2, 106)                                                             \
    X(cooperative_turned, in, out, 224, 192, 2, 1, 2, 106)
#define GEMM_SPLIT_K_TILES(X, in, out)                                                                                 \
    X(split_k, in, out, 128, 128, 2, 1, 2, 97)                                                                         \
    X(split_k, in, out, 128, 160, 2, 1, 2, 98)                                                                         \
    X(split_k, in, out, 128, 192, 2, 1, 2, 99)                                                                         \
    X(split_k, in, out, 128, 64, 2, 1, 2, 98)                                                                          \
    X(split_k, in, out, 128, 32, 2, 1, 2, 102)                                                                         \
    X(split_k, in, out, 64, 256, 1, 2, 2, 99)                                                                          \
    X(split_k, in, out, 64, 32, 1, 2, 2, 97)                                                                           \
    X(split_k, in, out, 64, 64, 1, 2, 2, 103)                                                                          \
    X(split_k, in, out, 64, 128, 1, 2, 2, 98)
#define GEMM_SPLIT_K_MORE_TILES(X, in, out)                                                                            \
    X(split_k, in, out, 128, 224, 2, 1, 2, 100)                                                                        \
    X(split_k, in, out, 128, 176, 2, 1, 2, 101)                                                                        \
    X(split_k, in, out, 128, 144, 2, 1, 2, 101)                                                                        \
    X(split_k, in, out, 128, 112, 2, 1, 2, 100)                                                                        \
    X(split_k, in, out, 128, 96, 2, 1, 2, 96)                                                                          \
    X(split_k, in, out, 128, 80, 2, 1, 2, 100)                                                                         \
    X(split_k, in, out, 128, 48, 2, 1, 2, 101)                                                                         \
    X(split_k, in, out, 64, 160, 1, 2, 2, 101)                                                                         \
    X(split_k, in, out, 64, 96, 1, 2, 2, 101)
#define GEMM_TURNED_TILES(X, in, out)                                                                                  \
    X(turned, in, out, 16, 128, 1, 2, 2, 98)                                                                           \
    X(turned, in, out, 32, 128, 1, 2, 2, 102)                                                                          \
    X(turned, in, out, 48, 128, 1, 2, 2, 100)                                                                          \
    X(turned, in, out, 80, 128, 1, 2, 2, 100)                                                                          \
    X(turned, in, out, 96, 128, 1, 2, 2, 96)                                                                           \
    X(turned, in, out, 112, 128, 1, 2, 2, 100)                                                                         \
    X(turned, in, out, 144, 128, 1, 2, 2, 101)                                                                         \
    X(turned, in, out, 160, 128, 1, 2, 2, 97)                                                                          \
    X(turned, in, out, 176, 128, 1, 2, 2, 101)                                                                         \
    X(turned, in, out, 192, 128, 1, 2, 2, 97)                                                                          \
    X(turned, in, out, 224, 128, 1, 2, 2, 99)                                                                          \
    X(turned, in, out, 96, 64, 2, 1, 2, 100)                                                                           \
    X(turned, in, out, 160, 64, 2, 1, 2, 101)
#define GEMM_GATHER_TILES(X, in, out)                                                                                  \
    X(gather, in, out, 128, 256, 2, 1, 2, 100)                                                                         \
    X(gather, in, out, 128, 192, 2, 1, 2, 101)                                                                         \
    X(gather, in, out, 128, 128, 2, 1, 2, 99)                                                                          \
    X(gather, in, out, 128, 64, 2, 1, 2, 98)                                                                           \
    X(gather, in, out, 128, 32, 2, 1, 2, 99)                                                                           \
    X(gather, in, out, 64, 256, 1, 2, 2, 98)                                                                           \
    X(gather, in, out, 64, 128, 1, 2, 2, 96)                                                                           \
    X(gather, in, out, 64, 64, 1, 2, 2, 104)                                                                           \
    X(gather, in, out, 64, 32, 1, 2, 2, 115)
#define GEMM_TYPES(TILES, X)                                                                                           \
    TILES(X, bf16, bf16)                                                                                               \
    TILES(X, bf16, f32)                                                                                                \
    TILES(X, f16, f16)                                                                                                 \
    TILES(X, f16, f32)                                                                                                 \
    TILES(X, e4m3, bf16)                                                                                               \
    TILES(X, e4m3, f32)                                                                                                \
    TILES(X, e5m2, bf16)                                                                                               \
    TILES(X, e5m2, f32)

#define GEMM_TYPES_OF_16_BITS(TILES, X) /* D of */                                                                     \
    TILES(X, bf16, bf16)                                                                                               \
    TILES(X, f16, f16)                                                                                                 \
    TILES(X, e4m3, bf16)                                                                                               \
    TILES(X, e5m2, bf16)

#define GEMM_PINGPONG_INSTANCES(X)                                                                                     \
    GEMM_TYPES(GEMM_PINGPONG_TILES, X)                                                                                 \
    GEMM_TYPES_OF_16_BITS(GEMM_PINGPONG_MORE_TILES, X)
#define GEMM_PINGPONG_TURNED_INSTANCES(X) GEMM_TYPES_OF_16_BITS(GEMM_PINGPONG_TURNED_TILES, X)
#define GEMM_COOPERATIVE_INSTANCES(X)                                                                                  \
    GEMM_TYPES(GEMM_COOPERATIVE_TILES, X)                                                                              \
    GEMM_TYPES_OF_16_BITS(GEMM_COOPERATIVE_MORE_TILES, X)
#define GEMM_COOPERATIVE_TURNED_INSTANCES(X) GEMM_TYPES_OF_16_BITS(GEMM_COOPERATIVE_TURNED_TILES, X)
#define GEMM_SPLIT_K_INSTANCES(X)                                                                                      \
    GEMM_TYPES(GEMM_SPLIT_K_TILES, X)                                                                                  \
    GEMM_TYPES_OF_16_BITS(GEMM_SPLIT_K_MORE_TILES, X)
#define GEMM_TURNED_INSTANCES(X) GEMM_TYPES_OF_16_BITS(GEMM_TURNED_TILES, X)
#define GEMM_GATHER_INSTANCES(X) GEMM_TYPES(GEMM_GATHER_TILES, X)
#define GEMM_INSTANCES(X)                                                                                              \
    GEMM_PINGPONG_INSTANCES(X)                                                                                         \
    GEMM_PINGPONG_TURNED_INSTANCES(X)                                                                                  \
    GEMM_COOPERATIVE_INSTANCES(X)                                                                                      \
    GEMM_COOPERATIVE_TURNED_INSTANCES(X)                                                                               \
    GEMM_SPLIT_K_INSTANCES(X)                                                                                          \
    GEMM_TURNED_INSTANCES(X)                                                                                           \
    GEMM_GATHER_INSTANCES(X)

// One instance of each kernel also exists as <function>_timeline, which writes the events of the job.
#define GEMM_PINGPONG_TIMELINES(X)    X(pingpong, bf16, bf16, 128, 128, 1, 1, 2)
#define GEMM_COOPERATIVE_TIMELINES(X) X(cooperative, bf16, bf16, 128, 256, 2, 1, 2)
#define GEMM_SPLIT_K_TIMELINES(X)     X(split_k, bf16, bf16, 128, 128, 2, 1, 2)

struct gemm_instance {
    const char *name; // of the function
    enum gemm_kernel kernel;
    enum gemm_type in, out;
    uint32_t tile_m, tile_n;
    uint32_t rows, columns;
    uint32_t boxes;
    uint32_t pace; // percent
};

// The job of a launch, the kernels' fourth parameter, behind the maps of A, B and D.
//   cluster_m, cluster_n  so many CTAs along m share blocks of B, so many along n blocks of A: 1, 2 or 4 each, and
//                         their shares of a block are multiples of 8 rows
//   splits                1, or into how many parts split-K cuts k: as even as whole blocks go, the first the smallest
//   reduce                split-K: 0 adds the parts in their order; 1 adds them to a D of f32 that was zero by TMA
//                         reductions, in any order
//   workspace             split-K: 0, the parts meet in distributed shared memory, in clusters that have them all; or
//                         gemm_workspace_bytes() of memory through which they go, its counters zeros before the
//                         first launch. Launches one after the other may have the same one, whatever they multiply; at
//                         most 32 splits, and gemm_fits_counters().
//   a, b                  gathering kernels: the addresses of A and B, and pitch_a, pitch_b from row to row (bytes); no
//                         clusters then
//   group                 tiles are taken in groups of so many rows of cluster tiles, down the columns of a group
//   dump                  0, or where CTA 0 leaves its shared memory, gemm_dump_bytes() of it
//   timeline              the timeline instances: where the first timeline_ctas CTAs leave GEMM_EVENTS events for each
//                         warpgroup; events that did not happen are not written
struct gemm_job {
    uint64_t dump, timeline, workspace;
    uint64_t a, b;
    uint32_t m, n, k;
    uint32_t pitch_a, pitch_b;
    uint32_t stages;
    uint32_t cluster_m, cluster_n;
    uint32_t splits, reduce;
    uint32_t group, timeline_ctas;
};

// The splits that are CTAs of one cluster.
GEMM_DEVICE static inline uint32_t gemm_splits_in_cluster(const struct gemm_job *job)
{
    return job->reduce || job->workspace ? 1 : job->splits;
}

enum { GEMM_EVENTS = 1024 };
enum gemm_event_kind {
    GEMM_EVENT_NONE,
    GEMM_EVENT_CLOCK,    // start: clock64() of the SM, end: globaltimer (ns), both read at the start of the warpgroup
    GEMM_EVENT_ACQUIRE,  // the producer waits for `stage` to be empty
    GEMM_EVENT_LOAD,     // the producer issues the loads of `stage`
    GEMM_EVENT_ORDER,    // ping-pong: a consumer waits for its turn
    GEMM_EVENT_WAIT,     // a consumer waits for `stage` to be full
    GEMM_EVENT_MULTIPLY, // a consumer issues the wgmma of `stage`, until those of the stage before are complete
    GEMM_EVENT_RELEASE,  // a consumer lets `stage` go
    GEMM_EVENT_EPILOGUE, // a consumer converts, stages and stores D
};
struct gemm_event {
    uint32_t kind, tile; // tile: which of the CTA's tiles, from 0
    uint32_t stage, phase;
    uint64_t start, end; // clock64()
};

GEMM_DEVICE static inline uint32_t gemm_bytes(enum gemm_type type)
{
    return type == GEMM_F32 ? 4 : type == GEMM_BF16 || type == GEMM_F16 ? 2 : 1;
}

// Whether the kernel can cut k.
GEMM_DEVICE static inline int gemm_cuts_k(enum gemm_kernel kernel)
{
    return kernel == GEMM_SPLIT_K || kernel == GEMM_TURNED || kernel == GEMM_GATHER;
}

// Whether the kernel computes the transpose of D: wgmma takes B for its A, and A for its B.
GEMM_DEVICE static inline int gemm_is_turned(enum gemm_kernel kernel)
{
    return kernel == GEMM_PINGPONG_TURNED || kernel == GEMM_COOPERATIVE_TURNED || kernel == GEMM_TURNED;
}

// Whether each consumer has tiles of its own.
GEMM_DEVICE static inline int gemm_is_pingpong(enum gemm_kernel kernel)
{
    return kernel == GEMM_PINGPONG || kernel == GEMM_PINGPONG_TURNED;
}

// The k of a block (elements).
GEMM_DEVICE static inline uint32_t gemm_block_k(enum gemm_type in)
{
    return GEMM_BLOCK_BYTES / gemm_bytes(in);
}

// How wide the instructions of a warpgroup are, in elements: along n, or m where they make the transpose of D.
static inline uint32_t gemm_width(const struct gemm_instance *i)
{
    return gemm_is_turned(i->kernel) ? i->tile_m / i->rows : i->tile_n / i->columns;
}

// The columns of a box of D, as the instructions see it (elements); its rows are GEMM_BOX_ROWS. They are 128 bytes with
// swizzle 128B where that divides the width, else 64 bytes with swizzle 64B, or all 32 bytes of the least; where they
// do not divide it the last box begins that much earlier, and writes some columns again. Boxes that go to other parts
// of a split have no column twice, and at most 32, 16 in narrow tiles, so that there are enough of them. A turned box
// has GEMM_BOX_ROWS columns of D: 128 bytes.
static inline uint32_t gemm_box_columns(const struct gemm_instance *i)
{
    uint32_t width = gemm_width(i), columns = 128 / gemm_bytes(i->out);
    if (gemm_cuts_k(i->kernel)) {
        columns = width <= 32 ? 16 : 32;
        return width % columns == 0 ? columns : columns / 2;
    }
    return width % columns == 0 ? columns : width >= columns / 2 ? columns / 2 : columns / 4;
}

// The boxes of D of a warpgroup's part of a tile.
static inline uint32_t gemm_part_boxes(const struct gemm_instance *i)
{
    uint32_t width = gemm_width(i), area = i->tile_m / i->rows * (i->tile_n / i->columns);
    return area / (width * GEMM_BOX_ROWS) * ((width - 1) / gemm_box_columns(i) + 1);
}

// The rows of the boxes of A and of B: each CTA loads its share of what it has in common with others of the cluster.
// Boxes of A and B are gemm_block_k() x these, swizzle 128B; boxes of D are gemm_box_columns() x GEMM_BOX_ROWS.
GEMM_DEVICE static inline uint32_t gemm_box_a_rows(uint32_t tile_m, uint32_t cluster_n)
{
    return tile_m / cluster_n;
}

GEMM_DEVICE static inline uint32_t gemm_box_b_rows(uint32_t tile_n, uint32_t cluster_m)
{
    return tile_n / cluster_m;
}

// Shared memory: the stages, each A then B; the boxes of D of both consumers; the barriers full[stages], empty[stages],
// and one of each consumer for parts of a split.
GEMM_DEVICE static inline uint32_t gemm_stage_bytes(uint32_t tile_m, uint32_t tile_n)
{
    return (tile_m + tile_n) * GEMM_BLOCK_BYTES;
}

static inline uint32_t gemm_shared_bytes(const struct gemm_instance *i, uint32_t stages)
{
    uint32_t box = gemm_box_columns(i) * gemm_bytes(i->out) * GEMM_BOX_ROWS;
    return stages * gemm_stage_bytes(i->tile_m, i->tile_n) + GEMM_CONSUMERS * i->boxes * box + 16 * stages +
           8 * GEMM_CONSUMERS;
}

// The stages that fit.
static inline uint32_t gemm_max_stages(const struct gemm_instance *i)
{
    uint32_t stages = GEMM_MAX_STAGES;
    while (gemm_shared_bytes(i, stages) > GEMM_SHARED_MAX) stages--;
    return stages;
}

// The CTAs of a cluster: with splits that meet in distributed shared memory, they are in it too. At most 8; launch
// without the cluster attribute, or with it, where it is 1.
static inline uint32_t gemm_cluster_size(const struct gemm_job *job)
{
    return job->cluster_m * job->cluster_n * gemm_splits_in_cluster(job);
}

// The bytes that a CTA gets from the others that have a part of its tile.
static inline uint32_t gemm_exchange_bytes(const struct gemm_instance *i, uint32_t splits)
{
    if (splits == 1) return 0;
    uint32_t columns = gemm_box_columns(i);
    uint32_t boxes = i->tile_m / i->rows * (i->tile_n / i->columns) / (GEMM_BOX_ROWS * columns); // of a consumer
    return (splits - 1) * GEMM_CONSUMERS * ((boxes - 1) / splits + 1) * columns * GEMM_BOX_ROWS * 4;
}

// The least stages: 2, and as many as hold what a CTA gets where splits meet in distributed shared memory.
static inline uint32_t gemm_min_stages(const struct gemm_instance *i, const struct gemm_job *job)
{
    uint32_t bytes = gemm_exchange_bytes(i, gemm_splits_in_cluster(job));
    uint32_t stages = (bytes + gemm_stage_bytes(i->tile_m, i->tile_n) - 1) / gemm_stage_bytes(i->tile_m, i->tile_n);
    return stages < 2 ? 2 : stages;
}

// How many clusters of `size` CTAs run at once where there is room for `sms` CTAs (for less than a cluster: as many as
// on a whole GPU): on an H200 (132 SMs) as cuOccupancyMaxActiveClusters says for kernels with one CTA on an SM.
static inline uint32_t gemm_room(uint32_t size, uint32_t sms)
{
    static const uint32_t clusters[GEMM_MAX_CLUSTER + 1] = {0, 132, 66, 39, 30, 22, 17, 15, 15};
    uint32_t most = clusters[size] * (sms > 132 ? sms : 132) / 132;
    uint32_t room = sms / size;
    return room == 0 || room > most ? most : room;
}

// Tiles in units of whole clusters, and the CTAs of the grid on a GPU with room for `sms` of them: not more than run at
// once.
static inline uint32_t gemm_cluster_tiles(const struct gemm_instance *i, const struct gemm_job *job)
{
    uint32_t rows = i->tile_m * job->cluster_m;
    uint32_t columns = i->tile_n * job->cluster_n;
    return ((job->m - 1) / rows + 1) * ((job->n - 1) / columns + 1) * (job->splits / gemm_splits_in_cluster(job));
}

static inline uint32_t gemm_grid(const struct gemm_instance *i, const struct gemm_job *job, uint32_t sms)
{
    uint32_t size = gemm_cluster_size(job);
    uint32_t tiles = gemm_cluster_tiles(i, job);
    uint32_t room = gemm_room(size, sms);
    return size * (tiles < room ? tiles : room);
}

// The workspace that splits need to go through memory: first the counters, then all parts of all tiles.
static inline uint64_t gemm_parts(const struct gemm_instance *i, const struct gemm_job *job)
{
    uint64_t rows = (job->m - 1) / (i->tile_m * job->cluster_m) + 1;
    uint64_t columns = (job->n - 1) / (i->tile_n * job->cluster_n) + 1;
    return rows * columns * job->cluster_m * job->cluster_n * job->splits;
}

static inline int gemm_fits_counters(const struct gemm_instance *i, const struct gemm_job *job)
{
    return gemm_parts(i, job) * GEMM_CONSUMERS <= GEMM_COUNTERS;
}

static inline uint64_t gemm_workspace_bytes(const struct gemm_instance *i, const struct gemm_job *job)
{
    return GEMM_COUNTERS * 4 + gemm_parts(i, job) * i->tile_m * i->tile_n * 4;
}

// A dump: the stages of CTA 0, zero where nothing was loaded, then the words of full[] and empty[] after
// mbarrier.inval (the kernel of cp.async has no barriers).
static inline uint32_t gemm_dump_bytes(const struct gemm_instance *i, uint32_t stages)
{
    return stages * (gemm_stage_bytes(i->tile_m, i->tile_n) + (i->kernel == GEMM_CP_ASYNC ? 0 : 16));
}

#endif
