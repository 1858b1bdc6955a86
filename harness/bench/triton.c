// SPDX-License-Identifier: MIT
#include "triton.h"

#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "files.h"

static int load(struct gpu *gpu, const char *folder, const char *module_name, const char *function_name,
                struct triton_kernel *kernel, struct text *why)
{
    char path[PATH_MAX];
    size_t size_bytes;
    struct CUmod_st *module;
    snprintf(path, sizeof path, "%s/%s.cubin", folder, module_name);
    char *image = read_file(path, (size_t)64 << 20, &size_bytes, why);
    if (image == NULL) return 0;
    int error = (int)gpu->driver.cuModuleLoadData(&module, image);
    free(image);
    if (error == CUDA_SUCCESS) error = (int)gpu->driver.cuModuleGetFunction(&kernel->function, module, function_name);
    if (error == CUDA_SUCCESS && kernel->shared_bytes > 48 * 1024)
        error = (int)gpu->driver.cuFuncSetAttribute(kernel->function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                                    (int)kernel->shared_bytes);
    if (error == CUDA_SUCCESS) return 1;
    return text_fail(why, "%s: the driver refuses it (CUDA error %d)", path, error);
}

static int read_kernel(struct triton *triton, uint32_t *scratch_bytes, struct gpu *gpu, const char *folder, json_t *row,
                       struct text *why)
{
    struct triton_kernel *to = &triton->kernel[triton->kernels];
    const char *module, *function;
    int tile_m, tile_n, splits, persistent, threads, shared_bytes, scratch;
    if (triton->kernels == TRITON_MAX_KERNELS ||
        json_unpack(row, "{s:s, s:s, s:i, s:i, s:i, s:i, s:i, s:i, s:i}", "module", &module, "function", &function,
                    "tile_m", &tile_m, "tile_n", &tile_n, "splits", &splits, "persistent", &persistent, "threads",
                    &threads, "shared_bytes", &shared_bytes, "scratch_bytes", &scratch) != 0)
        return text_fail(why, "%s/kernels.json is not what triton_gemm.py writes", folder);
    *to = (struct triton_kernel){.tile_m = (uint32_t)tile_m,
                                 .tile_n = (uint32_t)tile_n,
                                 .splits = (uint32_t)splits,
                                 .threads = (uint32_t)threads,
                                 .shared_bytes = (uint32_t)shared_bytes,
                                 .is_persistent = (uint32_t)persistent};
    if ((uint32_t)scratch > *scratch_bytes) *scratch_bytes = (uint32_t)scratch;
    snprintf(to->name, sizeof to->name, "%s", module);
    triton->kernels++;
    return load(gpu, folder, module, function, to, why);
}

int triton_open(struct triton *triton, struct gpu *gpu, const char *folder, struct text *why)
{
    char path[PATH_MAX];
    json_error_t error;
    json_t *row;
    size_t i;
    *triton = (struct triton){.version = "?"};
    snprintf(path, sizeof path, "%s/kernels.json", folder);
    json_t *json = json_load_file(path, 0, &error);
    if (json == NULL) return text_fail(why, "%s: %s (harness/bench/triton_gemm.py writes it)", path, error.text);
    const char *version = json_string_value(json_object_get(json, "triton"));
    if (version != NULL) snprintf(triton->version, sizeof triton->version, "%s", version);
    bool ok = true;
    uint32_t scratch_bytes = 1;
    json_array_foreach(json_object_get(json, "kernels"), i, row) ok =
        ok && read_kernel(triton, &scratch_bytes, gpu, folder, row, why);
    json_decref(json);
    triton->scratch = gpu_buffer(gpu, TRITON_SCRATCH, (size_t)scratch_bytes * (size_t)gpu->processors);
    if (triton->scratch == 0) text_set(why, "no memory for Triton's tensor maps");
    return ok && triton->scratch != 0;
}

int triton_start(struct gpu *gpu, const struct triton *triton, const struct triton_kernel *kernel,
                 struct triton_product product)
{
    uint32_t m = product.m, n = product.n;
    unsigned long long scratch = triton->scratch, profile = 0; // two pointers more that Triton's kernels take
    void *arguments[] = {&product.a, &product.b, &product.d, &m, &n, &product.k, &scratch, &profile};
    uint32_t tiles = ((m - 1) / kernel->tile_m + 1) * ((n - 1) / kernel->tile_n + 1), sms = (uint32_t)gpu->processors;
    struct cuda_launch_config config = {
        .grid_x = kernel->is_persistent && tiles > sms ? sms : tiles,
        .grid_y = kernel->splits,
        .grid_z = 1,
        .block_x = kernel->threads,
        .block_y = 1,
        .block_z = 1,
        .shared_bytes = kernel->shared_bytes,
        .stream = gpu->stream,
    };
    int error = CUDA_SUCCESS;
    if (kernel->splits > 1) error = (int)gpu->driver.cuMemsetD8Async(product.d, 0, (size_t)m * n * 2, gpu->stream);
    if (error != CUDA_SUCCESS) return error;
    return (int)gpu->driver.cuLaunchKernelEx(&config, kernel->function, arguments, NULL);
}
