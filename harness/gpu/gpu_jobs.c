// SPDX-License-Identifier: MIT
#include "gpu_jobs.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"

enum { MAP_ALIGNMENT = 64 };

static const void *case_at(const struct gpu_jobs *jobs, const void *cases, int i)
{
    return (const char *)cases + (size_t)i * jobs->case_bytes;
}

// Bytes of all results, from the first one's first.
static size_t all_bytes(const struct result *results, int count)
{
    const uint8_t *end = results[0].first_bytes;
    for (int i = 0; i < count; i++)
        if (results[i].free_bytes > end) end = results[i].free_bytes;
    return (size_t)(end - results[0].first_bytes);
}

// What a run has on the device: `first` counts the jobs before each group.
struct run {
    const struct gpu_jobs *jobs;
    unsigned long long device_jobs, device_output;
    char *made;
    int *first;
};

static uint32_t groups_of(const struct gpu_jobs *jobs)
{
    return jobs->groups > 0 ? jobs->groups : 1;
}

// The job of case `i` behind those that are made. A case that has none gets its status.
static void make_job(struct gpu *gpu, struct run *run, const void *test_case, int i, struct result *results, int *made)
{
    char *job = run->made + (size_t)*made * run->jobs->job_bytes;
    struct gpu_place place = {.gpu = gpu,
                              .test_case = test_case,
                              .result = &results[i],
                              .index = *made,
                              .job = run->device_jobs + (size_t)*made * run->jobs->job_bytes,
                              .output = run->device_output,
                              .offset = (uint64_t)(results[i].first_bytes - results[0].first_bytes)};
    memset(job, 0, run->jobs->job_bytes);
    results[i].status = run->jobs->make(&place, job);
    if (results[i].status != CUDA_SUCCESS) return;
    gpu->case_of_job[(*made)++] = i;
}

static void make_jobs(struct gpu *gpu, struct run *run, const void *cases, int count, struct result *results)
{
    int made = 0;
    for (uint32_t group = 0; group < groups_of(run->jobs); group++) {
        for (int i = 0; i < count; i++) {
            const void *test_case = case_at(run->jobs, cases, i);
            if (run->jobs->group != NULL && run->jobs->group(test_case) != group) continue;
            make_job(gpu, run, test_case, i, results, &made);
        }
        run->first[group + 1] = made;
    }
}

// As many CTAs as have something to do, or fit on the device.
static unsigned grid_of(const struct gpu *gpu, const struct gpu_jobs *jobs, unsigned count, unsigned cluster)
{
    unsigned ctas = cluster > 0 ? cluster : 1, per_cta = jobs->jobs_per_cta > 0 ? jobs->jobs_per_cta : 1;
    unsigned side_by_side = jobs->per_processor > 0 ? jobs->per_processor : 1;
    unsigned wanted = (count + per_cta - 1) / per_cta, most = side_by_side * (unsigned)gpu->processors / ctas;
    if (most == 0) most = 1;
    return ctas * (wanted < most ? wanted : most);
}

static int launch_jobs(struct gpu *gpu, const struct run *run, uint32_t group, int first, int count)
{
    const struct gpu_jobs *jobs = run->jobs;
    size_t at = (size_t)first * jobs->job_bytes;
    struct gpu_arguments with = {.jobs = run->device_jobs + at,
                                 .output = run->device_output,
                                 .count = count,
                                 .more = jobs->more,
                                 .list = {&with.jobs, &with.count, &with.output, &with.more},
                                 .made = run->made + at};
    struct gpu_launch launch = {.module = jobs->module,
                                .kernel = jobs->kernel,
                                .block = jobs->block,
                                .shared_bytes = jobs->shared_bytes,
                                .cluster = jobs->are_clusters ? group : 0,
                                .jobs = jobs->jobs_per_cta > 1 ? NULL : &with.count,
                                .first_job = first,
                                .arguments = with.list};
    int error = jobs->shape != NULL ? jobs->shape(gpu, group, &launch, &with) : CUDA_SUCCESS;
    if (with.more == 0) with.more = launch.cluster;
    launch.grid = grid_of(gpu, jobs, (unsigned)count, launch.cluster);
    return error == CUDA_SUCCESS ? gpu_launch(gpu, &launch) : error;
}

