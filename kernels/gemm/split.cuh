// SPDX-License-Identifier: MIT
// Split-K: the CTAs that share a tile have a part of k each, and their sums are added at the end. Either in the order
// of the parts through distributed shared memory (the CTAs are one cluster, each adds and stores some of the boxes; D
// may be of 16 bits), or by TMA reductions to a D of f32 in global memory, in whichever order they come.
#ifndef TMAREF_GEMM_SPLIT_CUH
#define TMAREF_GEMM_SPLIT_CUH

#include "kernel.cuh"

// Where accumulators 4 * `quad` .. of a thread of a consumer lie in its CTA: over the stages, which are free by then.
template <class C>
static __device__ __forceinline__ uint32_t part_address(uint32_t index, uint32_t quad, uint32_t thread)
{
    return shared_base() + ((index * (C::HEIGHT * C::REGISTERS / 4) + quad) * 128 + thread) * 16;
}

template <class C>
static __device__ __forceinline__ void leave_part(const consumer<C> &me, const float (&d)[C::HEIGHT][C::REGISTERS])
{
#pragma unroll
    for (uint32_t i = 0; i < C::HEIGHT; i++)
#pragma unroll
        for (uint32_t j = 0; j < C::REGISTERS; j += 4)
            asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(
                             part_address<C>(me.index, (i * C::REGISTERS + j) / 4, me.thread)),
                         "f"(d[i][j]), "f"(d[i][j + 1]), "f"(d[i][j + 2]), "f"(d[i][j + 3])
                         : "memory");
}

// Adds the parts of a box in ascending order: ((part 0 + part 1) + part 2) + ..
template <class C>
static __device__ __forceinline__ void add_parts(const consumer<C> &me, uint32_t box, const shared_state &s,
                                                 uint32_t splits, float (&v)[C::BOX_REGISTERS])
{
    uint32_t size = s.ranks / splits, in_split = s.at.n * (__popc(s.at.mask_b)) + s.at.m;
    for (uint32_t part = 0; part < splits; part++) {
        uint32_t first = part_address<C>(me.index, box * (C::BOX_REGISTERS / 4), me.thread);
        uint32_t from = map_to_rank(first, part * size + in_split);
#pragma unroll
        for (uint32_t i = 0; i < C::BOX_REGISTERS; i += 4) {
            float x[4];
            asm volatile("ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [%4];"
                         : "=f"(x[0]), "=f"(x[1]), "=f"(x[2]), "=f"(x[3])
                         : "r"(from + i / 4 * 128 * 16)
                         : "memory");
#pragma unroll
            for (uint32_t j = 0; j < 4; j++) v[i + j] = part == 0 ? x[j] : v[i + j] + x[j];
        }
    }
}

// Part `split` of `splits` adds its share of the boxes of the tile.
template <class C>
static __device__ __forceinline__ void add_and_store(consumer<C> &me, const shared_state &s, const tile &t,
                                                     uint32_t splits)
{
    constexpr uint32_t ACROSS = C::REGISTERS / C::BOX_REGISTERS;
    uint32_t first = C::BOX_COUNT * t.split / splits, end = C::BOX_COUNT * (t.split + 1) / splits;
    for (uint32_t box = first; box < end; box++) {
        float v[C::BOX_REGISTERS];
        add_parts(me, box, s, splits, v);
        me.ring.put(v, s.d, t.n + me.n + box % ACROSS * C::BOX_COLUMNS, t.m + me.m + box / ACROSS * GEMM_BOX_ROWS,
                    false);
    }
}

// The cluster meets twice in a tile: when all parts lie in shared memory, and when all of them are read. The threads
// that neither load nor multiply come along.
static __device__ __forceinline__ void meet_twice()
{
    cluster_sync();
    cluster_sync();
}

template <class C>
static __device__ __forceinline__ void produce_parts(const gemm_job &job, const shared_state &s)
{
    typename C::timeline events(job, 0, threadIdx.x == 0);
    typename C::schedule tiles(job, s.at, s.ranks);
    bool meets = job.splits > 1 && !job.reduce;
    pipeline_state at = {0, 0};
    tile t;
    for (uint32_t i = 0; tiles.get(job, t); i++, tiles.next()) {
        if (threadIdx.x == 0) load_tile<C>(job, s, t, at, events, i);
        __syncwarp();
        if (meets) meet_twice();
    }
}

template <class C>
static __device__ __forceinline__ void consume_parts(const gemm_job &job, const shared_state &s)
{
    consumer<C> me(s);
    typename C::timeline events(job, 1 + me.index, me.thread == 0);
    typename C::schedule tiles(job, s.at, s.ranks);
    bool meets = job.splits > 1 && !job.reduce;
    pipeline_state at = {0, 0};
    tile t;
    for (uint32_t i = 0; tiles.get(job, t); i++, tiles.next()) {
        float d[C::HEIGHT][C::REGISTERS];
        if (t.block == t.block_end) {
#pragma unroll
            for (uint32_t j = 0; j < C::HEIGHT * C::REGISTERS; j++) d[j / C::REGISTERS][j % C::REGISTERS] = 0;
        }
        multiply_tile<C>(s, t.block_end - t.block, at, me.a, me.b, d, events, i, [] {});
        uint64_t start = events.now();
        if (meets) {
            named_barrier_sync(CONSUMERS_BARRIER, 128 * GEMM_CONSUMERS); // both have read their stages
            leave_part(me, d);
            cluster_sync();
            add_and_store(me, s, t, job.splits);
            async_proxy_fence(); // the next loads write where the parts lay
            cluster_sync();
        } else {
            store_part<C>(me.ring, s.d, t.m + me.m, t.n + me.n, job.reduce, d);
        }
        events.record(GEMM_EVENT_EPILOGUE, i, 0, 0, start);
    }
    me.ring.drain();
}

#endif
