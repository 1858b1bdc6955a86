// SPDX-License-Identifier: MIT
// Kernels that copy whole tensors, a grid of CTAs with a tile each: load, store and reduction, multicast in a cluster,
// as a tutorial shows them; then copies from tensor to tensor and from bytes to bytes, and a copy through registers to
// compare with. Waits are bounded: a kernel that waits in vain traps.
#include "copy_tile.cuh"
#include "ring.cuh"

// --- Load: each CTA loads its tile -----------------------------------------------------------------------------------

extern "C" __global__ void __launch_bounds__(COPY_THREADS)
    copy_load(const __grid_constant__ CUtensorMap map, const __grid_constant__ copy_job job)
{
    extern __shared__ __align__(1024) char shared[];
    uint64_t *barrier = reinterpret_cast<uint64_t *>(shared);
    char *tile = shared + (job.shared - COPY_SHARED_START);
    fill_canaries(job, tile, job.dump_bytes);
    if (threadIdx.x == 0) {
        uint32_t index[COPY_MAX_RANK];
        int32_t coord[COPY_MAX_RANK];
        tile_of_cta(job, index);
        coordinates(job, index, 0, coord);
        start_barrier(barrier, 1);
        expect(barrier, job.load_bytes);
        load_box(job, map, coord, tile, barrier);
    }
    __syncthreads(); // nobody looks at the barrier before its init
    wait(barrier, 0);
    __syncthreads(); // nobody waits any more when the barrier is dropped
    dump_tile(job, tile, barrier);
}

// --- Store and reduction: each CTA writes its tile -------------------------------------------------------------------

static __device__ void fill_tile(const copy_job &job, char *tile)
{
    const uint64_t seed = job.seed + cta_number();
    fill(tile, 0, job.dump_bytes, [&](uint32_t at) {
        const uint32_t address = job.shared + at;
        const uint32_t flat = (address ^ (address >> 7 & ((1u << job.swizzle) - 1)) << 4) - job.shared;
        return job.fill == COPY_ROWS ? copy_numbers(job.data_type, flat / job.row_bytes)
                                     : store_pattern(seed, job.data_type, at / 8);
    });
    ptx::fence_proxy_async(); // before the barrier: each thread's own writes
    __syncthreads();
}

extern "C" __global__ void __launch_bounds__(COPY_THREADS)
    copy_store(const __grid_constant__ CUtensorMap map, const __grid_constant__ copy_job job)
{
    extern __shared__ __align__(1024) char shared[];
    char *tile = shared + (job.shared - COPY_SHARED_START);
    fill_tile(job, tile);
    if (threadIdx.x != 0) return;
    uint32_t index[COPY_MAX_RANK];
    int32_t coord[COPY_MAX_RANK];
    tile_of_cta(job, index);
    index[job.rank - 1] %= job.tiles[job.rank - 1]; // several CTAs have the same tile
    coordinates(job, index, 0, coord);
    put_box(job, map, coord, tile);
    if (job.is_waiting) finish_stores(); // PTX wants it; an H200 completes the store without it, too
}

// --- Multicast: the CTAs of a group have one tile; each loads a box of it for all, or all boxes for itself ----------

extern "C" __global__ void __launch_bounds__(COPY_THREADS)
    copy_multicast(const __grid_constant__ CUtensorMap map, const __grid_constant__ copy_job job)
{
    extern __shared__ __align__(1024) char shared[];
    uint64_t *barrier = reinterpret_cast<uint64_t *>(shared);
    char *tile = shared + (job.shared - COPY_SHARED_START);
    fill_canaries(job, tile, job.dump_bytes);
    if (threadIdx.x == 0) start_barrier(barrier, 1); // before the cluster meets
    meet_cluster(); // all canaries and barriers are there
    if (threadIdx.x == 0) {
        const uint32_t rank = ptx::get_sreg_cluster_ctarank();
        uint32_t index[COPY_MAX_RANK];
        int32_t coord[COPY_MAX_RANK];
        tile_of_cta(job, index);
        expect(barrier, job.load_bytes);
        for (uint32_t box = 0; box < job.boxes && !job.is_multicast; box++) {
            coordinates(job, index, box, coord);
            load_box(job, map, coord, tile + box * job.box_pitch_bytes, barrier);
        }
        if (job.is_multicast) {
            const uint32_t box = job.slice[rank];
            coordinates(job, index, box, coord);
            multicast_box(job, map, coord, tile + box * job.box_pitch_bytes, barrier, job.mask[rank]);
        }
    }
    __syncthreads();
    wait(barrier, 0);
    meet_cluster(); // nobody leaves while another may still send to it
    dump_tile(job, tile, barrier);
}

