// SPDX-License-Identifier: MIT
// The GEMM kernel: warpgroup 0 produces, two warpgroups consume. Cooperative consumers share a tile; in ping-pong each
// has tiles of its own and they take turns at the tensor cores: one multiplies while the other stores. A kernel is a
// GEMM_FUNCTION with what its warpgroups do.
#ifndef TMAREF_GEMM_KERNEL_CUH
#define TMAREF_GEMM_KERNEL_CUH

#include "dump.cuh"
#include "epilogue.cuh"
#include "pipeline.cuh"
#include "schedule.cuh"
#include "timeline.cuh"

// Of a thread in its role; the kernel starts with 168.
static constexpr uint32_t PRODUCER_REGISTERS = 40, CONSUMER_REGISTERS = 232;

enum named_barriers { WARPGROUP_BARRIER = 1, TURN_BARRIER = 3 }; // and for the second consumer

// The ways of a kernel, of which an instance has one.
struct plain {
    static constexpr bool SPLIT = false;  // it can cut k
    static constexpr bool GATHER = false; // cp.async copies rows, not TMA boxes
    static constexpr bool TURNED = false; // it computes the transpose of D: wgmma takes B for its A, and A for its B
    // To issue the loads of a block takes a thread some 400 clocks, one step after the other, so these warps share the
    // stages: each stage has one warp that waits for it to be empty. A wait asks for a parity; had a stage two warps,
    // one could ask for a phase while the phase before it was still open, and would find the parity of the one before
    // that.
    static constexpr uint32_t PRODUCERS = 4;
    using watch = unwatched;
};
struct turned : plain {
    static constexpr bool TURNED = true;
};
struct split : plain {
    static constexpr bool SPLIT = true;
};
struct turned_split : split {
    static constexpr bool TURNED = true;
};
struct gathered : split {
    static constexpr bool GATHER = true;
};
template <class Way>
struct watched : Way {
    static constexpr uint32_t PRODUCERS = 1; // one speaks for the warpgroup
    using watch = timeline;
};

// What an instance is made of, see gemm_job.h.
template <class Way, class In_, class Out_, uint32_t TILE_M_, uint32_t TILE_N_, uint32_t ROWS_, uint32_t COLUMNS_,
          uint32_t BOXES_, uint32_t /*PACE*/ = 100>
struct config : Way {
    using In = In_;
    using Out = Out_;
    using Way::SPLIT, Way::TURNED;
    static constexpr uint32_t TILE_M = TILE_M_, TILE_N = TILE_N_, ROWS = ROWS_, COLUMNS = COLUMNS_, BOXES = BOXES_;
    static constexpr bool PINGPONG = ROWS * COLUMNS == 1;
    static constexpr uint32_t PART_M = TILE_M / ROWS, PART_N = TILE_N / COLUMNS; // of a warpgroup
    static constexpr uint32_t HEIGHT = (TURNED ? PART_N : PART_M) / 64;          // instructions on top of each other
    static constexpr uint32_t WIDTH = TURNED ? PART_M : PART_N;                  // and how wide they are
    static constexpr uint32_t REGISTERS = WIDTH / 2;                             // accumulators of one
    static constexpr uint32_t BLOCK_K = GEMM_BLOCK_BYTES / (In::TYPE == GEMM_BF16 || In::TYPE == GEMM_F16 ? 2 : 1);
    static constexpr uint32_t A_BYTES = TILE_M * GEMM_BLOCK_BYTES;
    static constexpr uint32_t STAGE_BYTES = (TILE_M + TILE_N) * GEMM_BLOCK_BYTES;
    static constexpr uint32_t OUT_BYTES = Out::TYPE == GEMM_F32 ? 4 : 2;
    static constexpr uint32_t PART_COLUMNS = WIDTH <= 32 ? 16 : 32; // see gemm_box_columns()
    static constexpr uint32_t BOX_WIDEST = 128 / OUT_BYTES;
    static constexpr uint32_t BOX_COLUMNS = SPLIT ? (WIDTH % PART_COLUMNS == 0 ? PART_COLUMNS : PART_COLUMNS / 2)
                                            : WIDTH % BOX_WIDEST == 0 ? BOX_WIDEST
                                            : WIDTH >= BOX_WIDEST / 2 ? BOX_WIDEST / 2
                                                                      : BOX_WIDEST / 4;
    static constexpr uint32_t BOX_REGISTERS = BOX_COLUMNS / 2;
    static constexpr uint32_t BOXES_ACROSS = (WIDTH + BOX_COLUMNS - 1) / BOX_COLUMNS;
    static constexpr uint32_t BOX_COUNT = HEIGHT * BOXES_ACROSS; // of a part
    // Where a box begins in the width: the last one ends with it.
    static __device__ __forceinline__ constexpr uint32_t box_column(uint32_t box)
    {
        uint32_t column = box % BOXES_ACROSS * BOX_COLUMNS;
        return !SPLIT && column > WIDTH - BOX_COLUMNS ? WIDTH - BOX_COLUMNS : column;
    }
    using schedule = ::schedule<TILE_M, TILE_N, BLOCK_K, SPLIT>;
    using ring = box_ring<Out, BOX_COLUMNS, BOXES, TURNED>;
};

