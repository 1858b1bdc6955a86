// SPDX-License-Identifier: MIT
// Launches, and what is asked of kernels.
#include <string.h>

#include "runtime.h"
#include "runtime_newer.h"

enum { CONFIGURATIONS = 16 };

// What <<<...>>> leaves for the stub of the kernel, on each thread.
static _Thread_local struct {
    struct dim3 grid, block;
    size_t shared_bytes;
    struct CUstream_st *stream;
} configurations[CONFIGURATIONS];
static _Thread_local int configuration_count;

RUNTIME_VISIBLE unsigned __cudaPushCallConfiguration(struct dim3 grid, struct dim3 block, size_t shared_bytes,
                                                     struct CUstream_st *stream)
{
    if (configuration_count == CONFIGURATIONS) return 1;
    configurations[configuration_count].grid = grid;
    configurations[configuration_count].block = block;
    configurations[configuration_count].shared_bytes = shared_bytes;
    configurations[configuration_count++].stream = stream;
    return 0;
}

RUNTIME_VISIBLE enum cudaError __cudaPopCallConfiguration(struct dim3 *grid, struct dim3 *block, size_t *shared_bytes,
                                                          void *stream)
{
    if (configuration_count == 0) return runtime_keep(cudaErrorMissingConfiguration);
    configuration_count--;
    *grid = configurations[configuration_count].grid;
    *block = configurations[configuration_count].block;
    *shared_bytes = configurations[configuration_count].shared_bytes;
    memcpy(stream, &configurations[configuration_count].stream, sizeof(struct CUstream_st *));
    return cudaSuccess;
}

// What no field of the driver's struct holds is more than a kernel may have: the driver refuses the largest in its
// place.
static uint32_t shared_bytes_of(const struct cudaLaunchConfig_st *config)
{
    return config->dynamicSmemBytes < UINT32_MAX ? (uint32_t)config->dynamicSmemBytes : UINT32_MAX;
}

static struct cuda_launch_config driver_config(const struct cudaLaunchConfig_st *config)
{
    return (struct cuda_launch_config){.grid_x = config->gridDim.x,
                                       .grid_y = config->gridDim.y,
                                       .grid_z = config->gridDim.z,
                                       .block_x = config->blockDim.x,
                                       .block_y = config->blockDim.y,
                                       .block_z = config->blockDim.z,
                                       .shared_bytes = shared_bytes_of(config),
                                       .stream = config->stream,
                                       .attributes = (struct cuda_launch_attribute *)config->attrs,
                                       .attribute_count = config->numAttrs};
}

static enum cudaError launch_function(const char *call, const void *function, const struct cudaLaunchConfig_st *config,
                                      void **parameters)
{
    struct CUkern_st *kernel;
    enum cudaError error = runtime_ready_of(call);
    if (error == cudaSuccess) error = runtime_kernel_of(call, function, &kernel);
    if (error != cudaSuccess) return runtime_keep_of(call, error);
    const struct cuda_launch_config driver = driver_config(config);
    return runtime_keep_of(call, (int)cuLaunchKernelEx(&driver, (struct CUfunc_st *)kernel, parameters, NULL));
}

// nvcc's stubs ask once and keep the answer, over a reset of the device too, which ends the driver's handles: the
// answer is the host's address, and each launch looks it up.
RUNTIME_VISIBLE enum cudaError __cudaGetKernel(struct CUkern_st **kernel, const void *function)
{
    if (kernel == NULL) return cudaErrorInvalidValue;
    *kernel = (struct CUkern_st *)(uintptr_t)function;
    return cudaSuccess;
}

RUNTIME_CALL(cudaGetKernel, (struct CUkern_st * *kernel, const void *function), runtime_kernel(function, kernel))
RUNTIME_CALL(cudaGetFuncBySymbol, (struct CUfunc_st * *function, const void *symbol),
             runtime_kernel(symbol, (struct CUkern_st **)function))

RUNTIME_VISIBLE enum cudaError __cudaLaunchKernel(struct CUkern_st *kernel, struct dim3 grid, struct dim3 block,
                                                  void **parameters, size_t shared_bytes, struct CUstream_st *stream)
{
    const struct cudaLaunchConfig_st config = {grid, block, shared_bytes, stream, NULL, 0};
    return launch_function("<<<>>>", kernel, &config, parameters);
}

RUNTIME_VISIBLE enum cudaError cudaLaunchKernel(const void *function, struct dim3 grid, struct dim3 block,
                                                void **parameters, size_t shared_bytes, struct CUstream_st *stream)
{
    const struct cudaLaunchConfig_st config = {grid, block, shared_bytes, stream, NULL, 0};
    return launch_function(__func__, function, &config, parameters);
}

RUNTIME_VISIBLE enum cudaError cudaLaunchKernelExC(const struct cudaLaunchConfig_st *config, const void *function,
                                                   void **parameters)
{
    if (config == NULL) return runtime_keep(cudaErrorInvalidValue);
    return launch_function(__func__, function, config, parameters);
}

RUNTIME_VISIBLE enum cudaError cudaLaunchCooperativeKernel(const void *function, struct dim3 grid, struct dim3 block,
                                                           void **parameters, size_t shared_bytes,
                                                           struct CUstream_st *stream)
{
    struct cuda_launch_attribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE, .value = {.cooperative = 1}};
    const struct cudaLaunchConfig_st config = {grid, block, shared_bytes, stream, (void *)&attribute, 1};
    return launch_function(__func__, function, &config, parameters);
}

