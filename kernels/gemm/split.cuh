// SPDX-License-Identifier: MIT
// Split-K: the CTAs that share a tile have a part of k each, and their sums are added at the end, in the order of the
// parts: each CTA owns some of the boxes of D, and sends the others what it has of theirs. They go through distributed
// shared memory (the CTAs are one cluster) or, with a workspace, through L2: more bytes in a clock, and no cluster to
// find room for. Or TMA reductions add the parts to a D of f32 in whichever order they come.
#ifndef TMAREF_GEMM_SPLIT_CUH
#define TMAREF_GEMM_SPLIT_CUH

#include "kernel.cuh"

// What both ways have in common: of a warpgroup's boxes, part `p` owns first(p) to first(p + 1) - 1. Each box that is
// sent has a place: 128 threads, four floats at a time.
template <class C>
struct exchange {
    static constexpr uint32_t BOX_FLOAT_BYTES = C::BOX_REGISTERS * 4 * 128;
    static constexpr uint32_t QUADS_BYTES = 128 * 16; // from four floats of a thread to its next four
    uint32_t splits, split;
    uint32_t index, thread; // of the consumer, and in it

    __device__ __forceinline__ uint32_t first(uint32_t part) const
    {
        return C::BOX_COUNT * part / splits;
    }

    __device__ __forceinline__ uint32_t owner(uint32_t box) const
    {
        return ((box + 1) * splits - 1) / C::BOX_COUNT;
    }

    // False for some of more parts than boxes, and for what is no part.
    __device__ __forceinline__ bool owns(uint32_t part) const
    {
        return part < splits && first(part) < first(part + 1);
    }
};

// Through distributed shared memory: boxes land over the owner's stages, once all stages of the cluster are free, and
// the owner's barrier counts their bytes.
template <class C>
struct cluster_exchange : exchange<C> {
    uint32_t ranks_of_part, rank_in_part; // the CTAs of the cluster that have a part, and which of them this is
    uint32_t landed;                      // the consumer's barrier
    uint32_t phase, patience;

    // Offset, among what part `to` gets, of a box of part `from`.
    __device__ __forceinline__ uint32_t place_of(uint32_t from, uint32_t to, uint32_t box) const
    {
        uint32_t sender = from < to ? from : from - 1, most = (C::BOX_COUNT - 1) / this->splits + 1;
        uint32_t boxes = (sender * GEMM_CONSUMERS + this->index) * most + box - this->first(to);
        return boxes * exchange<C>::BOX_FLOAT_BYTES + this->thread * 16;
    }

    // The wgmma of the whole cluster have read their stages. Relaxed: nothing that a thread wrote is handed over.
    __device__ __forceinline__ void begin() const
    {
        uint32_t own = this->first(this->split + 1) - this->first(this->split);
        if (this->thread == 0)
            mbarrier_arrive_expect_tx(landed, own * (this->splits - 1) * exchange<C>::BOX_FLOAT_BYTES);
        cluster_sync_relaxed();
    }

    __device__ __forceinline__ void send(uint32_t box, const float (&v)[C::BOX_REGISTERS]) const
    {
        uint32_t to = this->owner(box), rank = to * ranks_of_part + rank_in_part;
        uint32_t at = map_to_rank(shared_base() + this->place_of(this->split, to, box), rank);
        uint32_t barrier = map_to_rank(landed, rank);
#pragma unroll
        for (uint32_t i = 0; i < C::BOX_REGISTERS; i += 4)
            asm volatile("st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 [%0], {%1, %2, %3, %4}, "
                         "[%5];" ::"r"(at + i / 4 * this->QUADS_BYTES),
                         "f"(v[i]), "f"(v[i + 1]), "f"(v[i + 2]), "f"(v[i + 3]), "r"(barrier)
                         : "memory");
    }

    __device__ __forceinline__ void wait()
    {
        mbarrier_wait_cluster(landed, phase, patience);
        phase ^= 1;
    }