// What all roles know.
struct shared_state {
    const CUtensorMap *a, *b, *d;
    place at;
    uint32_t ranks;
    pipeline pipe;
    uint32_t base;   // the shared address of stage 0, with the CTA's rank in the bits above the window
    uint32_t boxes;  // of the consumers' boxes
    uint32_t landed; // the barriers of both consumers for what other parts of a split send
};

// GEMM_SHARED_START of this CTA: where dynamic shared memory begins in a kernel without static.
static __device__ __forceinline__ uint32_t shared_base()
{
    extern __shared__ __align__(1024) char dynamic[];
    return (uint32_t)__cvta_generic_to_shared(dynamic);
}

// Every tile starts from zeros.
template <uint32_t HEIGHT, uint32_t COUNT>
static __device__ __forceinline__ void clear(float (&d)[HEIGHT][COUNT])
{
#pragma unroll
    for (uint32_t i = 0; i < HEIGHT; i++)
#pragma unroll
        for (uint32_t j = 0; j < COUNT; j++) d[i][j] = 0;
}

// Keeps the compiler from reading accumulators before the wait in front of this.
template <uint32_t HEIGHT, uint32_t COUNT>
static __device__ __forceinline__ void hold(float (&d)[HEIGHT][COUNT])
{
#pragma unroll
    for (uint32_t i = 0; i < HEIGHT; i++)
#pragma unroll
        for (uint32_t j = 0; j < COUNT; j++) asm volatile("" : "+f"(d[i][j])::"memory");
}

// --- The producer: one thread of each of its warps -------------------------------------------------------------------

// What a CTA loads of an operand's blocks: its share of the rows that it has in common with others of its cluster, and
// sends to all of them (`mask`); else all rows.
struct operand_share {
    const CUtensorMap *map;
    uint32_t first_row, mask; // of a block
    bool is_shared;

    __device__ __forceinline__ operand_share(const CUtensorMap *map, uint32_t rows, uint32_t rank, uint32_t ranks,
                                             uint32_t mask)
        : map(map), first_row(rank * (rows >> exponent(ranks))), mask(mask), is_shared(ranks > 1)
    {
    }

    __device__ __forceinline__ void load(uint32_t to, uint32_t x, uint32_t y, uint32_t barrier) const
    {
        if (is_shared)
            tma_load_multicast(to + first_row * GEMM_BLOCK_BYTES, map, (int32_t)x, (int32_t)(y + first_row), barrier,
                               mask);
        else
            tma_load(to, map, (int32_t)x, (int32_t)y, barrier);
    }
};

template <class C>
struct producer {
    operand_share a, b;
    uint32_t warp;
    pipeline_state at;

    __device__ __forceinline__ producer(const gemm_job &job, const shared_state &s)
        : a(s.a, C::TILE_M, s.at.n, job.cluster_n, s.at.mask_a), b(s.b, C::TILE_N, s.at.m, job.cluster_m, s.at.mask_b),
          warp(threadIdx.x / 32)
    {
    }

    __device__ __forceinline__ void load_block(const shared_state &s, uint32_t k, uint32_t m, uint32_t n)
    {
        uint32_t to = s.base + at.stage * C::STAGE_BYTES;
        uint32_t full = s.pipe.commit(at, C::STAGE_BYTES);
        a.load(to, k, m, full);
        b.load(to + C::A_BYTES, k, n, full);
    }

