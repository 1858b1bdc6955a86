// SPDX-License-Identifier: MIT
// Transposition by tensor copies. `transpose_<bytes>` transposes a whole matrix: a persistent CTA loads tiles ahead,
// turns each in registers from one shared buffer to another, and stores it; with swizzle 128B and the right walk no
// access meets another in a bank. `transpose_article` is the 8 x 8 int4 kernel of the asynchronous-copy article, for
// any span and any alignment of its buffers. `transpose_clocks_<bytes>` times the turning alone.
#include <cuda.h>

#include "late.cuh"
#include "transpose_job.h"

extern __shared__ __align__(1024) char dynamic[];

static const long long WAIT_CLOCKS = 20000000; // some 10 ms

// --- Turning a tile --------------------------------------------------------------------------------------------------

// What the kernels know of a tile of elements of `bytes` bytes at compile time. A chunk holds `micro` elements; a
// thread turns `micro` x `micro` elements, which are `micro` chunks, at a time.
template <int bytes>
struct tile {
    static constexpr int side = TRANSPOSE_SIDE(bytes);
    static constexpr int box_elements = TRANSPOSE_BOX_BYTES / bytes;
    static constexpr int boxes = side / box_elements; // boxes side by side
    static constexpr int box_bytes = side * TRANSPOSE_BOX_BYTES;
    static constexpr int tile_bytes = TRANSPOSE_TILE_BYTES(bytes);
    static constexpr int micro = TRANSPOSE_CHUNK_BYTES / bytes;
    static constexpr int micros = side / micro; // in a row or column
};

// Rows of a micro tile become its columns. `word` is chunk by chunk.
template <int bytes>
static __device__ void turn(uint32_t (&word)[tile<bytes>::micro][4])
{
    constexpr int micro = tile<bytes>::micro;
    uint32_t turned[micro][4];
#pragma unroll
    for (int row = 0; row < micro; row++)
#pragma unroll
        for (int i = 0; i < 4; i++) {
            if constexpr (bytes == 16) turned[row][i] = word[row][i];
            if constexpr (bytes == 8) turned[row][i] = word[i / 2][2 * row + i % 2];
            if constexpr (bytes == 4) turned[row][i] = word[i][row];
            if constexpr (bytes == 2)
                turned[row][i] = __byte_perm(word[2 * i][row / 2], word[2 * i + 1][row / 2], row % 2 ? 0x7632 : 0x5410);
            if constexpr (bytes == 1) {
                // Four bytes of one column: pairs first, which the rows of a group of four share.
                uint32_t pairs = row % 4 < 2 ? 0x5140 : 0x7362, choice = row % 2 ? 0x7632 : 0x5410;
                uint32_t low = __byte_perm(word[4 * i][row / 4], word[4 * i + 1][row / 4], pairs);
                uint32_t high = __byte_perm(word[4 * i + 2][row / 4], word[4 * i + 3][row / 4], pairs);
                turned[row][i] = __byte_perm(low, high, choice);
            }
        }
#pragma unroll
    for (int row = 0; row < micro; row++)
#pragma unroll
        for (int i = 0; i < 4; i++) word[row][i] = turned[row][i];
}

// The chunk of a tile's buffer at row `row` and chunk column `chunk`: boxes follow each other, lines of 128 bytes
// within a box; the swizzle moves the chunks of a line. A buffer lies at a multiple of 1024.
template <int bytes>
static __device__ uint4 *chunk_at(char *buffer, uint32_t row, uint32_t chunk, uint32_t line_mask)
{
    uint32_t place = chunk % 8 ^ (row & line_mask);
    return (uint4 *)(buffer + chunk / 8 * tile<bytes>::box_bytes + row * TRANSPOSE_BOX_BYTES +
                     place * TRANSPOSE_CHUNK_BYTES);
}

// All threads: the tile in `from` to `to`, rows to columns. Lanes l = 0..7 of a quarter warp take the chunk columns l
// of eight; their micro rows are the same, or on a diagonal.
template <int bytes>
static __device__ void turn_tile(char *from, char *to, uint32_t walk, uint32_t line_mask)
{
    using t = tile<bytes>;
#pragma unroll 1
    for (uint32_t i = threadIdx.x; i < t::micros * t::micros; i += TRANSPOSE_THREADS) {
        uint32_t lane = i % 8, row = i / 8 % 8, block = i / 64;
        uint32_t across = block % t::boxes * 8 + lane;
        uint32_t down = block / t::boxes * 8 + (walk == TRANSPOSE_DIAGONAL ? row ^ lane : row);
        uint32_t word[t::micro][4];
#pragma unroll
        for (uint32_t k = 0; k < t::micro; k++) {
            uint4 chunk = *chunk_at<bytes>(from, t::micro * down + k, across, line_mask);
            word[k][0] = chunk.x, word[k][1] = chunk.y, word[k][2] = chunk.z, word[k][3] = chunk.w;
        }
        turn<bytes>(word);
#pragma unroll
        for (uint32_t k = 0; k < t::micro; k++)
            *chunk_at<bytes>(to, t::micro * across + k, down, line_mask) =
                make_uint4(word[k][0], word[k][1], word[k][2], word[k][3]);
    }
}

