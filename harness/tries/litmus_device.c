// SPDX-License-Identifier: MIT
#include "litmus_device.h"

#include <stdlib.h>
#include <string.h>

// The buffers of gpu_buffer().
enum { MEMORY_BUFFER, SCRATCH_BUFFER, KEYS_BUFFER, MEETINGS_BUFFER, NOISE_BUFFER };
_Static_assert((int)NOISE_BUFFER < (int)GPU_BUFFERS, "one slot for each");

enum { MOST_SHARED_BYTES = 227 * 1024 };
static const uint64_t MOST_FAR_BYTES = UINT64_C(16) << 30;

static bool failed(const struct gpu *gpu, const char *call, enum cuda_result error, struct text *why)
{
    const char *name = "?";
    if (error == CUDA_SUCCESS) return false;
    gpu->driver.cuGetErrorName(error, &name);
    return !text_fail(why, "%s: %s (%d)", call, name, (int)error);
}

static int load(struct litmus_device *device, int i, struct text *why)
{
    struct gpu *gpu = device->gpu;
    char *text = litmus_kernel(device->test, &device->layout[i]);
    if (text == NULL) return text_fail(why, "not enough memory");
    bool is_loaded =
        !failed(gpu, "its kernel: cuModuleLoadData", gpu->driver.cuModuleLoadData(&device->module[i], text), why);
    free(text);
    return is_loaded &&
           !failed(gpu, "its kernel: cuModuleGetFunction",
                   gpu->driver.cuModuleGetFunction(&device->function[i], device->module[i], "litmus"), why) &&
           !failed(gpu, "its kernel: cuFuncSetAttribute",
                   gpu->driver.cuFuncSetAttribute(device->function[i], CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                                  MOST_SHARED_BYTES),
                   why);
}

int litmus_device_open(struct litmus_device *device, struct gpu *gpu, const struct litmus *test, struct text *why)
{
    *device = (struct litmus_device){.gpu = gpu, .test = test, .layouts = 1};
    if (!litmus_layout_of(test, &device->layout[0], why)) return 0;
    device->layouts += litmus_layout_turned(test, &device->layout[0], &device->layout[1]);
    int ok = 1;
    for (int i = 0; i < device->layouts && ok; i++) ok = load(device, i, why);
    return ok;
}

void litmus_device_close(struct litmus_device *device)
{
    for (int i = 0; i < 2; i++)
        if (device->module[i] != NULL) device->gpu->driver.cuModuleUnload(device->module[i]);
    free(device->keys);
    *device = (struct litmus_device){.gpu = device->gpu};
}

// --- Ends ------------------------------------------------------------------------------------------------------------

bool litmus_counts_add(struct litmus_counts *counts, uint64_t key, uint64_t tries)
{
    int i = 0;
    while (i < counts->counts && counts->count[i].key != key) i++;
    if (i == LITMUS_COUNTS) return false;
    if (i == counts->counts) counts->count[counts->counts++] = (struct litmus_count){key, 0};
    counts->count[i].tries += tries;
    return true;
}

// Neighbours often end alike, so they are added together.
static bool count_keys(const uint64_t *keys, size_t tries, struct litmus_counts *counts)
{
    counts->tries += tries;
    for (size_t i = 0, end = 0; i < tries; i = end) {
        for (end = i + 1; end < tries && keys[end] == keys[i];) end++;
        if (keys[i] & LITMUS_GAVE_UP)
            counts->given_up += end - i;
        else if (!litmus_counts_add(counts, keys[i], end - i))
            return false;
    }
    return true;
}

// --- Launches --------------------------------------------------------------------------------------------------------

static int give_memory(struct litmus_device *device, const struct litmus_stress *stress, struct litmus_parameters *to,
                       struct text *why)
{
    struct gpu *gpu = device->gpu;
    const size_t lanes = (size_t)stress->groups * LITMUS_LANES;
    device->keys_bytes = lanes * to->rounds * sizeof *device->keys;
    uint64_t *keys = realloc(device->keys, device->keys_bytes);
    if (keys != NULL) device->keys = keys;
    const size_t places = (size_t)(device->test->places > 0 ? device->test->places : 1);
    to->memory = gpu_buffer(gpu, MEMORY_BUFFER, (lanes * stress->pitch * places) << to->far);
    to->scratch = gpu_buffer(gpu, SCRATCH_BUFFER, lanes * sizeof(uint32_t) * LITMUS_THREADS * LITMUS_SLOTS);
    to->keys = gpu_buffer(gpu, KEYS_BUFFER, device->keys_bytes);
    to->meetings = gpu_buffer(gpu, MEETINGS_BUFFER, stress->groups * (size_t)LITMUS_MEETING_BYTES);
    to->noise =
        stress->noise > 0 || stress->burst > 0 ? gpu_buffer(gpu, NOISE_BUFFER, LITMUS_NOISE_BYTES) : to->meetings;
    if (keys == NULL || !to->memory || !to->scratch || !to->keys || !to->meetings || !to->noise)
        return text_fail(why, "not enough memory, here or on the device");
    return !failed(
        gpu, "cuMemsetD8Async",
        gpu->driver.cuMemsetD8Async(to->meetings, 0, stress->groups * (size_t)LITMUS_MEETING_BYTES, gpu->stream), why);
}

