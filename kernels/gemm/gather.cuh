// SPDX-License-Identifier: MIT
// The producer of the gathering kernels: 128 threads copy rows by cp.async, 16 bytes each. TMA asks L2 for a row of a
// box line by line: a row of 128 bytes that does not start at a multiple of 128 costs it as much as two; here it does
// not.
#ifndef TMAREF_GEMM_GATHER_CUH
#define TMAREF_GEMM_GATHER_CUH

#include "split.cuh"

static constexpr uint32_t CHUNKS = GEMM_BLOCK_BYTES / 16;         // of a row of a block
static constexpr uint32_t ROWS_AT_ONCE = GEMM_GATHERERS / CHUNKS; // a multiple of 8, as the swizzle repeats
static constexpr uint32_t BYTES_AT_ONCE = ROWS_AT_ONCE * GEMM_BLOCK_BYTES;

// 16 bytes of shared memory, from global memory or zeros.
static __device__ __forceinline__ void copy_chunk(uint32_t to, const char *from, bool is_there)
{
    asm volatile("{.reg .pred p;\n"
                 "setp.eq.u32 p, %2, 0;\n"
                 "cp.async.cg.shared.global [%0], [%1], 16, p;}" ::"r"(to),
                 "l"(from), "r"((uint32_t)is_there)
                 : "memory");
}

// The same, of which the first `bytes` come from global memory.
static __device__ __forceinline__ void copy_bytes(uint32_t to, const char *from, uint32_t bytes)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
}

// An arrival of this thread, made by the hardware when all that the thread has copied before is there.
static __device__ __forceinline__ void arrive_behind_copies(uint32_t barrier)
{
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(barrier) : "memory");
}

// A thread's share of an operand: chunk `threadIdx.x % CHUNKS` of rows `threadIdx.x / CHUNKS`, ROWS_AT_ONCE further, ..
// of a tile. `to`: where the first one lies in a stage.
struct gatherer {
    const char *base;
    uint64_t pitch_bytes;
    uint32_t rows, to;

    __device__ __forceinline__ gatherer(uint64_t address, uint32_t pitch, uint32_t count, uint32_t part)
        : base((const char *)address), pitch_bytes(pitch), rows(count)
    {
        uint32_t row = threadIdx.x / CHUNKS, chunk = threadIdx.x % CHUNKS;
        to = part + chunk_offset<GEMM_BLOCK_BYTES>(row, chunk);
    }

    // TILE_ROWS rows from `first` on, of the bytes of a row from `at` on as many as there are, at most 16. Rows and
    // chunks that are not there are zeros.
    template <uint32_t TILE_ROWS>
    __device__ __forceinline__ void copy(uint32_t stage, uint32_t first, uint32_t at, uint32_t bytes) const
    {
        uint32_t row = first + threadIdx.x / CHUNKS;
        const char *from = base + row * pitch_bytes + at;
        if (bytes % 16 == 0) { // but for the end of some rows
#pragma unroll
            for (uint32_t i = 0; i < TILE_ROWS / ROWS_AT_ONCE; i++, from += ROWS_AT_ONCE * pitch_bytes)
                copy_chunk(stage + to + i * BYTES_AT_ONCE, from, row + i * ROWS_AT_ONCE < rows && bytes > 0);
        } else {
#pragma unroll 1
            for (uint32_t i = 0; i < TILE_ROWS / ROWS_AT_ONCE; i++, from += ROWS_AT_ONCE * pitch_bytes)
                copy_bytes(stage + to + i * BYTES_AT_ONCE, from, row + i * ROWS_AT_ONCE < rows ? bytes : 0);
        }
    }
};

template <class C>
static __device__ __forceinline__ void gather_tile(const gemm_job &job, const shared_state &s, const tile &t,
                                                   const gatherer &a, const gatherer &b, pipeline_state &at)
{
    constexpr uint32_t ELEMENT_BYTES = GEMM_BLOCK_BYTES / C::BLOCK_K;
    uint32_t row_bytes = job.k * ELEMENT_BYTES;
#pragma unroll 1
    for (uint32_t block = t.block; block < t.block_end; block++) {
        uint32_t from = block * GEMM_BLOCK_BYTES + threadIdx.x % CHUNKS * 16;
        uint32_t bytes = from < row_bytes ? min(row_bytes - from, 16u) : 0;
        uint32_t stage = s.base + at.stage * C::STAGE_BYTES;
        s.pipe.acquire(at);
        a.copy<C::TILE_M>(stage, t.m, from, bytes);
        b.copy<C::TILE_N>(stage, t.n, from, bytes);
        arrive_behind_copies(s.pipe.full + 8 * at.stage);
        at.advance(s.pipe.stages);
    }
}

template <class C>
static __device__ __forceinline__ void produce_gathered(const gemm_job &job, const shared_state &s)
{
    typename C::schedule tiles(job, s.at, s.ranks);
    gatherer a(job.a, job.pitch_a, job.m, 0), b(job.b, job.pitch_b, job.n, C::A_BYTES);
    pipeline_state at;
    tile t;
    for (bool goes_on = tiles.first(job, t); goes_on; goes_on = tiles.next(job, t))
        gather_tile<C>(job, s, t, a, b, at);
    s.pipe.drain(at, 0, 1);
}

#endif