// --- A matrix --------------------------------------------------------------------------------------------------------

struct place {
    int32_t row, column; // of the tile's first element
};

// Tiles in bands: those that run at the same time lie in a patch of the matrix, whose rows and columns are whole
// sectors of both tensors.
template <int bytes>
static __device__ place place_of(const transpose_job &job, uint32_t tile_index)
{
    uint32_t in_band = job.band * job.tiles_across, first = tile_index / in_band * job.band;
    uint32_t rows = min(job.band, job.tiles_down - first), within = tile_index % in_band;
    return {(int32_t)(first + within % rows) * tile<bytes>::side, (int32_t)(within / rows) * tile<bytes>::side};
}

// Maps count in elements; those of 16 bytes are two of 8.
template <int bytes>
constexpr int map_elements = bytes == 16 ? 2 : 1;

template <int bytes>
static __device__ void load(const transpose_job &job, uint32_t tile_index, const CUtensorMap &map, char *to,
                            uint64_t *barrier)
{
    using t = tile<bytes>;
    place at = place_of<bytes>(job, tile_index);
    expect(barrier, t::tile_bytes);
#pragma unroll
    for (int box = 0; box < t::boxes; box++) {
        int32_t coord[2] = {(at.column + box * t::box_elements) * map_elements<bytes>, at.row};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, to + box * t::box_bytes, &map, coord, barrier);
    }
}

template <int bytes>
static __device__ void store(const transpose_job &job, uint32_t tile_index, const CUtensorMap &map, const char *from)
{
    using t = tile<bytes>;
    place at = place_of<bytes>(job, tile_index);
#pragma unroll
    for (int box = 0; box < t::boxes; box++) {
        int32_t coord[2] = {(at.row + box * t::box_elements) * map_elements<bytes>, at.column};
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &map, coord, from + box * t::box_bytes);
    }
    ptx::cp_async_bulk_commit_group();
}

// One block barrier per tile. Before it the leader waits until the buffer of the next tile is read; after it the
// leader knows that all have written this tile and have read its stage, which is loaded anew.
template <int bytes>
static __device__ void transpose(const CUtensorMap &from, const CUtensorMap &to, const transpose_job &job)
{
    using t = tile<bytes>;
    __shared__ uint64_t full[TRANSPOSE_STAGES];
    char *stages = dynamic, *results = dynamic + TRANSPOSE_STAGES * t::tile_bytes;
    uint32_t tiles = job.tiles_down * job.tiles_across, step = gridDim.x;
    bool leader = is_elected();
    if (leader) {
        start_barriers(full, TRANSPOSE_STAGES, 1);
        for (uint32_t i = 0, at = blockIdx.x; i < TRANSPOSE_STAGES && at < tiles; i++, at += step)
            load<bytes>(job, at, from, stages + i * t::tile_bytes, &full[i]);
    }
    __syncthreads(); // nobody waits at a barrier before its init
    for (uint32_t i = 0, at = blockIdx.x; at < tiles; i++, at += step) {
        uint32_t stage = i % TRANSPOSE_STAGES;
        char *loaded = stages + stage * t::tile_bytes, *turned = results + i % TRANSPOSE_RESULTS * t::tile_bytes;
        wait_or_give_up(&full[stage], i / TRANSPOSE_STAGES & 1, WAIT_CLOCKS);
        turn_tile<bytes>(loaded, turned, job.walk, job.line_mask);
        ptx::fence_proxy_async(ptx::space_shared); // its reads and writes, before the copies behind the barrier
        if (leader) ptx::cp_async_bulk_wait_group_read(ptx::n32_t<TRANSPOSE_RESULTS - 2>());
        __syncthreads();
        if (at == job.dumped) {
            dump((void *)job.dump, loaded, t::tile_bytes);
            dump((void *)(job.dump + t::tile_bytes), turned, t::tile_bytes);
            ptx::fence_proxy_async(ptx::space_shared); // what was read here, before the load that overwrites it
            __syncthreads();
        }
        if (!leader) continue;
        store<bytes>(job, at, to, turned);
        uint64_t next = at + (uint64_t)TRANSPOSE_STAGES * step;
        if (next < tiles) load<bytes>(job, (uint32_t)next, from, loaded, &full[stage]);
    }
    if (leader) ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}

