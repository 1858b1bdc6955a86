// SPDX-License-Identifier: MIT
#include "load_launch.h"

#include <stdlib.h>
#include <string.h>

#include "gpu.h"

enum { GUARD_BYTES = 256, WORD_BYTES = 8, LEAD_BYTES = 16 };

struct load_window load_window_around(uint32_t shared, uint64_t extent)
{
    if (extent > LOAD_SHARED_BYTES) extent = LOAD_SHARED_BYTES;
    uint32_t base = shared / 128 * 128 - GUARD_BYTES;
    uint32_t end = (shared + (uint32_t)extent + 127) / 128 * 128 + GUARD_BYTES;
    if (base < LOAD_WINDOW_START) base = LOAD_WINDOW_START;
    if (end > LOAD_SHARED_END) end = LOAD_SHARED_END;
    return (struct load_window){base, end > base ? end - base : 0};
}

size_t load_window_bytes(struct load_window window)
{
    return LEAD_BYTES + window.size_bytes;
}

// Lays out the windows: the word in the second half of the first 16 bytes, then shared memory. The kernel's output has
// the same form, so that results come back in one copy.
static void lay_out(struct load_window window, struct result *result, uint8_t **word, uint8_t **shared)
{
    result->free_bytes += LEAD_BYTES - WORD_BYTES;
    *word = result_window(result, "mbarrier", LOAD_BARRIER, WORD_BYTES);
    *shared = result_window(result, "shared", window.base, window.size_bytes);
}

static void canaries(uint8_t *bytes, struct load_window window)
{
    for (uint32_t at = 0; at < window.size_bytes; at += 4) {
        uint32_t word = load_canary(window.base + at);
        memcpy(bytes + at, &word, sizeof word);
    }
}

void load_on_model(const struct load_kind *kind, const void *test_case, struct result *result)
{
    static uint8_t cta[LOAD_SHARED_BYTES];
    const struct memory shared = {cta, LOAD_SHARED_START, sizeof cta};
    struct load_window window = kind->window(test_case);
    uint8_t *word_bytes, *shared_bytes, *in_cta = cta + (window.base - LOAD_SHARED_START);
    uint64_t word;
    canaries(in_cta, window);
    result->rule = kind->run(test_case, &shared, &word);
    result->status = rule_cuda_error(result->rule);
    if (result->rule != RULE_OK) return;
    lay_out(window, result, &word_bytes, &shared_bytes);
    memcpy(word_bytes, &word, sizeof word);
    memcpy(shared_bytes, in_cta, window.size_bytes);
}

static int launch_jobs(struct gpu *gpu, const struct load_job *jobs, int count, uint8_t *output, size_t output_bytes)
{
    unsigned long long device_jobs = gpu_buffer(gpu, 0, (size_t)count * sizeof *jobs);
    unsigned long long device_output = gpu_buffer(gpu, 1, output_bytes);
    if (device_jobs == 0 || device_output == 0) return CUDA_ERROR_OUT_OF_MEMORY;
    int error = (int)gpu->driver.cuMemcpyHtoD_v2(device_jobs, jobs, (size_t)count * sizeof *jobs);
    void *arguments[] = {&device_jobs, &count, &device_output};
    struct gpu_launch launch = {.module = "load",
                                .kernel = "load_jobs",
                                .grid = (unsigned)(count < gpu->processors ? count : gpu->processors),
                                .block = LOAD_THREADS,
                                .shared_bytes = LOAD_SHARED_BYTES,
                                .jobs = &count,
                                .arguments = arguments};
    if (error == CUDA_SUCCESS) error = gpu_launch(gpu, &launch);
    if (error == CUDA_SUCCESS) error = (int)gpu->driver.cuMemcpyDtoH_v2(output, device_output, output_bytes);
    return error;
}

int load_on_gpu(const struct load_kind *kind, struct gpu *gpu, const void *cases, int count, struct result *results)
{
    struct load_job *jobs = aligned_alloc(64, (size_t)count * sizeof *jobs);
    uint8_t *output = results[0].free_bytes, *end = output, *unused;
    if (jobs == NULL || gpu_arena(gpu) == 0) return CUDA_ERROR_OUT_OF_MEMORY;
    int launched = 0;
    for (int i = 0; i < count; i++) {
        const void *test_case = (const char *)cases + (size_t)i * kind->case_bytes;
        struct load_window window = kind->window(test_case);
        struct load_job *job = &jobs[launched];
        uint64_t offset = (uint64_t)(results[i].free_bytes - output) + LEAD_BYTES;
        results[i].status = kind->make_job(gpu, test_case, job);
        if (results[i].status != CUDA_SUCCESS) continue;
        job->window = window.base;
        job->window_end = window.base + window.size_bytes;
        job->output = offset;
        lay_out(window, &results[i], &unused, &unused);
        end = results[i].free_bytes;
        gpu->case_of_job[launched++] = i;
    }
    int error = launched > 0 ? launch_jobs(gpu, jobs, launched, output, (size_t)(end - output)) : CUDA_SUCCESS;
    free(jobs);
    return error;
}