    __device__ __forceinline__ void fetch(uint32_t part, uint32_t box, uint32_t quad, float (&x)[4]) const
    {
        uint32_t from = shared_base() + this->place_of(part, this->split, box) + quad * this->QUADS_BYTES;
        asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                     : "=f"(x[0]), "=f"(x[1]), "=f"(x[2]), "=f"(x[3])
                     : "r"(from)
                     : "memory");
    }

    __device__ __forceinline__ void end() const
    {
        ptx::fence_proxy_async(ptx::space_shared); // the next loads write where the boxes lay, which this thread has read
    }
};

// Through a workspace in global memory: places for all boxes of all parts, and for each consumer and group (the boxes
// that one part owns) of a tile a counter of the parts that brought theirs, zero between launches. Nobody waits for a
// CTA that may not run: whoever comes last to a group adds it. Where the parts run side by side that is the owner, who
// looks for the others' boxes for a while and then need not bring its own.
template <class C>
struct memory_exchange : exchange<C> {
    static constexpr uint32_t LOOKS = 8;             // at a counter, each some 700 clocks
    static constexpr uint32_t THREADS_PER_GROUP = 128 / GEMM_MAX_SPLITS_IN_MEMORY; // the first speaks for its group
    char *places;       // of this tile
    uint32_t *counters; // of this tile and consumer; GEMM_CONSUMERS to that of the next group

    __device__ __forceinline__ memory_exchange(const exchange<C> &base, const gemm_job &job, uint32_t tile)
        : exchange<C>(base)
    {
        counters = (uint32_t *)job.workspace + tile * this->splits * GEMM_CONSUMERS + this->index;
        places = (char *)job.workspace + GEMM_COUNTERS * 4 +
                 (uint64_t)tile * this->splits * C::TILE_M * C::TILE_N * 4;
    }

    __device__ __forceinline__ char *place_of(uint32_t from, uint32_t box) const
    {
        uint32_t boxes = (from * GEMM_CONSUMERS + this->index) * C::BOX_COUNT + box;
        return places + (uint64_t)boxes * exchange<C>::BOX_FLOAT_BYTES + this->thread * 16;
    }

    __device__ __forceinline__ void send(uint32_t box, const float (&v)[C::BOX_REGISTERS]) const
    {
        char *at = place_of(this->split, box);
#pragma unroll
        for (uint32_t i = 0; i < C::BOX_REGISTERS; i += 4)
            asm volatile("st.global.cg.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(at + i / 4 * this->QUADS_BYTES), "f"(v[i]),
                         "f"(v[i + 1]), "f"(v[i + 2]), "f"(v[i + 3])
                         : "memory");
    }

    __device__ __forceinline__ void fetch(uint32_t part, uint32_t box, uint32_t quad, float (&x)[4]) const
    {
        asm volatile("ld.global.cg.v4.f32 {%0, %1, %2, %3}, [%4];"
                     : "=f"(x[0]), "=f"(x[1]), "=f"(x[2]), "=f"(x[3])
                     : "l"(place_of(part, box) + quad * this->QUADS_BYTES)
                     : "memory");
    }

    __device__ __forceinline__ bool speaks_for(uint32_t group) const
    {
        return this->thread == group * THREADS_PER_GROUP;
    }

    // True in the thread that speaks for a group which has now been brought all boxes. Behind the warpgroup's barrier:
    // .release is of all that the warpgroup stored, .acquire lets it read, behind its next barrier, what others stored.
    __device__ __forceinline__ bool brought(bool own) const
    {
        uint32_t group = this->thread / THREADS_PER_GROUP, before;
        named_barrier_sync(WARPGROUP_BARRIER + this->index, 128);
        if (!speaks_for(group) || !this->owns(group) || (group == this->split) != own) return false;
        asm volatile("atom.acq_rel.gpu.global.add.u32 %0, [%1], 1;"
                     : "=r"(before)
                     : "l"(counters + group * GEMM_CONSUMERS)
                     : "memory");
        return before == this->splits - 1;
    }