// The clocks that `rounds` tiles take when nothing is loaded or stored, for the slowest CTA; `answer` is 0 before.
template <int bytes>
static __device__ void clocks(const transpose_job &job, uint32_t rounds, unsigned long long *answer)
{
    using t = tile<bytes>;
    for (uint32_t at = 4 * threadIdx.x; at < 2 * t::tile_bytes; at += 4 * TRANSPOSE_THREADS)
        *(uint32_t *)(dynamic + at) = at;
    __syncthreads();
    turn_tile<bytes>(dynamic, dynamic + t::tile_bytes, job.walk, job.line_mask); // the code is in the cache from here
    __syncthreads();
    long long start = clock64();
    for (uint32_t i = 0; i < rounds; i++) {
        turn_tile<bytes>(dynamic, dynamic + t::tile_bytes, job.walk, job.line_mask);
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicMax(answer, (unsigned long long)(clock64() - start));
}

#define TRANSPOSE_KERNELS(bytes)                                                                                       \
    extern "C" __global__ void __launch_bounds__(TRANSPOSE_THREADS) transpose_##bytes(                                 \
        const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to, const transpose_job job)       \
    {                                                                                                                  \
        transpose<bytes>(from, to, job);                                                                               \
    }                                                                                                                  \
    extern "C" __global__ void __launch_bounds__(TRANSPOSE_THREADS)                                                    \
        transpose_clocks_##bytes(const transpose_job job, uint32_t rounds, unsigned long long *answer)                 \
    {                                                                                                                  \
        clocks<bytes>(job, rounds, answer);                                                                            \
    }
TRANSPOSE_KERNELS(1)
TRANSPOSE_KERNELS(2)
TRANSPOSE_KERNELS(4)
TRANSPOSE_KERNELS(8)
TRANSPOSE_KERNELS(16)

// --- The article's tile ----------------------------------------------------------------------------------------------

// Element (i, j) of a buffer: row i, column j. Two, four or eight rows share a line where the span is shorter than it:
// the formula counts lines, from `offset` lines into the pattern.
static __device__ int4 *element(char *buffer, uint32_t address, const article_job &job, uint32_t i, uint32_t j)
{
    uint32_t offset = address / 128 % job.lines, index = i * job.side + j, line = index / 8;
    uint32_t column = (line + offset) % job.lines ^ index % 8;
    return (int4 *)buffer + 8 * line + column;
}

static __device__ void turn_article(char *shared, const article_job &job)
{
    char *loaded = shared + job.loaded, *transposed = shared + job.transposed;
    for (uint32_t j = threadIdx.x; j < job.side; j += ARTICLE_THREADS)
        for (uint32_t i = 0; i < job.side; i++)
            *element(transposed, job.transposed, job, j, i) = *element(loaded, job.loaded, job, i, j);
}

extern "C" __global__ void __launch_bounds__(ARTICLE_THREADS)
    transpose_article(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to,
                      const article_job job)
{
    char *shared = shared_from_0(dynamic, TRANSPOSE_SHARED_START);
    uint64_t *barrier = (uint64_t *)(shared + ARTICLE_BARRIER);
    fill(shared, ARTICLE_WINDOW, ARTICLE_WINDOW + ARTICLE_WINDOW_BYTES, transpose_canary);
    ptx::fence_proxy_async(ptx::space_shared); // the load writes over them
    __syncthreads();
    bool leader = is_elected();
    if (leader) {
        int32_t coord[2] = {job.x * ARTICLE_ELEMENT_WORDS, job.y};
        start_barrier(barrier, 1);
        expect(barrier, job.side * job.side * ARTICLE_ELEMENT_BYTES);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, shared + job.loaded, &from, coord, barrier);
    }
    __syncthreads();
    wait_or_give_up(barrier, 0, WAIT_CLOCKS);
    turn_article(shared, job);
    ptx::fence_proxy_async(ptx::space_shared); // the store reads what was turned
    __syncthreads();
    if (leader) {
        int32_t coord[2] = {job.y * ARTICLE_ELEMENT_WORDS, job.x};
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &to, coord, shared + job.transposed);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
    dump((void *)job.dump, shared + ARTICLE_WINDOW, ARTICLE_WINDOW_BYTES);
}
