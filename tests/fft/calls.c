// SPDX-License-Identifier: MIT
// The simulated libcufft against sums by the definition. Prints what does not hold.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fft.h"
#include "library_calls.h"

int cufftCreate(int *plan);
int cufftDestroy(int plan);
int cufftSetStream(int plan, struct CUstream_st *stream);
int cufftPlan1d(int *plan, int nx, int type, int batch);
int cufftPlan2d(int *plan, int nx, int ny, int type);
int cufftPlan3d(int *plan, int nx, int ny, int nz, int type);
int cufftPlanMany(int *plan, int rank, const int *n, const int *inembed, int istride, int idist, const int *onembed,
                  int ostride, int odist, int type, int batch);
int cufftXtMakePlanMany(int plan, int rank, const int64_t *n, const int64_t *inembed, int64_t istride, int64_t idist,
                        int from_type, const int64_t *onembed, int64_t ostride, int64_t odist, int to_type,
                        int64_t batch, size_t *work, int execution_type);
int cufftExecC2C(int plan, const void *from, void *to, int direction);
int cufftExecZ2Z(int plan, const void *from, void *to, int direction);
int cufftExecR2C(int plan, const void *from, void *to);
int cufftExecD2Z(int plan, const void *from, void *to);
int cufftExecZ2D(int plan, const void *from, void *to);
int cufftXtExec(int plan, const void *from, void *to, int direction);

enum { FORWARD = -1, INVERSE = 1 };

static void device_free(void *at)
{
    cuMemFree_v2((uintptr_t)at);
}

// The sum that defines element `to` of an array of three dimensions; real and imaginary parts alternate.
static void define(const double *from, const int *n, const int *to, int sign, double *sum)
{
    sum[0] = sum[1] = 0;
    for (int x = 0; x < n[0]; x++)
        for (int y = 0; y < n[1]; y++)
            for (int z = 0; z < n[2]; z++) {
                const double *value = from + 2 * ((x * n[1] + y) * n[2] + z);
                const double turns = (double)(x * to[0] % n[0]) / n[0] + (double)(y * to[1] % n[1]) / n[1] +
                                     (double)(z * to[2] % n[2]) / n[2];
                const double angle = sign * 2 * acos(-1.0) * turns, c = cos(angle), s = sin(angle);
                sum[0] += value[0] * c - value[1] * s;
                sum[1] += value[0] * s + value[1] * c;
            }
}

static double distance(const double *a, const double *b)
{
    return hypot(a[0] - b[0], a[1] - b[1]);
}

static int make_plan(int *plan, int rank, const int *n, int type, int batch)
{
    if (rank == 1) return cufftPlan1d(plan, n[2], type, batch);
    if (rank == 2) return cufftPlan2d(plan, n[1], n[2], type);
    return cufftPlan3d(plan, n[0], n[1], n[2], type);
}

// The largest distance from the definition, of a transform of numbers of 64 bits.
static double error_of(const int *n, const double *from, const double *to, int sign, int count_z)
{
    double worst = 0;
    int at[3];
    for (at[0] = 0; at[0] < n[0]; at[0]++)
        for (at[1] = 0; at[1] < n[1]; at[1]++)
            for (at[2] = 0; at[2] < count_z; at[2]++) {
                double sum[2];
                define(from, n, at, sign, sum);
                worst = fmax(worst, distance(sum, to + 2 * ((at[0] * n[1] + at[1]) * count_z + at[2])));
            }
    return worst;
}

static void complex_both_ways(int rank, const int *n)
{
    const int count = n[0] * n[1] * n[2];
    const size_t bytes = 16 * (size_t)count;
    double *from = device_memory(bytes), *to = device_memory(bytes);
    int plan;
    for (int i = 0; i < 2 * count; i++) from[i] = next_number();
    HOLDS(make_plan(&plan, rank, n, CUFFT_Z2Z, 1) == CUFFT_SUCCESS);
    for (int sign = FORWARD; sign <= INVERSE; sign += 2) {
        HOLDS(cufftExecZ2Z(plan, from, to, sign) == CUFFT_SUCCESS);
        HOLDS(error_of(n, from, to, sign, n[2]) < 1e-13 * count);
    }
    double *same = malloc(bytes);
    memcpy(same, to, bytes);
    HOLDS(cufftExecZ2Z(plan, from, from, INVERSE) == CUFFT_SUCCESS && memcmp(from, same, bytes) == 0);
    HOLDS(cufftDestroy(plan) == CUFFT_SUCCESS);
    free(same);
    device_free(from);
    device_free(to);
}

