// SPDX-License-Identifier: MIT
// A libcuda.so.1 with a device made of host memory, for tests of the gpu executor where there is no GPU: what
// harness/executor/gpu.c calls, the tensor map calls by the model, and the kernels as loops over the model.
//   STANDIN_TROUBLE=KIND:NUMBER   crash, exit, hang, sticky (719) or late (a wait is given up) at the case that holds
//                                 NUMBER: a globalAddress that is encoded, the expect_tx of a load, an operand of a
//                                 barrier program, the x of an article's tile
//   STANDIN_TROUBLE=start:NUMBER  cuInit returns that error; startcrash:0: it crashes
//   STANDIN_CAPABILITY=80         the device's compute capability, 90 if not given
#include <fnmatch.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "copy.h"
#include "cuda_calls.h"
#include "gemm/cp_async_job.h"
#include "gemm/layout_job.h"
#include "im2col_load.h"
#include "ladder/ladder_job.h"
#include "load_job.h"
#include "mbarrier.h"
#include "mbarrier_program.h"
#include "mbarrier_step.h"
#include "standin.h"

#define DECLARE(name, parameters) enum cuda_result name parameters;
CUDA_CALL_ROWS(DECLARE)

// The device: an error once it is broken, the memory that was mapped, the host's memory that it may read.
static enum cuda_result sticky;
static struct memory mapped, far;

static const struct cuda_launch_config *launch_config;

const struct cuda_launch_config *standin_config(void)
{
    return launch_config;
}

static char launched[80];

const char *standin_kernel(void)
{
    return launched;
}

const struct memory *standin_mapped(void)
{
    return &mapped;
}

struct late standin_late;

const struct memory *standin_far(void)
{
    return &far;
}

static int is_trouble(const char *kind, uint64_t number)
{
    char text[64];
    const char *trouble = getenv("STANDIN_TROUBLE");
    snprintf(text, sizeof text, "%s:%llu", kind, (unsigned long long)number);
    return trouble != NULL && strcmp(trouble, text) == 0;
}

void meet_trouble(uint64_t number)
{
    if (is_trouble("crash", number)) raise(SIGSEGV);
    if (is_trouble("exit", number)) exit(3);
    while (is_trouble("hang", number)) pause();
    if (is_trouble("sticky", number)) sticky = CUDA_ERROR_LAUNCH_FAILED;
    if (is_trouble("late", number)) standin_late = (struct late){.waits = 32, .barrier = 1024, .parity = 1};
}

// --- the device --------------------------------------------------------------------------------------------------

enum cuda_result cuInit(unsigned flags)
{
    const char *trouble = getenv("STANDIN_TROUBLE");
    int error = 0;
    if (is_trouble("startcrash", 0)) raise(SIGSEGV);
    if (trouble != NULL) sscanf(trouble, "start:%d", &error);
    return flags != 0 ? CUDA_ERROR_INVALID_VALUE : (enum cuda_result)error;
}

enum cuda_result cuDriverGetVersion(int *version)
{
    *version = 13000;
    return CUDA_SUCCESS;
}

enum cuda_result cuGetErrorName(enum cuda_result error, const char **name)
{
#define CUDA_ERROR_ROW(row_value, row_name, runtime, text)                                                             \
    if ((int)error == row_value) *name = #row_name;
#include "errors.def"
    return CUDA_SUCCESS;
}

enum cuda_result cuDeviceGet(int *device, int ordinal)
{
    *device = ordinal;
    return CUDA_SUCCESS;
}

enum cuda_result cuDeviceGetName(char *name, int name_bytes, int device)
{
    (void)device;
    snprintf(name, (size_t)name_bytes, "Stand-in");
    return CUDA_SUCCESS;
}

enum cuda_result cuDeviceGetAttribute(int *value, enum cuda_device_attribute attribute, int device)
{
    const char *text = getenv("STANDIN_CAPABILITY");
    int capability = text != NULL ? atoi(text) : 90;
    (void)device;
    *value = 1;
    if (attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) *value = capability / 10;
    if (attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR) *value = capability % 10;
    return CUDA_SUCCESS;
}

