// SPDX-License-Identifier: MIT
// tmaref_gemm() from C, where there is no GPU. Usage: call_gemm refuses | fails SENTENCE | multiplies; the last two
// with the driver that the dynamic loader finds, whose device memory has the host's addresses. Prints what is wrong,
// and exits 1.
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_calls.h"
#include "tmaref_gemm.h"

// --- What is wrong with the arguments is said before there is a driver -----------------------------------------------

struct arguments {
    int device;
    const char *type, *type_d;
    uint64_t m, n, k, a, pitch_a, b, pitch_b, d, pitch_d;
};

static int call(const struct arguments *w)
{
    return tmaref_gemm(w->device, w->type, w->type_d, w->m, w->n, w->k, w->a, w->pitch_a, w->b, w->pitch_b, w->d,
                       w->pitch_d, NULL);
}

static int expect_error(const struct arguments *arguments, const char *sentence)
{
    int status = call(arguments);
    if (status != 0 && strstr(tmaref_gemm_error(), sentence) != NULL) return 0;
    printf("status %d, \"%s\"; expected: \"%s\"\n", status, tmaref_gemm_error(), sentence);
    return 1;
}

static int refuses(void)
{
    static const struct {
        const char *sentence;
        struct arguments arguments;
    } vectors[] = {
        {"device 16: 0 to 15", {16, "bf16", "f32", 3, 5, 7, 4096, 16, 8192, 16, 16384, 32}},
        {"A and B: there is no type 'f64'", {0, "f64", "f32", 3, 5, 7, 4096, 16, 8192, 16, 16384, 32}},
        {"D: there is no type 'float'", {0, "bf16", "float", 3, 5, 7, 4096, 16, 8192, 16, 16384, 32}},
        {"here they are 0, 5 and 7", {0, "bf16", "f32", 0, 5, 7, 4096, 16, 8192, 16, 16384, 32}},
        {"1 to 1073741824", {0, "bf16", "f32", 3, 1u << 31, 7, 4096, 16, 8192, 16, 16384, 32}},
        {"A: its address 0x1008 is not a multiple of 16", {0, "bf16", "f32", 3, 5, 7, 4104, 16, 8192, 16, 16384, 32}},
        {"B: its address 0x0 is", {0, "bf16", "f32", 3, 5, 7, 4096, 16, 0, 16, 16384, 32}},
        {"B: its rows are 24 bytes apart; TMA", {0, "bf16", "f32", 3, 5, 7, 4096, 16, 8192, 24, 16384, 32}},
        {"below 2^32", {0, "bf16", "f32", 3, 5, 7, 4096, UINT64_C(1) << 32, 8192, 16, 16384, 32}},
        {"D: its rows are 16 bytes apart, but a row has 20",
         {0, "bf16", "f32", 3, 5, 7, 4096, 16, 8192, 16, 16384, 16}},
    };
    int failed = 0;
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
        failed |= expect_error(&vectors[i].arguments, vectors[i].sentence);
    return failed;
}

// --- Calls that are right --------------------------------------------------------------------------------------------

enum { M = 133, N = 70, K = 150, PITCH = 304, PITCH_D = 288, CANARY = 0xa5 };
enum { ROOM_D = (N * 4 + 15) / 16 * 16 };

static uint8_t host_a[M * PITCH] __attribute__((aligned(16)));
static uint8_t *a = host_a, *b = host_a, *d = host_a; // a call that is refused looks at none of them

static void find(void *driver, const char *name, void *to)
{
    void *call = dlsym(driver, name);
    memcpy(to, &call, sizeof call);
}

// Moves the operands into the device's memory, all of it 0; 0 if that fails.
static bool move_to_device(void)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    const struct {
        uint8_t **at;
        size_t bytes;
    } operands[] = {{&a, sizeof host_a}, {&b, (size_t)N * PITCH}, {&d, (size_t)M * PITCH_D}};
    struct CUctx_st *context;
    cuInit_fn init;
    cuDevicePrimaryCtxRetain_fn retain;
    cuCtxSetCurrent_fn use;
    cuMemAlloc_v2_fn allocate;
    if (driver == NULL) return false;
    find(driver, "cuInit", &init);
    find(driver, "cuDevicePrimaryCtxRetain", &retain);
    find(driver, "cuCtxSetCurrent", &use);
    find(driver, "cuMemAlloc_v2", &allocate);
    if (init(0) != CUDA_SUCCESS || retain(&context, 0) != CUDA_SUCCESS || use(context) != CUDA_SUCCESS) return false;
    for (size_t i = 0; i < sizeof operands / sizeof operands[0]; i++) {
        unsigned long long address;
        if (allocate(&address, operands[i].bytes) != CUDA_SUCCESS) return false;
        *operands[i].at = (uint8_t *)(uintptr_t)address;
    }
    return true;
}

// -1, 0 or 1, without a pattern that two rows share.
static int number(int operand, int row, int column)
{
    return (int)((unsigned)(row * 7919 + column * 104729 + operand * 31 + row * column) % 3) - 1;
}

static void fill(uint8_t *matrix, int operand, int rows)
{
    static const uint16_t bf16[] = {0xbf80, 0, 0x3f80};
    memset(matrix, CANARY, (size_t)rows * PITCH);
    for (int row = 0; row < rows; row++)
        for (int k = 0; k < K; k++) memcpy(matrix + row * PITCH + 2 * k, &bf16[number(operand, row, k) + 1], 2);
}

static bool is_right(int m, int n)
{
    float found;
    int sum = 0;
    for (int k = 0; k < K; k++) sum += number(0, m, k) * number(1, n, k);
    memcpy(&found, d + m * PITCH_D + 4 * n, sizeof found);
    if (found == (float)sum) return true;
    printf("D[%d][%d]: %d expected, %g found\n", m, n, sum, (double)found);
    return false;
}

static struct arguments right_arguments(void)
{
    return (struct arguments){0,
                              "bf16",
                              "f32",
                              M,
                              N,
                              K,
                              (uint64_t)(uintptr_t)a,
                              PITCH,
                              (uint64_t)(uintptr_t)b,
                              PITCH,
                              (uint64_t)(uintptr_t)d,
                              PITCH_D};
}

static int multiplies(void)
{
    if (!move_to_device()) {
        printf("the driver gives no memory\n");
        return 1;
    }
    struct arguments arguments = right_arguments();
    fill(a, 0, M);
    fill(b, 1, N);
    memset(d, CANARY, (size_t)M * PITCH_D);
    int status = call(&arguments), failed = status != 0;
    if (failed) printf("status %d, \"%s\"\n", status, tmaref_gemm_error());
    for (int m = 0; m < M && !failed; m++) {
        for (int n = 0; n < N; n++) failed |= !is_right(m, n);
        for (int i = ROOM_D; i < PITCH_D; i++) failed |= d[m * PITCH_D + i] != CANARY;
    }
    arguments.type_d = "f16";
    return failed | expect_error(&arguments, "no kernel multiplies bf16 into f16");
}

int main(int count, char **arguments)
{
    struct arguments right = right_arguments();
    if (count == 2 && strcmp(arguments[1], "refuses") == 0) return refuses();
    if (count == 2 && strcmp(arguments[1], "multiplies") == 0) return multiplies();
    if (count == 3 && strcmp(arguments[1], "fails") == 0) return expect_error(&right, arguments[2]);
    return 2;
}