// Forward, compared with the definition; and back, which is `count` times what it was.
static void real_there_and_back(int rank, const int *n)
{
    const int count = n[0] * n[1] * n[2], half = n[2] / 2 + 1;
    double *from = device_memory(8 * (size_t)count), *to = device_memory(16 * (size_t)(n[0] * n[1] * half));
    double *wide = calloc(2 * (size_t)count, sizeof *wide);
    int there, back = 0;
    for (int i = 0; i < count; i++) from[i] = wide[2 * i] = next_number();
    HOLDS(make_plan(&there, rank, n, CUFFT_D2Z, 1) == 0 && make_plan(&back, rank, n, CUFFT_Z2D, 1) == 0);
    HOLDS(cufftExecD2Z(there, from, to) == CUFFT_SUCCESS);
    HOLDS(error_of(n, wide, to, FORWARD, half) < 1e-13 * count);
    to[1] = 7; // the imaginary part of the first number does not count
    HOLDS(cufftExecZ2D(back, to, from) == CUFFT_SUCCESS);
    double worst = 0;
    for (int i = 0; i < count; i++) worst = fmax(worst, fabs(from[i] / count - wide[2 * i]));
    HOLDS(worst < 1e-13);
    cufftDestroy(there);
    cufftDestroy(back);
    free(wide);
    device_free(from);
    device_free(to);
}

static void sizes(void)
{
    static const int shapes[][4] = {{1, 1, 1, 1},  {1, 1, 1, 2},  {1, 1, 1, 64},  {1, 1, 1, 60},
                                    {1, 1, 1, 77}, {1, 1, 1, 61}, {1, 1, 1, 134}, {1, 1, 1, 67},
                                    {2, 1, 5, 12}, {2, 1, 67, 3}, {3, 3, 4, 5},   {3, 2, 7, 6}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        complex_both_ways(shapes[i][0], shapes[i] + 1);
        real_there_and_back(shapes[i][0], shapes[i] + 1);
    }
}

// Rows that lie between other rows, and batches; what lies between is left alone.
static void layouts(void)
{
    enum { N = 6, BATCH = 3, STEP = 4, APART = 1, ALL = N * STEP };
    const int n = N, embed = N;
    float *from = device_memory(8 * ALL), *to = device_memory(8 * ALL);
    int plan;
    for (int i = 0; i < 2 * ALL; i++) from[i] = (float)next_number(), to[i] = 42;
    HOLDS(cufftPlanMany(&plan, 1, &n, &embed, STEP, APART, &embed, STEP, APART, CUFFT_C2C, BATCH) == CUFFT_SUCCESS);
    HOLDS(cufftExecC2C(plan, from, to, FORWARD) == CUFFT_SUCCESS);
    for (int batch = 0; batch < BATCH; batch++) {
        double row[2 * N], sum[2];
        for (int k = 0; k < 2 * N; k++) row[k] = (double)from[2 * (k / 2 * STEP + batch) + k % 2];
        for (int k = 0; k < N; k++) {
            const float *got = to + 2 * (k * STEP + batch);
            define(row, (const int[]){1, 1, N}, (const int[]){0, 0, k}, FORWARD, sum);
            HOLDS(distance(sum, (const double[]){(double)got[0], (double)got[1]}) < 1e-6);
        }
    }
    for (int k = 0; k < N; k++) HOLDS(to[2 * (k * STEP + BATCH)] == 42);
    cufftDestroy(plan);
    device_free(from);
    device_free(to);
}

// Reals that are transformed in their place lie in rows of 2 (n / 2 + 1).
static void in_place(void)
{
    enum { N = 5, BATCH = 2, PADDED = 2 * (N / 2 + 1) };
    float *apart = device_memory(4 * BATCH * N), *to = device_memory(4 * BATCH * PADDED);
    float *same = device_memory(4 * BATCH * PADDED);
    int plan;
    for (int batch = 0; batch < BATCH; batch++)
        for (int k = 0; k < N; k++) same[batch * PADDED + k] = apart[batch * N + k] = (float)next_number();
    HOLDS(cufftPlan1d(&plan, N, CUFFT_R2C, BATCH) == CUFFT_SUCCESS);
    HOLDS(cufftExecR2C(plan, apart, to) == CUFFT_SUCCESS && cufftExecR2C(plan, same, same) == CUFFT_SUCCESS);
    HOLDS(memcmp(to, same, 4 * BATCH * PADDED) == 0);
    cufftDestroy(plan);
    device_free(apart);
    device_free(to);
    device_free(same);
}