enum cuda_result cuDevicePrimaryCtxRetain(struct CUctx_st **context, int device)
{
    (void)device;
    *context = NULL;
    return CUDA_SUCCESS;
}

enum cuda_result cuCtxSetCurrent(struct CUctx_st *context)
{
    (void)context;
    return CUDA_SUCCESS;
}

enum cuda_result cuCtxSynchronize(void)
{
    return sticky;
}

enum cuda_result cuMemAlloc_v2(unsigned long long *address, size_t bytes)
{
    void *memory = aligned_alloc(256, (bytes + 255) / 256 * 256);
    *address = (unsigned long long)(uintptr_t)memory;
    return memory == NULL ? CUDA_ERROR_OUT_OF_MEMORY : sticky;
}

enum cuda_result cuMemFree_v2(unsigned long long address)
{
    free((void *)(uintptr_t)address);
    return sticky;
}

enum cuda_result cuMemAllocHost_v2(void **address, size_t bytes)
{
    *address = malloc(bytes);
    far = (struct memory){*address, (uint64_t)(uintptr_t)*address, bytes};
    return *address == NULL ? CUDA_ERROR_OUT_OF_MEMORY : sticky;
}

enum cuda_result cuMemcpyHtoD_v2(unsigned long long to, const void *from, size_t bytes)
{
    if (sticky == CUDA_SUCCESS) memcpy((void *)(uintptr_t)to, from, bytes);
    return sticky;
}

enum cuda_result cuMemcpyDtoH_v2(void *to, unsigned long long from, size_t bytes)
{
    if (sticky == CUDA_SUCCESS) memcpy(to, (const void *)(uintptr_t)from, bytes);
    return sticky;
}