// --- From tensor to tensor, from bytes to bytes ----------------------------------------------------------------------
// One thread of each CTA loads a tile and stores it. A grid with a CTA for each tile, in the order of addresses, is
// faster than CTAs that stay and take every n-th tile, perhaps because those drift apart.

extern "C" __global__ void __launch_bounds__(32)
    copy_tiles(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to,
               const __grid_constant__ copy_job job)
{
    extern __shared__ __align__(1024) char shared[];
    uint64_t *barrier = reinterpret_cast<uint64_t *>(shared);
    char *tile = shared + (job.shared - COPY_SHARED_START);
    uint32_t index[COPY_MAX_RANK];
    int32_t coord[COPY_MAX_RANK];
    if (threadIdx.x != 0) return;
    tile_of_number(job, blockIdx.x, index);
    coordinates(job, index, 0, coord);
    start_barrier(barrier, 1);
    expect(barrier, job.load_bytes);
    load_box(job, from, coord, tile, barrier);
    wait(barrier, 0);
    put_box(job, to, coord, tile); // no fence: the copy engine wrote the tile, and reads it
    finish_stores();
}

// The last bytes, fewer than the 16 that a bulk copy or a vector has at least.
static __device__ void copy_tail(const copy_flat &job)
{
    const uint64_t at = job.size_bytes / 16 * 16 + threadIdx.x;
    if (blockIdx.x != gridDim.x - 1 || at >= job.size_bytes) return;
    reinterpret_cast<char *>(job.to)[at] = reinterpret_cast<const char *>(job.from)[at];
}

extern "C" __global__ void __launch_bounds__(32) copy_bytes(const __grid_constant__ copy_flat job)
{
    extern __shared__ __align__(1024) char shared[];
    uint64_t *barrier = reinterpret_cast<uint64_t *>(shared);
    char *chunk = shared + (COPY_TILE_START - COPY_SHARED_START);
    const uint64_t first = static_cast<uint64_t>(blockIdx.x) * job.chunk_bytes, end = job.size_bytes / 16 * 16;
    copy_tail(job);
    if (threadIdx.x != 0 || first >= end) return;
    const uint32_t size = static_cast<uint32_t>(end - first < job.chunk_bytes ? end - first : job.chunk_bytes);
    start_barrier(barrier, 1);
    expect(barrier, size);
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, chunk, reinterpret_cast<const char *>(job.from) + first,
                       size, barrier);
    wait(barrier, 0);
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, reinterpret_cast<char *>(job.to) + first, chunk, size);
    finish_stores();
}

// The opponent: a copy through registers, 16 bytes a thread. More of them in flight in a thread are slower.
extern "C" __global__ void __launch_bounds__(COPY_VECTOR_THREADS) copy_vector(const __grid_constant__ copy_flat job)
{
    const uint64_t at = static_cast<uint64_t>(blockIdx.x) * COPY_VECTOR_THREADS + threadIdx.x;
    copy_tail(job);
    if (at < job.size_bytes / 16)
        __stcs(reinterpret_cast<uint4 *>(job.to) + at, __ldcs(reinterpret_cast<const uint4 *>(job.from) + at));
}

// A sum of floats in three steps, to compare with a reduction by the copy engine.
extern "C" __global__ void __launch_bounds__(COPY_VECTOR_THREADS) copy_vector_add(const __grid_constant__ copy_flat job)
{
    const uint64_t at = static_cast<uint64_t>(blockIdx.x) * COPY_VECTOR_THREADS + threadIdx.x,
                   vectors = job.size_bytes / 16;
    const float *from = reinterpret_cast<const float *>(job.from);
    float *to = reinterpret_cast<float *>(job.to);
    if (at < vectors) {
        const float4 a = __ldcs(reinterpret_cast<const float4 *>(to) + at);
        const float4 b = __ldcs(reinterpret_cast<const float4 *>(from) + at);
        __stcs(reinterpret_cast<float4 *>(to) + at, make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w));
    }
    const uint64_t last = 4 * vectors + threadIdx.x;
    if (blockIdx.x == gridDim.x - 1 && last < job.size_bytes / 4) to[last] += from[last];
}

