// SPDX-License-Identifier: MIT
// Programs of the family "cluster": what every step gave its issuers (window "got", 16 bytes for each step and CTA),
// what each CTA's 128 bytes of data and four barriers are at its end (window "ctas"), and what a store at exit left in
// global memory, with 32 bytes around it (window "global").
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "cluster_case.h"
#include "gpu.h"

enum { GUARD_BYTES = 32, STORE_RANK = 255, GROUPS = CLUSTER_CTAS + 1 };

_Static_assert(sizeof(struct cluster_step) == 56, "a step has no padding");

// The sizes of the windows, in their order.
struct layout {
    uint32_t got, ctas, global;
};

static struct layout layout_of(const struct cluster_program_case *c)
{
    const struct cluster_step *last = &c->step[c->count - 1];
    struct layout layout = {.got = (uint32_t)c->count * c->ctas * CLUSTER_GOT_BYTES,
                            .ctas = c->ctas * CLUSTER_CTA_BYTES};
    if (cluster_is_store_at_exit(last->opcode)) layout.global = last->size_bytes + 2 * GUARD_BYTES;
    return layout;
}

size_t cluster_program_bytes(const struct cluster_program_case *c)
{
    struct layout layout = layout_of(c);
    return layout.got + layout.ctas + layout.global;
}

static uint8_t *lay_out(const struct cluster_program_case *c, struct result *result)
{
    struct layout layout = layout_of(c);
    uint8_t *bytes = result_window(result, "got", 0, layout.got);
    result_window(result, "ctas", 0, layout.ctas);
    if (layout.global > 0) result_window(result, "global", 0, layout.global);
    return bytes;
}

static void fill(uint32_t seed, uint32_t rank, uint8_t *bytes, uint32_t size_bytes)
{
    for (uint32_t at = 0; at < size_bytes; at += 8) {
        uint64_t word = cluster_word(seed, rank, at);
        memcpy(bytes + at, &word, sizeof word);
    }
}

// --- The model -------------------------------------------------------------------------------------------------------

static void dump(const struct cluster_machine *machine, uint8_t *to)
{
    for (uint32_t rank = 0; rank < machine->ctas; rank++, to += CLUSTER_CTA_BYTES) {
        memcpy(to, machine->cta[rank].data, CLUSTER_DATA_BYTES);
        memcpy(to + CLUSTER_DATA_BYTES, machine->cta[rank].word, sizeof machine->cta[rank].word);
    }
}

void cluster_program_model(const struct cluster_program_case *c, struct result *result)
{
    static uint8_t data[CLUSTER_CTAS][CLUSTER_FILLED_BYTES];
    const struct layout layout = layout_of(c);
    uint8_t *got = lay_out(c, result), *ctas = got + layout.got, *global = ctas + layout.ctas;
    const struct memory stored = {global + GUARD_BYTES, 0, layout.global > 0 ? layout.global - 2 * GUARD_BYTES : 0};
    struct cluster_machine machine = {
        .ctas = c->ctas, .is_cluster = !c->no_cluster, .arena = arena(), .global = &stored};
    for (uint32_t rank = 0; rank < c->ctas; rank++) {
        fill(c->seed, rank, data[rank], layout.global > 0 ? CLUSTER_FILLED_BYTES : CLUSTER_DATA_BYTES);
        machine.cta[rank].data = data[rank];
    }
    fill(c->seed, STORE_RANK, global, layout.global);
    for (int i = 0; i < c->count && result->rule == RULE_OK; i++) {
        struct cluster_answer answer;
        result->rule = cluster_step(&machine, &c->step[i], &answer);
        memcpy(got + (size_t)i * c->ctas * CLUSTER_GOT_BYTES, answer.got, c->ctas * sizeof answer.got[0]);
    }
    dump(&machine, ctas);
    result->status = rule_cuda_error(result->rule);
    if (result->status != 0) result->windows = 0;
}

// --- The GPU: one launch for all programs of one size of cluster
// ------------------------------------------------------

// The group of a case: its CTAs, or 0 without a cluster.
static uint32_t group_of(const struct cluster_case *c)
{
    return c->program.no_cluster ? 0 : c->program.ctas;
}

// Everything that comes back, in the order of the cases; each part begins at a multiple of 16.
struct output {
    uint8_t *bytes;
    size_t size_bytes;
    unsigned long long device;
};

static struct cluster_job job_of(const struct cluster_program_case *c, uint64_t at)
{
    struct layout layout = layout_of(c);
    struct cluster_job job = {.output = at,
                              .global = at + layout.got + layout.ctas + GUARD_BYTES,
                              .seed = c->seed,
                              .count = (uint32_t)c->count,
                              .has_store = layout.global > 0};
    memcpy(job.step, c->step, sizeof job.step);
    return job;
}

static int launch_group(struct gpu *gpu, uint32_t group, unsigned long long jobs, int first, int count,
                        unsigned long long output)
{
    unsigned long long memory = gpu_arena(gpu);
    void *arguments[] = {&jobs, &output, &memory};
    struct gpu_launch launch = {.module = "cluster",
                                .kernel = "cluster_programs",
                                .grid = (unsigned)count * (group > 0 ? group : 1),
                                .block = CLUSTER_THREADS,
                                .cluster = group,
                                .shared_bytes = CLUSTER_SHARED_END - CLUSTER_BARRIER_START,
                                .jobs = &count,
                                .first_job = first,
                                .arguments = arguments};
    struct CUfunc_st *function;
    int error = gpu_function(gpu, launch.module, launch.kernel, &function);
    if (error == CUDA_SUCCESS && group > CLUSTER_MAX_PORTABLE)
        error = (int)gpu->driver.cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
    return error != CUDA_SUCCESS ? error : gpu_launch(gpu, &launch);
}

