// SPDX-License-Identifier: MIT
// Launches of the family "cluster": the CUDA error, or what every CTA of the grid knows of its cluster and answers to
// one question about addresses (window "answers", a struct cluster_answers for each CTA, x fastest).
#include <inttypes.h>
#include <string.h>

#include "cluster_case.h"
#include "gpu_jobs.h"
#include "rules/cluster.h"

_Static_assert(sizeof(struct cluster_answers) == 104, "answers have no padding");

// The kernels, and what kernels/cluster.cu compiles them with.
static const struct {
    const char *name, *function;
    uint32_t cluster[3], threads, max_cluster, static_bytes;
} kernels[CLUSTER_KERNELS] = {
    {"plain", "cluster_launch", {0, 0, 0}, LAUNCH_MAX_THREADS, 0, 0},
    {"static", "cluster_launch_static", {0, 0, 0}, LAUNCH_MAX_THREADS, 0, 4096},
    {"dims_2", "cluster_launch_2", {2, 1, 1}, LAUNCH_MAX_THREADS, 0, 0},
    {"dims_1x2x2", "cluster_launch_1x2x2", {1, 2, 2}, LAUNCH_MAX_THREADS, 0, 0},
    {"dims_16", "cluster_launch_16", {16, 1, 1}, LAUNCH_MAX_THREADS, 0, 0},
    {"bounds_128_1_4", "cluster_launch_max4", {0, 0, 0}, 128, 4, 0},
};

enum { SYSTEM_BYTES = 1024 };

void cluster_compiled(uint32_t kernel, struct cluster_launch *launch)
{
    memcpy(launch->compiled_cluster, kernels[kernel].cluster, sizeof launch->compiled_cluster);
    launch->compiled_threads = kernels[kernel].threads;
    launch->compiled_max_cluster = kernels[kernel].max_cluster;
    launch->static_shared_bytes = kernels[kernel].static_bytes;
}

static bool is_answered(const struct cluster_launch *launch)
{
    const uint32_t *grid = launch->grid;
    for (int i = 0; i < 3; i++)
        if (grid[i] > CLUSTER_MAX_ANSWERS) return false;
    return (uint64_t)grid[0] * grid[1] * grid[2] <= CLUSTER_MAX_ANSWERS;
}

static uint32_t answers_bytes(const struct cluster_launch *launch)
{
    if (!is_answered(launch)) return 0;
    return launch->grid[0] * launch->grid[1] * launch->grid[2] * (uint32_t)sizeof(struct cluster_answers);
}

void cluster_launch_windows(const struct cluster_launch_case *c, struct result *result)
{
    if (is_answered(&c->launch)) result_window(result, "answers", 0, answers_bytes(&c->launch));
}

const char *cluster_kernel_name(uint32_t kernel)
{
    return kernels[kernel].name;
}

const char *cluster_launch_illegal(const struct cluster_launch_case *c)
{
    return cluster_launch_check(&c->launch, NULL) != RULE_OK || is_answered(&c->launch)
               ? NULL
               : "a grid that can be launched has at most 512 CTAs here";
}

// --- The model -------------------------------------------------------------------------------------------------------

static struct cluster_answers answers_of(const struct cluster_launch_case *c, const uint32_t ctaid[3])
{
    const struct cluster_question *question = &c->question;
    struct cluster_registers registers = cluster_registers(&c->launch, ctaid);
    struct cluster_answers answers = {
        .cluster_ctarank = registers.cluster_ctarank,
        .cluster_nctarank = registers.cluster_nctarank,
        .is_explicit_cluster = registers.is_explicit_cluster,
        .own = cluster_mapa(SYSTEM_BYTES + c->launch.static_shared_bytes, registers.cluster_ctarank),
        .mapa = cluster_mapa(question->address, question->rank),
        .address_rank = cluster_address_rank(question->address),
        .generic_rank = cluster_generic_rank(question->offset),
        .is_cta = (uint32_t)cluster_is_shared_cta(question->offset, registers.cluster_ctarank),
        .is_cluster = (uint32_t)cluster_is_shared_cluster(question->offset),
        .generic_mapa = cluster_mapa_generic(question->offset, question->rank),
    };
    memcpy(answers.ctaid, ctaid, sizeof answers.ctaid);
    memcpy(answers.clusterid, registers.clusterid, sizeof answers.clusterid);
    memcpy(answers.nclusterid, registers.nclusterid, sizeof answers.nclusterid);
    memcpy(answers.cluster_ctaid, registers.cluster_ctaid, sizeof answers.cluster_ctaid);
    memcpy(answers.cluster_nctaid, registers.cluster_nctaid, sizeof answers.cluster_nctaid);
    return answers;
}

enum rule cluster_launch_model(const struct cluster_launch_case *c, const struct result *result)
{
    const uint32_t *grid = c->launch.grid;
    enum rule rule = cluster_launch_check(&c->launch, NULL);
    for (uint32_t i = 0; rule == RULE_OK && i < grid[0] * grid[1] * grid[2] && result->windows > 0; i++) {
        const uint32_t ctaid[3] = {i % grid[0], i / grid[0] % grid[1], i / grid[0] / grid[1]};
        struct cluster_answers answers = answers_of(c, ctaid);
        memcpy(result->window[0].bytes + i * sizeof answers, &answers, sizeof answers);
    }
    return rule;
}

