// SPDX-License-Identifier: MIT
// The ways of a tensor map into a kernel, and maps that a kernel makes. `maps_use_param`, `maps_use_constant` and
// `maps_use_global` are one kernel three times: each CTA takes a map of a batch, loads a box of its tensor, adds 1 to
// it and stores it back. `maps_encode_template` and `maps_encode_zeros` make the batch's maps in global memory, a warp
// each, for a later `maps_use_global`.
#include "late.cuh"
#include "maps_job.h"
#include "tensormap_replace.cuh"

// A phase that has not completed after this many clocks (about a millisecond) never will.
static const long long WAIT_CLOCKS = 2000000;

static_assert(alignof(maps_batch) == 64, "maps lie at multiples of 64");

extern __shared__ __align__(1024) char dynamic[];

// --- Use -------------------------------------------------------------------------------------------------------------

template <int dims>
static __device__ void load(const maps_task &task, const void *map, char *to, uint64_t *barrier)
{
    int32_t coord[dims];
    for (int i = 0; i < dims; i++) coord[i] = task.coord[i];
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, to, map, coord, barrier);
}

template <int dims>
static __device__ void store(const maps_task &task, const void *map, const char *from)
{
    int32_t coord[dims];
    for (int i = 0; i < dims; i++) coord[i] = task.coord[i];
    ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, map, coord, from);
}

// Calls with the rank as a constant: it is part of the instruction.
template <typename function>
static __device__ void with_dims(int dims, function f)
{
    switch (dims) {
    case 1:
        f(ptx::n32_t<1>());
        break;
    case 2:
        f(ptx::n32_t<2>());
        break;
    case 3:
        f(ptx::n32_t<3>());
        break;
    case 4:
        f(ptx::n32_t<4>());
        break;
    case 5:
        f(ptx::n32_t<5>());
        break;
    }
}

// By every thread: acquires what the load wrote.
static __device__ void wait(uint64_t *barrier)
{
    for (long long start = clock64(); clock64() - start < WAIT_CLOCKS;)
        if (ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cta, barrier, 0)) return;
    give_up(barrier, 0);
}

static __device__ void start_load(const maps_task &task, const void *map, char *shared, uint64_t *barrier)
{
    ptx::mbarrier_init(barrier, 1);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster); // the copy signals it
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, barrier, task.expect_bytes);
    with_dims(task.dims, [&](auto dims) { load<dims.value>(task, map, shared + task.shared, barrier); });
}

static __device__ void store_back(const maps_task &task, const void *map, char *shared)
{
    with_dims(task.dims, [&](auto dims) { store<dims.value>(task, map, shared + task.shared); });
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}

// The whole CTA: what is done with a tensor, through a map that is ready to be used.
static __device__ void use(const maps_task &task, const uint64_t *map)
{
    char *shared = dynamic - MAPS_SHARED_START; // shared + address is the byte at that shared address
    uint64_t *barrier = (uint64_t *)(shared + MAPS_BARRIER);
    if (__cvta_generic_to_shared(dynamic) != MAPS_SHARED_START) __trap();
    for (uint32_t at = task.window + 4 * threadIdx.x; at < task.window_end; at += 4 * MAPS_THREADS)
        *(uint32_t *)(shared + at) = maps_canary(at);
    ptx::fence_proxy_async(ptx::space_shared); // the load writes over them
    __syncthreads();
    if (threadIdx.x == 0) start_load(task, map, shared, barrier);
    __syncthreads(); // nobody waits at the barrier before its init
    wait(barrier);
    for (uint32_t at = task.first + 4 * threadIdx.x; at < task.end; at += 4 * MAPS_THREADS)
        *(uint32_t *)(shared + at) += 1;
    ptx::fence_proxy_async(ptx::space_shared); // the store reads what was written
    __syncthreads();
    if (threadIdx.x == 0) store_back(task, map, shared);
    for (uint32_t at = task.window + 16 * threadIdx.x; at < task.window_end; at += 16 * MAPS_THREADS)
        *(uint4 *)(task.dump + at - task.window) = *(uint4 *)(shared + at);
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