static void half(void)
{
    enum { N = 4, C_16F = 6 };
    static const uint16_t one = 0x3c00, four = 0x4400;
    const int64_t n = N, six = 6;
    uint16_t *from = device_memory(4 * N);
    int plan;
    for (int i = 0; i < 2 * N; i++) from[i] = i % 2 == 0 ? one : 0;
    HOLDS(cufftCreate(&plan) == CUFFT_SUCCESS);
    HOLDS(cufftXtMakePlanMany(plan, 1, &n, NULL, 1, 1, C_16F, NULL, 1, 1, C_16F, 1, NULL, C_16F) == CUFFT_SUCCESS);
    HOLDS(cufftXtExec(plan, from, from, FORWARD) == CUFFT_SUCCESS);
    for (int i = 0; i < 2 * N; i++) HOLDS(from[i] == (i == 0 ? four : 0));
    HOLDS(cufftXtMakePlanMany(plan, 1, &six, NULL, 1, 1, C_16F, NULL, 1, 1, C_16F, 1, NULL, C_16F) ==
          CUFFT_NOT_SUPPORTED);
    cufftDestroy(plan);
    device_free(from);
}

static void capture(void)
{
    enum { N = 8 };
    struct CUstream_st *stream;
    struct CUgraph_st *graph;
    struct CUgraphExec_st *ready;
    float *from = device_memory(8 * N);
    int plan = 0;
    memset(from, 0, 8 * N);
    from[0] = 1;
    HOLDS(cuStreamCreate(&stream, 1) == CUDA_SUCCESS && cufftPlan1d(&plan, N, CUFFT_C2C, 1) == CUFFT_SUCCESS);
    HOLDS(cufftSetStream(plan, stream) == CUFFT_SUCCESS && cuStreamBeginCapture_v2(stream, 0) == CUDA_SUCCESS);
    HOLDS(cufftExecC2C(plan, from, from, FORWARD) == CUFFT_SUCCESS && from[2] == 0);
    HOLDS(cuStreamEndCapture(stream, &graph) == CUDA_SUCCESS && cufftDestroy(plan) == CUFFT_SUCCESS);
    HOLDS(cuGraphInstantiateWithFlags(&ready, graph, 0) == CUDA_SUCCESS);
    HOLDS(cuGraphLaunch(ready, stream) == CUDA_SUCCESS && cuStreamSynchronize(stream) == CUDA_SUCCESS && from[2] == 1);
    HOLDS(cuGraphLaunch(ready, stream) == CUDA_SUCCESS && cuStreamSynchronize(stream) == CUDA_SUCCESS);
    HOLDS(from[0] == N && from[2] == 0);
    device_free(from);
}

static void mistakes(void)
{
    enum { N = 1024 };
    static float host[2 * N];
    const int n[4] = {2, 2, 2, 2};
    float *from = device_memory(8 * N);
    int plan, other = 0;
    HOLDS(cufftPlan1d(&plan, 0, CUFFT_C2C, 1) == CUFFT_INVALID_SIZE &&
          cufftPlan1d(&plan, 8, 5, 1) == CUFFT_INVALID_TYPE);
    HOLDS(cufftPlan1d(&plan, 8, CUFFT_C2C, 0) == CUFFT_INVALID_SIZE &&
          cufftPlan1d(NULL, 8, CUFFT_C2C, 1) == CUFFT_INVALID_VALUE);
    HOLDS(cufftPlanMany(&plan, 4, n, NULL, 1, 1, NULL, 1, 1, CUFFT_C2C, 1) == CUFFT_INVALID_SIZE);
    HOLDS(cufftPlan1d(&plan, N, CUFFT_C2C, 1) == CUFFT_SUCCESS && cufftCreate(&other) == CUFFT_SUCCESS);
    HOLDS(cufftExecC2C(other, from, from, FORWARD) == CUFFT_INVALID_PLAN); // it was not made
    HOLDS(cufftExecC2C(99, from, from, FORWARD) == CUFFT_INVALID_PLAN);
    HOLDS(cufftExecC2C(plan, NULL, from, FORWARD) == CUFFT_INVALID_VALUE);
    HOLDS(cufftExecC2C(plan, from, from, 0) == CUFFT_INVALID_VALUE);
    HOLDS(cufftExecZ2Z(plan, from, from, FORWARD) == CUFFT_INVALID_TYPE);
    HOLDS(cufftExecC2C(plan, from, host, FORWARD) == CUFFT_EXEC_FAILED);
    HOLDS(cufftExecC2C(plan, from + 2048, from, FORWARD) == CUFFT_EXEC_FAILED);
    HOLDS(cufftDestroy(plan) == CUFFT_SUCCESS && cufftDestroy(plan) == CUFFT_INVALID_PLAN);
    device_free(from);
}

int main(void)
{
    struct CUctx_st *context = NULL;
    HOLDS(cuInit(0) == CUDA_SUCCESS && cuDevicePrimaryCtxRetain(&context, 0) == CUDA_SUCCESS);
    HOLDS(cuCtxSetCurrent(context) == CUDA_SUCCESS);
    sizes();
    layouts();
    in_place();
    half();
    capture();
    mistakes();
    return failed;
}
