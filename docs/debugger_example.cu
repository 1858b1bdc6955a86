// SPDX-License-Identifier: MIT
// A tile that arrives scrambled, for the debugger (docs/diagnose.md). The kernel has one map for loads and one for stores.
// It loads with the one for stores, which has no swizzle. Build: nvcc -g -G -arch=sm_90a debugger_example.cu -o scrambled
#include <cuda.h>
#include <cuda/ptx>
#include <cuda_runtime.h>
#include <stdint.h>
#include <stdio.h>
#include <vector>

namespace ptx = cuda::ptx;
enum { COLUMNS = 256, ROWS = 64, BOX_COLUMNS = 64, BOX_ROWS = 16, BOX_BYTES = 2 * BOX_COLUMNS * BOX_ROWS };

// Never more than a million clocks, whatever becomes of the copy.
__device__ void wait(uint64_t *barrier, uint32_t parity)
{
    for (long long start = clock64(); clock64() - start < 1000000;)
        if (ptx::mbarrier_test_wait_parity(barrier, parity)) return;
}

// Where the element of a row and a column lies under the swizzle 128B.
__device__ int place(int row, int column) { return row * BOX_COLUMNS + (column ^ row % 8 * 8); }

__global__ void firsts(const __grid_constant__ CUtensorMap loads, const __grid_constant__ CUtensorMap stores, uint16_t *first)
{
    __shared__ __align__(1024) uint16_t tile[BOX_ROWS * BOX_COLUMNS];
    __shared__ uint64_t barrier;
    int32_t coord[2] = {64, 16};
    if (threadIdx.x == 0) {
        asm volatile("prefetch.tensormap [%0];" ::"l"(&loads));
        ptx::mbarrier_init(&barrier, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier, BOX_BYTES);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &stores, coord, &barrier); // the fault
    }
    __syncthreads();
    wait(&barrier, 0);
    first[threadIdx.x] = tile[place(threadIdx.x, 0)];
}

static CUtensorMap encode(void *tensor, CUtensorMapSwizzle swizzle)
{
    CUtensorMap map;
    void *entry = nullptr;
    cudaDriverEntryPointQueryResult found;
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000, cudaEnableDefault, &found);
    const cuuint64_t dim[] = {COLUMNS, ROWS}, stride[] = {2 * COLUMNS};
    const cuuint32_t box[] = {BOX_COLUMNS, BOX_ROWS}, element_stride[] = {1, 1};
    auto call = (decltype(&cuTensorMapEncodeTiled))entry;
    call(&map, CU_TENSOR_MAP_DATA_TYPE_UINT16, 2, tensor, dim, stride, box, element_stride, CU_TENSOR_MAP_INTERLEAVE_NONE,
         swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return map;
}

int main()
{
    std::vector<uint16_t> numbers(COLUMNS * ROWS);
    for (size_t i = 0; i < numbers.size(); i++) numbers[i] = (uint16_t)i;
    uint16_t *first, host[BOX_ROWS] = {0};
    void *tensor;
    cudaMalloc(&tensor, numbers.size() * 2);
    cudaMalloc(&first, sizeof host);
    cudaMemcpy(tensor, numbers.data(), numbers.size() * 2, cudaMemcpyHostToDevice);
    firsts<<<1, BOX_ROWS>>>(encode(tensor, CU_TENSOR_MAP_SWIZZLE_128B), encode(tensor, CU_TENSOR_MAP_SWIZZLE_NONE), first);
    cudaError_t error = cudaMemcpy(host, first, sizeof host, cudaMemcpyDeviceToHost);
    if (error != cudaSuccess) return printf("%s\n", cudaGetErrorString(error)), 1;
    for (int row = 0; row < BOX_ROWS; row++) {
        int wanted = (16 + row) * COLUMNS + 64;
        if (host[row] != wanted) return printf("row %d begins with %d, and not %d\n", row, host[row], wanted), 1;
    }
    return puts("right"), 0;
}
