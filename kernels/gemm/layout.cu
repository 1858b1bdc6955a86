// SPDX-License-Identifier: MIT
// How shared memory may be laid out for wgmma: a GEMM that loads its operands with any swizzle, K-major or MN-major,
// and makes the descriptors to match. One CTA makes one tile: all its blocks of k are loaded at once, each with a
// barrier.
#include "layout_job.h"

#include "../load_job.h"
#include "barrier.cuh"
#include "tma.cuh"
#include "wgmma.cuh"

// An operand in shared memory: `start` is its block 0.
struct operand {
    uint32_t start, span;
    bool is_mn_major;

    // MN-major: boxes of 64 k, `span` bytes of M or N wide, side by side; K-major: boxes of all rows, `span` bytes of K
    // deep, one behind the other.
    __device__ uint32_t box_bytes() const
    {
        return (is_mn_major ? 64 : LAYOUT_TILE) * span;
    }

    // Of `step` (32 bytes of K) of a block, from row `row` (a multiple of 64) on.
    __device__ uint64_t descriptor(uint32_t block, uint32_t step, uint32_t row) const
    {
        uint32_t at = start + block * LAYOUT_BLOCK_BYTES, along = 32 * step, leading, stride;
        if (is_mn_major) { // a step is 16 rows of k
            at += 16 * step * span + row * 2 / span * box_bytes();
            leading = span == 16 ? 8 * span : box_bytes();
            stride = span == 16 ? box_bytes() : 8 * span;
        } else {
            at += along / span * box_bytes() + along % span + row * span;
            leading = box_bytes();
            stride = 8 * span;
        }
        uint64_t swizzle = span == 128 ? 1 : span == 64 ? 2 : span == 32 ? 3 : 0;
        return swizzle << 62 | (uint64_t)(stride >> 4) << 32 | (uint64_t)(leading >> 4) << 16 | (at & 0x3ffff) >> 4;
    }

    __device__ void load(const CUtensorMap *map, uint32_t block, uint32_t tile, uint32_t element_bytes,
                         uint32_t barrier) const
    {
        uint32_t to = start + block * LAYOUT_BLOCK_BYTES, width = span / element_bytes;
        for (uint32_t box = 0; box * box_bytes() < LAYOUT_BLOCK_BYTES; box++) {
            uint32_t k = block * (GEMM_BLOCK_BYTES / element_bytes), mn = tile * LAYOUT_TILE;
            uint32_t x = (is_mn_major ? mn : k) + box * width, y = is_mn_major ? k : mn;
            tma_load(to + box * box_bytes(), map, (int32_t)x, (int32_t)y, barrier);
        }
    }
};

// d = a * b + (add ? d : 0), both of 128 rows and 32 bytes of K; 16-bit types say which operands are MN-major.
template <class In, bool A_MN, bool B_MN>
struct instruction;

#define INSTRUCTION(in, k, tail, ...)                                                                                  \
    template <bool A_MN, bool B_MN>                                                                                    \
    struct instruction<in, A_MN, B_MN> {                                                                               \
        static __device__ __forceinline__ void multiply(float (&d)[64], uint64_t a, uint64_t b, int add)               \
        {                                                                                                              \
            asm volatile("{.reg .pred p;\n setp.ne.b32 p, %66, 0;\n"                                                   \
                         "wgmma.mma_async.sync.aligned.m64n128k" #k ".f32." #in "." #in " {" LIST_64                   \
                         "}, %64, %65, p, 1, 1" tail ";}"                                                              \
                         : REGISTERS_64                                                                                \
                         : "l"(a), "l"(b), "r"(add)__VA_ARGS__                                                         \
                         : "memory");                                                                                  \
        }                                                                                                              \
    };
#define COMMA ,
INSTRUCTION(bf16, 16, ", %67, %68", COMMA "n"((int)A_MN)COMMA "n"((int)B_MN))
INSTRUCTION(f16, 16, ", %67, %68", COMMA "n"((int)A_MN)COMMA "n"((int)B_MN))
INSTRUCTION(e4m3, 32, "")
INSTRUCTION(e5m2, 32, "")

// The fragment of a thread to global memory, as far as D goes.
static __device__ void store(const layout_job &job, uint32_t tile_m, uint32_t tile_n, const float (&d)[64])
{
    uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    uint32_t m = tile_m * LAYOUT_TILE + warp * 16 + lane / 4, n = tile_n * LAYOUT_TILE + lane % 4 * 2;
#pragma unroll
    for (uint32_t i = 0; i < 64; i++) {
        uint32_t row = m + i / 2 % 2 * 8, column = n + i / 4 * 8 + i % 2;
        if (row < job.m && column < job.n) ((float *)job.d)[(uint64_t)row * job.pitch_elems + column] = d[i];
    }
}

