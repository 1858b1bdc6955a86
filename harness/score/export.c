// SPDX-License-Identifier: MIT
// The driver that writes down: memory has addresses of its own choice, copies to the device and launches become lines
// of the program, and what is copied back are words that say where they lie on the device. So each window of a result
// tells what the program has to compare, whatever the family did with it.
#include "export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "gpu.h"
#include "gpu_jobs.h"
#include "late.h"
#include "score.h"
#include "tensormap.h"
#include "trace_batch.h"

#define MEMORY_BASE (ARENA_BASE + ((uint64_t)1 << 41))
enum { MEMORY_UNIT = 4096, HEX_LINE = 56, ARGUMENTS = 5, PROCESSORS = 132, LATE_AT = 64, MODULE = 1 };

static FILE *program;
static uint64_t next_address;
static char kernel[256];

static void write_hex(const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (i % HEX_LINE == 0) fprintf(program, "\n               \"");
        fprintf(program, "%02x", bytes[i]);
        if (i % HEX_LINE == HEX_LINE - 1 || i + 1 == count) fputc('"', program);
    }
    if (count == 0) fputs("\"\"", program);
}

static enum cuda_result mem_alloc(unsigned long long *address, size_t bytes)
{
    *address = next_address;
    next_address += (bytes + MEMORY_UNIT - 1) / MEMORY_UNIT * MEMORY_UNIT;
    return CUDA_SUCCESS;
}

static enum cuda_result mem_free(unsigned long long address)
{
    (void)address;
    return CUDA_SUCCESS;
}

static enum cuda_result reserve(unsigned long long *address, size_t bytes, size_t alignment, unsigned long long hint,
                                unsigned long long flags)
{
    (void)bytes, (void)alignment, (void)flags;
    *address = hint;
    return CUDA_SUCCESS;
}

static enum cuda_result create(unsigned long long *handle, size_t bytes, const struct cuda_mem_allocation_prop *prop,
                               unsigned long long flags)
{
    (void)bytes, (void)prop, (void)flags;
    *handle = 1;
    return CUDA_SUCCESS;
}

static enum cuda_result map(unsigned long long address, size_t bytes, size_t offset, unsigned long long handle,
                            unsigned long long flags)
{
    (void)address, (void)bytes, (void)offset, (void)handle, (void)flags;
    return CUDA_SUCCESS;
}

static enum cuda_result set_access(unsigned long long address, size_t bytes, const struct cuda_mem_access_desc *desc,
                                   size_t count)
{
    (void)address, (void)bytes, (void)desc, (void)count;
    return CUDA_SUCCESS;
}

static enum cuda_result to_device(unsigned long long to, const void *from, size_t bytes)
{
    if (to == ARENA_BASE) return CUDA_SUCCESS; // the program makes it
    fprintf(program, "    self_write(0x%llx,", to);
    write_hex(from, bytes);
    fputs(");\n", program);
    return CUDA_SUCCESS;
}

static enum cuda_result from_device(void *to, unsigned long long from, size_t bytes)
{
    memset(to, 0, bytes);
    if (from == MEMORY_BASE + LATE_AT) return CUDA_SUCCESS; // no wait was given up
    for (size_t at = 0; at + 8 <= bytes; at += 8) put_u64((uint8_t *)to + at, from + at);
    return CUDA_SUCCESS;
}

static enum cuda_result get_function(struct CUfunc_st **function, struct CUmod_st *module, const char *name)
{
    *function = (struct CUfunc_st *)module;
    snprintf(kernel, sizeof kernel, "%s", name);
    return CUDA_SUCCESS;
}

