// SPDX-License-Identifier: MIT
// What a family's run_gpu() may do with the device: kernels by name, buffers that live as long as the child process,
// launches that return a CUDA error number. For the families it all happens in a child process (see gpu_child.c):
// whatever kills the device there costs that child only.
#ifndef TMAREF_GPU_H
#define TMAREF_GPU_H

#include <stddef.h>
#include <stdint.h>

#include "cuda.h"
#include "gpu_nvml.h"
#include "result.h"

enum { GPU_BUFFERS = 5, GPU_MOST_JOBS = 4096 };

// One launch. `cluster` 0: a launch without the cluster attribute. Sizes along y and z that are 0 count as 1.
// `is_programmatic`: it may begin before the launch in front of it has ended (the kernel waits, griddepcontrol.wait).
// `jobs`: how many jobs the CTAs (clusters, where it has them) take in turn, in the order of blockIdx, job `first_job`
// of the batch first; NULL where work is shared out otherwise. It is the number that the kernel's argument points to:
// where a dump is wanted, which tells of the first fault of a CTA, it is lowered to one job for each CTA.
struct gpu_launch {
    const char *module, *kernel; // kernels/<module>.cubin, and the extern "C" name in it
    unsigned grid, grid_y, grid_z, block;
    unsigned cluster, cluster_y, cluster_z;
    unsigned shared_bytes;
    bool is_programmatic;
    int *jobs, first_job;
    void **arguments;           // as cuLaunchKernel takes them; for export.h each 8 bytes, NULL behind the last
    struct CUstream_st *stream; // NULL: that of struct gpu
};

// Families that put the jobs of a batch into another order than its cases say so in `case_of_job`. `core`: where the
// driver writes a core dump when a kernel faults, NULL: nowhere.
struct gpu {
    const char *core;
    int case_of_job[GPU_MOST_JOBS];
    struct {
        int jobs, first_job;
        unsigned ctas; // of one job
    } launched;
    struct cuda_driver driver;
    struct nvml nvml;
    struct CUctx_st *context;   // the primary one
    struct CUstream_st *stream; // of launches that name none; NULL: the default stream
    int processors;             // multiprocessors
    char description[256];
    struct {
        unsigned long long address;
        size_t size_bytes;
    } buffer[GPU_BUFFERS];
    unsigned long long arena, far_arena;
    struct {
        const char *name;
        struct CUmod_st *module;
    } module[32];
    struct {
        const char *module;
        char name[256];
    } kernel; // the last one that was asked for; NULL: none
};

// Device 0 of this process, or device `ordinal`, its primary context made current. Returns 0 with a sentence in `why`
// if there is none that will do.
bool gpu_init(struct gpu *gpu, struct text *why);
bool gpu_init_device(struct gpu *gpu, int ordinal, struct text *why);

// Device memory of at least `size_bytes` in slot 0 .. GPU_BUFFERS - 1, its contents undefined; 0 if there is none.
unsigned long long gpu_buffer(struct gpu *gpu, int slot, size_t size_bytes);

// The arena (see arena.h) in device memory, mapped in the middle of reserved addresses that are not mapped; 0 if it
// cannot be made.
unsigned long long gpu_arena(struct gpu *gpu);

// The same bytes in the host's memory, which the device reads across the bus; 0 if it cannot be made.
unsigned long long gpu_far_arena(struct gpu *gpu);

// Loads what `other`, of a copy of this process, has loaded: modules, the last kernel and the arenas.
void gpu_load_as(struct gpu *gpu, const struct gpu *other);

// The kernel `kernel` of kernels/<module>.cubin. Returns 0 or the CUDA error.
int gpu_function(struct gpu *gpu, const char *module, const char *kernel, struct CUfunc_st **function);

// Where the __device__ or __constant__ variable `name` of kernels/<module>.cubin lies; 0 if it is not there.
unsigned long long gpu_symbol(struct gpu *gpu, const char *module, const char *name);

// What kernels/<module>.cubin says of waits that its kernels gave up (see late.h), which is then forgotten. Returns 0,
// CUDA_ERROR_LAUNCH_TIMEOUT if there is one, or another CUDA error.
int gpu_late(struct gpu *gpu, const char *module, struct given_up *late);

// Starts a kernel on its stream. Returns 0 or the CUDA error.
int gpu_start(struct gpu *gpu, const struct gpu_launch *launch);

// Runs a kernel and waits for it. Returns 0 or the CUDA error; where a dump was written, which hides it, 719.
int gpu_launch(struct gpu *gpu, const struct gpu_launch *launch);

// The clusters of `launch` (whose grid does not matter) that an otherwise idle device runs at once; 0 if that cannot be
// told.
//   source   CUDA Driver API 13.0, cuOccupancyMaxActiveClusters
int gpu_clusters(struct gpu *gpu, const struct gpu_launch *launch);

// How long each of `rounds` launches takes, after a few that are not timed. Returns 0 or the CUDA error.
int gpu_time(struct gpu *gpu, const struct gpu_launch *launch, int rounds, float *milliseconds);

// Path of kernels/<name> beside the command or the library that this is part of, in the build tree or the installed
// one; 0 if it does not exist.
bool gpu_kernel_path(const char *name, char *path, size_t path_bytes);

#endif
