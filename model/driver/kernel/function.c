// SPDX-License-Identifier: MIT
// cuFunc*, cuKernel*Attribute and cuOccupancy*.
#include <ctype.h>
#include <string.h>

#include "cluster.h"
#include "function.h"
#include "hopper.h"
#include "loaded.h"
#include "work.h"

enum { SHARED_OF_SM = SM_SHARED_BYTES, RESERVED_OF_CTA = 1024 };
enum { MOST_REGISTERS = 255, WARP = 32, REGISTER_UNIT = 8 };
enum { MOST_CACHE_CONFIG = 3, MOST_OCCUPANCY_FLAGS = 1 };

// A CTA of as many threads as the kernel may have always fits. With setmaxnreg ptxas gives all that it may.
uint32_t function_registers(const struct CUfunc_st *function)
{
    const uint32_t fit = SM_REGISTERS / function->facts.max_threads / REGISTER_UNIT * REGISTER_UNIT;
    uint32_t registers = function->facts.start_registers;
    if (registers == 0) registers = machine_module_registers(function->module->machine, function->kernel);
    if (registers > MOST_REGISTERS) registers = MOST_REGISTERS;
    return registers > fit ? fit : registers;
}

// Of the module's constants, as they lie one behind the other.
static uint64_t constant_bytes(const struct CUfunc_st *function)
{
    const struct ptx_program *program = machine_module_program(function->module->machine);
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < program->variables; i++) {
        const struct ptx_variable *variable = &program->variable[i];
        if (variable->space != PTX_CONST) continue;
        const uint64_t align = variable->align > 0 ? variable->align : 1;
        bytes = (bytes + align - 1) / align * align + variable->bytes;
    }
    return bytes;
}

// The GPU that the PTX was made for: 75 of `.target sm_75`. CUB takes the sizes of its kernels from it.
static int target_number(const struct CUfunc_st *function)
{
    static const char prefix[] = "sm_";
    const struct ptx_name target = machine_module_program(function->module->machine)->target;
    int number = 0;
    for (uint32_t i = sizeof prefix - 1; i < target.length && isdigit((unsigned char)target.at[i]); i++)
        number = number * 10 + target.at[i] - '0';
    return number;
}

static bool attribute_of(const struct CUfunc_st *function, uint32_t attribute, int *value)
{
    enum { REQUIRED_CLUSTER_X = 11, REQUIRED_CLUSTER_Z = 13, POLICY = 15, CONSTANT = 2, CACHE_MODE = 7, SM_90 = 90 };
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        *value = (int)function->facts.max_threads;
        return true;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        *value = (int)function->facts.static_shared_bytes;
        return true;
    case CONSTANT:
        *value = (int)constant_bytes(function);
        return true;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        *value = (int)function->facts.local_bytes;
        return true;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
        *value = (int)function_registers(function);
        return true;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
        *value = target_number(function);
        return true;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
        *value = SM_90;
        return true;
    case CACHE_MODE:
        *value = 0;
        return true;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *value = function->max_dynamic_bytes;
        return true;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        *value = function->carveout;
        return true;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
        *value = function->facts.is_explicit_cluster;
        return true;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
        *value = function->non_portable;
        return true;
    case POLICY:
        *value = function->policy;
        return true;
    default:
        if (attribute < REQUIRED_CLUSTER_X || attribute > REQUIRED_CLUSTER_Z) return false;
        *value = (int)function->facts.reqnctapercluster[attribute - REQUIRED_CLUSTER_X];
        return true;
    }
}