    // True in the thread that speaks for the own group if all other parts have brought their boxes.
    __device__ __forceinline__ bool others_came() const
    {
        uint32_t count = 0;
        if (!speaks_for(this->split)) return false;
        for (uint32_t look = 0; look < LOOKS && count != this->splits - 1; look++)
            asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
                         : "=r"(count)
                         : "l"(counters + this->split * GEMM_CONSUMERS)
                         : "memory");
        return count == this->splits - 1;
    }

    // `is_last` in the thread that speaks for the group; true in all of the warpgroup, which then adds it. Nobody else
    // comes to its counter any more.
    __device__ __forceinline__ bool adds(uint32_t group, bool is_last) const
    {
        bool mine = is_last && speaks_for(group);
        if (mine) counters[group * GEMM_CONSUMERS] = 0;
        return named_barrier_any(WARPGROUP_BARRIER + this->index, 128, mine);
    }
};

// Adds the other parts of a box to v, in ascending order: ((part 0 + part 1) + part 2) + .. Several are on their way at
// a time.
template <class C, class Exchange>
static __device__ __forceinline__ void add_parts(const Exchange &way, uint32_t box, float (&v)[C::BOX_REGISTERS])
{
    constexpr uint32_t AT_A_TIME = C::HEIGHT * C::REGISTERS >= 128 ? 2 : 4; // as registers allow
    float sum[C::BOX_REGISTERS];
#pragma unroll 1
    for (uint32_t first = 0; first < way.splits; first += AT_A_TIME) {
        float x[AT_A_TIME][C::BOX_REGISTERS / 4][4];
#pragma unroll
        for (uint32_t j = 0; j < AT_A_TIME; j++) {
#pragma unroll
            for (uint32_t i = 0; i < C::BOX_REGISTERS; i++) x[j][i / 4][i % 4] = v[i];
            if (first + j < way.splits && first + j != way.split)
#pragma unroll
                for (uint32_t i = 0; i < C::BOX_REGISTERS / 4; i++) way.fetch(first + j, box, i, x[j][i]);
        }
#pragma unroll
        for (uint32_t j = 0; j < AT_A_TIME; j++)
            if (first + j < way.splits)
#pragma unroll
                for (uint32_t i = 0; i < C::BOX_REGISTERS; i++)
                    sum[i] = first + j == 0 ? x[j][i / 4][i % 4] : sum[i] + x[j][i / 4][i % 4];
    }
#pragma unroll
    for (uint32_t i = 0; i < C::BOX_REGISTERS; i++) v[i] = sum[i];
}

// Sends the boxes that other parts own, or the part's own.
template <class C, class Exchange>
static __device__ __forceinline__ void send_boxes(const Exchange &way, bool own,
                                                  const float (&d)[C::HEIGHT][C::REGISTERS])
{
#pragma unroll
    for (uint32_t box = 0; box < C::BOX_COUNT; box++) {
        float v[C::BOX_REGISTERS];
        box_of<C>(d, box, v);
        if ((way.owner(box) == way.split) == own) way.send(box, v);
    }
}

// Adds and stores the boxes of a group: those that part `group` owns.
template <class C, class Exchange>
static __device__ __forceinline__ void add_and_store(consumer<C> &me, const Exchange &way, uint32_t group,
                                                     const tile &t, const CUtensorMap *map,
                                                     const float (&d)[C::HEIGHT][C::REGISTERS])
{
#pragma unroll
    for (uint32_t box = 0; box < C::BOX_COUNT; box++) {
        float v[C::BOX_REGISTERS];
        box_of<C>(d, box, v);
        if (way.owner(box) != group) continue;
        add_parts<C>(way, box, v);
        put_box<C>(me.ring, map, t.m + me.m, t.n + me.n, box, false, v);
    }
}

template <class C>
static __device__ __forceinline__ void meet_in_cluster(consumer<C> &me, cluster_exchange<C> &way, const tile &t,
                                                       const CUtensorMap *map,
                                                       const float (&d)[C::HEIGHT][C::REGISTERS])
{
    way.begin();
    send_boxes<C>(way, false, d);
    way.wait();
    add_and_store<C>(me, way, t.split, t, map, d);
    way.end();
}