static __device__ void dump_shared(const layout_job &job, uint32_t barriers)
{
    char *to = (char *)job.dump - GEMM_SHARED_START;
    for (uint32_t at = GEMM_SHARED_START + 4 * threadIdx.x; at < barriers; at += 4 * LAYOUT_THREADS) {
        uint32_t word;
        asm volatile("ld.shared.b32 %0, [%1];" : "=r"(word) : "r"(at) : "memory");
        *(uint32_t *)(to + at) = word;
    }
    if (threadIdx.x >= job.blocks) return;
    uint32_t barrier = barriers + 8 * threadIdx.x;
    *(uint64_t *)(to + barrier) = final_word(at_shared(barrier));
}

static __device__ void fill_shared(uint32_t end)
{
    for (uint32_t at = GEMM_SHARED_START + 4 * threadIdx.x; at < end; at += 4 * LAYOUT_THREADS)
        asm volatile("st.shared.b32 [%0], %1;" ::"r"(at), "r"(load_canary(at)) : "memory");
    ptx::fence_proxy_async(ptx::space_shared); // TMA writes over them
}

template <class In, bool A_MN, bool B_MN>
static __device__ __forceinline__ void layout_gemm(const CUtensorMap &map_a, const CUtensorMap &map_b,
                                                   const layout_job &job)
{
    constexpr uint32_t STEPS = GEMM_BLOCK_BYTES / 32; // instructions of a block
    constexpr uint32_t BYTES = In::TYPE == GEMM_BF16 || In::TYPE == GEMM_F16 ? 2 : 1;
    uint32_t half = layout_operand_bytes(job.blocks), barriers = GEMM_SHARED_START + 2 * half;
    operand a = {GEMM_SHARED_START + job.shift_bytes[0], layout_span_bytes(job.swizzle[0]), A_MN};
    operand b = {GEMM_SHARED_START + half + job.shift_bytes[1], layout_span_bytes(job.swizzle[1]), B_MN};
    uint32_t tile_m = blockIdx.x / job.columns, tile_n = blockIdx.x % job.columns;
    float d[64];

    if (job.dump) fill_shared(barriers);
    if (threadIdx.x == 0) {
        for (uint32_t block = 0; block < job.blocks; block++) mbarrier_init(barriers + 8 * block, 1);
        mbarrier_init_fence();
    }
    __syncthreads();
    for (uint32_t block = 0; block < job.blocks && threadIdx.x == 0; block++) {
        uint32_t barrier = barriers + 8 * block;
        mbarrier_arrive_expect_tx(barrier, 2 * LAYOUT_BLOCK_BYTES);
        a.load(&map_a, block, tile_m, BYTES, barrier);
        b.load(&map_b, block, tile_n, BYTES, barrier);
    }
    uint32_t row = threadIdx.x / 128 * 64, patience = WAIT_TRIES;
    for (uint32_t block = 0; block < job.blocks; block++) {
        uint64_t of_a[STEPS], of_b[STEPS];
#pragma unroll
        for (uint32_t step = 0; step < STEPS; step++) {
            of_a[step] = a.descriptor(block, step, row);
            of_b[step] = b.descriptor(block, step, 0);
        }
        mbarrier_wait(barriers + 8 * block, 0, patience);
        wgmma_fence(); // the accumulators
#pragma unroll
        for (uint32_t step = 0; step < STEPS; step++)
            instruction<In, A_MN, B_MN>::multiply(d, of_a[step], of_b[step], step > 0 || block > 0);
        wgmma_commit();
        wgmma_wait<0>();
    }
    if (patience == 0) fail();
    store(job, tile_m, tile_n, d);
    __syncthreads(); // all loads have come
    if (job.dump && blockIdx.x == 0) dump_shared(job, barriers);
}

static constexpr bool IS_k = false, IS_mn = true;

#define FUNCTION(in, a_major, b_major)                                                                                 \
    extern "C" __global__ void __launch_bounds__(LAYOUT_THREADS, 1) gemm_layout_##in##_##a_major##_##b_major(          \
        const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,                                  \
        const __grid_constant__ layout_job job)                                                                        \
    {                                                                                                                  \
        layout_gemm<in, IS_##a_major, IS_##b_major>(a, b, job);                                                        \
    }
LAYOUT_INSTANCES(FUNCTION)
