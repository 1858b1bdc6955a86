// SPDX-License-Identifier: MIT
// cuLaunchKernel*: what a launch on a GPU refuses is refused, the rest runs on the machine, at once.
#include <stdlib.h>
#include <string.h>

#include "cluster.h"
#include "cuda_api.h"
#include "device.h"
#include "finding_text.h"
#include "function.h"
#include "green.h"
#include "hopper.h"
#include "work.h"

enum { EXTRA_END = 0, EXTRA_POINTER = 1, EXTRA_BYTES = 2 };

// --- Parameters ------------------------------------------------------------------------------------------------------

static enum cuda_result gather_extra(struct work_kernel *kernel, void **extra)
{
    const uint32_t bytes = kernel->parameter_bytes;
    const void *from = NULL;
    size_t from_bytes = 0;
    for (; *extra != (void *)EXTRA_END; extra += 2) {
        if (*extra == (void *)EXTRA_POINTER) from = extra[1];
        if (*extra == (void *)EXTRA_BYTES) from_bytes = *(size_t *)extra[1];
    }
    if (from == NULL && bytes > 0) return CUDA_ERROR_INVALID_VALUE;
    if (from != NULL) memcpy(kernel->parameters, from, from_bytes < bytes ? from_bytes : bytes);
    return CUDA_SUCCESS;
}

