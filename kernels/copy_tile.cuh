// SPDX-License-Identifier: MIT
// What the kernels of copy.cu have in common: barriers, where tiles lie, one box from or to a tensor, dumps.
#pragma once

#include <cuda.h>

#include "../model/tma/reduce.h"
#include "copy_job.h"
#include "device.cuh"

static const long long WAIT_CLOCKS = 50000000; // some 25 ms

static __device__ uint32_t cta_number()
{
    return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
}

// What comes is written by the copy engine into this CTA: .cta is wide enough. With .cluster an H200 drops its whole L1
// after the wait, and an arrive with .release.cluster waits for all memory: a ring is then several times slower.
static __device__ void wait(uint64_t *barrier, uint32_t parity)
{
    const auto try_once = [&] {
        return ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, barrier, parity);
    };
    if (!wait_until(WAIT_CLOCKS, try_once)) __trap();
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

// Calls `f` with the coordinates that the tensor has: two or three.
template <class Function>
static __device__ void with_coordinates(const copy_job &job, const int32_t *c, Function f)
{
    const int32_t two[2] = {c[0], c[1]}, three[3] = {c[0], c[1], c[2]};
    if (job.rank == 2)
        f(two);
    else
        f(three);
}

static __device__ void load_box(const copy_job &job, const CUtensorMap &map, const int32_t *c, void *to,
                                uint64_t *barrier)
{
    with_coordinates(job, c, [&](auto &at) {
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, to, &map, at, barrier);
    });
}

static __device__ void multicast_box(const copy_job &job, const CUtensorMap &map, const int32_t *c, void *to,
                                     uint64_t *barrier, uint16_t mask)
{
    with_coordinates(job, c, [&](auto &at) {
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, to, &map, at, barrier, mask);
    });
}

template <int dims>
static __device__ void put_at(uint32_t operation, const CUtensorMap &map, const int32_t (&at)[dims], const void *from)
{
    switch (operation) {
    case 0:
        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &map, at, from);
        break;
    case 1 + REDUCE_ADD:
        ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_add, &map, at, from);
        break;
    case 1 + REDUCE_MIN:
        ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_min, &map, at, from);
        break;
    case 1 + REDUCE_MAX:
        ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_max, &map, at, from);
        break;
    }
}

// A store, or the reduction that the job names.
static __device__ void put_box(const copy_job &job, const CUtensorMap &map, const int32_t *c, const void *from)
{
    with_coordinates(job, c, [&](auto &at) { put_at(job.operation, map, at, from); });
}

// Dumped bytes that no load writes keep these.
static __device__ void fill_canaries(const copy_job &job, char *shared, uint32_t bytes)
{
    fill(shared, 0, bytes, [&](uint32_t at) { return copy_canary(cta_number(), job.shared + at); });
    ptx::fence_proxy_async(); // the copy writes there too, through another proxy
    __syncthreads();          // all canaries, before the load is issued
}

static __device__ void dump_tile(const copy_job &job, const char *tile, uint64_t *barrier)
{
    char *to = reinterpret_cast<char *>(job.output) + static_cast<uint64_t>(cta_number()) * job.dump_bytes;
    dump(to, tile, job.dump_bytes);
    if (threadIdx.x == 0) reinterpret_cast<uint64_t *>(job.words)[cta_number()] = final_word(barrier);
}

// Until the stores of this thread have read shared memory, which may then go; the end of the grid does the rest.
static __device__ void finish_stores()
{
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
}
