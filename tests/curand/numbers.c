// SPDX-License-Identifier: MIT
// A program of cuRAND, linked with it: a generator for the device gives what one for the host gives. Prints what does
// not hold.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_api.h"

enum { XORWOW = 101, PHILOX = 161, LAUNCH_FAILURE = 201, N = 4096, SEED = 77 };

int curandCreateGeneratorHost(void **generator, int type);
int curandCreateGenerator(void **generator, int type);
int curandDestroyGenerator(void *generator);
int curandSetPseudoRandomGeneratorSeed(void *generator, unsigned long long seed);
int curandSetStream(void *generator, struct CUstream_st *stream);
int curandGenerate(void *generator, uint32_t *to, size_t n);
int curandGenerateNormal(void *generator, float *to, size_t n, float mean, float deviation);

static int failed;
#define HOLDS(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) failed |= printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition) > 0;                 \
    } while (0)

// The numbers of one generator, where it stands now.
static uint32_t integers[2][N];
static float normals[2][N];

static unsigned long long device_memory(size_t bytes)
{
    unsigned long long at = 0;
    HOLDS(cuMemAlloc_v2(&at, bytes) == CUDA_SUCCESS);
    return at;
}

static void compare(int type)
{
    void *device, *host = NULL;
    const unsigned long long at = device_memory(sizeof integers[0]);
    HOLDS(curandCreateGenerator(&device, type) == 0 && curandCreateGeneratorHost(&host, type) == 0);
    HOLDS(curandSetPseudoRandomGeneratorSeed(device, SEED) == 0 && curandSetPseudoRandomGeneratorSeed(host, SEED) == 0);
    HOLDS(curandGenerate(device, (uint32_t *)(uintptr_t)at, N) == 0 && curandGenerate(host, integers[1], N) == 0);
    HOLDS(cuMemcpyDtoH_v2(integers[0], at, sizeof integers[0]) == CUDA_SUCCESS);
    HOLDS(memcmp(integers[0], integers[1], sizeof integers[0]) == 0 && integers[0][0] != integers[0][1]);
    HOLDS(curandGenerateNormal(device, (float *)(uintptr_t)at, N, 1, 2) == 0);
    HOLDS(curandGenerateNormal(host, normals[1], N, 1, 2) == 0);
    HOLDS(cuMemcpyDtoH_v2(normals[0], at, sizeof normals[0]) == CUDA_SUCCESS);
    HOLDS(memcmp(normals[0], normals[1], sizeof normals[0]) == 0);
    HOLDS(curandGenerateNormal(device, (float *)(uintptr_t)at, 3, 1, 2) ==
          curandGenerateNormal(host, normals[1], 3, 1, 2)); // it gives pairs
    HOLDS(curandDestroyGenerator(device) == 0 && curandDestroyGenerator(host) == 0);
    cuMemFree_v2(at);
}

// A graph runs the call again, with numbers that follow.
static void capture(void)
{
    void *generator = NULL;
    struct CUstream_st *stream;
    struct CUgraph_st *graph;
    struct CUgraphExec_st *ready;
    const unsigned long long at = device_memory(sizeof(uint32_t));
    HOLDS(cuStreamCreate(&stream, 1) == CUDA_SUCCESS && curandCreateGenerator(&generator, PHILOX) == 0);
    HOLDS(curandSetStream(generator, stream) == 0);
    HOLDS(cuStreamBeginCapture_v2(stream, 0) == CUDA_SUCCESS);
    HOLDS(curandGenerate(generator, (uint32_t *)(uintptr_t)at, 1) == 0);
    HOLDS(cuStreamEndCapture(stream, &graph) == CUDA_SUCCESS);
    HOLDS(cuGraphInstantiateWithFlags(&ready, graph, 0) == CUDA_SUCCESS);
    for (int i = 0; i < 3; i++) {
        HOLDS(cuGraphLaunch(ready, stream) == CUDA_SUCCESS && cuStreamSynchronize(stream) == CUDA_SUCCESS);
        HOLDS(cuMemcpyDtoH_v2(&integers[0][i], at, sizeof(uint32_t)) == CUDA_SUCCESS);
    }
    HOLDS(integers[0][0] != integers[0][1] && integers[0][1] != integers[0][2]);
    HOLDS(curandDestroyGenerator(generator) == 0);
    cuMemFree_v2(at);
}

static void wrong_memory(void)
{
    void *generator = NULL;
    const unsigned long long at = device_memory(4096);
    HOLDS(curandCreateGenerator(&generator, XORWOW) == 0);
    HOLDS(curandGenerate(generator, integers[0], N) == LAUNCH_FAILURE);
    HOLDS(curandGenerate(generator, (uint32_t *)(uintptr_t)at, 64 * N) == LAUNCH_FAILURE);
    HOLDS(curandDestroyGenerator(generator) == 0);
    cuMemFree_v2(at);
}

int main(void)
{
    struct CUctx_st *context = NULL;
    HOLDS(cuInit(0) == CUDA_SUCCESS && cuDevicePrimaryCtxRetain(&context, 0) == CUDA_SUCCESS);
    HOLDS(cuCtxSetCurrent(context) == CUDA_SUCCESS);
    compare(XORWOW);
    compare(PHILOX);
    capture();
    wrong_memory();
    return failed;
}
