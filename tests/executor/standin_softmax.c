// SPDX-License-Identifier: MIT
// The kernels of softmax.cu of the stand-in GPU: from the bytes of struct softmax_job and the launch alone, with the
// model's arithmetic.
#include <string.h>

#include "mbarrier.h"
#include "softmax_math.h"
#include "standin.h"

static struct softmax_job job_of(void **parameters)
{
    struct softmax_job job;
    memcpy(&job, parameters[0], sizeof job);
    return job;
}

static struct softmax_row row_of(const struct softmax_job *job, uint32_t dims, uint32_t index)
{
    const uint64_t numbers = (uint64_t)index * job->count * dims;
    return (struct softmax_row){.dims = dims,
                                .count = job->count,
                                .parts = job->parts,
                                .threads = standin_config()->block_x,
                                .scale = job->scale,
                                .query = (const uint16_t *)(uintptr_t)job->query + (size_t)index * dims,
                                .keys = (const uint16_t *)(uintptr_t)job->keys + numbers,
                                .values = (const uint16_t *)(uintptr_t)job->values + numbers};
}

// Where the state of a part lies in the memory at `address`, if there is any.
static void *state_at(const struct softmax_job *job, uint32_t dims, uint64_t address, uint32_t index, uint32_t part)
{
    return (float *)(uintptr_t)address + (size_t)(index * job->parts + part) * softmax_state_words(dims);
}

static void write_out(const struct softmax_job *job, uint32_t dims, uint32_t index, const struct softmax_state *states)
{
    float out[SOFTMAX_MAX_DIMS];
    softmax_out(states, job->parts, dims, out);
    memcpy((float *)(uintptr_t)job->out + (size_t)index * dims, out, dims * sizeof *out);
}

// The states of all parts of a row, which their CTAs also leave in global memory.
static void make_states(const struct softmax_job *job, uint32_t dims, uint32_t index, struct softmax_state *states)
{
    const struct softmax_row row = row_of(job, dims, index);
    for (uint32_t part = 0; part < job->parts; part++) {
        states[part] = softmax_part(&row, part);
        memcpy(state_at(job, dims, job->states, index, part), &states[part], softmax_state_words(dims) * 4);
    }
}

static void push_states(const struct softmax_job *job, uint32_t dims, uint32_t index,
                        const struct softmax_state *states)
{
    const uint32_t bytes = softmax_state_words(dims) * 4;
    const struct mbarrier_transaction all = {.arrivals = 1,
                                             .expect_bytes = (uint64_t)(job->parts - 1) * bytes,
                                             .complete_bytes = (uint64_t)(job->parts - 1) * bytes};
    uint64_t *word = (uint64_t *)(uintptr_t)job->barriers + index;
    *word = mbarrier_init(1);
    mbarrier_transact(word, &all);
    for (uint32_t part = 1; part < job->parts; part++)
        memcpy(state_at(job, dims, job->slots, index, part), &states[part], bytes);
}

static enum rule through_cluster(void **parameters, uint32_t dims, int is_pushed)
{
    const struct softmax_job job = job_of(parameters);
    struct softmax_state states[SOFTMAX_MAX_PARTS];
    for (uint32_t index = 0; index < standin_config()->grid_x / job.parts; index++) {
        make_states(&job, dims, index, states);
        if (is_pushed) push_states(&job, dims, index, states);
        write_out(&job, dims, index, states);
    }
    return RULE_OK;
}

static enum rule parts(void **parameters, uint32_t dims)
{
    const struct softmax_job job = job_of(parameters);
    struct softmax_state states[SOFTMAX_MAX_PARTS];
    for (uint32_t index = 0; index < standin_config()->grid_x / job.parts; index++)
        make_states(&job, dims, index, states);
    return RULE_OK;
}

static enum rule merge_parts(void **parameters, uint32_t dims)
{
    const struct softmax_job job = job_of(parameters);
    struct softmax_state states[SOFTMAX_MAX_PARTS];
    for (uint32_t index = 0; index < standin_config()->grid_x; index++) {
        for (uint32_t part = 0; part < job.parts; part++)
            memcpy(&states[part], state_at(&job, dims, job.states, index, part), softmax_state_words(dims) * 4);
        write_out(&job, dims, index, states);
    }
    return RULE_OK;
}

#define KERNELS(dims)                                                                                                  \
    enum rule softmax_pull_##dims(void **parameters)                                                                   \
    {                                                                                                                  \
        return through_cluster(parameters, dims, 0);                                                                   \
    }                                                                                                                  \
    enum rule softmax_push_##dims(void **parameters)                                                                   \
    {                                                                                                                  \
        return through_cluster(parameters, dims, 1);                                                                   \
    }                                                                                                                  \
    enum rule softmax_part_##dims(void **parameters)                                                                   \
    {                                                                                                                  \
        return parts(parameters, dims);                                                                                \
    }                                                                                                                  \
    enum rule softmax_merge_parts_##dims(void **parameters)                                                            \
    {                                                                                                                  \
        return merge_parts(parameters, dims);                                                                          \
    }
KERNELS(64)
KERNELS(128)