enum cuda_result cuMemcpyDtoDAsync_v2(unsigned long long to, unsigned long long from, size_t bytes,
                                      struct CUstream_st *stream)
{
    (void)stream;
    if (sticky == CUDA_SUCCESS) memmove((void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes);
    return sticky;
}

enum cuda_result cuMemsetD8Async(unsigned long long to, unsigned char value, size_t bytes, struct CUstream_st *stream)
{
    (void)stream;
    if (sticky == CUDA_SUCCESS) memset((void *)(uintptr_t)to, value, bytes);
    return sticky;
}

// An event: when it was recorded.
struct CUevent_st {
    struct timespec at;
};

enum cuda_result cuEventCreate(struct CUevent_st **event, unsigned flags)
{
    (void)flags;
    *event = calloc(1, sizeof **event);
    return *event == NULL ? CUDA_ERROR_OUT_OF_MEMORY : sticky;
}

// Streams are there; graphs, which only benchmarks want, are not.
enum cuda_result cuStreamCreate(struct CUstream_st **stream, unsigned flags)
{
    (void)flags;
    *stream = NULL;
    return sticky;
}

enum cuda_result cuStreamSynchronize(struct CUstream_st *stream)
{
    (void)stream;
    return sticky;
}

enum cuda_result cuEventQuery(struct CUevent_st *event)
{
    (void)event;
    return sticky;
}

#define NO_GRAPH(name, parameters)                                                                                     \
    enum cuda_result name parameters                                                                                   \
    {                                                                                                                  \
        return CUDA_ERROR_NOT_FOUND;                                                                                   \
    }
NO_GRAPH(cuStreamBeginCapture_v2,
         (struct CUstream_st * stream __attribute__((unused)), uint32_t mode __attribute__((unused))))
NO_GRAPH(cuStreamEndCapture,
         (struct CUstream_st * stream __attribute__((unused)), struct CUgraph_st **graph __attribute__((unused))))
NO_GRAPH(cuGraphInstantiateWithFlags,
         (struct CUgraphExec_st * *graph __attribute__((unused)), struct CUgraph_st *captured __attribute__((unused)),
          unsigned long long flags __attribute__((unused))))
NO_GRAPH(cuGraphLaunch,
         (struct CUgraphExec_st * graph __attribute__((unused)), struct CUstream_st *stream __attribute__((unused))))
NO_GRAPH(cuGraphExecDestroy, (struct CUgraphExec_st * graph __attribute__((unused))))
NO_GRAPH(cuGraphDestroy, (struct CUgraph_st * captured __attribute__((unused))))

enum cuda_result cuEventRecord(struct CUevent_st *event, struct CUstream_st *stream)
{
    (void)stream;
    clock_gettime(CLOCK_MONOTONIC, &event->at);
    return sticky;
}

enum cuda_result cuEventElapsedTime_v2(float *milliseconds, struct CUevent_st *start, struct CUevent_st *end)
{
    double seconds = (double)(end->at.tv_sec - start->at.tv_sec);
    *milliseconds = (float)(1e3 * seconds + 1e-6 * (double)(end->at.tv_nsec - start->at.tv_nsec));
    return sticky;
}

enum cuda_result cuMemAddressReserve(unsigned long long *address, size_t bytes, size_t alignment_bytes,
                                     unsigned long long hint, unsigned long long flags)
{
    (void)alignment_bytes, (void)hint, (void)flags;
    void *memory = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    *address = (unsigned long long)(uintptr_t)memory;
    return memory == MAP_FAILED ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

enum cuda_result cuMemCreate(unsigned long long *handle, size_t bytes, const struct cuda_mem_allocation_prop *prop,
                             unsigned long long flags)
{
    (void)bytes, (void)prop, (void)flags;
    *handle = 1;
    return CUDA_SUCCESS;
}

enum cuda_result cuMemMap(unsigned long long address, size_t bytes, size_t offset_bytes, unsigned long long handle,
                          unsigned long long flags)
{
    (void)offset_bytes, (void)handle, (void)flags;
    mapped = (struct memory){(uint8_t *)(uintptr_t)address, address, bytes};
    int failed = mprotect(mapped.bytes, bytes, PROT_READ | PROT_WRITE);
    return failed ? CUDA_ERROR_MAP_FAILED : CUDA_SUCCESS;
}

enum cuda_result cuMemSetAccess(unsigned long long address, size_t bytes, const struct cuda_mem_access_desc *desc,
                                size_t count)
{
    (void)address, (void)bytes, (void)desc, (void)count;
    return CUDA_SUCCESS;
}

// --- the kernels -------------------------------------------------------------------------------------------------

static enum rule run_load(const struct load_job *job, uint8_t *output)
{
    static _Alignas(16) uint8_t shared[LOAD_SHARED_BYTES];
    const struct memory cta = {shared, LOAD_SHARED_START, sizeof shared};
    struct tensormap_image image;
    struct tensormap map;
    uint32_t bytes = 0;
    uint64_t word = mbarrier_init(1);
    for (uint32_t at = job->window; at < job->window_end; at += 4) {
        uint32_t canary = load_canary(at);
        memcpy(memory_at(&cta, at, 4), &canary, 4);
    }
    memcpy(image.word, job->map, sizeof image.word);
    tensormap_decode(&image, &map, NULL);
    meet_trouble(job->expect_bytes);
    enum rule rule = job->mode == LOAD_IM2COL
                         ? im2col_load(&map, job->dims, job->coord, job->offset, &mapped, &cta, job->shared, &bytes)
                         : tile_load(&map, job->dims, job->coord, &mapped, &cta, job->shared, &bytes);
    struct mbarrier_transaction arrive = {.arrivals = 1, .expect_bytes = job->expect_bytes};
    if (rule == RULE_OK) rule = mbarrier_transact(&word, &arrive);
    mbarrier_transact_remote(&word, &(struct mbarrier_transaction){.complete_bytes = bytes});
    memcpy(output + job->output - 8, &word, 8);
    memcpy(output + job->output, memory_at(&cta, job->window, 0), job->window_end - job->window);
    return rule;
}

static enum rule run_program(const struct mbarrier_program *program, struct mbarrier_log *log)
{
    struct mbarrier_machine machine;
    mbarrier_machine_start(&machine);
    for (uint32_t i = 0; i < program->count; i++) {
        const struct mbarrier_event *event = &machine.event[i];
        meet_trouble(program->op[i].operand);
        enum rule rule = mbarrier_step(&machine, &program->op[i], NULL);
        if (rule != RULE_OK) return rule;
        log->record[i] = (struct mbarrier_record){.word = event->word, .ballot = event->ballot};
        log->record[i].active = event->op.lanes;
        memcpy(log->record[i].lane, event->lane, sizeof event->lane);
    }
    for (int i = 0; i < MBARRIER_SLOTS; i++) log->last[i] = machine.word[0][i];
    return RULE_OK;
}

static void *pointer_of(void *parameter)
{
    unsigned long long address;
    memcpy(&address, parameter, sizeof address);
    return (void *)(uintptr_t)address;
}

static enum rule load_jobs(void **parameters)
{
    const struct load_job *jobs = pointer_of(parameters[0]);
    enum rule rule = RULE_OK;
    int count;
    memcpy(&count, parameters[1], sizeof count);
    for (int i = 0; i < count && rule == RULE_OK && sticky == CUDA_SUCCESS; i++)
        rule = run_load(&jobs[i], pointer_of(parameters[2]));
    return rule;
}

static enum rule mbarrier_programs(void **parameters)
{
    const struct mbarrier_program *programs = pointer_of(parameters[0]);
    struct mbarrier_log *logs = pointer_of(parameters[1]);
    enum rule rule = RULE_OK;
    uint32_t count;
    memcpy(&count, parameters[2], sizeof count);
    for (uint32_t i = 0; i < count && rule == RULE_OK && sticky == CUDA_SUCCESS; i++)
        rule = run_program(&programs[i], &logs[i]);
    return rule;
}

// `name`: a kernel's, or with a * at its end what the names of several begin with.
struct CUfunc_st {
    const char *name;
    enum rule (*run)(void **parameters);
};
#define GEMM_ROW(kernel, in, out, m, n, ...) {"gemm_" #kernel "_" #in "_" #out "_" #m "x" #n, gemm_kernels},
#define CP_ASYNC_ROW(kernel, in, out, m, n, ...)                                                                       \
    {"gemm_" #kernel "_" #in "_" #out "_" #m "x" #n, gemm_cp_async_kernels},
#define LAYOUT_ROW(in, a, b)  {"gemm_layout_" #in "_" #a "_" #b, gemm_layout_kernels},
#define LADDER_ROW(step, ...) {"ladder_" #step, ladder_kernels},
static struct CUfunc_st functions[] = {{"async_jobs", async_jobs},
                                       {"bank_jobs", bank_jobs},
                                       {"bulk_jobs", bulk_jobs},
                                       {"copy_load", copy_load},
                                       {"copy_multicast", copy_load},
                                       {"copy_store", copy_store},
                                       {"copy_stream", copy_stream},
                                       {"copy_tiles", copy_tiles},
                                       {"copy_ring", copy_tiles},
                                       {"copy_bytes", copy_bytes},
                                       {"copy_vector", copy_vector},
                                       {"copy_vector_add", copy_vector_add},
                                       {"diagnose_jobs", diagnose_jobs},
                                       {"cluster_programs", cluster_programs},
                                       {"cluster_launch", cluster_launches},
                                       {"cluster_launch_static", cluster_launches},
                                       {"cluster_launch_2", cluster_launches},
                                       {"cluster_launch_1x2x2", cluster_launches},
                                       {"cluster_launch_16", cluster_launches},
                                       {"cluster_launch_max4", cluster_launches},
                                       {"histogram_global", histogram_global},
                                       {"histogram_missing", histogram_missing},
                                       {"histogram_own", histogram_own},
                                       {"histogram_split", histogram_sync},
                                       {"histogram_sync", histogram_sync},
                                       GEMM_INSTANCES(GEMM_ROW) CP_ASYNC_INSTANCES(CP_ASYNC_ROW)
                                           LAYOUT_INSTANCES(LAYOUT_ROW)
                                               LADDER_STEPS(LADDER_ROW){"load_jobs", load_jobs},
                                       {"maps_encode_template", maps_encode_template},
                                       {"maps_encode_zeros", maps_encode_zeros},
                                       {"maps_use_constant", maps_use_constant},
                                       {"maps_use_global", maps_use_global},
                                       {"maps_use_param", maps_use_param},
                                       {"mbarrier_programs", mbarrier_programs},
                                       {"misuse_jobs", misuse_jobs},
                                       {"multicast_jobs", multicast_jobs},
                                       {"prefetch", prefetch_kernel},
                                       {"replace_jobs", replace_jobs},
                                       {"rmw_*", rmw_kernels},
                                       {"softmax_merge_parts_128", softmax_merge_parts_128},
                                       {"softmax_merge_parts_64", softmax_merge_parts_64},
                                       {"softmax_part_128", softmax_part_128},
                                       {"softmax_part_64", softmax_part_64},
                                       {"softmax_pull_128", softmax_pull_128},
                                       {"softmax_pull_64", softmax_pull_64},
                                       {"softmax_push_128", softmax_push_128},
                                       {"softmax_push_64", softmax_push_64},
                                       {"store_jobs", store_jobs},
                                       {"transpose_1", transpose_1},
                                       {"transpose_2", transpose_2},
                                       {"transpose_4", transpose_4},
                                       {"transpose_8", transpose_8},
                                       {"transpose_16", transpose_16},
                                       {"transpose_article", transpose_article},
                                       {"wgmma_jobs", wgmma_jobs},
                                       {"wgmma_sparse_jobs", wgmma_jobs},
                                       {"mma_jobs", mma_jobs},
                                       {"matrix_jobs", matrix_jobs},
                                       {"setmaxnreg_*", setmaxnreg_jobs},
                                       {"wgmma_order_*", wgmma_order_jobs}};

enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

// The name by which each was last asked for.
static char called[FUNCTIONS][sizeof launched];

enum cuda_result cuModuleLoadData(struct CUmod_st **module, const void *image)
{
    (void)image;
    *module = (struct CUmod_st *)functions;
    return sticky;
}

enum cuda_result cuModuleGetFunction(struct CUfunc_st **function, struct CUmod_st *module, const char *name)
{
    (void)module;
    for (int i = 0; i < FUNCTIONS; i++) {
        if (fnmatch(functions[i].name, name, 0) != 0) continue;
        snprintf(called[i], sizeof called[i], "%s", name);
        *function = &functions[i];
        return sticky;
    }
    return CUDA_ERROR_NOT_FOUND;
}

enum cuda_result cuFuncSetAttribute(struct CUfunc_st *function, enum cuda_function_attribute attribute, int value)
{
    if (!standin_is_launch(function->name)) return sticky;
    enum rule refused = standin_attribute(function->name, attribute, value);
    if (refused != RULE_OK) return (enum cuda_result)rule_cuda_error(refused);
    return sticky;
}

// One at a time: the kernels of this device run one after the other.
enum cuda_result cuOccupancyMaxActiveClusters(int *clusters, struct CUfunc_st *function,
                                              const struct cuda_launch_config *config)
{
    (void)function, (void)config;
    *clusters = 1;
    return sticky;
}

enum cuda_result cuLaunchKernelEx(const struct cuda_launch_config *config, struct CUfunc_st *function,
                                  void **parameters, void **extra)
{
    (void)extra;
    if (sticky != CUDA_SUCCESS) return sticky;
    enum rule refused = standin_is_launch(function->name) ? standin_launch(function->name, config) : RULE_OK;
    if (refused != RULE_OK) return (enum cuda_result)rule_cuda_error(refused);
    launch_config = config;
    memcpy(launched, called[function - functions], sizeof launched);
    enum rule rule = function->run(parameters);
    if (sticky == CUDA_SUCCESS) sticky = (enum cuda_result)rule_cuda_error(rule);
    return CUDA_SUCCESS;
}
