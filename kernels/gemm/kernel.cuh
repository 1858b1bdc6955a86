// SPDX-License-Identifier: MIT
// The GEMM kernel: warpgroup 0 produces, two warpgroups consume. Cooperative consumers share a tile; in ping-pong each
// has tiles of its own and they take turns at the tensor cores: one multiplies while the other stores. A kernel is a
// GEMM_FUNCTION with what its warpgroups do.
#ifndef TMAREF_GEMM_KERNEL_CUH
#define TMAREF_GEMM_KERNEL_CUH

#include "epilogue.cuh"
#include "pipeline.cuh"
#include "schedule.cuh"
#include "timeline.cuh"

enum named_barriers { WARPGROUP_BARRIER = 1, TURN_BARRIER = 3 }; // and for the second consumer

// What an instance is made of, see gemm_job.h.
template <class In_, class Out_, uint32_t TILE_M_, uint32_t TILE_N_, uint32_t ROWS_, uint32_t COLUMNS_, uint32_t BOXES_,
          bool SPLIT_, bool TIMELINE_, bool GATHER_ = false, bool TURNED_ = false>
struct config {
    using In = In_;
    using Out = Out_;
    static constexpr uint32_t TILE_M = TILE_M_, TILE_N = TILE_N_, ROWS = ROWS_, COLUMNS = COLUMNS_, BOXES = BOXES_;
    static constexpr bool SPLIT = SPLIT_, TIMELINE = TIMELINE_, GATHER = GATHER_, PINGPONG = ROWS * COLUMNS == 1;
    static constexpr bool TURNED = TURNED_; // it computes the transpose of D: wgmma takes B for its A, and A for its B
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
    static constexpr bool LIGHT = !SPLIT && !PINGPONG && !TIMELINE && PART_M * PART_N <= GEMM_LIGHT_AREA;
    // A thread of each warpgroup has so many of 168, or of 80 where two CTAs share an SM.
    static constexpr uint32_t PRODUCER_REGISTERS = LIGHT ? 32 : 40, CONSUMER_REGISTERS = LIGHT ? 104 : 232;
    using schedule = ::schedule<TILE_M, TILE_N, BLOCK_K, SPLIT>;
    using ring = box_ring<Out, BOX_COLUMNS, BOXES, TURNED>;
    using timeline = ::timeline<TIMELINE>;
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

// --- The producer: one thread of each of its warps
// -----------------------------------------------------------------------

// To issue the loads of a block takes a thread some 400 clocks, one step after the other, so the warps share the stages:
// each stage has one warp that waits for it to be empty. A wait asks for a parity; had a stage two warps, one could ask
// for a phase while the phase before it was still open, and would find the parity of the one before that. An instance
// with a timeline has one warp for all.
template <class C>
static constexpr uint32_t PRODUCERS = C::TIMELINE ? 1 : 4;

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

