// SPDX-License-Identifier: MIT
// The case of the family "cluster": a launch, or a program that the CTAs of one cluster run.
#ifndef TMAREF_CLUSTER_CASE_H
#define TMAREF_CLUSTER_CASE_H

#include "cluster_job.h"
#include "cluster_step.h"
#include "family.h"

// The kernels that a launch may name; what they are compiled with is in cluster_launch.c.
enum { CLUSTER_KERNELS = 6, CLUSTER_MAX_ANSWERS = 512 };

// A launch that succeeds has at most CLUSTER_MAX_ANSWERS CTAs.
struct cluster_launch_case {
    uint32_t kernel;
    struct cluster_launch launch;
    struct cluster_question question; // output is 0
};

// `ctas` 1 to 16; `no_cluster` 1: a launch without the cluster attribute.
struct cluster_program_case {
    uint32_t ctas, no_cluster, seed;
    int count;
    struct cluster_step step[CLUSTER_MAX_STEPS];
};

struct cluster_case {
    struct cluster_launch_case launch;
    struct cluster_program_case program;
    uint32_t is_program;
};

// Fills in what kernel `kernel` is compiled with.
void cluster_compiled(uint32_t kernel, struct cluster_launch *launch);

// The two kinds, each as a family does it.
const char *cluster_kernel_name(uint32_t kernel);
const char *cluster_launch_illegal(const struct cluster_launch_case *c);
void cluster_launch_windows(const struct cluster_launch_case *c, struct result *result);
enum rule cluster_launch_model(const struct cluster_launch_case *c, const struct result *result);
int cluster_launch_gpu(struct gpu *gpu, const struct cluster_case *cases, int count, struct result *results);
enum rule cluster_launch_explain(const struct difference *difference, FILE *out);

void cluster_program_windows(const struct cluster_program_case *c, struct result *result);
void cluster_program_fill(const struct cluster_program_case *c, const struct result *result);
enum rule cluster_program_model(const struct cluster_program_case *c, const struct result *result);
int cluster_program_gpu(struct gpu *gpu, const struct cluster_case *cases, int count, struct result *results);
enum rule cluster_program_explain(const struct cluster_program_case *c, const struct difference *difference, FILE *out);

#endif
