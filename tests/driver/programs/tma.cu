// SPDX-License-Identifier: MIT
// A tile through a tensor map: the map is made with the call that the runtime finds by name, the kernel waits on an
// mbarrier and stores the tile back through another map.
#include <cuda.h>
#include <vector>

#include "check.h"

const int rows = 64, columns = 64, tile = 16;

__global__ void copy(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to)
{
    __shared__ alignas(128) int buffer[tile * tile];
    __shared__ alignas(8) unsigned long long barrier;
    unsigned bar = (unsigned)__cvta_generic_to_shared(&barrier), at = (unsigned)__cvta_generic_to_shared(buffer);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(bar));
        asm volatile("fence.mbarrier_init.release.cluster;");
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(bar), "r"((int)sizeof buffer));
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
                     "[%4];" ::"r"(at),
                     "l"(&from), "r"(blockIdx.x * tile), "r"(blockIdx.y * tile), "r"(bar)
                     : "memory");
    }
    __syncthreads();
    asm volatile("{\n.reg .pred done;\nagain:\nmbarrier.try_wait.parity.shared.b64 done, [%0], 0;\n@!done bra again;\n}"
                 ::"r"(bar)
                 : "memory");
    for (int i = threadIdx.x; i < tile * tile; i += blockDim.x) buffer[i] += 1;
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x != 0) return;
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&to),
                 "r"(blockIdx.x * tile), "r"(blockIdx.y * tile), "r"(at)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

static CUtensorMap map_of(void *address)
{
    void *function;
    cudaDriverEntryPointQueryResult found;
    CUDA(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &found));
    REQUIRE(found == cudaDriverEntryPointSuccess);
    CUtensorMap map;
    cuuint64_t dim[] = {columns, rows}, stride[] = {columns * sizeof(int)};
    cuuint32_t box[] = {tile, tile}, step[] = {1, 1};
    CUresult error = ((decltype(&cuTensorMapEncodeTiled))function)(
        &map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, address, dim, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
        CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    REQUIRE(error == CUDA_SUCCESS);
    return map;
}

int main()
{
    std::vector<int> host(rows * columns);
    int *from, *to;
    for (int i = 0; i < rows * columns; i++) host[i] = 7 * i;
    CUDA(cudaMalloc(&from, host.size() * sizeof(int)));
    CUDA(cudaMalloc(&to, host.size() * sizeof(int)));
    CUDA(cudaMemcpy(from, host.data(), host.size() * sizeof(int), cudaMemcpyHostToDevice));
    copy<<<dim3(columns / tile, rows / tile), 32>>>(map_of(from), map_of(to));
    CUDA(cudaMemcpy(host.data(), to, host.size() * sizeof(int), cudaMemcpyDeviceToHost));
    for (int i = 0; i < rows * columns; i++) REQUIRE(host[i] == 7 * i + 1);
}