static enum cuda_result tell_attribute(int *value, enum cuda_function_attribute attribute,
                                       const struct CUfunc_st *function)
{
    if (value == NULL) return CUDA_ERROR_INVALID_VALUE;
    if (!object_is(function, OBJECT_FUNCTION)) return CUDA_ERROR_INVALID_HANDLE;
    return attribute_of(function, attribute, value) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

DRIVER_USE_BARE_CALL(cuFuncGetAttribute,
                     (int *value, enum cuda_function_attribute attribute, struct CUfunc_st *function),
                     tell_attribute(value, attribute, function))

DRIVER_VISIBLE enum cuda_result cuKernelGetAttribute(int *value, enum cuda_function_attribute attribute,
                                                     struct CUkern_st *kernel, int device)
{
    DRIVER_USE_BARE_OR_RETURN(driver);
    if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
    return tell_attribute(value, attribute, (const struct CUfunc_st *)kernel);
}

static enum cuda_result set_attribute(struct driver *driver, struct CUfunc_st *function,
                                      enum cuda_function_attribute attribute, int value)
{
    enum { POLICY = 15, LEAST_CARVEOUT = -1, MOST_CARVEOUT = 100 };
    if (!object_is(function, OBJECT_FUNCTION)) return CUDA_ERROR_INVALID_HANDLE;
    switch ((int)attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        if (value < 0 || (uint64_t)value + function->facts.static_shared_bytes > LAUNCH_MAX_SHARED_BYTES)
            return driver_refuse(driver, CUDA_ERROR_INVALID_VALUE, "cuFuncSetAttribute",
                                 "%d bytes of dynamic shared memory for %s; the most is %llu", value, function->name,
                                 (unsigned long long)(LAUNCH_MAX_SHARED_BYTES - function->facts.static_shared_bytes));
        function->max_dynamic_bytes = value;
        function->is_dynamic_set = true;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
        if (value < LEAST_CARVEOUT || value > MOST_CARVEOUT) return CUDA_ERROR_INVALID_VALUE;
        function->carveout = value;
        return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
        function->non_portable = value != 0;
        return CUDA_SUCCESS;
    case POLICY:
        function->policy = value;
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

DRIVER_USE_BARE_CALL(cuFuncSetAttribute,
                     (struct CUfunc_st * function, enum cuda_function_attribute attribute, int value),
                     set_attribute(driver, function, attribute, value))

DRIVER_VISIBLE enum cuda_result cuKernelSetAttribute(enum cuda_function_attribute attribute, int value,
                                                     struct CUkern_st *kernel, int device)
{
    DRIVER_USE_BARE_OR_RETURN(driver);
    if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
    return set_attribute(driver, (struct CUfunc_st *)kernel, attribute, value);
}

DRIVER_VISIBLE enum cuda_result cuFuncSetCacheConfig(struct CUfunc_st *function, uint32_t config)
{
    DRIVER_USE_OR_RETURN(driver);
    if (config > MOST_CACHE_CONFIG) return CUDA_ERROR_INVALID_VALUE;
    return object_is(function, OBJECT_FUNCTION) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

DRIVER_VISIBLE enum cuda_result cuFuncGetModule(struct CUmod_st **module, struct CUfunc_st *function)
{
    DRIVER_USE_BARE_OR_RETURN(driver);
    if (module == NULL || function == NULL) return CUDA_ERROR_INVALID_VALUE;
    if (!object_is(function, OBJECT_FUNCTION)) return CUDA_ERROR_INVALID_HANDLE;
    *module = function->module;
    return CUDA_SUCCESS;
}

static enum cuda_result tell_name(const char **name, const struct CUfunc_st *function)
{
    if (name == NULL || function == NULL) return CUDA_ERROR_INVALID_VALUE;
    if (!object_is(function, OBJECT_FUNCTION)) return CUDA_ERROR_INVALID_HANDLE;
    *name = function->name;
    return CUDA_SUCCESS;
}

DRIVER_USE_CALL(cuFuncGetName, (const char **name, struct CUfunc_st *function), tell_name(name, function))
DRIVER_USE_BARE_CALL(cuKernelGetName, (const char **name, struct CUkern_st *kernel),
                     tell_name(name, (const struct CUfunc_st *)kernel))

DRIVER_VISIBLE enum cuda_result cuFuncGetParamInfo(struct CUfunc_st *function, size_t index, size_t *offset,
                                                   size_t *bytes)
{
    DRIVER_USE_OR_RETURN(driver);
    if (function == NULL) return CUDA_ERROR_INVALID_VALUE;
    if (!object_is(function, OBJECT_FUNCTION)) return CUDA_ERROR_INVALID_HANDLE;
    if (offset == NULL || index >= function->facts.parameters) return CUDA_ERROR_INVALID_VALUE;
    *offset = function->facts.parameter[index].offset;
    if (bytes != NULL) *bytes = function->facts.parameter[index].bytes;
    return CUDA_SUCCESS;
}

DRIVER_CALL(cuKernelGetParamInfo, (struct CUkern_st * kernel, size_t index, size_t *offset, size_t *bytes),
            cuFuncGetParamInfo((struct CUfunc_st *)kernel, index, offset, bytes))

DRIVER_VISIBLE enum cuda_result cuFuncGetParamCount(struct CUfunc_st *function, size_t *count)
{
    DRIVER_USE_OR_RETURN(driver);
    if (function == NULL || count == NULL) return CUDA_ERROR_INVALID_VALUE;
    if (!object_is(function, OBJECT_FUNCTION)) return CUDA_ERROR_INVALID_HANDLE;
    *count = function->facts.parameters;
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuFuncIsLoaded(uint32_t *state, struct CUfunc_st *function)
{
    DRIVER_USE_OR_RETURN(driver);
    if (state == NULL) return CUDA_ERROR_INVALID_VALUE;
    *state = object_is(function, OBJECT_FUNCTION);
    return CUDA_SUCCESS;
}

DRIVER_USE_CALL(cuFuncLoad, (struct CUfunc_st * function),
                object_is(function, OBJECT_FUNCTION) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE)

// --- Occupancy -------------------------------------------------------------------------------------------------------

static uint32_t least(uint32_t one, uint32_t other)
{
    return one < other ? one : other;
}

uint32_t function_ctas_of_sm(const struct CUfunc_st *function, uint32_t threads, uint64_t dynamic_bytes)
{
    const uint64_t shared = function->facts.static_shared_bytes + dynamic_bytes + RESERVED_OF_CTA;
    const uint32_t warps = (threads + WARP - 1) / WARP;
    if (threads == 0 || threads > LAUNCH_MAX_THREADS || shared > SHARED_OF_SM) return 0;
    if (dynamic_bytes > (uint64_t)function->max_dynamic_bytes) return 0;
    const uint32_t registers = (function_registers(function) + REGISTER_UNIT - 1) / REGISTER_UNIT * REGISTER_UNIT;
    uint32_t ctas = least(SM_MOST_CTAS, SM_MOST_THREADS / WARP / warps);
    if (registers > 0) ctas = least(ctas, SM_REGISTERS / (registers * WARP) / warps);
    return least(ctas, (uint32_t)(SHARED_OF_SM / shared));
}

// How many SMs the parts of the chip have that a cluster cannot leave. They differ from one H200 to the next; these
// give the numbers of the one that was asked.
static const uint32_t processors_of_part[] = {18, 18, 18, 16, 16, 16, 16, 14};

// At most 8 CTAs of clusters are on one SM. A cluster lies on as many SMs as it has CTAs; one of 8 CTAs lies on 4 SMs
// where each has room for 4 or more.
static uint32_t function_clusters(const struct CUfunc_st *function, uint32_t ctas, uint32_t threads,
                                  uint64_t dynamic_bytes)
{
    enum { MOST_OF_SM = 8, FEW_SMS = 4 };
    const uint32_t of_sm = least(function_ctas_of_sm(function, threads, dynamic_bytes), MOST_OF_SM);
    const uint32_t sms = ctas == CLUSTER_MAX_PORTABLE && of_sm >= FEW_SMS ? FEW_SMS : ctas;
    uint32_t clusters = 0;
    for (size_t i = 0; i < sizeof processors_of_part / sizeof processors_of_part[0] && ctas > 0; i++)
        clusters += processors_of_part[i] / sms * (of_sm * sms / ctas);
    return clusters;
}

DRIVER_VISIBLE enum cuda_result cuOccupancyMaxActiveBlocksPerMultiprocessor(int *ctas, struct CUfunc_st *function,
                                                                            int threads, size_t dynamic_bytes)
{
    DRIVER_USE_OR_RETURN(driver);
    if (ctas == NULL || threads <= 0) return CUDA_ERROR_INVALID_VALUE;
    if (!object_is(function, OBJECT_FUNCTION)) return CUDA_ERROR_INVALID_HANDLE;
    *ctas = (int)function_ctas_of_sm(function, (uint32_t)threads, dynamic_bytes);
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *ctas,
                                                                                     struct CUfunc_st *function,
                                                                                     int threads, size_t dynamic_bytes,
                                                                                     unsigned flags)
{
    if (flags > MOST_OCCUPANCY_FLAGS) return CUDA_ERROR_INVALID_VALUE;
    return cuOccupancyMaxActiveBlocksPerMultiprocessor(ctas, function, threads, dynamic_bytes);
}

DRIVER_VISIBLE enum cuda_result cuOccupancyMaxPotentialBlockSize(int *grid, int *block, struct CUfunc_st *function,
                                                                 size_t (*bytes_of)(int threads), size_t dynamic_bytes,
                                                                 int limit)
{
    DRIVER_USE_OR_RETURN(driver);
    if (grid == NULL || block == NULL) return CUDA_ERROR_INVALID_VALUE;
    if (!object_is(function, OBJECT_FUNCTION)) return CUDA_ERROR_INVALID_HANDLE;
    int most = (int)function->facts.max_threads, best = 0;
    if (limit > 0 && limit < most) most = limit;
    *block = *grid = 0;
    for (int threads = (most + WARP - 1) / WARP * WARP; threads > 0; threads -= WARP) {
        const int real = threads < most ? threads : most;
        const size_t bytes = bytes_of != NULL ? bytes_of(real) : dynamic_bytes;
        const int ctas = (int)function_ctas_of_sm(function, (uint32_t)real, bytes);
        if (ctas * real <= best) continue;
        best = ctas * real;
        *block = real;
        *grid = ctas * H200_SMS;
    }
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block,
                                                                          struct CUfunc_st *function,
                                                                          size_t (*bytes_of)(int threads),
                                                                          size_t dynamic_bytes, int limit,
                                                                          unsigned flags)
{
    if (flags > MOST_OCCUPANCY_FLAGS) return CUDA_ERROR_INVALID_VALUE;
    return cuOccupancyMaxPotentialBlockSize(grid, block, function, bytes_of, dynamic_bytes, limit);
}

DRIVER_VISIBLE enum cuda_result cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, struct CUfunc_st *function,
                                                                        int ctas, int threads)
{
    DRIVER_USE_OR_RETURN(driver);
    if (bytes == NULL || ctas <= 0 || threads <= 0) return CUDA_ERROR_INVALID_VALUE;
    if (!object_is(function, OBJECT_FUNCTION)) return CUDA_ERROR_INVALID_HANDLE;
    if (ctas > SM_MOST_CTAS || (uint64_t)ctas * (uint64_t)threads > SM_MOST_THREADS) return CUDA_ERROR_INVALID_VALUE;
    const uint64_t share = SHARED_OF_SM / (uint64_t)ctas, own = function->facts.static_shared_bytes;
    const uint64_t left = share > own ? share - own : 0; // what is reserved of a CTA is not taken off
    const uint64_t most = (uint64_t)function->max_dynamic_bytes;
    *bytes = left < most ? left : most;
    return CUDA_SUCCESS;
}

static uint32_t cluster_of(const struct CUfunc_st *function, const struct cuda_launch_config *config)
{
    const uint32_t *own = function->facts.reqnctapercluster;
    for (uint32_t i = 0; i < config->attribute_count; i++)
        if (config->attributes[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
            return config->attributes[i].value.cluster.x * config->attributes[i].value.cluster.y *
                   config->attributes[i].value.cluster.z;
    return own[0] * own[1] * own[2]; // 0 without
}

// As the launch would be, for its cluster.
static bool is_cluster_refused(struct CUfunc_st *function, const struct cuda_launch_config *config)
{
    struct work_kernel kernel = {.function = function,
                                 .grid = {config->grid_x, config->grid_y, config->grid_z},
                                 .block = {config->block_x, config->block_y, config->block_z},
                                 .shared_bytes = config->shared_bytes};
    for (uint32_t i = 0; i < config->attribute_count; i++) {
        if (config->attributes[i].id != CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) continue;
        const uint32_t cluster[] = {config->attributes[i].value.cluster.x, config->attributes[i].value.cluster.y,
                                    config->attributes[i].value.cluster.z};
        memcpy(kernel.cluster, cluster, sizeof cluster);
        kernel.has_cluster = true;
    }
    const struct cluster_launch launch = kernel_launch_of(&kernel);
    return rule_cuda_error(cluster_launch_check(&launch, NULL)) == CUDA_ERROR_INVALID_CLUSTER_SIZE;
}

DRIVER_VISIBLE enum cuda_result cuOccupancyMaxActiveClusters(int *clusters, struct CUfunc_st *function,
                                                             const struct cuda_launch_config *config)
{
    DRIVER_USE_OR_RETURN(driver);
    if (clusters == NULL || config == NULL || function == NULL) return CUDA_ERROR_INVALID_VALUE;
    if (!object_is(function, OBJECT_FUNCTION)) return CUDA_ERROR_INVALID_HANDLE;
    const uint32_t threads = config->block_x * config->block_y * config->block_z;
    const uint32_t ctas = cluster_of(function, config);
    if (is_cluster_refused(function, config)) return CUDA_ERROR_INVALID_CLUSTER_SIZE;
    *clusters = (int)function_clusters(function, ctas, threads, config->shared_bytes);
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuOccupancyMaxPotentialClusterSize(int *ctas, struct CUfunc_st *function,
                                                                   const struct cuda_launch_config *config)
{
    DRIVER_USE_OR_RETURN(driver);
    if (ctas == NULL || config == NULL || function == NULL) return CUDA_ERROR_INVALID_VALUE;
    if (!object_is(function, OBJECT_FUNCTION)) return CUDA_ERROR_INVALID_HANDLE;
    *ctas = function->non_portable ? CLUSTER_MAX : CLUSTER_MAX_PORTABLE;
    return CUDA_SUCCESS;
}