static int launch_group(struct gpu *gpu, const struct run *run, uint32_t group)
{
    int end = run->first[group + 1], most = run->jobs->most_jobs > 0 ? run->jobs->most_jobs : GPU_MOST_JOBS;
    int error = CUDA_SUCCESS;
    for (int first = run->first[group]; first < end && error == CUDA_SUCCESS; first += most)
        error = launch_jobs(gpu, run, group, first, end - first < most ? end - first : most);
    return error;
}

static int launch_all(struct gpu *gpu, const struct run *run, struct result *results, int count)
{
    size_t output_bytes = all_bytes(results, count);
    const struct cuda_driver *call = &gpu->driver;
    uint32_t groups = groups_of(run->jobs);
    size_t jobs_bytes = (size_t)run->first[groups] * run->jobs->job_bytes;
    int error = jobs_bytes == 0 ? CUDA_SUCCESS : (int)call->cuMemcpyHtoD_v2(run->device_jobs, run->made, jobs_bytes);
    if (jobs_bytes == 0) return CUDA_SUCCESS;
    if (error == CUDA_SUCCESS && run->jobs->uploads)
        error = (int)call->cuMemcpyHtoD_v2(run->device_output, results[0].first_bytes, output_bytes);
    for (uint32_t group = 0; group < groups && error == CUDA_SUCCESS; group++) error = launch_group(gpu, run, group);
    return error != CUDA_SUCCESS ? error
                                 : (int)call->cuMemcpyDtoH_v2(results[0].first_bytes, run->device_output, output_bytes);
}

int gpu_run_jobs(struct gpu *gpu, const struct gpu_jobs *jobs, const void *cases, int count, struct result *results)
{
    size_t jobs_bytes = ((size_t)count * jobs->job_bytes + MAP_ALIGNMENT - 1) / MAP_ALIGNMENT * MAP_ALIGNMENT;
    struct run run = {.jobs = jobs,
                      .device_jobs = gpu_buffer(gpu, GPU_JOBS_BUFFER, jobs_bytes),
                      .device_output = gpu_buffer(gpu, GPU_OUTPUT_BUFFER, all_bytes(results, count) + 1),
                      .made = aligned_alloc(MAP_ALIGNMENT, jobs_bytes),
                      .first = calloc(groups_of(jobs) + 1, sizeof *run.first)};
    int error = CUDA_ERROR_OUT_OF_MEMORY;
    if (run.device_jobs != 0 && run.device_output != 0 && run.made != NULL && run.first != NULL &&
        gpu_arena(gpu) != 0) {
        make_jobs(gpu, &run, cases, count, results);
        error = launch_all(gpu, &run, results, count);
    }
    free(run.made);
    free(run.first);
    return error;
}

int gpu_run_each(struct gpu *gpu, const void *cases, size_t case_bytes, int count, struct result *results,
                 int (*start)(struct gpu *gpu, const void *test_case, struct result *result, uint64_t shift))
{
    uint8_t *bytes = results[0].first_bytes;
    size_t size_bytes = all_bytes(results, count);
    unsigned long long device = gpu_buffer(gpu, GPU_OUTPUT_BUFFER, size_bytes + 1);
    if (device == 0 || gpu_arena(gpu) == 0) return CUDA_ERROR_OUT_OF_MEMORY;
    int error = (int)gpu->driver.cuMemcpyHtoD_v2(device, bytes, size_bytes);
    for (int i = 0; i < count && error == CUDA_SUCCESS; i++)
        if (results[i].status == CUDA_SUCCESS)
            error = start(gpu, (const char *)cases + (size_t)i * case_bytes, &results[i],
                          device - (uint64_t)(uintptr_t)bytes);
    if (error == CUDA_SUCCESS) error = (int)gpu->driver.cuCtxSynchronize();
    return error == CUDA_SUCCESS ? (int)gpu->driver.cuMemcpyDtoH_v2(bytes, device, size_bytes) : error;
}
