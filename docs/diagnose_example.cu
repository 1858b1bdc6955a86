// SPDX-License-Identifier: MIT
// A pipeline with one buffer and a wrong wait: the second tile is read when the first one's phase is complete. It dumps
// what the reader would see. Build: nvcc -arch=sm_90a -I<prefix>/include/tmaref diagnose_example.cu -o example
#include <cuda.h>
#include <cuda/ptx>
#include <cuda_runtime.h>
#include <vector>

#include "tmaref_dump.h"

namespace ptx = cuda::ptx;
enum { COLUMNS = 256, ROWS = 64, BOX_COLUMNS = 64, BOX_ROWS = 16, BOX_BYTES = 2 * BOX_COLUMNS * BOX_ROWS };

// Never more than a million clocks, whatever becomes of the copy.
__device__ void wait(uint64_t *barrier, uint32_t parity)
{
    for (long long start = clock64(); clock64() - start < 1000000;)
        if (ptx::mbarrier_test_wait_parity(barrier, parity)) return;
}

__global__ void pipeline(const __grid_constant__ CUtensorMap map, void *dump, uint64_t dump_bytes)
{
    __shared__ __align__(1024) char tile[BOX_BYTES];
    __shared__ uint64_t barrier;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&barrier, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    tmaref_poison(tile, sizeof tile);
    for (int32_t k = 0; k < 2; k++) {
        int32_t coord[2] = {k * BOX_COLUMNS, 16};
        if (threadIdx.x == 0) {
            ptx::fence_proxy_async();
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier, BOX_BYTES);
            ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, tile, &map, coord, &barrier);
        }
        wait(&barrier, k == 0 ? 0 : 0); // the fault: the second phase has parity 1
        if (k == 1) {
            tmaref_copy copy = {&map, tile, &barrier, BOX_BYTES, 2, {coord[0], coord[1]}};
            tmaref_dump(dump, dump_bytes, tile, sizeof tile, copy);
        }
        __syncthreads();
    }
    wait(&barrier, 1); // no copy may outlive its CTA
}

static CUtensorMap encode(void *tensor)
{
    CUtensorMap map;
    void *entry = nullptr;
    cudaDriverEntryPointQueryResult found;
    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000, cudaEnableDefault, &found);
    const cuuint64_t dim[] = {COLUMNS, ROWS}, stride[] = {2 * COLUMNS};
    const cuuint32_t box[] = {BOX_COLUMNS, BOX_ROWS}, element_stride[] = {1, 1};
    auto call = (decltype(&cuTensorMapEncodeTiled))entry;
    call(&map, CU_TENSOR_MAP_DATA_TYPE_UINT16, 2, tensor, dim, stride, box, element_stride,
         CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
         CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return map;
}

int main()
{
    std::vector<uint16_t> numbers(COLUMNS * ROWS);
    for (size_t i = 0; i < numbers.size(); i++) numbers[i] = (uint16_t)i; // --fill iota
    const uint64_t dump_bytes = TMAREF_DUMP_BYTES(BOX_BYTES);
    std::vector<char> host(dump_bytes);
    void *tensor, *dump;
    cudaMalloc(&tensor, numbers.size() * 2);
    cudaMalloc(&dump, dump_bytes);
    cudaMemcpy(tensor, numbers.data(), numbers.size() * 2, cudaMemcpyHostToDevice);
    pipeline<<<1, 128>>>(encode(tensor), dump, dump_bytes);
    cudaError_t error = cudaMemcpy(host.data(), dump, dump_bytes, cudaMemcpyDeviceToHost);
    if (error != cudaSuccess) return printf("%s\n", cudaGetErrorString(error)), 1;
    return tmaref_dump_save(host.data(), "tile.dump") ? 0 : 1;
}
