// SPDX-License-Identifier: MIT
// The gpu executor: a child process owns the device, and this process only tells it which cases of the shared batch to
// run. When a case ends that child, the cases are halved until the guilty one stands alone, and a new child takes over.
// The executor sim is the same code with the simulated driver, which has no core dumps. One of the two runs at a time.
#include "gpu_run.h"

#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"
#include "parse_number.h"
#include "schedules.h"

enum { RUN_SECONDS = 120, SIM_RUN_SECONDS = 3600 };

static struct gpu_child child;
static char description[2][256]; // of the GPU and of the simulation
static bool is_sim;

static int start(struct text *why)
{
    struct gpu_greeting greeting;
    if (!gpu_child_start(&child, NULL, why) || !gpu_child_greets(&child, GPU_START_SECONDS, &greeting, why)) return 0;
    memcpy(description[is_sim], greeting.description, sizeof description[is_sim]);
    return 1;
}

static void gpu_close(void)
{
    gpu_child_end(&child, false);
    gpu_lane_close();
    gpu_together_close();
}

// Whose turn it is: the other one's children go.
static void take_turn(bool simulates)
{
    if (is_sim != simulates) gpu_close();
    is_sim = simulates;
    cuda_simulate(simulates);
}

// A child knows the batches that were there when it started, so each batch gets a new one.
static int open_child(struct batch *batch, struct text *why)
{
    (void)batch;
    gpu_close();
    return start(why);
}

// Seconds that one range may take: TMAREF_GPU_SECONDS, for tests of hangs, or a time that no range needs.
static int run_seconds(void)
{
    const char *text = getenv("TMAREF_GPU_SECONDS");
    uint64_t seconds = is_sim ? SIM_RUN_SECONDS : RUN_SECONDS;
    if (text != NULL) parse_u64(text, INT_MAX / 1000, &seconds);
    return (int)seconds;
}

// Tells a child what to run; a child that died in the meantime, of what no case did, is replaced.
static int hand_over(const struct gpu_order *order, struct text *why)
{
    for (int tries = 0; tries < 2; tries++) {
        if (child.pid == 0 && !start(why)) return 0;
        if (gpu_child_order(&child, order)) return 1;
        gpu_child_end(&child, true);
    }
    return text_fail(why, "the process that drives the GPU dies before it runs a case");
}

// Waits for the child's answer; returns 0, or what ended the child.
static int outcome_of_range(void)
{
    int error = 0;
    enum gpu_came came = gpu_child_answers(&child, run_seconds(), &error);
    if (came == GPU_CAME_MESSAGE && error == CUDA_SUCCESS) return 0;
    int killed = gpu_child_end(&child, came == GPU_CAME_LATE);
    if (came == GPU_CAME_LATE) return CUDA_ERROR_LAUNCH_TIMEOUT;
    return came == GPU_CAME_MESSAGE ? error : killed != 0 ? killed : -SIGKILL;
}

bool gpu_is_of_machine(int error, struct text *why)
{
    if (error == CUDA_ERROR_FILE_NOT_FOUND)
        text_set(why, "this build has no kernels: ./setup.sh --with-cuda fetches nvcc, cmake --build build/default "
                      "compiles them");
    else if (error == CUDA_ERROR_OUT_OF_MEMORY || error == CUDA_ERROR_INVALID_IMAGE ||
             error == CUDA_ERROR_NO_BINARY_FOR_GPU || error == CUDA_ERROR_NOT_FOUND)
        text_set(why, "the GPU cannot run the kernels: CUDA error %d", error);
    else
        return false;
    return true;
}

static int run_cases(struct batch *batch, int first, int count, struct text *why)
{
    struct gpu_order order = {batch, first, count, schedule_pair(), false};
    if (!hand_over(&order, why)) return 0;
    int error = outcome_of_range();
    if (error == 0) return 1;
    if (gpu_is_of_machine(error, why)) return 0;
    if (count == 1) {
        result_fail(&batch->results[first], error);
        return 1;
    }
    for (int i = first; i < first + count; i++) batch->results[i] = result_at(batch->results[i].first_bytes);
    return run_cases(batch, first, count / 2, why) && run_cases(batch, first + count / 2, count - count / 2, why);
}

static int run_cases_apart(struct batch *batch, int first, int count, struct apart *apart, struct text *why)
{
    for (int i = first; i < first + count; i++) batch->results[i].is_open = true;
    if (apart->together && !is_sim && !gpu_together_run(batch, first, count, apart, run_seconds(), why)) return 0;
    int ran = gpu_lane_run(batch, first, count, apart, run_seconds(), why);
    if (ran < 0) return 0;
    apart->alone -= (uint64_t)ran;
    return 1;
}

// The executor `name`, whose driver is simulated or not.
#define EXECUTOR(name, simulates)                                                                                      \
    static int name##_open(struct batch *batch, struct text *why)                                                      \
    {                                                                                                                  \
        take_turn(simulates);                                                                                          \
        return open_child(batch, why);                                                                                 \
    }                                                                                                                  \
    static int name##_run(struct batch *batch, int first, int count, struct text *why)                                 \
    {                                                                                                                  \
        take_turn(simulates);                                                                                          \
        return run_cases(batch, first, count, why);                                                                    \
    }                                                                                                                  \
    static int name##_run_apart(struct batch *batch, int first, int count, struct apart *apart, struct text *why)      \
    {                                                                                                                  \
        take_turn(simulates);                                                                                          \
        return run_cases_apart(batch, first, count, apart, why);                                                       \
    }                                                                                                                  \
    static const char *name##_describe(void)                                                                           \
    {                                                                                                                  \
        return description[simulates];                                                                                 \
    }
EXECUTOR(gpu, 0)
EXECUTOR(sim, 1)

const struct executor executor_gpu = {
    "gpu", "a real H100 or H200, through libcuda.so.1", gpu_open, gpu_run, gpu_run_apart, gpu_close, gpu_describe,
};
const struct executor executor_sim = {
    "sim",        "the same kernels on the PTX machine, on this CPU", sim_open, sim_run, sim_run_apart, gpu_close,
    sim_describe,
};
