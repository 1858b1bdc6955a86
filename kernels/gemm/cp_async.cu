// SPDX-License-Identifier: MIT
// The multi-stage GEMM of sm_80: every thread copies its share of the blocks with cp.async, a few blocks ahead, and all
// warps read them with ldmatrix and multiply with mma.sync. What TMA, mbarriers and wgmma replace is all here:
// addresses and bounds of every 16 bytes in registers, a group of copies per thread and block, a barrier of the whole
// CTA per block, a swizzle by hand.
#include "cp_async_job.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

static constexpr uint32_t TILE_M = 128, TILE_N = 256, BLOCK_K = 64;
static constexpr uint32_t CHUNK_BYTES = 16, CHUNKS = GEMM_BLOCK_BYTES / CHUNK_BYTES;
static constexpr uint32_t A_BYTES = TILE_M * GEMM_BLOCK_BYTES, STAGE_BYTES = (TILE_M + TILE_N) * GEMM_BLOCK_BYTES;
static constexpr uint32_t WARP_M = 64, WARP_N = 64; // a warp's part of the tile: 2 x 4 warps

// --- Copies ----------------------------------------------------------------------------------------------------------

// Where a chunk of a row lies in a block: the pattern of TMA's swizzle 128B, so that 8 rows of one column of chunks are
// in 8 different groups of banks.
static __device__ __forceinline__ uint32_t chunk_at(uint32_t row, uint32_t chunk)
{
    return row * GEMM_BLOCK_BYTES + ((chunk ^ row) % CHUNKS) * CHUNK_BYTES;
}

// 16 bytes, the last `CHUNK_BYTES - bytes` of them zeros and not read.
static __device__ __forceinline__ void copy_chunk(uint32_t to, const char *from, uint32_t bytes)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
}

// This thread's part of ROWS rows of a row-major matrix: one chunk of every STEP-th of them. It goes along K block by
// block; rows that are not there, and what lies past the end of a row, become zeros.
template <uint32_t ROWS>
struct matrix {
    static constexpr uint32_t STEP = CP_ASYNC_THREADS / CHUNKS;
    const char *at;       // of the first row, at this thread's chunk of the next block
    uint32_t there;       // bit i: row i * STEP is there
    uint32_t pitch_bytes; // from row to row
    int32_t left_bytes;   // of a row, from there on
    uint32_t to;          // in a block

    __device__ __forceinline__ matrix(uint64_t matrix, uint32_t rows, uint32_t row_bytes, uint32_t pitch,
                                      uint32_t first)
    {
        uint32_t row = threadIdx.x / CHUNKS, chunk = threadIdx.x % CHUNKS;
        at = (const char *)matrix + (uint64_t)(first + row) * pitch + chunk * CHUNK_BYTES;
        there = 0;
        for (uint32_t i = 0; i < ROWS / STEP; i++) there |= (first + row + i * STEP < rows ? 1u : 0u) << i;
        pitch_bytes = pitch;
        left_bytes = (int32_t)row_bytes - (int32_t)(chunk * CHUNK_BYTES);
        to = chunk_at(row, chunk);
    }

    __device__ __forceinline__ void copy_block(uint32_t block)
    {
        uint32_t bytes = (uint32_t)max(0, min(left_bytes, (int32_t)CHUNK_BYTES));
#pragma unroll
        for (uint32_t i = 0; i < ROWS / STEP; i++) {
            uint32_t wanted = there >> i & 1 ? bytes : 0; // of nothing no address is read
            copy_chunk(block + to + i * STEP * GEMM_BLOCK_BYTES, at + (uint64_t)(i * STEP) * pitch_bytes, wanted);
        }
        at += GEMM_BLOCK_BYTES;
        left_bytes -= GEMM_BLOCK_BYTES;
    }
};

static __device__ __forceinline__ void commit_copies()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

template <int N>
static __device__ __forceinline__ void wait_copies()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}

// Until all but the newest `groups` groups of this thread are there; the instruction takes a constant.
static __device__ __forceinline__ void wait_copies_but(uint32_t groups)
{
    switch (groups) {
    case 0:
        wait_copies<0>();
        break;
    case 1:
        wait_copies<1>();
        break;
    case 2:
        wait_copies<2>();
        break;
    case 3:
        wait_copies<3>();
        break;
    default:
        wait_copies<4>();
        break;
    }
}

// --- Products --------------------------------------------------------------------------------------------------------