    __device__ __forceinline__ void load_tile(const shared_state &s, const tile &t, typename C::watch &watch, uint32_t i)
    {
        for (uint32_t block = t.block; block < t.block_end; block++) {
            if (at.stage % C::PRODUCERS == warp) {
                watch.step(GEMM_EVENT_ACQUIRE, i, at, [&] { s.pipe.acquire(at); });
                watch.step(GEMM_EVENT_LOAD, i, at, [&] { load_block(s, block * C::BLOCK_K, t.m, t.n); });
            }
            at.advance(s.pipe.stages);
        }
    }
};

// By all threads of a producer's warps: those that issue loads.
template <class C>
static __device__ __forceinline__ bool is_producer()
{
    return threadIdx.x < 32 * C::PRODUCERS && elect_one();
}

template <class C>
static __device__ __forceinline__ void produce(const gemm_job &job, const shared_state &s)
{
    if (!is_producer<C>()) return;
    typename C::watch watch(job, 0, true);
    typename C::schedule tiles(job, s.at, s.ranks);
    producer<C> me(job, s);
    tile t;
    bool goes_on = tiles.first(job, t);
    for (uint32_t i = 0; goes_on; i++, goes_on = tiles.next(job, t)) me.load_tile(s, t, watch, i);
    s.pipe.drain(me.at, me.warp, C::PRODUCERS);
}

// --- The consumers ---------------------------------------------------------------------------------------------------

// The wgmma of a block, behind which those of the block before are waited for: they have read their stage.
template <class C>
static __device__ __forceinline__ void multiply_block(uint64_t a, uint64_t b, float (&d)[C::HEIGHT][C::REGISTERS])
{
    wgmma_fence(); // the accumulators: cleared, or used by the wgmma before
#pragma unroll
    for (uint32_t step = 0; step < GEMM_BLOCK_BYTES / 32; step++)
#pragma unroll
        for (uint32_t i = 0; i < C::HEIGHT; i++)
            wgmma<typename C::In, C::WIDTH>::multiply(d[i], a + 2 * step + i * (64 * GEMM_BLOCK_BYTES >> 4),
                                                      b + 2 * step);
    wgmma_commit();
    wgmma_wait<1>();
}

// All wgmma of a tile. Calls `issued` when the last ones are under way.
template <class C, class Issued>
static __device__ __forceinline__ void multiply_tile(const shared_state &s, uint32_t blocks, pipeline_state &at,
                                                     uint64_t a, uint64_t b, float (&d)[C::HEIGHT][C::REGISTERS],
                                                     typename C::watch &watch, uint32_t i, Issued issued)
{
    ring_place previous;
    const auto release = [&] { s.pipe.release(previous.stage); };
    clear(d);
#pragma unroll 1
    for (uint32_t block = 0; block < blocks; block++) {
        watch.step(GEMM_EVENT_WAIT, i, at, [&] { s.pipe.wait(at); });
        if (C::GATHER) ptx::fence_proxy_async(ptx::space_shared); // cp.async wrote the stage, not the proxy of wgmma
        uint64_t offset = at.stage * (C::STAGE_BYTES >> 4);
        watch.step(GEMM_EVENT_MULTIPLY, i, at, [&] { multiply_block<C>(a + offset, b + offset, d); });
        if (block > 0) watch.step(GEMM_EVENT_RELEASE, i, previous, release);
        previous = at;
        at.advance(s.pipe.stages);
    }
    issued();
    wgmma_wait<0>(); // the accumulators and the last stage
    hold(d);
    if (blocks > 0) watch.step(GEMM_EVENT_RELEASE, i, previous, release);
}

// Box `box` of the accumulators.
template <class C>
static __device__ __forceinline__ void box_of(const float (&d)[C::HEIGHT][C::REGISTERS], uint32_t box,
                                              float (&v)[C::BOX_REGISTERS])
{
#pragma unroll
    for (uint32_t i = 0; i < C::BOX_REGISTERS; i++) v[i] = d[box / C::BOXES_ACROSS][C::box_column(box) / 2 + i];
}

