// SPDX-License-Identifier: MIT
// Kernels that hardly compute, for sanitize_bench.py: sanitize KERNEL LAUNCHES [ELEMENTS] prints the least CPU time of
// a launch, in seconds.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

#include "kernels.cu"

__global__ void sum(const float *a, const float *b, float *c, unsigned n)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

struct add {
    __device__ float operator()(float a, float b) const
    {
        return a + b;
    }
};
struct larger {
    __device__ float operator()(float a, float b) const
    {
        return fmaxf(a, b);
    }
};

// Of the 256 threads of a CTA, through shared memory.
template <class Of>
__device__ float over_block(float mine, Of of)
{
    __shared__ float all[256];
    const unsigned t = threadIdx.x;
    __syncthreads();
    all[t] = mine;
    __syncthreads();
    for (unsigned k = 128; k > 0; k /= 2) {
        if (t < k) all[t] = of(all[t], all[t + k]);
        __syncthreads();
    }
    return all[0];
}

__global__ void blocks(const float *a, float *c, unsigned n)
{
    float mine = 0;
    for (unsigned i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) mine += a[i];
    mine = over_block(mine, add());
    if (threadIdx.x == 0) c[blockIdx.x] = mine;
}

__global__ void softmax(const float *a, float *c, unsigned columns)
{
    const float *row = a + size_t(blockIdx.x) * columns;
    float most = -1e30f, all = 0;
    for (unsigned i = threadIdx.x; i < columns; i += 256) most = fmaxf(most, row[i]);
    most = over_block(most, larger());
    for (unsigned i = threadIdx.x; i < columns; i += 256) all += __expf(row[i] - most);
    all = over_block(all, add());
    for (unsigned i = threadIdx.x; i < columns; i += 256)
        c[size_t(blockIdx.x) * columns + i] = __expf(row[i] - most) / all;
}

__global__ void gemv(const float *a, const float *x, float *y, unsigned columns)
{
    const unsigned row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float mine = 0;
    for (unsigned i = lane; i < columns; i += 32) mine += a[size_t(row) * columns + i] * x[i];
    for (unsigned k = 16; k > 0; k /= 2) mine += __shfl_down_sync(~0u, mine, k);
    if (lane == 0) y[row] = mine;
}

__global__ void scan(const float *a, float *c)
{
    __shared__ float all[256];
    const unsigned t = threadIdx.x, i = blockIdx.x * 256 + t;
    all[t] = a[i];
    __syncthreads();
    for (unsigned k = 1; k < 256; k *= 2) {
        const float before = t >= k ? all[t - k] : 0;
        __syncthreads();
        all[t] += before;
        __syncthreads();
    }
    c[i] = all[t];
}

__global__ void spmv(const unsigned *first, const unsigned *column, const float *value, const float *x, float *y)
{
    const unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    float mine = 0;
    for (unsigned i = first[row]; i < first[row + 1]; i++) mine += value[i] * x[column[i]];
    y[row] = mine;
}

__global__ void update(float *a, const unsigned *order)
{
    a[order[blockIdx.x * blockDim.x + threadIdx.x]] += 1;
}

static double now()
{
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

template <class T>
static T *on_device(const std::vector<T> &from)
{
    T *to = nullptr;
    cudaMalloc(&to, from.size() * sizeof(T));
    cudaMemcpy(to, from.data(), from.size() * sizeof(T), cudaMemcpyHostToDevice);
    return to;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    const unsigned n = argc > 3 ? atoi(argv[3]) : 1 << 20, rows = n / 32;
    unsigned width = 32, state = 12345;
    while (width * width < n) width *= 2;
    std::vector<float> numbers(n), none(n);
    std::vector<unsigned> places(n), near(n), orders(n), firsts(rows + 1);
    for (unsigned i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        numbers[i] = float((state >> 8) % 1000);
        places[i] = (state >> 8) % n;
        near[i] = (state >> 8) % rows;
        orders[i] = i * 2654435761u % n;
    }
    for (unsigned i = 0; i <= rows; i++) firsts[i] = 12 * i;
    float *a = on_device(numbers), *b = on_device(numbers), *c = on_device(none);
    unsigned *at = on_device(places), *column = on_device(near), *first = on_device(firsts), *bins = on_device(firsts);
    unsigned *order = on_device(orders);
    double least = 1e9;
    for (int i = 0; i < (argc > 2 ? atoi(argv[2]) : 1); i++) {
        const double begin = now();
        if (!strcmp(name, "sum")) sum<<<n / 256, 256>>>(a, b, c, n);
        if (!strcmp(name, "stencil")) stencil<<<dim3(width / 32, n / width / 8), dim3(32, 8)>>>(a, c, width, n / width);
        if (!strcmp(name, "blocks")) blocks<<<n / 2048, 256>>>(a, c, n);
        if (!strcmp(name, "softmax")) softmax<<<n / 4096, 256>>>(a, c, 1024);
        if (!strcmp(name, "gemv")) gemv<<<n / 1024 / 8, 256>>>(a, b, c, 1024);
        if (!strcmp(name, "scan")) scan<<<n / 8 / 256, 256>>>(a, c);
        if (!strcmp(name, "transpose"))
            transpose<<<dim3(width / 32, n / width / 32), dim3(32, 8)>>>(a, c, width, n / width);
        if (!strcmp(name, "histogram")) histogram<<<64, 256>>>(at, bins, n / 64 / 256);
        if (!strcmp(name, "spmv")) spmv<<<rows / 256, 256>>>(first, column, a, b, c);
        if (!strcmp(name, "gather")) gather<<<n / 256, 256>>>(a, at, c);
        if (!strcmp(name, "update")) update<<<n / 256, 256>>>(a, order);
        cudaDeviceSynchronize();
        const double seconds = now() - begin;
        if (seconds < least) least = seconds;
    }
    printf("%.9f\n", least);
    return cudaGetLastError() != cudaSuccess;
}
