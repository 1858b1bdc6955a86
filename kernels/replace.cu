// SPDX-License-Identifier: MIT
// Tensor maps on the device: each CTA takes jobs in turn; edits a map with tensormap.replace in shared or in global
// memory, publishes it (tensormap.cp_fenceproxy, or a release fence), acquires it, and loads one box through it. Or it
// only loads, through a map that is a parameter, a constant, or lies where none may.
#include "replace_job.h"
#include "tensor_copy.cuh"
#include "tensormap_replace.cuh"

static_assert(sizeof(replace_job) % 64 == 0, "jobs follow each other");
static_assert(alignof(replace_maps) == 64, "maps lie at multiples of 64");

__constant__ replace_maps replace_constants;

// The whole warp: one thread edits, all copy.
static __device__ void edit_in_shared(const replace_job &job, char *shared, uint64_t *map)
{
    uint64_t *staged = (uint64_t *)(shared + REPLACE_SHARED_MAP);
    if (threadIdx.x < 16) staged[threadIdx.x] = map[threadIdx.x];
    __syncwarp(); // the map is there to edit
    if (threadIdx.x == 0)
        for (uint32_t i = 0; i < job.ops; i++) replace(ptx::space_shared, staged, job.op[i]);
    __syncwarp(); // and edited: the warp copies it, and releases the copy to the tensormap proxy
    ptx::tensormap_cp_fenceproxy(ptx::sem_release, ptx::scope_gpu, map, staged, ptx::n32_t<128>());
    __syncwarp();
}

static __device__ void edit_in_global(const replace_job &job, uint64_t *map)
{
    if (threadIdx.x == 0) {
        for (uint32_t i = 0; i < job.ops; i++) replace(ptx::space_global, map, job.op[i]);
        ptx::fence_proxy_tensormap_generic(ptx::sem_release, ptx::scope_gpu); // the edits, to the tensormap proxy
    }
    __syncwarp();
}

static __device__ uint64_t run_load(const replace_job &job, const void *map, char *shared, uint64_t *barrier)
{
    start_barrier(barrier, 1);
    expect(barrier, job.expect_bytes);
    load_tile(job.dims, map, job.coord, shared + job.shared, barrier);
    wait_or_settle(barrier, job.settle);
    return final_word(barrier);
}

// Where the job has its map.
static __device__ const void *map_of(replace_job &job, const replace_maps &parameters, char *shared, uint64_t *local)
{
    switch (job.location) {
    case MAP_IN_PARAM:
        return parameters.map[job.slot];
    case MAP_IN_CONSTANT:
        return replace_constants.map[job.slot];
    case MAP_IN_SHARED:
        return shared + REPLACE_SHARED_MAP;
    case MAP_IN_LOCAL:
        return local;
    case MAP_UNMAPPED:
        return (const void *)job.address;
    default:
        return (const char *)job.map + job.misalign;
    }
}

// The first warp alone.
static __device__ void run_job(replace_job &job, const replace_maps &parameters, char *shared, char *output)
{
    alignas(64) uint64_t local[16];
    uint64_t *barrier = (uint64_t *)(shared + LOAD_BARRIER);
    if (job.ops > 0 && job.space == REPLACE_IN_SHARED) edit_in_shared(job, shared, job.map);
    if (job.ops > 0 && job.space == REPLACE_IN_GLOBAL) edit_in_global(job, job.map);
    if (threadIdx.x != 0) return;
    const void *map = map_of(job, parameters, shared, local);
    volatile uint64_t *copy = job.location == MAP_IN_SHARED ? (uint64_t *)(shared + REPLACE_SHARED_MAP) : local;
    for (int i = 0; i < 16; i++) copy[i] = job.map[i];
    if (job.location == MAP_IN_GLOBAL && job.misalign % 64 == 0)
        ptx::fence_proxy_tensormap_generic(ptx::sem_acquire, ptx::scope_sys, map, ptx::n32_t<128>());
    uint64_t word = job.dims > 0 ? run_load(job, map, shared, barrier) : 0;
    const uint64_t *bytes = job.location <= MAP_IN_CONSTANT ? (const uint64_t *)map : job.map;
    for (int i = 0; i < 16; i++) ((uint64_t *)(output + job.output - REPLACE_OUTPUT_LEAD))[i] = bytes[i];
    *(uint64_t *)(output + job.output - 8) = word;
}

extern "C" __global__ void __launch_bounds__(LOAD_THREADS)
    replace_jobs(replace_job *jobs, int count, char *output, const __grid_constant__ replace_maps parameters)
{
    extern __shared__ __align__(1024) char dynamic[];
    char *shared = shared_from_0(dynamic, LOAD_SHARED_START);

    for (int i = blockIdx.x; i < count; i += gridDim.x) {
        replace_job &job = jobs[i];
        fill(shared, job.window, job.window_end, load_canary);
        ptx::fence_proxy_async(); // the load writes over the canaries
        __syncthreads();
        if (threadIdx.x < 32) run_job(job, parameters, shared, output);
        __syncthreads();
        dump(output + job.output, shared + job.window, job.window_end - job.window);
        __syncthreads();
    }
}