// --- The GPU: launches one after the other, one wait for all ---------------------------------------------------------

// The attributes stay with the function, so each launch sets all of them; the first value is the one of a new function.
static int allow(struct gpu *gpu, const struct cluster_launch *launch, struct CUfunc_st *function)
{
    const struct cuda_driver *call = &gpu->driver;
    int error = (int)call->cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                              LAUNCH_DEFAULT_SHARED_BYTES - (int)launch->static_shared_bytes);
    if (error == CUDA_SUCCESS)
        error = (int)call->cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED,
                                              launch->non_portable);
    if (error == CUDA_SUCCESS && launch->allows_shared)
        error = (int)call->cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                              (int)launch->allowed_shared_bytes);
    return error;
}

static int start(struct gpu *gpu, const struct cluster_launch_case *c, unsigned long long output)
{
    const struct cluster_launch *launch = &c->launch;
    struct CUfunc_st *function;
    struct cluster_question question = c->question;
    void *arguments[] = {&question};
    struct cuda_launch_attribute cluster = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
    struct cuda_launch_config config = {
        .shared_bytes = launch->shared_bytes, .attributes = &cluster, .attribute_count = launch->has_cluster != 0};
    question.output = is_answered(launch) ? output : 0;
    cluster.value.cluster.x = launch->cluster[0];
    cluster.value.cluster.y = launch->cluster[1];
    cluster.value.cluster.z = launch->cluster[2];
    config.grid_x = launch->grid[0], config.grid_y = launch->grid[1], config.grid_z = launch->grid[2];
    config.block_x = launch->block[0], config.block_y = launch->block[1], config.block_z = launch->block[2];
    int error = gpu_function(gpu, "cluster", kernels[c->kernel].function, &function);
    if (error == CUDA_SUCCESS) error = allow(gpu, launch, function);
    return error != CUDA_SUCCESS ? error : (int)gpu->driver.cuLaunchKernelEx(&config, function, arguments, NULL);
}

// Errors that a launch itself makes; any other ends the context.
static bool is_refusal(int error)
{
    return error == CUDA_ERROR_INVALID_VALUE || error == CUDA_ERROR_INVALID_CLUSTER_SIZE;
}

static int start_case(struct gpu *gpu, const void *test_case, struct result *result, uint64_t shift)
{
    const struct cluster_case *c = test_case;
    if (c->is_program) return CUDA_SUCCESS;
    int error = start(gpu, &c->launch, shift + (uint64_t)(uintptr_t)result->first_bytes);
    result->status = is_refusal(error) ? error : CUDA_SUCCESS;
    return is_refusal(error) ? CUDA_SUCCESS : error;
}

int cluster_launch_gpu(struct gpu *gpu, const struct cluster_case *cases, int count, struct result *results)
{
    return gpu_run_each(gpu, cases, sizeof *cases, count, results, start_case);
}

// --- Speaking --------------------------------------------------------------------------------------------------------

// The members of struct cluster_answers, in words of 4 bytes.
static const struct {
    const char *name;
    uint32_t words;
    enum rule rule;
} members[] = {
    {"%ctaid", 3, RULE_CLUSTER_RANK},
    {"%clusterid", 3, RULE_CLUSTER_RANK},
    {"%nclusterid", 3, RULE_CLUSTER_RANK},
    {"%cluster_ctaid", 3, RULE_CLUSTER_RANK},
    {"%cluster_nctaid", 3, RULE_CLUSTER_RANK},
    {"%cluster_ctarank", 1, RULE_CLUSTER_RANK},
    {"%cluster_nctarank", 1, RULE_CLUSTER_RANK},
    {"%is_explicit_cluster", 1, RULE_CLUSTER_RANK},
    {"its own address", 1, RULE_CLUSTER_MAPA},
    {"mapa", 1, RULE_CLUSTER_MAPA},
    {"getctarank", 1, RULE_CLUSTER_MAPA},
    {"getctarank.u64", 1, RULE_CLUSTER_MAPA},
    {"isspacep.shared::cta", 1, RULE_CLUSTER_WINDOW},
    {"isspacep.shared::cluster", 1, RULE_CLUSTER_WINDOW},
    {"mapa.u64", 2, RULE_CLUSTER_MAPA},
};

static size_t member_at(uint32_t word)
{
    size_t i = 0;
    while (word >= members[i].words) word -= members[i++].words;
    return i;
}

enum rule cluster_launch_explain(const struct difference *difference, FILE *out)
{
    struct difference_units words = difference_units(difference, 4);
    const uint32_t size = sizeof(struct cluster_answers), at = difference->at;
    const size_t member = member_at(at % size / 4);
    fprintf(out, "CTA %" PRIu32 " of the grid, %s: expected 0x%" PRIx64 ", found 0x%" PRIx64 "\n", at / size,
            members[member].name, words.expected, words.found);
    return members[member].rule;
}