// Box `box` of a part of D that begins at m, n.
template <class C>
static __device__ __forceinline__ void put_box(typename C::ring &ring, const CUtensorMap *map, uint32_t m, uint32_t n,
                                               uint32_t box, bool reduce, const float (&v)[C::BOX_REGISTERS])
{
    uint32_t down = box / C::BOXES_ACROSS * GEMM_BOX_ROWS, across = C::box_column(box);
    ring.put(v, map, n + (C::TURNED ? down : across), m + (C::TURNED ? across : down), reduce);
}

// m, n: where the warpgroup's part of D begins.
template <class C>
static __device__ __forceinline__ void store_part(typename C::ring &ring, const CUtensorMap *map, uint32_t m,
                                                  uint32_t n, bool reduce, float (&d)[C::HEIGHT][C::REGISTERS])
{
#pragma unroll
    for (uint32_t box = 0; box < C::BOX_COUNT; box++) {
        float v[C::BOX_REGISTERS];
        box_of<C>(d, box, v);
        put_box<C>(ring, map, m, n, box, reduce, v);
    }
}

// What a consumer warpgroup starts from.
template <class C>
struct consumer {
    uint32_t index, thread; // the warpgroup among the consumers, the thread in the warpgroup
    uint32_t m, n;          // where its part begins in a tile
    uint64_t a, b;          // descriptors of its part of stage 0, as wgmma takes them
    typename C::ring ring;

    __device__ __forceinline__ consumer(const shared_state &s)
    {
        index = __shfl_sync(0xffffffff, threadIdx.x / 128, 0) - 1;
        thread = threadIdx.x % 128;
        m = C::PINGPONG ? 0 : index / C::COLUMNS * C::PART_M;
        n = C::PINGPONG ? 0 : index % C::COLUMNS * C::PART_N;
        uint64_t of_a = wgmma_descriptor(GEMM_SHARED_START + m * GEMM_BLOCK_BYTES);
        uint64_t of_b = wgmma_descriptor(GEMM_SHARED_START + C::A_BYTES + n * GEMM_BLOCK_BYTES);
        a = C::TURNED ? of_b : of_a;
        b = C::TURNED ? of_a : of_b;
        ring = {s.boxes + index * C::BOXES * C::ring::BOX_BYTES, WARPGROUP_BARRIER + index, thread};
    }
};

template <class C>
static __device__ __forceinline__ void consume(const gemm_job &job, const shared_state &s)
{
    consumer<C> me(s);
    typename C::watch watch(job, 1 + me.index, me.thread == 0);
    typename C::schedule tiles(job, s.at, s.ranks);
    pipeline_state at;
    tile t;
    wait_for_launch_before();
    for (uint32_t i = 0; tiles.get(job, t); i++, tiles.next()) {
        float d[C::HEIGHT][C::REGISTERS];
        multiply_tile<C>(s, t.block_end - t.block, at, me.a, me.b, d, watch, i, [] {});
        watch.step(GEMM_EVENT_EPILOGUE, i, {}, [&] {
            store_part<C>(me.ring, s.d, t.m + me.m, t.n + me.n, false, d);
        });
    }
    me.ring.drain();
    if (at.patience == 0) fail();
}

// Consumer 0 has the CTA's tiles 0, 2, .., consumer 1 the others. Each waits for its turn before its first wgmma and
// gives it away after its last.
template <class C>
static __device__ __forceinline__ void consume_in_turns(const gemm_job &job, const shared_state &s)
{
    consumer<C> me(s);
    typename C::watch watch(job, 1 + me.index, me.thread == 0);
    typename C::schedule tiles(job, s.at, s.ranks);
    pipeline_state at;
    tile t;
    wait_for_launch_before();
    if (me.index == 1) {
        named_barrier_arrive(TURN_BARRIER, 256);
        at.skip(tiles.blocks, s.pipe.stages);
        tiles.next();
    }
    for (uint32_t i = me.index; tiles.get(job, t); i += 2) {
        float d[C::HEIGHT][C::REGISTERS];
        watch.step(GEMM_EVENT_ORDER, i, {}, [&] { named_barrier_sync(TURN_BARRIER + me.index, 256); });
        tiles.next();
        bool other_goes_on = tiles.index < tiles.count;
        multiply_tile<C>(s, tiles.blocks, at, me.a, me.b, d, watch, i, [&] {
            if (other_goes_on) named_barrier_arrive(TURN_BARRIER + (me.index ^ 1), 256);
        });
        watch.step(GEMM_EVENT_EPILOGUE, i, {}, [&] { store_part<C>(me.ring, s.d, t.m, t.n, false, d); });
        at.skip(tiles.blocks, s.pipe.stages);
        tiles.next();
    }
    me.ring.drain();
    if (at.patience == 0) fail();
}

