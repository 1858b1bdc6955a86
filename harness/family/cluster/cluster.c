// SPDX-License-Identifier: MIT
// The family "cluster": launches with and without clusters, and programs that the CTAs of one cluster run on each
// other's shared memory. The two kinds of case are in cluster_launch.c and cluster_program.c.
#include <string.h>

#include "cluster_case.h"
#include "cuda_abi.h"

static json_t *cluster_write(const void *test_case)
{
    const struct cluster_case *c = test_case;
    return c->is_program ? cluster_program_write(&c->program) : cluster_launch_write(&c->launch);
}

static int cluster_read(const json_t *json, void *test_case, struct text *why)
{
    struct cluster_case *c = test_case;
    memset(c, 0, sizeof *c);
    c->is_program = json_object_get(json, "steps") != NULL;
    return c->is_program ? cluster_program_read(json, &c->program, why) : cluster_launch_read(json, &c->launch, why);
}

static size_t cluster_result_bytes(const void *test_case)
{
    const struct cluster_case *c = test_case;
    return c->is_program ? cluster_program_bytes(&c->program) : cluster_launch_bytes(&c->launch);
}

static void cluster_run_model(const void *test_case, struct result *result)
{
    const struct cluster_case *c = test_case;
    if (c->is_program)
        cluster_program_model(&c->program, result);
    else
        cluster_launch_model(&c->launch, result);
}

static int cluster_run_gpu(struct gpu *gpu, const void *cases, int count, struct result *results)
{
    int error = cluster_launch_gpu(gpu, cases, count, results);
    return error != CUDA_SUCCESS ? error : cluster_program_gpu(gpu, cases, count, results);
}

static void cluster_explain(const void *test_case, const struct result *expected, const struct result *found, FILE *out)
{
    const struct cluster_case *c = test_case;
    if (c->is_program)
        cluster_program_explain(&c->program, expected, found, out);
    else
        cluster_launch_explain(&c->launch, expected, found, out);
}

const struct family family_cluster = {
    .name = "cluster",
    .summary = "launches with clusters, ranks and addresses; programs on the shared memory of other CTAs",
    .case_bytes = sizeof(struct cluster_case),
    .generate = cluster_generate,
    .write = cluster_write,
    .read = cluster_read,
    .result_bytes = cluster_result_bytes,
    .run_model = cluster_run_model,
    .run_gpu = cluster_run_gpu,
    .kernels = "cluster",
    .explain = cluster_explain,
    .rule = RULE_CLUSTER_MAPA,
};