// --- The ring --------------------------------------------------------------------------------------------------------
// CTAs that stay: one thread loads and stores, `stages` tiles are on their way.

// Stores whose sources may still be read when the ring loads again; 0 in a ring of fewer stages.
static const int STORES_BEHIND = 2;

static __device__ void wait_for_sources(uint32_t stages)
{
    if (stages > STORES_BEHIND)
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<STORES_BEHIND>());
    else
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
}

static __device__ void load_stage(const copy_job &job, const CUtensorMap &map, uint32_t number, char *stage,
                                  uint64_t *full)
{
    uint32_t index[COPY_MAX_RANK];
    int32_t coord[COPY_MAX_RANK];
    tile_of_number(job, number, index);
    coordinates(job, index, 0, coord);
    expect(full, job.load_bytes);
    load_box(job, map, coord, stage, full);
}

static __device__ void store_stage(const copy_job &job, const CUtensorMap &map, uint32_t number, const char *stage)
{
    uint32_t index[COPY_MAX_RANK];
    int32_t coord[COPY_MAX_RANK];
    tile_of_number(job, number, index);
    coordinates(job, index, 0, coord);
    put_box(job, map, coord, stage);
    ptx::cp_async_bulk_commit_group();
}

extern "C" __global__ void __launch_bounds__(32)
    copy_ring(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to,
              const __grid_constant__ copy_job job)
{
    extern __shared__ __align__(1024) char shared[];
    uint64_t *full = reinterpret_cast<uint64_t *>(shared);
    char *tiles = shared + (job.shared - COPY_SHARED_START);
    ring_place at;
    uint32_t next = blockIdx.x, free = 0, behind = job.stages > STORES_BEHIND ? STORES_BEHIND : 0;
    if (threadIdx.x != 0) return;
    start_barriers(full, job.stages, 1);
    for (uint32_t i = 0; i < job.stages && next < job.count; i++, next += gridDim.x)
        load_stage(job, from, next, tiles + i * job.tile_bytes, &full[i]);
    for (uint32_t number = blockIdx.x; number < job.count; number += gridDim.x) {
        wait(&full[at.stage], at.phase);
        store_stage(job, to, number, tiles + at.stage * job.tile_bytes);
        at.advance(job.stages);
        if (behind > 0) {
            behind--;
            continue;
        }
        wait_for_sources(job.stages); // the store of the stage that is loaded now has read it
        if (next < job.count) load_stage(job, from, next, tiles + free * job.tile_bytes, &full[free]);
        next += gridDim.x;
        free = free + 1 < job.stages ? free + 1 : 0;
    }
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
}

// --- The stream ------------------------------------------------------------------------------------------------------
// All CTAs of a cluster take the same tiles, through a ring in each.

// Tells every CTA that sends to this one that a stage may be filled again: lane r tells rank r, or lane 0 its own CTA.
// The fence in front is between the reads of the warp and the copies to come. To its own CTA a lane releases; to others
// it does not: what was read is in registers by now.
static __device__ void free_stage(uint64_t *empty, bool is_multicast)
{
    const uint32_t own = ptx::get_sreg_cluster_ctarank(), ranks = ptx::get_sreg_cluster_nctarank();
    const uint32_t lane = threadIdx.x % 32;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncwarp();
    if (lane == (is_multicast ? own : 0))
        ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cta, ptx::space_shared, empty);
    if (!is_multicast || lane >= ranks || lane == own) return;
    arrive_remote(map_to_rank(shared_address(empty), lane));
}

// Until the readers of a stage are done, those of other CTAs too. Their arrivals are seen but not acquired, weaker than
// PTX asks: .acquire.cluster drops the L1 after each wait. Those of this CTA are, by the fence.
static __device__ void wait_for_readers(uint64_t *empty, uint32_t parity)
{
    const auto try_once = [&] {
        return ptx::mbarrier_try_wait_parity(ptx::sem_relaxed, ptx::scope_cluster, empty, parity);
    };
    if (!wait_until(WAIT_CLOCKS, try_once)) __trap();
    ptx::fence(ptx::sem_acq_rel, ptx::scope_cta);
}

