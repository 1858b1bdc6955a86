// SPDX-License-Identifier: MIT
#include "tmaref_gemm.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "gemm/gemm_choose.h"
#include "gemm_instance.h"
#include "gemm_launch.h"
#include "kernels_dir.h"

#define EXPORTED __attribute__((visibility("default")))
enum { ARGUMENTS = -1, MAX_DEVICES = 16, MAX_SIDE = 1 << 30 };

static _Thread_local struct text error;

#define refuse(...) (text_set(&error, __VA_ARGS__), ARGUMENTS)

EXPORTED const char *tmaref_gemm_error(void)
{
    return error.at;
}

// --- What is asked for -----------------------------------------------------------------------------------------------

static int find_type(const char *operand, const char *name, enum gemm_type *type)
{
    for (int i = 0; gemm_type_names[i] != NULL; i++) {
        if (strcmp(gemm_type_names[i], name) != 0) continue;
        *type = (enum gemm_type)i;
        return 0;
    }
    return refuse("%s: there is no type '%.40s'; there are bf16, f16, e4m3, e5m2 and f32", operand, name);
}

static int check_operand(const char *name, enum gemm_type type, uint64_t columns, uint64_t address, uint64_t pitch)
{
    uint64_t row = columns * gemm_bytes(type);
    if (address == 0 || address % 16 != 0)
        return refuse("%s: its address 0x%llx is not a multiple of 16 bytes, which TMA requires", name,
                      (unsigned long long)address);
    if (pitch % 16 != 0 || pitch > UINT32_MAX)
        return refuse("%s: its rows are %llu bytes apart; TMA needs a multiple of 16 below 2^32", name,
                      (unsigned long long)pitch);
    if (pitch < row)
        return refuse("%s: its rows are %llu bytes apart, but a row has %llu", name, (unsigned long long)pitch,
                      (unsigned long long)row);
    return 0;
}

static int check_sizes(uint64_t m, uint64_t n, uint64_t k)
{
    if (m - 1 < MAX_SIDE && n - 1 < MAX_SIDE && k - 1 < MAX_SIDE) return 0;
    return refuse("m, n and k are 1 to %d; here they are %llu, %llu and %llu", MAX_SIDE, (unsigned long long)m,
                  (unsigned long long)n, (unsigned long long)k);
}

// --- The devices of this process -------------------------------------------------------------------------------------

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct gpu gpus[MAX_DEVICES];
static int is_ready[MAX_DEVICES];

static int cuda_failed(struct gpu *gpu, const char *what, int code)
{
    const char *name = "?";
    gpu->driver.cuGetErrorName((enum cuda_result)code, &name);
    text_set(&error, "%s: %s (%d)", what, name, code);
    return code;
}

static int make_current(struct gpu *gpu, int device)
{
    if (!is_ready[device] && !gpu_init_device(gpu, device, &error)) return ARGUMENTS;
    is_ready[device] = 1;
    int code = (int)gpu->driver.cuCtxSetCurrent(gpu->context);
    return code == CUDA_SUCCESS ? 0 : cuda_failed(gpu, "cuCtxSetCurrent", code);
}

static int start(struct gpu *gpu, enum gemm_type type, enum gemm_type type_d, struct gemm_call *call, void *stream)
{
    struct gemm_launch launch;
    uint32_t sms = (uint32_t)gpu->processors;
    call->instance = gemm_choose(gemm_instance_row(0), gemm_instance_count(), type, type_d, sms, 0, &call->job);
    if (call->instance == NULL)
        return refuse("no kernel multiplies %s into %s: D is f32, or f16 for f16, or bf16 for the others",
                      gemm_type_names[type], gemm_type_names[type_d]);
    enum rule rule = gemm_launch_make(call, sms, &launch);
    if (rule != RULE_OK) return refuse("a tensor map cannot be made: %s", rule_row(rule)->id);
    launch.launch.stream = stream;
    int code = gpu_start(gpu, &launch.launch);
    if (code != CUDA_ERROR_FILE_NOT_FOUND)
        return code == CUDA_SUCCESS ? 0 : cuda_failed(gpu, launch.launch.kernel, code);
    text_set(&error, "%s.cubin can be loaded neither from beside libtmaref_gemm.so nor from " TMAREF_KERNELS_DIR,
             launch.launch.module);
    return code;
}

EXPORTED int tmaref_gemm(int device, const char *type, const char *type_d, uint64_t m, uint64_t n, uint64_t k,
                         uint64_t a, uint64_t pitch_a, uint64_t b, uint64_t pitch_b, uint64_t d, uint64_t pitch_d,
                         void *stream)
{
    enum gemm_type in, out;
    if (device < 0 || device >= MAX_DEVICES) return refuse("device %d: 0 to %d will do", device, MAX_DEVICES - 1);
    if (find_type("A and B", type, &in) || find_type("D", type_d, &out) || check_sizes(m, n, k) ||
        check_operand("A", in, k, a, pitch_a) || check_operand("B", in, k, b, pitch_b) ||
        check_operand("D", out, n, d, pitch_d))
        return ARGUMENTS;
    struct gemm_call call = {.job = {.m = (uint32_t)m, .n = (uint32_t)n, .k = (uint32_t)k},
                             .address = {a, b, d},
                             .pitch_bytes = {(uint32_t)pitch_a, (uint32_t)pitch_b, (uint32_t)pitch_d}};
    pthread_mutex_lock(&lock);
    int result = make_current(&gpus[device], device);
    if (result == 0) result = start(&gpus[device], in, out, &call, stream);
    pthread_mutex_unlock(&lock);
    return result;
}