static uint32_t shared_bytes(const struct litmus_device *device, const struct litmus_stress *stress)
{
    return (uint32_t)device->test->places * LITMUS_LANES * stress->pitch + LITMUS_HELPER_BYTES;
}

// The number of warps that disturb in each CTA. Where all threads of the cluster meet, they would be waited for.
static uint32_t helpers_of(const struct litmus_device *device, const struct litmus_stress *stress)
{
    return device->layout[0].meets_cluster ? 0 : stress->helpers;
}

// Places lie no further apart than memory has room for.
static uint32_t far_of(const struct litmus_device *device, const struct litmus_stress *stress)
{
    const uint64_t bytes = (uint64_t)stress->groups * LITMUS_LANES * stress->pitch * (uint64_t)device->test->places;
    uint32_t far = stress->far;
    while (far > 0 && bytes << far > MOST_FAR_BYTES) far--;
    return far;
}

bool litmus_device_fits(const struct litmus_device *device, const struct litmus_stress *stress)
{
    return shared_bytes(device, stress) <= MOST_SHARED_BYTES && stress->helpers <= LITMUS_HELPERS;
}

static int launch(struct litmus_device *device, const struct litmus_stress *stress,
                  struct litmus_parameters *parameters, struct text *why)
{
    const int which = stress->is_turned && device->layouts == 2;
    const struct litmus_layout *layout = &device->layout[which];
    const bool is_cluster = layout->cluster > 0 || (stress->is_together && layout->ctas > 1);
    const unsigned cluster = (unsigned)(layout->cluster > 0 ? layout->cluster : is_cluster ? layout->ctas : 1);
    struct cuda_launch_attribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
    attribute.value.cluster.x = cluster;
    attribute.value.cluster.y = attribute.value.cluster.z = 1;
    const struct cuda_launch_config config = {
        .grid_x = stress->groups * (unsigned)layout->ctas + stress->noise / cluster * cluster,
        .grid_y = 1,
        .grid_z = 1,
        .block_x = ((unsigned)layout->warps + helpers_of(device, stress)) * LITMUS_LANES,
        .block_y = 1,
        .block_z = 1,
        .shared_bytes = shared_bytes(device, stress),
        .stream = device->gpu->stream,
        .attributes = &attribute,
        .attribute_count = is_cluster,
    };
    void *arguments[] = {&parameters->memory, &parameters->scratch, &parameters->keys,         &parameters->meetings,
                         &parameters->noise,  &parameters->groups,  &parameters->rounds,       &parameters->pitch,
                         &parameters->delay,  &parameters->warm,    &parameters->noise_rounds, &parameters->helpers,
                         &parameters->near,   &parameters->far,     &parameters->burst};
    if (!litmus_device_fits(device, stress))
        return text_fail(why, "places %u bytes apart do not fit into shared memory", stress->pitch);
    return !failed(device->gpu, "cuLaunchKernelEx",
                   device->gpu->driver.cuLaunchKernelEx(&config, device->function[which], arguments, NULL), why) &&
           !failed(device->gpu, "the kernel of the test", device->gpu->driver.cuCtxSynchronize(), why);
}

bool litmus_device_try(struct litmus_device *device, const struct litmus_stress *stress, struct litmus_counts *counts,
                       struct text *why)
{
    struct litmus_parameters parameters = {
        .groups = stress->groups,
        .rounds = device->layout[0].lands_late ? 1 : stress->rounds,
        .pitch = stress->pitch,
        .delay = stress->delay,
        .warm = stress->warm,
        .far = far_of(device, stress),
        .near = stress->far == 0 && stress->pitch >= 32 && (int)stress->near <= device->test->places ? stress->near : 0,
        .noise_rounds = stress->noise_rounds,
        .helpers = helpers_of(device, stress),
        .burst = stress->burst,
    };
    if (!give_memory(device, stress, &parameters, why) || !launch(device, stress, &parameters, why)) return false;
    if (failed(device->gpu, "cuMemcpyDtoH",
               device->gpu->driver.cuMemcpyDtoH_v2(device->keys, parameters.keys, device->keys_bytes), why))
        return false;
    return count_keys(device->keys, device->keys_bytes / sizeof *device->keys, counts) ||
           text_fail(why, "the test has more than %d different ends", LITMUS_COUNTS);
}
