// SPDX-License-Identifier: MIT
// What the kernels of copy.cu have in common: barriers, where tiles lie, one box from or to a tensor, dumps.
#pragma once

#include <cuda/ptx>

#include "../model/tma/reduce.h"
#include "copy_job.h"

namespace ptx = cuda::ptx;

struct alignas(64) tensor_map {
    uint64_t word[16];
};

static const long long WAIT_CLOCKS = 50000000; // some 25 ms

static __device__ uint32_t shared_address(const void *pointer)
{
    return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

static __device__ uint32_t cta_number()
{
    return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
}

// What comes is written by the copy engine into this CTA: .cta is wide enough. With .cluster an H200 drops its whole L1
// after the wait, and an arrive with .release.cluster waits for all memory: a ring is then several times slower.
static __device__ void wait(uint64_t *barrier, uint32_t parity)
{
    const long long start = clock64();
    while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, barrier, parity))
        if (clock64() - start > WAIT_CLOCKS) __trap();
}

// The word as the barrier unit has it: mbarrier.inval writes it back.
static __device__ uint64_t final_word(uint64_t *barrier)
{
    asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(shared_address(barrier)) : "memory");
    return *const_cast<volatile uint64_t *>(barrier);
}

// What any thread of the cluster did before is over for all.
static __device__ void meet_cluster()
{
    ptx::barrier_cluster_arrive(ptx::sem_release);
    ptx::barrier_cluster_wait(ptx::sem_acquire);
}

// Coordinates of box `box` of the tile that lies `index` tiles along each dimension.
static __device__ void coordinates(const copy_job &job, const uint32_t *index, uint32_t box, int32_t *coord)
{
#pragma unroll
    for (int i = 0; i < COPY_MAX_RANK; i++) {
        coord[i] = static_cast<int32_t>((index[i] * job.cut[i] + box % job.cut[i]) * job.box[i]);
        box /= job.cut[i];
    }
}

// The tile of this CTA: blockIdx.x is along the outermost dimension.
static __device__ void tile_of_cta(const copy_job &job, uint32_t *index)
{
    const uint32_t place[] = {blockIdx.x / job.share[0], blockIdx.y / job.share[1], blockIdx.z / job.share[2]};
    index[0] = place[job.rank - 1];
    index[1] = place[job.rank - 2];
    index[2] = job.rank == 3 ? place[0] : 0;
}

// Tile `number`, counted along the innermost dimension first.
static __device__ void tile_of_number(const copy_job &job, uint32_t number, uint32_t *index)
{
    const uint32_t row = number / job.tiles[0];
    index[0] = number % job.tiles[0];
    index[1] = row % job.tiles[1];
    index[2] = row / job.tiles[1];
}

static __device__ void load_box(const copy_job &job, const tensor_map &map, const int32_t *c, void *to,
                                uint64_t *barrier)
{
    const int32_t two[2] = {c[0], c[1]}, three[3] = {c[0], c[1], c[2]};
    if (job.rank == 2)
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, to, &map, two, barrier);
    else
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, to, &map, three, barrier);
}

static __device__ void multicast_box(const copy_job &job, const tensor_map &map, const int32_t *c, void *to,
                                     uint64_t *barrier, uint16_t mask)
{
    const int32_t two[2] = {c[0], c[1]}, three[3] = {c[0], c[1], c[2]};
    if (job.rank == 2)
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, to, &map, two, barrier, mask);
    else
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, to, &map, three, barrier, mask);
}

static __device__ void store_box(const copy_job &job, const tensor_map &map, const int32_t *c, const void *from)
{
    const int32_t two[2] = {c[0], c[1]}, three[3] = {c[0], c[1], c[2]};
    if (job.rank == 2)
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &map, two, from);
    else
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &map, three, from);
}

template <int dims>
static __device__ void reduce_box(const copy_job &job, const tensor_map &map, const int32_t *c, const void *from)
{
    int32_t coord[dims];
    for (int i = 0; i < dims; i++) coord[i] = c[i];
    switch (job.operation) {
    case 1 + REDUCE_ADD:
        ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_add, &map, coord, from);
        break;
    case 1 + REDUCE_MIN:
        ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_min, &map, coord, from);
        break;
    case 1 + REDUCE_MAX:
        ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_max, &map, coord, from);
        break;
    }
}

// A store, or the reduction that the job names.
static __device__ void put_box(const copy_job &job, const tensor_map &map, const int32_t *c, const void *from)
{
    if (job.operation == 0)
        store_box(job, map, c, from);
    else if (job.rank == 2)
        reduce_box<2>(job, map, c, from);
    else
        reduce_box<3>(job, map, c, from);
}

// Dumped bytes that no load writes keep these.
static __device__ void fill_canaries(const copy_job &job, char *shared, uint32_t bytes)
{
    for (uint32_t at = 4 * threadIdx.x; at < bytes; at += 4 * blockDim.x)
        *reinterpret_cast<uint32_t *>(shared + at) = copy_canary(cta_number(), job.shared + at);
    ptx::fence_proxy_async(); // the copy writes there too, through another proxy
    __syncthreads();          // all canaries, before the load is issued
}

static __device__ void dump_tile(const copy_job &job, const char *tile, uint64_t *barrier)
{
    char *to = reinterpret_cast<char *>(job.output) + static_cast<uint64_t>(cta_number()) * job.dump_bytes;
    for (uint32_t at = 16 * threadIdx.x; at < job.dump_bytes; at += 16 * COPY_THREADS)
        *reinterpret_cast<uint4 *>(to + at) = *reinterpret_cast<const uint4 *>(tile + at);
    if (threadIdx.x == 0) reinterpret_cast<uint64_t *>(job.words)[cta_number()] = final_word(barrier);
}

static __device__ void start_barrier(uint64_t *barrier)
{
    ptx::mbarrier_init(barrier, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster); // other CTAs and the copy engine see it
}

static __device__ void expect(uint64_t *barrier, uint32_t bytes)
{
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, barrier, bytes);
}

// Until the stores of this thread have read shared memory, which may then go; the end of the grid does the rest.
static __device__ void finish_stores()
{
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
}