// --- The kernel ------------------------------------------------------------------------------------------------------

// A consumer releases a stage once for each of its warps, to every CTA whose loads go to it: those that share its A and
// those that share its B. Lane i of a warp tells the i-th of them.
template <class C>
static __device__ __forceinline__ shared_state set_up(const gemm_job &job)
{
    uint32_t base = shared_base();
    uint32_t boxes = base + job.stages * C::STAGE_BYTES;
    uint32_t full = boxes + GEMM_CONSUMERS * C::BOXES * C::ring::BOX_BYTES, empty = full + 8 * job.stages;
    uint32_t landed = empty + 8 * job.stages;
    uint32_t size = job.cluster_m * job.cluster_n * (C::SPLIT ? gemm_splits_in_cluster(&job) : 1);
    uint32_t rank = ptx::get_sreg_cluster_ctarank();
    place at = place_of(job, rank);
    uint32_t lane = threadIdx.x % 32;
    uint32_t peers = at.mask_a | at.mask_b;
    bool is_peer = peers >> lane & 1;

    if (threadIdx.x == 0) {
#pragma unroll 1
        for (uint32_t i = 0; i < job.stages; i++) {
            mbarrier_init(full + 8 * i, C::GATHER ? GEMM_GATHERERS : 1);
            mbarrier_init(empty + 8 * i, (C::PINGPONG ? 1 : GEMM_CONSUMERS) * 4 * __popc(peers));
        }
        for (uint32_t i = 0; i < GEMM_CONSUMERS; i++) mbarrier_init(landed + 8 * i, 1);
        mbarrier_init_fence();
    }
    uint32_t peer = map_to_rank(empty, is_peer ? lane : 0);
    pipeline pipe = {full, empty, job.stages, peer, is_peer, lane == rank, peers != 1u << rank};
    return shared_state{nullptr, nullptr, nullptr, at, size, pipe, base, boxes, landed};
}

// `produce` is for all warps of warpgroup 0, `consume` for the others.
template <class C, class Produce, class Consume>
static __device__ __forceinline__ void gemm(const CUtensorMap &a, const CUtensorMap &b, const CUtensorMap &d,
                                            const gemm_job &job, Produce produce, Consume consume)
{
    let_next_launch_begin();
    prepare_dump(job, shared_base(), job.stages * C::STAGE_BYTES);
    if (threadIdx.x == 0) {
        tma_prefetch_map(&a);
        tma_prefetch_map(&b);
        tma_prefetch_map(&d);
    }
    shared_state s = set_up<C>(job);
    s.a = &a;
    s.b = &b;
    s.d = &d;
    __syncthreads();
    if (s.ranks > 1) cluster_sync_relaxed(); // every CTA has its barriers (fence.mbarrier_init released them)
    if (threadIdx.x < 128) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(PRODUCER_REGISTERS));
        produce(job, s);
        __syncwarp();
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(CONSUMER_REGISTERS));
        consume(job, s);
    }
    take_dump(job, shared_base(), job.stages * C::STAGE_BYTES, s.pipe.full);
}

// The function of an instance of gemm_job.h, in one of the ways.
#define GEMM_FUNCTION(way, produce, consume, suffix, kernel, in, out, m, n, ...)                                       \
    extern "C" __global__ void __launch_bounds__(GEMM_THREADS, 1) gemm_##kernel##_##in##_##out##_##m##x##n##suffix(    \
        const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,                                  \
        const __grid_constant__ CUtensorMap d, const __grid_constant__ gemm_job job)                                   \
    {                                                                                                                  \
        using C = config<way, in, out, m, n, __VA_ARGS__>;                                                             \
        gemm<C>(a, b, d, job, produce<C>, consume<C>);                                                                 \
    }

#endif
