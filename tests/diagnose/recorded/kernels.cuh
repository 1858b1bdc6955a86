// SPDX-License-Identifier: MIT
// The kernels of mistakes.cu: loads, multicast and stores as they are done, right or wrong. Every wait is bounded.
#include <cuda/ptx>

#include "tmaref_dump.h"

namespace ptx = cuda::ptx;
enum { THREADS = 128, SHARED_BYTES = 4096, CLUSTER = 4, BOX_BYTES = 2048, SLICE_BYTES = 512, TRIES = 300 };

// Never more than a million clocks, whatever becomes of the copy.
__device__ void wait(uint64_t *barrier, uint32_t parity)
{
    for (long long start = clock64(); clock64() - start < 1000000;)
        if (ptx::mbarrier_test_wait_parity(barrier, parity)) return;
}

__device__ void init(uint64_t *barrier)
{
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(barrier, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::fence_proxy_async();
    }
    __syncthreads();
}

// Loads as they are done: box i goes to `place[i]`, and is waited for with `parity[i]` (negative: not).
struct loads {
    int dims, boxes, is_im2col;
    int32_t coord[2][5];
    uint16_t offset[2];
    uint32_t place[2], expect;
    int parity[2];
};

__device__ void load(const CUtensorMap *map, const loads &job, int i, void *to, uint64_t *barrier)
{
    const int32_t *c = job.coord[i];
    if (job.is_im2col) {
        asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
                     "[%0], [%1, {%2, %3, %4, %5}], [%6], {%7, %8};" ::"r"((uint32_t)__cvta_generic_to_shared(to)),
                     "l"(map), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]),
                     "r"((uint32_t)__cvta_generic_to_shared(barrier)), "h"(job.offset[0]), "h"(job.offset[1])
                     : "memory");
    } else if (job.dims == 2) {
        int32_t coord[2] = {c[0], c[1]};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, to, map, coord, barrier);
    } else {
        int32_t coord[4] = {c[0], c[1], c[2], c[3]};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, to, map, coord, barrier);
    }
}

__global__ void load_kernel(const __grid_constant__ CUtensorMap map, const __grid_constant__ loads job, void *dump)
{
    __shared__ __align__(1024) char tile[SHARED_BYTES];
    __shared__ uint64_t barrier;
    init(&barrier);
    tmaref_poison(tile, sizeof tile);
    for (int i = 0; i < job.boxes; i++) {
        if (threadIdx.x == 0) {
            ptx::fence_proxy_async();
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier, job.expect);
            load(&map, job, i, tile + job.place[i], &barrier);
        }
        if (job.parity[i] >= 0) wait(&barrier, (uint32_t)job.parity[i]);
    }
    tmaref_copy copy = {&map, tile, &barrier, job.expect, job.dims};
    for (int k = 0; k < 5; k++) copy.coord[k] = job.coord[job.boxes - 1][k];
    copy.offset[0] = job.offset[0], copy.offset[1] = job.offset[1];
    copy.poisoned = true;
    tmaref_dump(dump, TMAREF_DUMP_BYTES(SHARED_BYTES), tile, sizeof tile, copy);
    __syncthreads();
    for (long long start = clock64(); clock64() - start < 100000;) continue; // no copy may outlive its CTA
}

// Each CTA of the cluster loads slice `slot` of the tile for all of `mask`, to `place`. `dumper` dumps.
struct slices {
    int slot[CLUSTER], place[CLUSTER], is_unmet;
    uint16_t mask[CLUSTER];
    uint32_t expect, dumper;
    int32_t coord[2];
};

__global__ void __cluster_dims__(CLUSTER) multicast_kernel(const __grid_constant__ CUtensorMap map,
                                                          const __grid_constant__ slices job, void *dump)
{
    __shared__ __align__(1024) char tile[CLUSTER * SLICE_BYTES];
    __shared__ uint64_t barrier;
    uint32_t rank = blockIdx.x;
    if (job.is_unmet && rank > 0) // it begins later than its neighbour thinks
        for (long long start = clock64(); clock64() - start < 200000;) continue;
    tmaref_poison(tile, sizeof tile);
    init(&barrier);
    if (threadIdx.x == 0)
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier, job.expect);
    if (!job.is_unmet) {
        ptx::barrier_cluster_arrive(ptx::sem_release);
        ptx::barrier_cluster_wait(ptx::sem_acquire);
    }
    if (threadIdx.x == 0 && job.mask[rank] != 0) {
        int32_t coord[2] = {job.coord[0], job.coord[1] + job.slot[rank] * 8};
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile + job.place[rank] * SLICE_BYTES, &map,
                                  coord, &barrier, job.mask[rank]);
    }
    wait(&barrier, 0);
    tmaref_copy copy = {&map, tile, &barrier, job.expect, 2, {job.coord[0], job.coord[1]}};
    copy.poisoned = true;
    if (rank == job.dumper) tmaref_dump(dump, TMAREF_DUMP_BYTES(sizeof tile), tile, sizeof tile, copy);
    for (long long start = clock64(); clock64() - start < 400000;) continue;
    ptx::barrier_cluster_arrive(ptx::sem_release);
    ptx::barrier_cluster_wait(ptx::sem_acquire); // nobody leaves while others write here
}