template <class C>
static __device__ __forceinline__ void meet_in_memory(consumer<C> &me, const memory_exchange<C> &way, const tile &t,
                                                      const CUtensorMap *map,
                                                      const float (&d)[C::HEIGHT][C::REGISTERS])
{
    send_boxes<C>(way, false, d);
    bool is_last = way.brought(false);
    if (way.owns(t.split)) {
        is_last = is_last || way.others_came();
        if (!named_barrier_any(WARPGROUP_BARRIER + me.index, 128, is_last && way.speaks_for(t.split))) {
            send_boxes<C>(way, true, d);
            is_last |= way.brought(true);
        }
    }
#pragma unroll 1
    for (uint32_t box = 0, group; box < C::BOX_COUNT; box = way.first(group + 1)) {
        group = way.owner(box);
        if (way.adds(group, is_last)) add_and_store<C>(me, way, group, t, map, d);
    }
}

// Parts that meet in distributed shared memory: the cluster meets before each exchange, and after it where a tile
// follows, whose loads write where the boxes lay. The threads that neither load nor multiply come along.
template <class C>
static __device__ __forceinline__ void produce_and_meet(const gemm_job &job, const shared_state &s)
{
    bool loads = is_producer<C>();
    typename C::watch watch(job, 0, loads);
    typename C::schedule tiles(job, s.at, s.ranks);
    producer<C> me(job, s);
    tile t;
    bool goes_on = tiles.first(job, t);
    for (uint32_t i = 0; goes_on; i++, goes_on = tiles.next(job, t)) {
        if (i > 0) cluster_sync(); // all that lay over the stages has been read
        if (loads) me.load_tile(s, t, watch, i);
        __syncwarp();
        cluster_sync_relaxed(); // with begin() of the consumers
    }
    if (loads) s.pipe.drain(me.at, me.warp, C::PRODUCERS);
}

template <class C>
static __device__ __forceinline__ void produce_parts(const gemm_job &job, const shared_state &s)
{
    if (gemm_splits_in_cluster(&job) > 1)
        produce_and_meet<C>(job, s);
    else
        produce<C>(job, s);
}

template <class C>
static __device__ __forceinline__ void consume_parts(const gemm_job &job, const shared_state &s)
{
    consumer<C> me(s);
    typename C::watch watch(job, 1 + me.index, me.thread == 0);
    typename C::schedule tiles(job, s.at, s.ranks);
    bool meets = gemm_splits_in_cluster(&job) > 1;
    uint32_t ranks_of_part = job.cluster_m * job.cluster_n, rank_in_part = s.at.n * job.cluster_m + s.at.m;
    exchange<C> base = {job.splits, s.at.split, me.index, me.thread};
    cluster_exchange<C> cluster = {base, ranks_of_part, rank_in_part, s.landed + 8 * me.index, 0, WAIT_TRIES};
    pipeline_state at;
    tile t;
    wait_for_launch_before();
    for (uint32_t i = 0; tiles.get(job, t); i++, tiles.next()) {
        float d[C::HEIGHT][C::REGISTERS];
        if (meets && i > 0) cluster_sync();
        multiply_tile<C>(s, t.block_end - t.block, at, me.a, me.b, d, watch, i, [] {});
        watch.step(GEMM_EVENT_EPILOGUE, i, {}, [&] {
            if (meets) {
                meet_in_cluster<C>(me, cluster, t, s.d, d);
            } else if (job.splits > 1 && job.workspace) {
                base.split = t.split;
                memory_exchange<C> memory(base, job, tiles.index / job.splits * ranks_of_part + rank_in_part);
                meet_in_memory<C>(me, memory, t, s.d, d);
            } else {
                store_part<C>(me.ring, s.d, t.m + me.m, t.n + me.n, job.reduce, d);
            }
        });
    }
    me.ring.drain();
    if (at.patience == 0 || cluster.patience == 0) fail();
}

#endif