// The tiles of a cluster, `count` of them: `cluster`, `cluster` + `clusters`, ... A CTA comes to them in that order,
// from place `first` on.
struct stream {
    uint32_t cluster, clusters, count, first;

    __device__ explicit stream(const copy_job &job)
    {
        const uint32_t ranks = ptx::get_sreg_cluster_nctarank();
        cluster = blockIdx.x / ranks;
        clusters = gridDim.x / ranks;
        count = cluster < job.count ? (job.count - cluster + clusters - 1) / clusters : 0;
        first = job.stagger * ptx::get_sreg_cluster_ctarank();
    }

    __device__ uint32_t place(uint32_t i) const
    {
        return (first + i) % count;
    }
};

static __device__ void load_stream(const copy_job &job, const CUtensorMap &map, char *tiles, uint64_t *full,
                                   uint64_t *empty)
{
    const uint32_t rank = ptx::get_sreg_cluster_ctarank();
    const stream stream(job);
    ring_place at;
    uint32_t index[COPY_MAX_RANK];
    int32_t coord[COPY_MAX_RANK];
    for (uint32_t i = 0; i < stream.count; i++, at.advance(job.stages)) {
        char *tile = tiles + at.stage * job.tile_bytes;
        if (i >= job.stages && job.is_multicast)
            wait_for_readers(&empty[at.stage], at.phase ^ 1);
        else if (i >= job.stages)
            wait(&empty[at.stage], at.phase ^ 1);
        tile_of_number(job, stream.cluster + stream.place(i) * stream.clusters, index);
        expect(&full[at.stage], job.load_bytes);
        for (uint32_t box = 0; box < job.boxes && !job.is_multicast; box++) {
            coordinates(job, index, box, coord);
            load_box(job, map, coord, tile + box * job.box_pitch_bytes, &full[at.stage]);
        }
        if (!job.is_multicast) continue;
        coordinates(job, index, job.slice[rank], coord);
        multicast_box(job, map, coord, tile + job.slice[rank] * job.box_pitch_bytes, &full[at.stage], job.mask[rank]);
    }
}

// What a consumer does with a tile: dumps it, or for a measure of time only looks at it.
static __device__ void take_stream(const copy_job &job, const char *tiles, uint64_t *full, uint64_t *empty)
{
    const stream stream(job);
    const uint64_t most = (job.count + stream.clusters - 1) / stream.clusters;
    char *output = reinterpret_cast<char *>(job.output) + blockIdx.x * most * job.tile_bytes;
    ring_place at;
    for (uint32_t i = 0; i < stream.count; i++, at.advance(job.stages)) {
        const char *tile = tiles + at.stage * job.tile_bytes;
        char *to = output + static_cast<uint64_t>(stream.place(i)) * job.tile_bytes;
        wait(&full[at.stage], at.phase);
        for (uint32_t at_byte = threadIdx.x % 32 * 16; at_byte < job.tile_bytes && job.output != 0; at_byte += 32 * 16)
            *reinterpret_cast<uint4 *>(to + at_byte) = *reinterpret_cast<const uint4 *>(tile + at_byte);
        if (job.output == 0) *reinterpret_cast<const volatile uint32_t *>(tile); // in a register at the fence below
        free_stage(&empty[at.stage], job.is_multicast);
    }
}

extern "C" __global__ void __launch_bounds__(COPY_STREAM_THREADS)
    copy_stream(const __grid_constant__ CUtensorMap map, const __grid_constant__ copy_job job)
{
    extern __shared__ __align__(1024) char shared[];
    uint64_t *full = reinterpret_cast<uint64_t *>(shared), *empty = full + COPY_STAGES;
    char *tiles = shared + (job.shared - COPY_SHARED_START);
    if (job.output != 0) fill_canaries(job, tiles, job.stages * job.tile_bytes);
    if (threadIdx.x == 0) {
        start_barriers(full, job.stages, 1);
        start_barriers(empty, job.stages, job.is_multicast ? ptx::get_sreg_cluster_nctarank() : 1);
    }
    meet_cluster();
    if (threadIdx.x == 0)
        load_stream(job, map, tiles, full, empty);
    else if (threadIdx.x >= 32)
        take_stream(job, tiles, full, empty);
    __syncwarp();
    meet_cluster(); // nobody leaves while another may still send to it or signal its barriers
}