// Sorts the jobs by group, and launches each group.
static int run_jobs(struct gpu *gpu, const struct cluster_case *cases, int count, const uint64_t *at,
                    struct cluster_job *jobs, const struct output *output)
{
    int first[GROUPS + 1] = {0};
    int used = 0;
    for (uint32_t group = 0; group < GROUPS; group++) {
        for (int i = 0; i < count; i++)
            if (cases[i].is_program && group_of(&cases[i]) == group) {
                gpu->case_of_job[used] = i;
                jobs[used++] = job_of(&cases[i].program, at[i]);
            }
        first[group + 1] = used;
    }
    unsigned long long device = gpu_buffer(gpu, 1, (size_t)used * sizeof *jobs);
    if (device == 0 || gpu_arena(gpu) == 0) return CUDA_ERROR_OUT_OF_MEMORY;
    int error = (int)gpu->driver.cuMemcpyHtoD_v2(device, jobs, (size_t)used * sizeof *jobs);
    for (uint32_t group = 0; group < GROUPS && error == CUDA_SUCCESS; group++)
        if (first[group + 1] > first[group])
            error = launch_group(gpu, group, device + first[group] * sizeof *jobs, first[group],
                                 first[group + 1] - first[group], output->device);
    return error;
}

static int run_programs(struct gpu *gpu, const struct cluster_case *cases, int count, struct result *results,
                        const uint64_t *at, struct cluster_job *jobs, struct output *output)
{
    for (int i = 0; i < count; i++) {
        if (!cases[i].is_program) continue;
        struct layout layout = layout_of(&cases[i].program);
        fill(cases[i].program.seed, STORE_RANK, output->bytes + at[i] + layout.got + layout.ctas, layout.global);
    }
    int error = (int)gpu->driver.cuMemcpyHtoD_v2(output->device, output->bytes, output->size_bytes);
    if (error == CUDA_SUCCESS) error = run_jobs(gpu, cases, count, at, jobs, output);
    if (error == CUDA_SUCCESS)
        error = (int)gpu->driver.cuMemcpyDtoH_v2(output->bytes, output->device, output->size_bytes);
    for (int i = 0; i < count && error == CUDA_SUCCESS; i++)
        if (cases[i].is_program)
            memcpy(lay_out(&cases[i].program, &results[i]), output->bytes + at[i],
                   cluster_program_bytes(&cases[i].program));
    return error;
}

int cluster_program_gpu(struct gpu *gpu, const struct cluster_case *cases, int count, struct result *results)
{
    struct output output = {0};
    uint64_t *at = calloc((size_t)count, sizeof *at);
    struct cluster_job *jobs = calloc((size_t)count, sizeof *jobs);
    int error = CUDA_ERROR_OUT_OF_MEMORY;
    for (int i = 0; i < count && at != NULL; i++) {
        if (!cases[i].is_program) continue;
        at[i] = output.size_bytes;
        output.size_bytes += (cluster_program_bytes(&cases[i].program) + 15) / 16 * 16;
    }
    if (output.size_bytes > 0) {
        output.bytes = calloc(1, output.size_bytes);
        output.device = gpu_buffer(gpu, 2, output.size_bytes);
    }
    if (at != NULL && jobs != NULL && output.size_bytes == 0)
        error = CUDA_SUCCESS;
    else if (at != NULL && jobs != NULL && output.bytes != NULL && output.device != 0)
        error = run_programs(gpu, cases, count, results, at, jobs, &output);
    free(output.bytes);
    free(jobs);
    free(at);
    return error;
}

// --- Speaking --------------------------------------------------------------------------------------------------------

static void explain_place(const struct cluster_program_case *c, int window, uint32_t at, FILE *out)
{
    if (window == 0) {
        uint32_t step = at / CLUSTER_GOT_BYTES / c->ctas;
        fprintf(out, "steps[%u], %s: what CTA %u got", step, cluster_opcode_name(c->step[step].opcode),
                at / CLUSTER_GOT_BYTES % c->ctas);
    } else if (window == 2) {
        fprintf(out, "byte %d of what was stored at exit", (int)at - GUARD_BYTES);
    } else if (at % CLUSTER_CTA_BYTES < CLUSTER_DATA_BYTES) {
        fprintf(out, "CTA %u, byte %u of its data", at / CLUSTER_CTA_BYTES, at % CLUSTER_CTA_BYTES);
    } else {
        fprintf(out, "CTA %u, word of barrier %u", at / CLUSTER_CTA_BYTES,
                (at % CLUSTER_CTA_BYTES - CLUSTER_DATA_BYTES) / 8);
    }
}

void cluster_program_explain(const struct cluster_program_case *c, const struct result *expected,
                             const struct result *found, FILE *out)
{
    if (expected->status != found->status || expected->windows != found->windows) {
        fprintf(out, "status: expected %d, found %d\n", expected->status, found->status);
        return;
    }
    for (int i = 0; i < expected->windows; i++) {
        const struct window *a = &expected->window[i], *b = &found->window[i];
        for (uint32_t at = 0; at < a->size_bytes; at += 8) {
            uint64_t words[2];
            memcpy(&words[0], a->bytes + at, sizeof words[0]);
            memcpy(&words[1], b->bytes + at, sizeof words[1]);
            if (words[0] == words[1]) continue;
            explain_place(c, i, at, out);
            fprintf(out, ": expected 0x%016llx, found 0x%016llx\n", (unsigned long long)words[0],
                    (unsigned long long)words[1]);
            return;
        }
    }
}