static enum cuda_result get_global(unsigned long long *address, size_t *bytes, struct CUmod_st *module,
                                   const char *name)
{
    (void)module;
    *address = MEMORY_BASE + LATE_AT;
    *bytes = sizeof(struct late);
    return strcmp(name, LATE_SYMBOL) == 0 ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

static enum cuda_result set_attribute(struct CUfunc_st *function, enum cuda_function_attribute attribute, int value)
{
    (void)function, (void)attribute, (void)value;
    return CUDA_SUCCESS;
}

static enum cuda_result launch(const struct cuda_launch_config *config, struct CUfunc_st *function, void **parameters,
                               void **extra)
{
    const struct cuda_launch_attribute *of = config->attribute_count > 0 ? config->attributes : NULL;
    const bool is_cluster = of != NULL && of->id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    uint64_t argument[ARGUMENTS] = {0};
    (void)function, (void)extra;
    for (int i = 0; i < ARGUMENTS && parameters[i] != NULL; i++) memcpy(&argument[i], parameters[i], sizeof(uint64_t));
    fprintf(program, "    self_launch((const void *)%s, dim3(%u, %u, %u), %u, %u, dim3(%u, %u, %u)", kernel,
            config->grid_x, config->grid_y, config->grid_z, config->block_x, config->shared_bytes,
            is_cluster ? of->value.cluster.x : 0, is_cluster ? of->value.cluster.y : 0,
            is_cluster ? of->value.cluster.z : 0);
    for (int i = 0; i < ARGUMENTS; i++) fprintf(program, ", 0x%" PRIx64, argument[i]);
    fputs(");\n", program);
    return CUDA_SUCCESS;
}

static enum cuda_result synchronize(void)
{
    return CUDA_SUCCESS;
}

static enum cuda_result encode_tiled(struct tensormap_image *image, uint32_t data_type, uint32_t rank, void *address,
                                     const uint64_t *dim, const uint64_t *stride, const uint32_t *box,
                                     const uint32_t *estride, uint32_t interleave, uint32_t swizzle,
                                     uint32_t l2_promotion, uint32_t oob_fill)
{
    return (enum cuda_result)rule_cuda_error(tensormap_encode_tiled(image, data_type, rank, (uintptr_t)address, dim,
                                                                    stride, box, estride, interleave, swizzle,
                                                                    l2_promotion, oob_fill, NULL));
}

static enum cuda_result encode_im2col(struct tensormap_image *image, uint32_t data_type, uint32_t rank, void *address,
                                      const uint64_t *dim, const uint64_t *stride, const int *lower, const int *upper,
                                      uint32_t channels, uint32_t pixels, const uint32_t *estride, uint32_t interleave,
                                      uint32_t swizzle, uint32_t l2_promotion, uint32_t oob_fill)
{
    return (enum cuda_result)rule_cuda_error(
        tensormap_encode_im2col(image, data_type, rank, (uintptr_t)address, dim, stride, lower, upper, channels, pixels,
                                estride, interleave, swizzle, l2_promotion, oob_fill, NULL));
}

// Every other call: a family that makes it has no such program.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define MADE(name, since, streams, parameters)                                                                         \
    static enum cuda_result refuse_##name parameters                                                                   \
    {                                                                                                                  \
        return CUDA_ERROR_NOT_SUPPORTED;                                                                               \
    }
#include "made_calls.def"
#pragma GCC diagnostic pop

static struct cuda_driver refusing(void)
{
    return (struct cuda_driver){
#define MADE(name, ...) .name = refuse_##name,
#include "made_calls.def"
    };
}

static struct cuda_driver writing(void)
{
    struct cuda_driver driver = refusing();
    driver.cuMemAlloc_v2 = mem_alloc;
    driver.cuMemFree_v2 = mem_free;
    driver.cuMemAddressReserve = reserve;
    driver.cuMemCreate = create;
    driver.cuMemMap = map;
    driver.cuMemSetAccess = set_access;
    driver.cuMemcpyHtoD_v2 = to_device;
    driver.cuMemcpyDtoH_v2 = from_device;
    driver.cuModuleGetFunction = get_function;
    driver.cuModuleGetGlobal_v2 = get_global;
    driver.cuFuncSetAttribute = set_attribute;
    driver.cuLaunchKernelEx = launch;
    driver.cuCtxSynchronize = synchronize;
    driver.cuTensorMapEncodeTiled = encode_tiled;
    driver.cuTensorMapEncodeIm2col = encode_im2col;
    return driver;
}

// --- The cases -------------------------------------------------------------------------------------------------------

// Families whose programs have run: what a case needs of the host is one launch, and memory that it fills before.
static const char *const families_of_one_launch[] = {"load",      "im2col", "store", "im2col_store", "bulk", "mbarrier",
                                                     "multicast", "matrix", "mma",   "diagnose",     NULL};

static bool has_program(const struct family *family)
{
    int i = 0;
    while (families_of_one_launch[i] != NULL && strcmp(families_of_one_launch[i], family->name) != 0) i++;
    return families_of_one_launch[i] != NULL;
}

// The cases that end well, with the results that are expected of them.
struct chosen {
    struct batch batch;
    struct text name[BATCH_CASES];
};

static int choose(const struct trace_batch *cases, int i, void *context)
{
    struct chosen *chosen = context;
    struct batch *batch = &chosen->batch;
    struct text why;
    const struct family *family = batch->family;
    if (batch->count + 1 >= BATCH_CASES || cases->entry[i].status != 0 || !trace_batch_agrees(cases, i, NULL)) return 1;
    if (family->varies != NULL && family->varies(batch_case(&cases->batch, i))) return 1;
    if (family->ground != NULL && family->ground(batch_case(&cases->batch, i)) > GROUND_H200) return 1;
    text_set(&chosen->name[batch->count], "%s:%" PRIu64, score_trace_name(cases->path).at, cases->line[i]);
    memcpy(batch_case(batch, batch->count), batch_case(&cases->batch, i), family->case_bytes);
    return batch_add(batch, &why);
}

// Lines that compare a window, whose bytes here say where they lie on the device, with what is expected. 0 if it was
// put together on the host.
static bool check_window(const char *name, const struct window *where, const struct window *expected)
{
    uint64_t first, last;
    const uint32_t bytes = where->size_bytes;
    if (bytes < 8 || expected->is_open || expected->is_mixed) return true;
    memcpy(&first, where->bytes, sizeof first);
    memcpy(&last, where->bytes + (bytes / 8 - 1) * 8, sizeof last);
    if (first < MEMORY_BASE || first >= next_address || last != first + (bytes / 8 - 1) * 8) return false;
    fprintf(program, "    self_check(\"%s\", \"%s\", 0x%" PRIx64 ", 0x%" PRIx64 ",", name, expected->name,
            expected->base, first);
    write_hex(expected->bytes, bytes / 8 * 8);
    fputs(");\n", program);
    return true;
}

static int run(struct gpu *gpu, struct batch *batch)
{
    const struct family *family = batch->family;
    for (int i = 0; i < batch->count; i++) {
        gpu->case_of_job[i] = i;
        family_open(family, batch_case(batch, i), &batch->results[i]);
    }
    if (family->run_gpu != NULL) return family->run_gpu(gpu, batch->cases, batch->count, batch->results);
    if (family->jobs != NULL) return gpu_run_jobs(gpu, family->jobs, batch->cases, batch->count, batch->results);
    return CUDA_ERROR_NOT_SUPPORTED;
}

// Everything between the braces of main().
static int write_body(struct chosen *chosen, struct text *why)
{
    static struct gpu gpu;
    struct batch *batch = &chosen->batch, model;
    const struct family *family = batch->family;
    gpu = (struct gpu){.driver = writing(), .processors = PROCESSORS};
    gpu.module[0].name = family->kernels;
    gpu.module[0].module = (struct CUmod_st *)(uintptr_t)MODULE;
    next_address = MEMORY_BASE + MEMORY_UNIT;
    if (!batch_open(&model, family)) return text_fail(why, "not enough memory");
    batch_copy(&model, batch);
    batch_prepare(&model);
    batch_run(&model, 0, model.count);
    batch_prepare(batch);
    bool ok = run(&gpu, batch) == CUDA_SUCCESS;
    for (int i = 0; i < batch->count && ok; i++)
        for (int j = 0; j < model.results[i].windows && ok; j++)
            ok = check_window(chosen->name[i].at, &batch->results[i].window[j], &model.results[i].window[j]);
    batch_close(&model);
    return ok || text_fail(why, "a result of the family %s is put together by the host", family->name);
}

static void write_program(const char *name, const struct family *family, const struct trace_header *header,
                          const char *body, FILE *out)
{
    fprintf(out,
            "// SPDX-License-Identifier: MIT\n"
            "// %s of tmaref, recorded on %s, %s. It prints PASSED, or place, expected and found byte.\n"
            "// nvcc -std=c++17 -arch=sm_90a -cudart shared -I kernels -I model/core -I conformance check_%s.cu -o "
            "check_%s\n"
            "#include \"%s.cu\"\n\n#include \"self_check.cuh\"\n\nint main()\n{\n    self_arena();\n"
            "    self_map(0x%" PRIx64 ", 0x%" PRIx64 ", SELF_AROUND);\n%s    return self_end(\"%s\");\n}\n",
            name, header->device, header->date, name, name, family->kernels, MEMORY_BASE, next_address - MEMORY_BASE,
            body, name);
}

int export_program(const char *path, uint64_t sample, FILE *out, struct text *why)
{
    struct trace_header header;
    char *body = NULL;
    size_t bytes;
    if (!trace_peek(path, &header)) return text_fail(why, "%.300s is no trace", path);
    const struct family *family = header.family;
    struct chosen *chosen = calloc(1, sizeof *chosen);
    int ok = chosen != NULL && batch_open(&chosen->batch, family);
    if (ok && !has_program(family))
        ok = text_fail(why, "the family %s needs more of the host than a program of one launch has", family->name);
    const struct trace_run run = {&executor_model, false, {.sample = sample}, choose, chosen};
    ok = ok && trace_run(path, &run, &header, why);
    if (ok && chosen->batch.count == 0) ok = text_fail(why, "%.300s: no case of the sample ends well", path);
    program = open_memstream(&body, &bytes);
    ok = ok && write_body(chosen, why);
    fclose(program);
    if (ok) write_program(score_trace_name(path).at, family, &header, body, out);
    free(body);
    if (chosen != NULL && chosen->batch.cases != NULL) batch_close(&chosen->batch);
    free(chosen);
    return ok;
}
