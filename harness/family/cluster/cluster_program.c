// SPDX-License-Identifier: MIT
// Programs of the family "cluster": what every step gave its issuers (window "got", 16 bytes for each step and CTA),
// what each CTA's 128 bytes of data and four barriers are at its end (window "ctas"), and what a store at exit left in
// global memory, with 32 bytes around it (window "global").
#include <string.h>

#include "arena.h"
#include "cluster_case.h"
#include "gpu_jobs.h"
#include "rules/cluster.h"
#include "rules/mbarrier.h"
#include "rules/store.h"

enum { GUARD_BYTES = 32, STORE_RANK = 255 };

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
    if (cluster_is(last->opcode, CLUSTER_STORES_AT_EXIT)) layout.global = last->size_bytes + 2 * GUARD_BYTES;
    return layout;
}

void cluster_program_windows(const struct cluster_program_case *c, struct result *result)
{
    struct layout layout = layout_of(c);
    result_window(result, "got", 0, layout.got);
    result_window(result, "ctas", 0, layout.ctas);
    if (layout.global > 0) result_window(result, "global", 0, layout.global);
}

static void fill(uint32_t seed, uint32_t rank, uint8_t *bytes, uint32_t size_bytes)
{
    for (uint32_t at = 0; at < size_bytes; at += 8) put_u64(bytes + at, cluster_word(seed, rank, at));
}

// --- The model -------------------------------------------------------------------------------------------------------

static void dump(const struct cluster_machine *machine, uint8_t *to)
{
    for (uint32_t rank = 0; rank < machine->ctas; rank++, to += CLUSTER_CTA_BYTES) {
        memcpy(to, machine->cta[rank].data, CLUSTER_DATA_BYTES);
        memcpy(to + CLUSTER_DATA_BYTES, machine->cta[rank].word, sizeof machine->cta[rank].word);
    }
}

// The kernel writes what a step gave to its issuers alone.
void cluster_program_fill(const struct cluster_program_case *c, const struct result *result)
{
    memset(result->window[0].bytes, 0, result->window[0].size_bytes);
    if (result->windows > 2) fill(c->seed, STORE_RANK, result->window[2].bytes, result->window[2].size_bytes);
}

enum rule cluster_program_model(const struct cluster_program_case *c, const struct result *result)
{
    uint8_t data[CLUSTER_CTAS][CLUSTER_FILLED_BYTES];
    const struct layout layout = layout_of(c);
    uint8_t *got = result->window[0].bytes, *global = result->first_bytes + layout.got + layout.ctas;
    const struct memory stored = {global + GUARD_BYTES, 0, layout.global > 0 ? layout.global - 2 * GUARD_BYTES : 0};
    struct cluster_machine machine = {
        .ctas = c->ctas, .is_cluster = !c->no_cluster, .arena = arena(), .global = &stored};
    enum rule rule = RULE_OK;
    for (uint32_t rank = 0; rank < c->ctas; rank++) {
        fill(c->seed, rank, data[rank], layout.global > 0 ? CLUSTER_FILLED_BYTES : CLUSTER_DATA_BYTES);
        machine.cta[rank].data = data[rank];
    }
    for (int i = 0; i < c->count && rule == RULE_OK; i++) {
        struct cluster_answer answer;
        rule = cluster_step(&machine, &c->step[i], &answer);
        memcpy(got + (size_t)i * c->ctas * CLUSTER_GOT_BYTES, answer.got, c->ctas * sizeof answer.got[0]);
    }
    dump(&machine, result->window[1].bytes);
    return rule;
}

// --- The GPU: one launch for all programs of one size of cluster -----------------------------------------------------

static int make_job(const struct gpu_place *place, void *to)
{
    const struct cluster_program_case *c = &((const struct cluster_case *)place->test_case)->program;
    struct layout layout = layout_of(c);
    struct cluster_job *job = to;
    *job = (struct cluster_job){.output = place->offset,
                                .global = place->offset + layout.got + layout.ctas + GUARD_BYTES,
                                .seed = c->seed,
                                .count = (uint32_t)c->count,
                                .has_store = layout.global > 0};
    memcpy(job->step, c->step, sizeof job->step);
    return CUDA_SUCCESS;
}

// The CTAs of the cluster, or 0 without one.
static uint32_t group_of(const void *test_case)
{
    const struct cluster_case *c = test_case;
    if (!c->is_program) return GPU_NO_GROUP;
    return c->program.no_cluster ? 0 : c->program.ctas;
}

// The kernel takes no number of jobs: a cluster has one.
static int shape(struct gpu *gpu, uint32_t group, struct gpu_launch *launch, struct gpu_arguments *arguments)
{
    launch->cluster = group;
    arguments->more = gpu_arena(gpu);
    arguments->list[1] = &arguments->output;
    arguments->list[2] = &arguments->more;
    return CUDA_SUCCESS;
}

int cluster_program_gpu(struct gpu *gpu, const struct cluster_case *cases, int count, struct result *results)
{
    static const struct gpu_jobs jobs = {.module = "cluster",
                                         .kernel = "cluster_programs",
                                         .case_bytes = sizeof(struct cluster_case),
                                         .job_bytes = sizeof(struct cluster_job),
                                         .block = CLUSTER_THREADS,
                                         .shared_bytes = CLUSTER_SHARED_END - CLUSTER_BARRIER_START,
                                         .per_processor = GPU_MOST_JOBS * CLUSTER_CTAS,
                                         .make = make_job,
                                         .groups = CLUSTER_CTAS + 1,
                                         .group = group_of,
                                         .shape = shape,
                                         .uploads = 1};
    return gpu_run_jobs(gpu, &jobs, cases, count, results);
}

// --- Speaking --------------------------------------------------------------------------------------------------------

static enum rule explain_place(const struct cluster_program_case *c, int window, uint32_t at, FILE *out)
{
    if (window == 0) {
        uint32_t step = at / CLUSTER_GOT_BYTES / c->ctas;
        fprintf(out, "steps[%u], %s: what CTA %u got", step, cluster_opcode_name(c->step[step].opcode),
                at / CLUSTER_GOT_BYTES % c->ctas);
        return RULE_CLUSTER_ACCESS;
    }
    if (window == 2) {
        fprintf(out, "byte %d of what was stored at exit", (int)at - GUARD_BYTES);
        return RULE_STORE_EXIT;
    }
    if (at % CLUSTER_CTA_BYTES < CLUSTER_DATA_BYTES) {
        fprintf(out, "CTA %u, byte %u of its data", at / CLUSTER_CTA_BYTES, at % CLUSTER_CTA_BYTES);
        return RULE_CLUSTER_ACCESS;
    }
    fprintf(out, "CTA %u, word of barrier %u", at / CLUSTER_CTA_BYTES,
            (at % CLUSTER_CTA_BYTES - CLUSTER_DATA_BYTES) / 8);
    return RULE_MBARRIER_PHASE;
}

enum rule cluster_program_explain(const struct cluster_program_case *c, const struct difference *difference, FILE *out)
{
    struct difference_units words = difference_units(difference, 8);
    const enum rule rule = explain_place(c, difference->window, difference->at / 8 * 8, out);
    fprintf(out, ": expected 0x%016llx, found 0x%016llx\n", (unsigned long long)words.expected,
            (unsigned long long)words.found);
    return rule;
}