// --- What is asked of kernels ----------------------------------------------------------------------------------------

// A call about a host's function is one about its kernel.
#define FUNCTION_CALL(name, parameters, call)                                                                          \
    RUNTIME_VISIBLE enum cudaError name parameters                                                                     \
    {                                                                                                                  \
        struct CUkern_st *kernel;                                                                                      \
        enum cudaError error = runtime_ready();                                                                        \
        if (error == cudaSuccess) error = runtime_kernel(function, &kernel);                                           \
        return runtime_keep(error != cudaSuccess ? (int)error : (int)(call));                                          \
    }
#define FUNCTION ((struct CUfunc_st *)kernel)

static enum cuda_result fill_attributes(struct cudaFuncAttributes *to, struct CUkern_st *kernel)
{
    int shared = 0, constant = 0, local = 0;
    if (to == NULL) return CUDA_ERROR_INVALID_VALUE;
    const struct {
        int *to;
        int attribute;
    } rows[] = {{&to->maxThreadsPerBlock, 0},
                {&shared, 1},
                {&constant, 2},
                {&local, 3},
                {&to->numRegs, 4},
                {&to->ptxVersion, 5},
                {&to->binaryVersion, 6},
                {&to->cacheModeCA, 7},
                {&to->maxDynamicSharedSizeBytes, 8},
                {&to->preferredShmemCarveout, 9},
                {&to->clusterDimMustBeSet, 10},
                {&to->requiredClusterWidth, 11},
                {&to->requiredClusterHeight, 12},
                {&to->requiredClusterDepth, 13},
                {&to->nonPortableClusterSizeAllowed, 14},
                {&to->clusterSchedulingPolicyPreference, 15}};
    memset(to, 0, sizeof *to);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const enum cuda_result error =
            cuFuncGetAttribute(rows[i].to, (enum cuda_function_attribute)rows[i].attribute, FUNCTION);
        if (error != CUDA_SUCCESS) return error;
    }
    to->sharedSizeBytes = (size_t)shared;
    to->constSizeBytes = (size_t)constant;
    to->localSizeBytes = (size_t)local;
    return CUDA_SUCCESS;
}

FUNCTION_CALL(cudaFuncGetAttributes, (struct cudaFuncAttributes * to, const void *function),
              fill_attributes(to, kernel))
FUNCTION_CALL(cudaFuncSetAttribute, (const void *function, uint32_t attribute, int value),
              cuFuncSetAttribute(FUNCTION, (enum cuda_function_attribute)attribute, value))
FUNCTION_CALL(cudaFuncSetCacheConfig, (const void *function, uint32_t config), cuFuncSetCacheConfig(FUNCTION, config))
FUNCTION_CALL(cudaFuncSetSharedMemConfig, (const void *function, uint32_t config),
              cuFuncSetSharedMemConfig(FUNCTION, config))
FUNCTION_CALL(cudaKernelSetAttributeForDevice, (struct CUkern_st * function, uint32_t attribute, int value, int device),
              cuKernelSetAttribute((enum cuda_function_attribute)attribute, value, kernel, device))
FUNCTION_CALL(cudaFuncGetName, (const char **name, const void *function), cuFuncGetName(name, FUNCTION))
FUNCTION_CALL(cudaFuncGetParamCount, (const void *function, size_t *count), cuFuncGetParamCount(FUNCTION, count))
FUNCTION_CALL(cudaFuncGetParamInfo, (const void *function, size_t index, size_t *offset, size_t *bytes),
              cuFuncGetParamInfo(FUNCTION, index, offset, bytes))
FUNCTION_CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessor,
              (int *ctas, const void *function, int threads, size_t dynamic_bytes),
              cuOccupancyMaxActiveBlocksPerMultiprocessor(ctas, FUNCTION, threads, dynamic_bytes))
FUNCTION_CALL(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
              (int *ctas, const void *function, int threads, size_t dynamic_bytes, unsigned flags),
              cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(ctas, FUNCTION, threads, dynamic_bytes, flags))
FUNCTION_CALL(cudaOccupancyAvailableDynamicSMemPerBlock, (size_t * bytes, const void *function, int ctas, int threads),
              cuOccupancyAvailableDynamicSMemPerBlock(bytes, FUNCTION, ctas, threads))

static enum cuda_result active_clusters(int *clusters, struct CUkern_st *kernel, const struct cudaLaunchConfig_st *from)
{
    if (from == NULL) return CUDA_ERROR_INVALID_VALUE;
    const struct cuda_launch_config config = driver_config(from);
    return cuOccupancyMaxActiveClusters(clusters, FUNCTION, &config);
}

static enum cuda_result cluster_size(int *ctas, struct CUkern_st *kernel, const struct cudaLaunchConfig_st *from)
{
    if (from == NULL) return CUDA_ERROR_INVALID_VALUE;
    const struct cuda_launch_config config = driver_config(from);
    return cuOccupancyMaxPotentialClusterSize(ctas, FUNCTION, &config);
}

FUNCTION_CALL(cudaOccupancyMaxActiveClusters,
              (int *clusters, const void *function, const struct cudaLaunchConfig_st *config),
              active_clusters(clusters, kernel, config))
FUNCTION_CALL(cudaOccupancyMaxPotentialClusterSize,
              (int *ctas, const void *function, const struct cudaLaunchConfig_st *config),
              cluster_size(ctas, kernel, config))