enum cuda_result kernel_gather(struct driver *driver, struct work_kernel *kernel, void **parameters, void **extra)
{
    if (!object_is(kernel->function, OBJECT_FUNCTION)) return CUDA_ERROR_INVALID_HANDLE;
    const struct machine_kernel_facts *facts = &kernel->function->facts;
    if (parameters != NULL && extra != NULL)
        return driver_refuse(driver, CUDA_ERROR_INVALID_VALUE, "cuLaunchKernel",
                             "%s: the parameters are given twice, as kernelParams and as extra",
                             kernel->function->name);
    kernel->parameter_bytes = facts->parameter_bytes;
    kernel->parameters = calloc(1, (size_t)facts->parameter_bytes + 1);
    if (kernel->parameters == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
    if (extra != NULL) return gather_extra(kernel, extra);
    if (parameters == NULL && facts->parameters > 0)
        return driver_refuse(driver, CUDA_ERROR_INVALID_VALUE, "cuLaunchKernel", "%s has %u parameters, none are given",
                             kernel->function->name, facts->parameters);
    for (uint32_t i = 0; i < facts->parameters; i++)
        memcpy(kernel->parameters + facts->parameter[i].offset, parameters[i], facts->parameter[i].bytes);
    return CUDA_SUCCESS;
}

// --- What is refused -------------------------------------------------------------------------------------------------

struct cluster_launch kernel_launch_of(const struct work_kernel *kernel)
{
    const struct CUfunc_st *function = kernel->function;
    struct cluster_launch launch = {.has_cluster = kernel->has_cluster,
                                    .non_portable = function->non_portable,
                                    .shared_bytes = kernel->shared_bytes,
                                    .allows_shared = function->is_dynamic_set,
                                    .allowed_shared_bytes = (uint32_t)function->max_dynamic_bytes,
                                    .compiled_threads = function->facts.max_threads,
                                    .compiled_max_cluster = function->facts.max_cluster_rank,
                                    .static_shared_bytes = (uint32_t)function->facts.static_shared_bytes};
    memcpy(launch.grid, kernel->grid, sizeof launch.grid);
    memcpy(launch.block, kernel->block, sizeof launch.block);
    memcpy(launch.cluster, kernel->cluster, sizeof launch.cluster);
    memcpy(launch.compiled_cluster, function->facts.reqnctapercluster, sizeof launch.compiled_cluster);
    return launch;
}

static enum cuda_result check_cooperative(struct driver *driver, const char *call, const struct work_kernel *kernel)
{
    const uint64_t ctas = (uint64_t)kernel->grid[0] * kernel->grid[1] * kernel->grid[2];
    const uint32_t threads = kernel->block[0] * kernel->block[1] * kernel->block[2];
    const uint32_t sms = kernel->multiprocessors != 0 ? kernel->multiprocessors : H200_SMS;
    const uint32_t most = sms * function_ctas_of_sm(kernel->function, threads, kernel->shared_bytes);
    if (!kernel->is_cooperative || ctas <= most) return CUDA_SUCCESS;
    return driver_refuse(
        driver, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, call,
        "%s: a cooperative launch of %llu CTAs; at most %u run at once, %u on each of %u "
        "multiprocessors: %u threads, %llu bytes of shared memory and about %u registers a thread. The "
        "registers are an estimate, of the values that the PTX has alive at once; ptxas -v says how "
        "many they are",
        kernel->function->name, (unsigned long long)ctas, most, most / sms, sms, threads,
        (unsigned long long)(kernel->function->facts.static_shared_bytes + kernel->shared_bytes),
        function_registers(kernel->function));
}

// PTX ISA, .reqntid: a launch with other threads fails.
static enum cuda_result check_required(struct driver *driver, const char *call, const struct work_kernel *kernel)
{
    const uint32_t *required = kernel->function->facts.reqntid, *block = kernel->block;
    if (required[0] == 0 || memcmp(required, block, sizeof kernel->block) == 0) return CUDA_SUCCESS;
    return driver_refuse(driver, CUDA_ERROR_INVALID_VALUE, call,
                         "%s was compiled for blocks of exactly %u x %u x %u threads (.reqntid), and is launched with "
                         "%u x %u x %u",
                         kernel->function->name, required[0], required[1], required[2], block[0], block[1], block[2]);
}

// cuda.tile launches blocks of one thread, which stands for all of .reqntid.
static void give_tiles_threads(struct work_kernel *kernel)
{
    static const uint32_t one[3] = {1, 1, 1};
    const struct machine_kernel_facts *facts = &kernel->function->facts;
    if (facts->is_tile && facts->reqntid[0] != 0 && memcmp(kernel->block, one, sizeof one) == 0)
        memcpy(kernel->block, facts->reqntid, sizeof kernel->block);
}

// PTX ISA, .explicitcluster: the launch gives the cluster's size, where the kernel does not.
static enum cuda_result check_explicit(struct driver *driver, const char *call, const struct work_kernel *kernel)
{
    const struct machine_kernel_facts *facts = &kernel->function->facts;
    if (!facts->is_explicit_cluster || facts->reqnctapercluster[0] != 0 || kernel->has_cluster) return CUDA_SUCCESS;
    return driver_refuse(driver, CUDA_ERROR_INVALID_CLUSTER_SIZE, call,
                         "%s was compiled for clusters whose size the launch gives (.explicitcluster), and is launched "
                         "without: set the launch attribute of the cluster's dimension",
                         kernel->function->name);
}

enum cuda_result kernel_check(struct driver *driver, const char *call, const struct work_kernel *kernel)
{
    const struct cluster_launch launch = kernel_launch_of(kernel);
    struct findings findings;
    const enum rule rule = cluster_launch_check(&launch, &findings);
    if (rule == RULE_OK) {
        enum cuda_result error = check_required(driver, call, kernel);
        if (error == CUDA_SUCCESS) error = check_explicit(driver, call, kernel);
        return error != CUDA_SUCCESS ? error : check_cooperative(driver, call, kernel);
    }
    const struct rule_row *row = rule_row(rule);
    const int error = rule_cuda_error(rule);
    struct line what;
    line_start(&what);
    finding_value(findings_of_rule(&findings, rule), true, &what);
    return driver_refuse(driver, error != 0 ? (enum cuda_result)error : CUDA_ERROR_INVALID_VALUE, call,
                         "%s: %s (rule %s)\n    %s\n    %s", kernel->function->name, what.bytes, row->id, row->sentence,
                         row->advice);
}

// --- The launch ------------------------------------------------------------------------------------------------------

static enum cuda_result launch(const char *call, struct work_kernel *kernel, struct CUstream_st *stream,
                               void **parameters, void **extra)
{
    DRIVER_USE_OF_OR_RETURN(driver, stream);
    const struct CUstream_st *on = stream_of(driver, stream);
    const struct CUgreenCtx_st *green = on != NULL ? green_of_stream(on) : NULL;
    kernel->stream = on;
    if (green != NULL) kernel->multiprocessors = green->count;
    enum cuda_result error = kernel_gather(driver, kernel, parameters, extra);
    if (error == CUDA_SUCCESS) give_tiles_threads(kernel);
    if (error == CUDA_SUCCESS) error = kernel_check(driver, call, kernel);
    if (error == CUDA_SUCCESS) error = stream_submit(driver, stream, &(struct work){NODE_KERNEL, {.kernel = *kernel}});
    free(kernel->parameters);
    return error;
}

DRIVER_VISIBLE enum cuda_result cuLaunchKernel(struct CUfunc_st *function, unsigned grid_x, unsigned grid_y,
                                               unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z,
                                               unsigned shared_bytes, struct CUstream_st *stream, void **parameters,
                                               void **extra)
{
    struct work_kernel kernel = {.function = function,
                                 .grid = {grid_x, grid_y, grid_z},
                                 .block = {block_x, block_y, block_z},
                                 .shared_bytes = shared_bytes};
    return launch("cuLaunchKernel", &kernel, stream, parameters, extra);
}

DRIVER_VISIBLE enum cuda_result cuLaunchCooperativeKernel(struct CUfunc_st *function, unsigned grid_x, unsigned grid_y,
                                                          unsigned grid_z, unsigned block_x, unsigned block_y,
                                                          unsigned block_z, unsigned shared_bytes,
                                                          struct CUstream_st *stream, void **parameters)
{
    struct work_kernel kernel = {.function = function,
                                 .grid = {grid_x, grid_y, grid_z},
                                 .block = {block_x, block_y, block_z},
                                 .shared_bytes = shared_bytes,
                                 .is_cooperative = 1};
    return launch("cuLaunchCooperativeKernel", &kernel, stream, parameters, NULL);
}

// --- Attributes ------------------------------------------------------------------------------------------------------

// Those of priorities and caches change nothing; of overlap one is taken besides; and clusters of the preferred size
// are never promised.
static bool is_ignored(uint32_t attribute)
{
    enum { NVLINK_UTIL_CENTRIC_SCHEDULING = 16 };
    static const uint32_t ignored[] = {CU_LAUNCH_ATTRIBUTE_IGNORE,
                                       CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW,
                                       CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY,
                                       CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE,
                                       CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
                                       CU_LAUNCH_ATTRIBUTE_PRIORITY,
                                       CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP,
                                       CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN,
                                       CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION,
                                       CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
                                       NVLINK_UTIL_CENTRIC_SCHEDULING};
    for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++)
        if (ignored[i] == attribute) return true;
    return false;
}

