// SPDX-License-Identifier: MIT
// The kernels of kernels_bench.c, as a user would write them. kernels.ptx is what nvcc 13.0 makes of this file:
// nvcc -arch=sm_90 -ptx -o kernels.ptx kernels.cu
#include <cstdint>

extern "C" {

__global__ void empty() {}

__global__ void copy(const float *from, float *to)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[i];
}

__global__ void triad(const float *a, const float *b, float *c, float scale)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    c[i] = a[i] + scale * b[i];
}

// Blocks of 32 x 8; a frame of one element is left alone.
__global__ void stencil(const float *from, float *to, unsigned width, unsigned height)
{
    const unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x == 0 || y == 0 || x >= width - 1 || y >= height - 1) return;
    const float *at = from + (size_t)y * width + x;
    to[(size_t)y * width + x] = 0.2f * (at[0] + at[-1] + at[1] + at[-(int)width] + at[width]);
}

__global__ void gather(const float *from, const unsigned *index, float *to)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[index[i]];
}

// A tile of 32 x 32 through shared memory, 32 x 8 threads.
__global__ void transpose(const float *from, float *to, unsigned width, unsigned height)
{
    __shared__ float tile[32][33];
    const unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (unsigned i = 0; i < 32; i += 8) tile[threadIdx.y + i][threadIdx.x] = from[(size_t)(y + i) * width + x];
    __syncthreads();
    const unsigned u = blockIdx.y * 32 + threadIdx.x, v = blockIdx.x * 32 + threadIdx.y;
    for (unsigned i = 0; i < 32; i += 8) to[(size_t)(v + i) * height + u] = tile[threadIdx.x][threadIdx.y + i];
}

// Neighbours take turns through shared memory: 64 rounds of a store, a barrier, a load and a barrier.
__global__ void exchange(float *data)
{
    __shared__ float row[256];
    const unsigned i = blockIdx.x * 256 + threadIdx.x;
    float mine = data[i];
    for (int round = 0; round < 64; round++) {
        row[threadIdx.x] = mine;
        __syncthreads();
        mine = 0.5f * mine + 0.5f * row[(threadIdx.x + 1) & 255];
        __syncthreads();
    }
    data[i] = mine;
}

__global__ void histogram(const unsigned *data, unsigned *bins, unsigned each)
{
    __shared__ unsigned mine[256];
    mine[threadIdx.x] = 0;
    __syncthreads();
    for (unsigned k = 0; k < each; k++)
        atomicAdd(&mine[data[(size_t)blockIdx.x * 256 * each + k * 256 + threadIdx.x] & 255], 1u);
    __syncthreads();
    atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
}

__global__ void reduce(const unsigned *data, unsigned *sums, unsigned each)
{
    __shared__ unsigned part[8];
    unsigned sum = 0;
    for (unsigned k = 0; k < each; k++) sum += data[(size_t)blockIdx.x * 256 * each + k * 256 + threadIdx.x];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x >= 32) return;
    sum = threadIdx.x < 8 ? part[threadIdx.x] : 0;
    for (int step = 4; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

// C = A B, row-major, N x N: tiles of 16 x 16, one element a thread.
__global__ void sgemm16(const float *a, const float *b, float *c, unsigned n)
{
    __shared__ float ta[16][16], tb[16][16];
    const unsigned x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
    float sum = 0;
    for (unsigned k = 0; k < n; k += 16) {
        ta[y][x] = a[(size_t)row * n + k + x];
        tb[y][x] = b[(size_t)(k + y) * n + column];
        __syncthreads();
        for (unsigned i = 0; i < 16; i++) sum += ta[y][i] * tb[i][x];
        __syncthreads();
    }
    c[(size_t)row * n + column] = sum;
}

// The same, tiles of 64 x 64, 4 x 4 elements a thread.
__global__ void sgemm64(const float *a, const float *b, float *c, unsigned n)
{
    __shared__ float ta[16][64], tb[16][64];
    const unsigned thread = threadIdx.x, x = thread % 16, y = thread / 16;
    float sum[4][4] = {};
    for (unsigned k = 0; k < n; k += 16) {
        for (unsigned i = 0; i < 4; i++) {
            const unsigned e = thread + 256 * i;
            ta[e % 16][e / 16] = a[(size_t)(blockIdx.y * 64 + e / 16) * n + k + e % 16];
            tb[e / 64][e % 64] = b[(size_t)(k + e / 64) * n + blockIdx.x * 64 + e % 64];
        }
        __syncthreads();
        for (unsigned i = 0; i < 16; i++)
            for (unsigned r = 0; r < 4; r++)
                for (unsigned s = 0; s < 4; s++) sum[r][s] += ta[i][y * 4 + r] * tb[i][x * 4 + s];
        __syncthreads();
    }
    for (unsigned r = 0; r < 4; r++)
        for (unsigned s = 0; s < 4; s++)
            c[(size_t)(blockIdx.y * 64 + y * 4 + r) * n + blockIdx.x * 64 + x * 4 + s] = sum[r][s];
}
}