// Stores as they are done: slice i of the tile, from `place[i]`, to the rows of slice `slot[i]`.
//   is_unfenced   no fence.proxy.async between the threads' writes and the store
//   is_unsynced   nor __syncthreads(), and only the first warp is in time
//   is_reused     the threads write the next tile before the store has read this one
//   is_unwaited   the tensor is read before the store is complete
struct stores {
    int slices, slot[CLUSTER], is_added, is_unfenced, is_unsynced, is_reused, is_unwaited;
    int32_t coord[2];
    uint32_t place[CLUSTER];
};

// The three tiles: the one before, the one meant, the one after.
enum { TILE_BEFORE = 1, TILE_MEANT, TILE_AFTER };

__device__ void write_tile(char *shared, uint32_t tile)
{
    for (uint32_t at = 4 * threadIdx.x; at < SHARED_BYTES; at += 4 * THREADS) {
        uint32_t x = (at / 4 + 1 + 10000 * tile) * 0x85ebca6bu;
        *(volatile uint32_t *)(shared + at) = x ^ x >> 13;
    }
}

__device__ void store(const CUtensorMap *map, const stores &job, char *shared)
{
    for (int i = 0; i < job.slices; i++) {
        int32_t coord[2] = {job.coord[0], job.coord[1] + job.slot[i] * 8};
        void *from = shared + job.place[i];
        if (job.is_added)
            ptx::cp_reduce_async_bulk_tensor(ptx::space_global, ptx::space_shared, ptx::op_add, map, coord, from);
        else
            ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, map, coord, from);
    }
    ptx::cp_async_bulk_commit_group();
}

// `other` becomes the tile that may have come in place of the one meant.
__global__ void store_kernel(const __grid_constant__ CUtensorMap map, const __grid_constant__ stores job, void *dump,
                             void *other, const uint4 *tensor, uint4 *after, int pieces)
{
    __shared__ __align__(1024) char tile[SHARED_BYTES];
    tmaref_copy copy = {&map, tile, nullptr, 0, 2, {job.coord[0], job.coord[1]}};
    write_tile(tile, job.is_reused ? TILE_AFTER : TILE_BEFORE);
    ptx::fence_proxy_async();
    __syncthreads();
    tmaref_dump(other, TMAREF_DUMP_BYTES(SHARED_BYTES), tile, sizeof tile, copy);
    if (threadIdx.x == 0) { // the tile before goes elsewhere, by the same buffer
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, after, tile, 2048u);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
    __syncthreads();
    for (long long start = clock64(); job.is_unsynced && threadIdx.x >= 32 && clock64() - start < 5000;) continue;
    write_tile(tile, TILE_MEANT);
    if (!job.is_unfenced) ptx::fence_proxy_async();
    if (!job.is_unsynced) __syncthreads();
    if (threadIdx.x == 0) {
        store(&map, job, tile);
        if (!job.is_reused && !job.is_unwaited) ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    }
    __syncthreads();
    if (job.is_reused) write_tile(tile, TILE_AFTER);
    __syncthreads();
    if (!job.is_unwaited && threadIdx.x == 0) ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    __syncthreads();
    for (int i = (int)threadIdx.x; i < pieces; i += THREADS) {
        uint4 piece;
        asm volatile("ld.volatile.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(piece.x), "=r"(piece.y), "=r"(piece.z), "=r"(piece.w)
                     : "l"(tensor + i)
                     : "memory");
        after[i] = piece;
    }
    if (threadIdx.x == 0) ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
    __syncthreads();
    write_tile(tile, TILE_MEANT);
    __syncthreads();
    tmaref_dump(dump, TMAREF_DUMP_BYTES(SHARED_BYTES), tile, sizeof tile, copy);
}
