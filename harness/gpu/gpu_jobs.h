// SPDX-License-Identifier: MIT
// The cases of a family on the GPU: how results come to the device and back, how cases become jobs of a kernel, and how
// jobs that need launches of their own are sorted. A family says what only it knows: what a job holds.
#ifndef TMAREF_GPU_JOBS_H
#define TMAREF_GPU_JOBS_H

#include "gpu.h"

// The slots of gpu_buffer() that jobs and results have.
enum { GPU_JOBS_BUFFER, GPU_OUTPUT_BUFFER };

// Which job it is, of which case and with which result, and where it and the result lie on the device. All results lie
// there as the batch has them, a multiple of RESULT_ALIGNMENT apart: what is `n` bytes behind the first byte of the
// result is at `output` + `offset` + n.
struct gpu_place {
    struct gpu *gpu;
    const void *test_case;
    const struct result *result;
    int index;
    unsigned long long job, output;
    uint64_t offset;
};

// The arguments of a launch, as the kernel takes them: the first jobs' address, how many, the results' address, and one
// more. A family whose kernel takes others changes `list`. `made` are the same jobs here.
struct gpu_arguments {
    unsigned long long jobs, output;
    int count;
    uint64_t more; // as in struct gpu_jobs; 0: the CTAs of a cluster
    void *list[5];
    const void *made;
};

// Cases in which `make` finds no job are done: it returns the CUDA error that is their status.
//   per_processor  CTAs that fit on an SM side by side: more are not launched, they take several jobs each; 0: 1
//   group          the launch that a case is part of, below `groups`, or GPU_NO_GROUP: it is run otherwise
//   are_clusters   a group is a size of cluster, 0 for none
//   shape          what the launch of a group has of its own: kernel, block, cluster, arguments; returns the CUDA error
//   most_jobs      jobs of one launch at most; 0: any number
//   more           a fourth argument
//   jobs_per_cta   jobs that the warps of a CTA do side by side; 0: 1
//   uploads        the results' bytes go to the device before, as family->fill() left them
struct gpu_jobs {
    const char *module, *kernel;
    size_t case_bytes, job_bytes;
    unsigned block, shared_bytes, per_processor, jobs_per_cta;
    int (*make)(const struct gpu_place *place, void *job);
    uint32_t groups;
    uint32_t (*group)(const void *test_case);
    bool are_clusters;
    int (*shape)(struct gpu *gpu, uint32_t group, struct gpu_launch *launch, struct gpu_arguments *arguments);
    int most_jobs;
    uint64_t more;
    int uploads;
};

#define GPU_NO_GROUP UINT32_MAX

// The members that follow from a kernel NAME_jobs in the module NAME, and from the structs of a case and of a job.
#define GPU_JOBS_OF(name, case_type, job_type)                                                                         \
    .module = name, .kernel = name "_jobs", .case_bytes = sizeof(case_type), .job_bytes = sizeof(job_type)

// Runs all cases: their jobs go to the device, a launch for each group, the results come back. Job i of the device's is
// of case gpu->case_of_job[i]. Returns 0 or the CUDA error.
int gpu_run_jobs(struct gpu *gpu, const struct gpu_jobs *jobs, const void *cases, int count, struct result *results);

// The same for cases with a launch each: start() launches one, all of whose windows lie on the device `shift` further
// than here, and returns 0 or the CUDA error. The windows go there as they are here.
int gpu_run_each(struct gpu *gpu, const void *cases, size_t case_bytes, int count, struct result *results,
                 int (*start)(struct gpu *gpu, const void *test_case, struct result *result, uint64_t shift));

#endif