static __device__ __forceinline__ void load_matrices(uint32_t (&r)[4], uint32_t from)
{
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(from)
                 : "memory");
}

template <class In>
static __device__ __forceinline__ void multiply(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1);
#define MULTIPLY(type, ptx)                                                                                            \
    template <>                                                                                                        \
    __device__ __forceinline__ void multiply<type>(float(&d)[4], const uint32_t(&a)[4], uint32_t b0, uint32_t b1)      \
    {                                                                                                                  \
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." ptx "." ptx ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "  \
                     "{%8, %9}, {%0, %1, %2, %3};"                                                                     \
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                                  \
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));                                  \
    }
MULTIPLY(__nv_bfloat16, "bf16")
MULTIPLY(__half, "f16")

using accumulators = float[WARP_M / 16][WARP_N / 8][4];

// What one step (16 of k) of a warp multiplies. ldmatrix takes 16 x 16 elements of A, and of B 16 columns of 16 k: two
// operands of mma.
struct fragments {
    uint32_t a[WARP_M / 16][4], b[WARP_N / 16][4];

    __device__ __forceinline__ void load(uint32_t of_a, uint32_t of_b, uint32_t step)
    {
        uint32_t lane = threadIdx.x % 32;
#pragma unroll
        for (uint32_t i = 0; i < WARP_M / 16; i++)
            load_matrices(a[i], of_a + i * 16 * GEMM_BLOCK_BYTES + chunk_at(lane % 16, 2 * step + lane / 16));
#pragma unroll
        for (uint32_t j = 0; j < WARP_N / 16; j++)
            load_matrices(b[j], of_b + j * 16 * GEMM_BLOCK_BYTES +
                                    chunk_at(lane / 16 * 8 + lane % 8, 2 * step + lane / 8 % 2));
    }
};

template <class In>
static __device__ __forceinline__ void multiply_step(const fragments &f, accumulators &d)
{
#pragma unroll
    for (uint32_t i = 0; i < WARP_M / 16; i++)
#pragma unroll
        for (uint32_t j = 0; j < WARP_N / 8; j++)
            multiply<In>(d[i][j], f.a[i], f.b[j / 2][j % 2 * 2], f.b[j / 2][j % 2 * 2 + 1]);
}

// A warp's part of one block: the fragments of the next step are loaded before those of this one are multiplied.
template <class In>
static __device__ __forceinline__ void multiply_block(uint32_t a, uint32_t b, accumulators &d)
{
    fragments f[2];
    f[0].load(a, b, 0);
#pragma unroll
    for (uint32_t step = 0; step < CHUNKS / 2; step++) {
        if (step + 1 < CHUNKS / 2) f[(step + 1) % 2].load(a, b, step + 1);
        multiply_step<In>(f[step % 2], d);
    }
}

// --- D ---------------------------------------------------------------------------------------------------------------

static __device__ __forceinline__ void round_to(float value, float *to)
{
    *to = value;
}

static __device__ __forceinline__ void round_to(float value, __half *to)
{
    *to = __float2half_rn(value);
}

static __device__ __forceinline__ void round_to(float value, __nv_bfloat16 *to)
{
    *to = __float2bfloat16_rn(value);
}

// Two neighbours in one store, which is aligned: columns are even, rows start at multiples of 16 bytes.
template <class Out>
static __device__ __forceinline__ void store_pair(const cp_async_job &job, uint32_t row, uint32_t column, float x,
                                                  float y)
{
    struct alignas(2 * sizeof(Out)) pair {
        Out first, second;
    } both;
    if (row >= job.m || column >= job.n) return;
    char *to = (char *)job.d + (uint64_t)row * job.pitch_bytes[2] + column * sizeof(Out);
    round_to(x, &both.first);
    round_to(y, &both.second);
    if (column + 1 < job.n)
        *(pair *)to = both;
    else
        *(Out *)to = both.first;
}

template <class Out>
static __device__ __forceinline__ void store(const cp_async_job &job, uint32_t m, uint32_t n, const accumulators &d)
{
    uint32_t lane = threadIdx.x % 32;
#pragma unroll
    for (uint32_t i = 0; i < WARP_M / 16; i++)
#pragma unroll
        for (uint32_t j = 0; j < WARP_N / 8; j++) {
            uint32_t row = m + 16 * i + lane / 4, column = n + 8 * j + lane % 4 * 2;
            store_pair<Out>(job, row, column, d[i][j][0], d[i][j][1]);
            store_pair<Out>(job, row + 8, column, d[i][j][2], d[i][j][3]);
        }
}