    __device__ __forceinline__ void prefetch(uint32_t x, uint32_t y) const
    {
        tma_prefetch(map, (int32_t)x, (int32_t)(y + (is_shared ? first_row : 0)));
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

    // Has the first blocks of a tile brought to L2.
    __device__ __forceinline__ void prefetch_tile(uint32_t ahead, const tile &t) const
    {
        for (uint32_t i = warp; i < min(ahead, t.block_end - t.block); i += PRODUCERS<C>) {
            a.prefetch((t.block + i) * C::BLOCK_K, t.m);
            b.prefetch((t.block + i) * C::BLOCK_K, t.n);
        }
    }

    __device__ __forceinline__ void load_tile(const shared_state &s, const tile &t, typename C::timeline &events,
                                              uint32_t tile_index)
    {
        for (uint32_t block = t.block; block < t.block_end; block++) {
            if (at.stage % PRODUCERS<C> == warp) {
                uint64_t start = events.now();
                s.pipe.acquire(at);
                events.record(GEMM_EVENT_ACQUIRE, tile_index, at.stage, at.phase, start);
                start = events.now();
                load_block(s, block * C::BLOCK_K, t.m, t.n);
                events.record(GEMM_EVENT_LOAD, tile_index, at.stage, at.phase, start);
            }
            at.advance(s.pipe.stages);
        }
    }
};

// By all threads of a producer's warps: those that issue loads.
template <class C>
static __device__ __forceinline__ bool is_producer()
{
    return threadIdx.x < 32 * PRODUCERS<C> && elect_one();
}

template <class C>
static __device__ __forceinline__ void produce(const gemm_job &job, const shared_state &s)
{
    if (!is_producer<C>()) return;
    typename C::timeline events(job, 0, true);
    typename C::schedule tiles(job, s.at, s.ranks);
    producer<C> me(job, s);
    tile t;
    bool goes_on = tiles.get(job, t);
    if (goes_on) me.prefetch_tile(job.ahead, t);
    wait_for_launch_before();
    for (uint32_t i = 0; goes_on; i++) {
        me.load_tile(s, t, events, i);
        tiles.next();
        goes_on = tiles.get(job, t);
    }
    s.pipe.drain(me.at, me.warp, PRODUCERS<C>);
}

// --- The consumers
// ----------------------------------------------------------------------------------------------------

// All wgmma of a tile. Those of a block are issued before those of the block before are waited for. Calls `issued` when
// the last ones are under way.
template <class C, class Issued>
static __device__ __forceinline__ void multiply_tile(const shared_state &s, uint32_t blocks, pipeline_state &at,
                                                     uint64_t a, uint64_t b, float (&d)[C::HEIGHT][C::REGISTERS],
                                                     typename C::timeline &events, uint32_t tile_index, Issued issued)
{
    uint32_t previous = 0;
    clear(d);
#pragma unroll 1
    for (uint32_t block = 0; block < blocks; block++) {
        uint64_t start = events.now();
        s.pipe.wait(at);
        if (C::GATHER) async_proxy_fence(); // cp.async wrote the stage, and wgmma reads by the asynchronous proxy
        events.record(GEMM_EVENT_WAIT, tile_index, at.stage, at.phase, start);
        start = events.now();
        uint64_t offset = at.stage * (C::STAGE_BYTES >> 4);
        wgmma_fence(); // the accumulators: cleared, or used by the wgmma before
#pragma unroll
        for (uint32_t step = 0; step < GEMM_BLOCK_BYTES / 32; step++)
#pragma unroll
            for (uint32_t i = 0; i < C::HEIGHT; i++)
                wgmma<typename C::In, C::WIDTH>::multiply(
                    d[i], a + offset + 2 * step + i * (64 * GEMM_BLOCK_BYTES >> 4), b + offset + 2 * step);
        wgmma_commit();
        wgmma_wait<1>(); // those of the block before have read their stage
        events.record(GEMM_EVENT_MULTIPLY, tile_index, at.stage, at.phase, start);
        if (block > 0) s.pipe.release(previous);
        if (block > 0) events.record(GEMM_EVENT_RELEASE, tile_index, previous, at.phase, events.now());
        previous = at.stage;
        at.advance(s.pipe.stages);
    }
    issued();
    wgmma_wait<0>(); // the accumulators and the last stage
    hold(d);
    if (blocks > 0) s.pipe.release(previous);
    events.record(GEMM_EVENT_RELEASE, tile_index, previous, at.phase, events.now());
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
    typename C::timeline events(job, 1 + me.index, me.thread == 0);
    typename C::schedule tiles(job, s.at, s.ranks);
    pipeline_state at;
    tile t;
    wait_for_launch_before();
    for (uint32_t i = 0; tiles.get(job, t); i++, tiles.next()) {
        float d[C::HEIGHT][C::REGISTERS];
        multiply_tile<C>(s, t.block_end - t.block, at, me.a, me.b, d, events, i, [] {});
        uint64_t start = events.now();
        store_part<C>(me.ring, s.d, t.m + me.m, t.n + me.n, false, d);
        events.record(GEMM_EVENT_EPILOGUE, i, 0, 0, start);
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
    typename C::timeline events(job, 1 + me.index, me.thread == 0);
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
        uint64_t start = events.now();
        named_barrier_sync(TURN_BARRIER + me.index, 256);
        events.record(GEMM_EVENT_ORDER, i, 0, 0, start);
        tiles.next();
        bool other_goes_on = tiles.index < tiles.count;
        multiply_tile<C>(s, tiles.blocks, at, me.a, me.b, d, events, i, [&] {
            if (other_goes_on) named_barrier_arrive(TURN_BARRIER + (me.index ^ 1), 256);
        });
        start = events.now();
        store_part<C>(me.ring, s.d, t.m, t.n, false, d);
        events.record(GEMM_EVENT_EPILOGUE, i, 0, 0, start);
        at.skip(tiles.blocks, s.pipe.stages);
        tiles.next();
    }
    me.ring.drain();
    if (at.patience == 0) fail();
}

// --- The kernel
// -------------------------------------------------------------------------------------------------------

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
    uint32_t rank = cluster_rank();
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

// Zeros, over which TMA writes: that of this CTA, and that of the others by multicast.
static __device__ __forceinline__ void clear_stages(uint32_t bytes)
{
#pragma unroll 1
    for (uint32_t at = 16 * threadIdx.x; at < bytes; at += 16 * GEMM_THREADS)
        asm volatile("st.shared.v4.b32 [%0], {%1, %1, %1, %1};" ::"r"(shared_base() + at), "r"(0) : "memory");
    async_proxy_fence();
    cluster_fence();
}

// All of the CTA's loads and wgmma are done, and its peers have sent their last releases.
static __device__ __forceinline__ void dump_shared(char *to, uint32_t stages_bytes, uint32_t barriers, uint32_t count)
{
    for (uint32_t at = 4 * threadIdx.x; at < stages_bytes; at += 4 * GEMM_THREADS) {
        uint32_t word;
        asm volatile("ld.shared.b32 %0, [%1];" : "=r"(word) : "r"(shared_base() + at) : "memory");
        *(uint32_t *)(to + at) = word;
    }
    for (uint32_t i = threadIdx.x; i < count; i += GEMM_THREADS)
        *(uint64_t *)(to + stages_bytes + 8 * i) = mbarrier_final_word(barriers + 8 * i);
}

// `produce` is for all warps of warpgroup 0, `consume` for the others.
template <class C, class Produce, class Consume>
static __device__ __forceinline__ void gemm(const CUtensorMap &a, const CUtensorMap &b, const CUtensorMap &d,
                                            const gemm_job &job, Produce produce, Consume consume)
{
    let_next_launch_begin();
    if (job.dump) clear_stages(job.stages * C::STAGE_BYTES);
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
        asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(C::PRODUCER_REGISTERS));
        produce(job, s);
        __syncwarp();
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(C::CONSUMER_REGISTERS));
        consume(job, s);
    }
    if (!job.dump || blockIdx.x != 0) return;
    __syncthreads(); // all loads have come to a consumer, all releases to the producer
    dump_shared((char *)job.dump, job.stages * C::STAGE_BYTES, s.pipe.full, 2 * job.stages);
}

// The function of an instance of gemm_job.h, with config C.
#define GEMM_FUNCTION(name, produce, consume, ...)                                                                     \
    extern "C" __global__ void __launch_bounds__(GEMM_THREADS, config<__VA_ARGS__>::LIGHT ? 2 : 1)                     \
        name(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,                             \
             const __grid_constant__ CUtensorMap d, const __grid_constant__ gemm_job job)                              \
    {                                                                                                                  \
        using C = config<__VA_ARGS__>;                                                                                 \
        gemm<C>(a, b, d, job, produce<C>, consume<C>);                                                                 \
    }

#endif