static bool is_event(uint32_t attribute)
{
    return attribute == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT ||
           attribute == CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT;
}

static enum cuda_result check_event(const struct cuda_launch_attribute *attribute)
{
    DRIVER_USE_OR_RETURN(driver);
    const struct CUevent_st *event = attribute->value.event.event;
    if (!object_is(event, OBJECT_EVENT)) return CUDA_ERROR_INVALID_HANDLE;
    if (attribute->value.event.flags == 0 && event->flags & CU_EVENT_DISABLE_TIMING) return CUDA_SUCCESS;
    return driver_refuse(driver, CUDA_ERROR_NOT_SUPPORTED, "cuLaunchKernelEx",
                         "the event of launch attribute %u must be made with CU_EVENT_DISABLE_TIMING, and recorded "
                         "with flags 0",
                         attribute->id);
}

static enum cuda_result refuse_attribute(uint32_t attribute)
{
    enum { DEVICE_UPDATABLE_KERNEL_NODE = 13 };
    DRIVER_USE_OR_RETURN(driver);
    if (attribute != DEVICE_UPDATABLE_KERNEL_NODE) return CUDA_ERROR_INVALID_VALUE;
    return driver_refuse(driver, CUDA_ERROR_NOT_SUPPORTED, "cuLaunchKernelEx",
                         "tmaref exec does not have launch attribute %u; it returns 801", attribute);
}

// Nothing depends on how the host waits, but it must be one of the ways that there are.
static enum cuda_result check_policy(const struct cuda_launch_attribute *attribute)
{
    enum { LEAST = 1, MOST = 4 };
    uint32_t policy;
    if (attribute->id != CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY) return CUDA_SUCCESS;
    memcpy(&policy, &attribute->value, sizeof policy);
    return policy >= LEAST && policy <= MOST ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

static enum cuda_result take_attribute(struct work_kernel *kernel, const struct cuda_launch_attribute *attribute)
{
    if (attribute->id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION)
        kernel->is_programmatic = attribute->value.programmatic_stream_serialization_allowed != 0;
    if (is_ignored(attribute->id)) return check_policy(attribute);
    if (is_event(attribute->id)) return check_event(attribute);
    if (attribute->id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) {
        kernel->is_cooperative = attribute->value.cooperative;
        return CUDA_SUCCESS;
    }
    if (attribute->id != CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) return refuse_attribute(attribute->id);
    kernel->has_cluster = attribute->value.cluster.x + attribute->value.cluster.y + attribute->value.cluster.z > 0;
    kernel->cluster[0] = attribute->value.cluster.x;
    kernel->cluster[1] = attribute->value.cluster.y;
    kernel->cluster[2] = attribute->value.cluster.z;
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuLaunchKernelEx(const struct cuda_launch_config *config, struct CUfunc_st *function,
                                                 void **parameters, void **extra)
{
    if (config == NULL || (config->attribute_count > 0 && config->attributes == NULL)) return CUDA_ERROR_INVALID_VALUE;
    struct work_kernel kernel = {.function = function,
                                 .grid = {config->grid_x, config->grid_y, config->grid_z},
                                 .block = {config->block_x, config->block_y, config->block_z},
                                 .shared_bytes = config->shared_bytes};
    const struct cuda_launch_attribute *attribute = config->attributes;
    enum cuda_result error = CUDA_SUCCESS;
    for (uint32_t i = 0; i < config->attribute_count && error == CUDA_SUCCESS; i++)
        error = take_attribute(&kernel, &attribute[i]);
    if (error == CUDA_SUCCESS) error = launch("cuLaunchKernelEx", &kernel, config->stream, parameters, extra);
    for (uint32_t i = 0; i < config->attribute_count && error == CUDA_SUCCESS; i++)
        if (is_event(attribute[i].id)) cuEventRecord(attribute[i].value.event.event, config->stream);
    return error;
}