// --- The kernel ------------------------------------------------------------------------------------------------------

// This CTA's tile: in groups of job.group rows of tiles, down the columns of a group.
static __device__ __forceinline__ void place_tile(const cp_async_job &job, uint32_t *m, uint32_t *n)
{
    uint32_t rows = (job.m - 1) / TILE_M + 1, columns = (job.n - 1) / TILE_N + 1, per_group = job.group * columns;
    uint32_t top = blockIdx.x / per_group * job.group, height = min(rows - top, job.group);
    *m = (top + blockIdx.x % per_group % height) * TILE_M;
    *n = blockIdx.x % per_group / height * TILE_N;
}

// Zeros in all stages, before the copies; and the stages at the end, when all have landed.
static __device__ __forceinline__ void clear_stages(uint32_t base, uint32_t bytes)
{
    for (uint32_t at = CHUNK_BYTES * threadIdx.x; at < bytes; at += CHUNK_BYTES * CP_ASYNC_THREADS)
        asm volatile("st.shared.v4.b32 [%0], {%1, %1, %1, %1};" ::"r"(base + at), "r"(0) : "memory");
    __syncthreads();
}

static __device__ __forceinline__ void dump_stages(char *to, uint32_t base, uint32_t bytes)
{
    wait_copies<0>();
    __syncthreads();
    for (uint32_t at = 4 * threadIdx.x; at < bytes; at += 4 * CP_ASYNC_THREADS) {
        uint32_t word;
        asm volatile("ld.shared.b32 %0, [%1];" : "=r"(word) : "r"(base + at) : "memory");
        *(uint32_t *)(to + at) = word;
    }
}

template <class In, class Out>
static __device__ __forceinline__ void cp_async_gemm(const cp_async_job &job)
{
    extern __shared__ __align__(1024) char dynamic[];
    uint32_t base = (uint32_t)__cvta_generic_to_shared(dynamic), warp = threadIdx.x / 32;
    uint32_t warp_m = warp / 4 * WARP_M, warp_n = warp % 4 * WARP_N, blocks = (job.k - 1) / BLOCK_K + 1, m, n;
    accumulators d = {};
    place_tile(job, &m, &n);
    matrix<TILE_M> a(job.a, job.m, job.k * 2, job.pitch_bytes[0], m);
    matrix<TILE_N> b(job.b, job.n, job.k * 2, job.pitch_bytes[1], n);
    auto copy = [&](uint32_t block, uint32_t stage) { // a group for each block, also where there is none
        if (block < blocks) {
            a.copy_block(stage);
            b.copy_block(stage + A_BYTES);
        }
        commit_copies();
    };

    if (job.dump) clear_stages(base, job.stages * STAGE_BYTES);
    uint32_t end = base + job.stages * STAGE_BYTES, stage = base, next = end - STAGE_BYTES;
    for (uint32_t block = 0; block + 1 < job.stages; block++) copy(block, base + block * STAGE_BYTES);
#pragma unroll 1
    for (uint32_t block = 0; block < blocks; block++) {
        wait_copies_but(job.stages - 2); // this thread's copies of the block
        __syncthreads(); // the block is there for all, and all are done with the one before
        copy(block + job.stages - 1, next);
        multiply_block<In>(stage + warp_m * GEMM_BLOCK_BYTES, stage + A_BYTES + warp_n * GEMM_BLOCK_BYTES, d);
        stage = stage + STAGE_BYTES == end ? base : stage + STAGE_BYTES;
        next = next + STAGE_BYTES == end ? base : next + STAGE_BYTES;
    }
    store<Out>(job, m + warp_m, n + warp_n, d);
    if (job.dump && blockIdx.x == 0) dump_stages((char *)job.dump, base, job.stages * STAGE_BYTES);
}

using bf16 = __nv_bfloat16;
using f16 = __half;
using f32 = float;

#define FUNCTION(kernel, in, out, m, n, ...)                                                                           \
    extern "C" __global__ void __launch_bounds__(CP_ASYNC_THREADS, 1)                                                  \
        gemm_cp_async_##in##_##out##_##m##x##n(const __grid_constant__ cp_async_job job)                               \
    {                                                                                                                  \
        cp_async_gemm<in, out>(job);                                                                                   \
    }
CP_ASYNC_INSTANCES(FUNCTION)
