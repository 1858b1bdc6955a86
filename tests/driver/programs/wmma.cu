// SPDX-License-Identifier: MIT
// Products of nvcuda::wmma: A from global memory, B from shared memory, two products on one accumulator. Prints a digest
// of D for each, which does not depend on how fragments lie in registers.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <type_traits>
#include <vector>

#include "check.h"

using namespace nvcuda;
using rows = wmma::row_major;
using columns = wmma::col_major;

enum { STRIDE = 40, ROOM = 32 * STRIDE };

template <int M, int N, int K, class T, class D, class A, class B>
__global__ void product(const T *a, const T *b, const D *c, D *d)
{
    __shared__ alignas(32) T near[ROOM];
    wmma::fragment<wmma::matrix_a, M, N, K, T, A> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, T, B> fb;
    wmma::fragment<wmma::accumulator, M, N, K, D> fd;
    for (int i = threadIdx.x; i < ROOM; i += 32) near[i] = b[i];
    __syncwarp();
    const wmma::layout_t layout = std::is_same<A, rows>::value ? wmma::mem_row_major : wmma::mem_col_major;
    const wmma::layout_t other = std::is_same<A, rows>::value ? wmma::mem_col_major : wmma::mem_row_major;
    wmma::load_matrix_sync(fa, a, STRIDE);
    wmma::load_matrix_sync(fb, near, STRIDE);
    wmma::load_matrix_sync(fd, c, STRIDE, layout);
    for (int i = 0; i < 2; i++) wmma::mma_sync(fd, fa, fb, fd);
    wmma::store_matrix_sync(d, fd, STRIDE, other);
}

static uint32_t state = 1;
static uint32_t number()
{
    state = state * 1664525 + 1013904223;
    return state >> 8;
}

// Between -1 and 1, of many magnitudes.
static double real()
{
    const double sign = number() & 1 ? -1 : 1, size = 1.0 / (1 << number() % 8);
    return sign * size * (number() % 2048) / 2048;
}

template <class T> static T *filled()
{
    std::vector<T> host(ROOM);
    T *device;
    for (T &each : host) each = (T)(float)real();
    CUDA(cudaMalloc(&device, ROOM * sizeof(T)));
    CUDA(cudaMemcpy(device, host.data(), ROOM * sizeof(T), cudaMemcpyDefault));
    return device;
}

template <class T> static uint64_t digest(const T *device)
{
    std::vector<unsigned char> host(ROOM * sizeof(T));
    uint64_t hash = 0xcbf29ce484222325u;
    CUDA(cudaMemcpy(host.data(), device, host.size(), cudaMemcpyDefault));
    for (unsigned char byte : host) hash = (hash ^ byte) * 0x100000001b3u;
    return hash;
}

template <int M, int N, int K, class T, class D, class A, class B> static void show(const char *name)
{
    T *a = filled<T>(), *b = filled<T>();
    D *c = filled<D>(), *d = filled<D>();
    product<M, N, K, T, D, A, B><<<1, 32>>>(a, b, c, d);
    CUDA(cudaDeviceSynchronize());
    printf("m%dn%dk%d %s %s %016llx\n", M, N, K, name, std::is_same<A, rows>::value ? "row" : "col",
           (unsigned long long)digest(d));
    cudaFree(a), cudaFree(b), cudaFree(c), cudaFree(d);
}

template <int M, int N, int K, class T, class D> static void show_layouts(const char *name)
{
    show<M, N, K, T, D, rows, columns>(name);
    show<M, N, K, T, D, columns, rows>(name);
}

int main()
{
    show_layouts<16, 16, 16, half, half>("f16 f16");
    show_layouts<16, 16, 16, half, float>("f32 f16");
    show_layouts<16, 16, 16, __nv_bfloat16, float>("f32 bf16");
    return 0;
}
