// SPDX-License-Identifier: MIT
// Batches of tensors on a GPU: the host or a kernel makes the maps, and one kernel, one CTA for each tensor, uses them.
#include <string.h>

#include "gpu_jobs.h"
#include "maps_case.h"

enum { BATCH_BUFFER = 2 };

// From the addresses of a tensor to the bytes of its window.
static uint64_t tensor_shift(const struct window window[MAPS_WINDOWS])
{
    return (uint64_t)(uintptr_t)window[MAPS_WINDOW_GLOBAL].bytes - window[MAPS_WINDOW_GLOBAL].base;
}

// Where a batch lies on the device: the maps that are in global memory, the fields they are made of, and how far from
// the addresses of a window the window is.
struct batch_place {
    unsigned long long maps, fields;
    uint64_t shift[MAPS_BATCH];
};

static struct gpu_launch launch_of(const char *kernel, const struct maps_case *c, void **arguments)
{
    return (struct gpu_launch){.module = "maps",
                               .kernel = kernel,
                               .grid = c->count,
                               .block = MAPS_THREADS,
                               .shared_bytes = MAPS_LAUNCH_BYTES,
                               .arguments = arguments};
}

// The host's maps.
static int encode_here(struct gpu *gpu, const struct maps_case *c, const struct batch_place *place,
                       struct maps_batch *maps)
{
    int error = CUDA_SUCCESS;
    for (uint32_t i = 0; i < c->count && error == CUDA_SUCCESS; i++) {
        struct map_args args = c->tensor[i].map;
        struct tensormap_image image;
        args.address += place->shift[i];
        error = map_args_call(&gpu->driver, &args, &image);
        memcpy(maps->map[i], image.word, sizeof maps->map[i]);
    }
    return error;
}

// The maps of a kernel, in global memory.
static int encode_there(struct gpu *gpu, const struct maps_case *c, const struct batch_place *place)
{
    struct maps_fields fields[MAPS_BATCH];
    struct maps_batch start = {{{0}}};
    struct tensormap_image image;
    struct map_args args = maps_template();
    unsigned long long device_fields = place->fields, device_maps = place->maps;
    void *with[] = {&start, &device_fields, &device_maps}, *without[] = {&device_fields, &device_maps};
    struct gpu_launch launch = launch_of("maps_encode_zeros", c, without);
    int error = CUDA_SUCCESS;
    for (uint32_t i = 0; i < c->count; i++) {
        fields[i] = maps_fields(&c->tensor[i].map);
        fields[i].address += place->shift[i];
    }
    if (c->way == MAPS_TEMPLATE) {
        error = map_args_call(&gpu->driver, &args, &image);
        memcpy(start.map[0], image.word, sizeof start.map[0]);
        launch = launch_of("maps_encode_template", c, with);
    }
    launch.block = 32;
    launch.shared_bytes = 0;
    if (error == CUDA_SUCCESS) error = (int)gpu->driver.cuMemcpyHtoD_v2(place->fields, fields, sizeof fields);
    return error == CUDA_SUCCESS ? gpu_start(gpu, &launch) : error;
}

static int launch_case(struct gpu *gpu, const struct maps_case *c, const struct batch_place *place,
                       const struct maps_tasks *tasks)
{
    struct maps_batch maps = {{{0}}};
    unsigned long long device_maps = place->maps, constants;
    uint32_t by_host = c->way == MAPS_GLOBAL;
    void *parameters[] = {(void *)tasks, &maps}, *global[] = {(void *)tasks, &device_maps, &by_host};
    struct gpu_launch launch = launch_of("maps_use_global", c, global);
    bool is_made_there = c->way == MAPS_TEMPLATE || c->way == MAPS_ZEROS;
    int error = is_made_there ? encode_there(gpu, c, place) : encode_here(gpu, c, place, &maps);
    if (error != CUDA_SUCCESS) return error;
    if (c->way == MAPS_GLOBAL) error = (int)gpu->driver.cuMemcpyHtoD_v2(place->maps, &maps, sizeof maps);
    if (c->way == MAPS_PARAM) launch = launch_of("maps_use_param", c, parameters);
    if (c->way == MAPS_CONSTANT) {
        constants = gpu_symbol(gpu, "maps", "maps_constants");
        error = constants == 0 ? CUDA_ERROR_NOT_FOUND : (int)gpu->driver.cuMemcpyHtoD_v2(constants, &maps, sizeof maps);
        launch = launch_of("maps_use_constant", c, parameters);
    }
    return error == CUDA_SUCCESS ? gpu_start(gpu, &launch) : error;
}

static int start_case(struct gpu *gpu, const void *test_case, struct result *result, uint64_t device_shift)
{
    const struct maps_case *c = test_case;
    unsigned long long batch = gpu->buffer[BATCH_BUFFER].address;
    struct batch_place place = {.maps = batch, .fields = batch + sizeof(struct maps_batch)};
    struct maps_tasks tasks;
    memset(&tasks, 0, sizeof tasks);
    for (uint32_t i = 0; i < c->count; i++) {
        const struct window *window = &result->window[i * MAPS_WINDOWS];
        tasks.task[i] = maps_task(c, i);
        tasks.task[i].map = device_shift + (uint64_t)(uintptr_t)window[MAPS_WINDOW_MAP].bytes;
        tasks.task[i].dump = device_shift + (uint64_t)(uintptr_t)window[MAPS_WINDOW_SHARED].bytes;
        place.shift[i] = device_shift + tensor_shift(window);
    }
    return launch_case(gpu, c, &place, &tasks);
}

// The map windows with the addresses that the model has.
static void shift_back(const struct maps_case *c, const struct result *result, uint64_t device_shift)
{
    const uint64_t address_bits = ((uint64_t)1 << 57) - 1;
    for (uint32_t i = 0; i < c->count; i++) {
        const struct window *window = &result->window[i * MAPS_WINDOWS];
        uint64_t word;
        memcpy(&word, window[MAPS_WINDOW_MAP].bytes, sizeof word);
        word = (word & ~address_bits) | ((word - device_shift - tensor_shift(window)) & address_bits);
        memcpy(window[MAPS_WINDOW_MAP].bytes, &word, sizeof word);
    }
}

int maps_run_gpu(struct gpu *gpu, const void *cases, int count, struct result *results)
{
    const struct maps_case *c = cases;
    size_t batch_bytes = sizeof(struct maps_batch) + MAPS_BATCH * sizeof(struct maps_fields);
    if (gpu_buffer(gpu, BATCH_BUFFER, batch_bytes) == 0) return CUDA_ERROR_OUT_OF_MEMORY;
    int error = gpu_run_each(gpu, cases, sizeof *c, count, results, start_case);
    uint64_t shift = gpu->buffer[GPU_OUTPUT_BUFFER].address - (uint64_t)(uintptr_t)results[0].first_bytes;
    if (error == CUDA_SUCCESS) error = gpu_late(gpu, "maps", &results[0].late);
    for (int i = 0; i < count && error == CUDA_SUCCESS; i++) shift_back(&c[i], &results[i], shift);
    return error;
}
