// SPDX-License-Identifier: MIT
// The ways of a tensor map into a kernel, and maps that a kernel makes. `maps_use_param`, `maps_use_constant` and
// `maps_use_global` are one kernel three times: each CTA takes a map of a batch, loads a box of its tensor, adds 1 to
// it and stores it back. `maps_encode_template` and `maps_encode_zeros` make the batch's maps in global memory, a warp
// each, for a later `maps_use_global`.
#include "late.cuh"
#include "maps_job.h"
#include "tensormap_replace.cuh"

static const long long WAIT_CLOCKS = 2000000; // about a millisecond

static_assert(alignof(maps_batch) == 64, "maps lie at multiples of 64");

extern __shared__ __align__(1024) char dynamic[];

// --- Use -------------------------------------------------------------------------------------------------------------

static __device__ void start_load(const maps_task &task, const void *map, char *shared, uint64_t *barrier)
{
    start_barrier(barrier, 1);
    expect(barrier, task.expect_bytes);
    load_tile(task.dims, map, task.coord, shared + task.shared, barrier);
}

static __device__ void store_back(const maps_task &task, const void *map, char *shared)
{
    store_tile(task.dims, map, task.coord, shared + task.shared);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}

// The whole CTA: what is done with a tensor, through a map that is ready to be used.
static __device__ void use(const maps_task &task, const uint64_t *map)
{
    char *shared = shared_from_0(dynamic, MAPS_SHARED_START);
    uint64_t *barrier = (uint64_t *)(shared + MAPS_BARRIER);
    fill(shared, task.window, task.window_end, maps_canary);
    ptx::fence_proxy_async(ptx::space_shared); // the load writes over them
    __syncthreads();
    if (threadIdx.x == 0) start_load(task, map, shared, barrier);
    __syncthreads(); // nobody waits at the barrier before its init
    wait_or_give_up(barrier, 0, WAIT_CLOCKS);
    for (uint32_t at = task.first + 4 * threadIdx.x; at < task.end; at += 4 * MAPS_THREADS)
        *(uint32_t *)(shared + at) += 1;
    ptx::fence_proxy_async(ptx::space_shared); // the store reads what was written
    __syncthreads();
    if (threadIdx.x == 0) store_back(task, map, shared);
    dump((void *)task.dump, shared + task.window, task.window_end - task.window);
    if (threadIdx.x < 16) ((uint64_t *)task.map)[threadIdx.x] = map[threadIdx.x];
}

extern "C" __global__ void __launch_bounds__(MAPS_THREADS)
    maps_use_param(const __grid_constant__ maps_tasks tasks, const __grid_constant__ maps_batch maps)
{
    use(tasks.task[blockIdx.x], maps.map[blockIdx.x]);
}

__constant__ maps_batch maps_constants;

extern "C" __global__ void __launch_bounds__(MAPS_THREADS) maps_use_constant(const __grid_constant__ maps_tasks tasks)
{
    use(tasks.task[blockIdx.x], maps_constants.map[blockIdx.x]);
}

// Every CTA acquires its map, whoever wrote it: a kernel before this one, or (with the wider scope) the host.
extern "C" __global__ void __launch_bounds__(MAPS_THREADS)
    maps_use_global(const __grid_constant__ maps_tasks tasks, const maps_batch *maps, uint32_t by_host)
{
    const uint64_t *map = maps->map[blockIdx.x];
    if (by_host)
        ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_sys, map, ptx::n32_t<128>());
    else
        ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_gpu, map, ptx::n32_t<128>());
    use(tasks.task[blockIdx.x], map);
}

// --- Encode ----------------------------------------------------------------------------------------------------------

static __device__ void set(uint64_t *map, replace_field field, uint32_t ordinal, uint64_t value)
{
    replace(ptx::space_shared, map, replace_op{(uint32_t)field, ordinal, value});
}

// Every field that the instruction has.
static __device__ void set_fields(uint64_t *map, const maps_fields &fields)
{
    set(map, REPLACE_GLOBAL_ADDRESS, 0, fields.address);
    set(map, REPLACE_RANK, 0, fields.rank);
    set(map, REPLACE_ELEMTYPE, 0, fields.elemtype);
    set(map, REPLACE_INTERLEAVE_LAYOUT, 0, fields.interleave);
    set(map, REPLACE_SWIZZLE_MODE, 0, fields.swizzle);
    set(map, REPLACE_FILL_MODE, 0, fields.fill);
    for (uint32_t i = 0; i <= fields.rank; i++) {
        set(map, REPLACE_BOX_DIM, i, fields.box[i]);
        set(map, REPLACE_GLOBAL_DIM, i, fields.dim[i]);
        set(map, REPLACE_ELEMENT_STRIDE, i, fields.estride[i]);
        if (i > 0) set(map, REPLACE_GLOBAL_STRIDE, i - 1, fields.stride[i - 1]);
    }
}

// One warp: the map in shared memory, which one thread edits, goes to global memory and is released there.
static __device__ void publish(uint64_t *staged, const maps_fields &fields, uint64_t *map)
{
    __syncwarp(); // the start of the map
    if (threadIdx.x == 0) set_fields(staged, fields);
    __syncwarp(); // its fields: the warp copies them, and the copy is released for the tensormap proxy
    ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_gpu, map, staged, ptx::n32_t<128>());
}

extern "C" __global__ void __launch_bounds__(32)
    maps_encode_template(const __grid_constant__ maps_batch start, const maps_fields *fields, maps_batch *maps)
{
    __shared__ alignas(128) uint64_t staged[16];
    if (threadIdx.x < 16) staged[threadIdx.x] = start.map[0][threadIdx.x];
    publish(staged, fields[blockIdx.x], maps->map[blockIdx.x]);
}

extern "C" __global__ void __launch_bounds__(32) maps_encode_zeros(const maps_fields *fields, maps_batch *maps)
{
    __shared__ alignas(128) uint64_t staged[16];
    if (threadIdx.x < 16) staged[threadIdx.x] = 0;
    publish(staged, fields[blockIdx.x], maps->map[blockIdx.x]);
}
