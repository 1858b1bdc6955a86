// SPDX-License-Identifier: MIT
// The way of D out of the registers: a warpgroup converts a box of 64 rows, lays it into shared memory as the swizzle
// of the map wants it, and one thread hands it to TMA. A ring of boxes lets the copies run on.
#ifndef TMAREF_GEMM_EPILOGUE_CUH
#define TMAREF_GEMM_EPILOGUE_CUH

#include "barrier.cuh"
#include "tma.cuh"
#include "wgmma.cuh"

// Two floats to two 16-bit floats, to the nearest, ties to even; `low` goes to the lower half.
template <class Out>
static __device__ __forceinline__ uint32_t pack(float low, float high)
{
    uint32_t packed;
    if (Out::TYPE == GEMM_F16)
        asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(high), "f"(low));
    else
        asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(packed) : "f"(high), "f"(low));
    return packed;
}

// Byte offset, in a box with rows of 64 or 128 bytes and the swizzle of that size, of 16-byte chunk `chunk` of a
// row.
template <uint32_t ROW_BYTES>
static __device__ __forceinline__ uint32_t chunk_offset(uint32_t row, uint32_t chunk)
{
    uint32_t swizzled = chunk ^ (row * ROW_BYTES >> 7 & (ROW_BYTES / 16 - 1));
    return row * ROW_BYTES + swizzled * 16;
}

// v: the warpgroup's accumulators of the box; `thread` of the warpgroup. 16-bit D: matrices 0 to 3 of stmatrix are rows
// 0-7 and 8-15 of a chunk, then of the next; f32: pairs of columns.
template <class Out, uint32_t COLUMNS>
static __device__ __forceinline__ void write_box(uint32_t box, const float (&v)[COLUMNS / 2], uint32_t thread)
{
    uint32_t lane = thread % 32, first = thread / 32 * 16;
    if constexpr (Out::TYPE == GEMM_F32) {
#pragma unroll
        for (uint32_t i = 0; i < COLUMNS / 2; i += 2) {
            uint32_t row = first + lane / 4 + i / 2 % 2 * 8;
            uint32_t to = box + chunk_offset<COLUMNS * 4>(row, i / 4 * 2 + lane % 4 / 2) + lane % 2 * 8;
            asm volatile("st.shared.v2.f32 [%0], {%1, %2};" ::"r"(to), "f"(v[i]), "f"(v[i + 1]) : "memory");
        }
    } else {
#pragma unroll
        for (uint32_t i = 0; i < COLUMNS / 2; i += 8) {
            uint32_t to = box + chunk_offset<COLUMNS * 2>(first + lane % 16, i / 4 + lane / 16);
            asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to),
                         "r"(pack<Out>(v[i], v[i + 1])), "r"(pack<Out>(v[i + 2], v[i + 3])),
                         "r"(pack<Out>(v[i + 4], v[i + 5])), "r"(pack<Out>(v[i + 6], v[i + 7]))
                         : "memory");
        }
    }
}

// The same for the transpose of a box: `COLUMNS` rows of 64 columns of 16 bits, by transposing matrices.
template <class Out, uint32_t COLUMNS>
static __device__ __forceinline__ void write_turned_box(uint32_t box, const float (&v)[COLUMNS / 2], uint32_t thread)
{
    uint32_t lane = thread % 32, chunk = thread / 32 * 2 + lane / 8 % 2;
#pragma unroll
    for (uint32_t i = 0; i < COLUMNS / 2; i += 8) {
        uint32_t to = box + chunk_offset<GEMM_BOX_ROWS * 2>(i * 2 + lane / 16 * 8 + lane % 8, chunk);
        asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(to),
                     "r"(pack<Out>(v[i], v[i + 1])), "r"(pack<Out>(v[i + 2], v[i + 3])),
                     "r"(pack<Out>(v[i + 4], v[i + 5])), "r"(pack<Out>(v[i + 6], v[i + 7]))
                     : "memory");
    }
}

// The ring of BOXES boxes of one warpgroup at `base`. Thread 0 of the warpgroup issues the stores; `barrier` is the
// warpgroup's named barrier. put(box, ...) by all its threads for box 0, 1, .. of a tile.
template <class Out, uint32_t COLUMNS, uint32_t BOXES, bool TURNED>
struct box_ring {
    static constexpr uint32_t BOX_BYTES = COLUMNS * (Out::TYPE == GEMM_F32 ? 4 : 2) * GEMM_BOX_ROWS;
    uint32_t base, barrier, thread;
    uint32_t next = 0;

    // By all threads. With one box, its last copy must have read it before it is written. With more, the copy that read
    // the next box is waited for before the barrier of this one, so that one barrier does for both.
    __device__ __forceinline__ void put(const float (&v)[COLUMNS / 2], const CUtensorMap *map, uint32_t x, uint32_t y,
                                        bool reduce)
    {
        uint32_t box = base + next * BOX_BYTES;
        next = next + 1 == BOXES ? 0 : next + 1;
        if (BOXES == 1) {
            if (thread == 0) ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
            named_barrier_sync(barrier, 128);
        }
        if constexpr (TURNED)
            write_turned_box<Out, COLUMNS>(box, v, thread);
        else
            write_box<Out, COLUMNS>(box, v, thread);
        ptx::fence_proxy_async(ptx::space_shared); // the copy reads what this thread wrote
        if (BOXES > 1 && thread == 0) ptx::cp_async_bulk_wait_group_read(ptx::n32_t<(BOXES > 1 ? BOXES - 2 : 0)>());
        named_barrier_sync(barrier, 128);
        if (thread != 0) return;
        if (reduce)
            tma_reduce_add(map, (int32_t)x, (int32_t)y, box);
        else
            tma_store(map, (int32_t)x, (int32_t)y, box);
        ptx::cp_async_bulk_commit_group();
    }

    __device__ __forceinline__ void drain() const
    {
        if (thread == 0) ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>()); // before the CTA and its boxes go; D is there when the grid has ended
    }
};

#endif
