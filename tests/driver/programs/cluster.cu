// SPDX-License-Identifier: MIT
// A cluster of four CTAs, launched with an attribute: each reads its neighbour's shared memory.
#include <cooperative_groups.h>

#include "check.h"

namespace cg = cooperative_groups;

__global__ void rotate(int *to)
{
    __shared__ int mine;
    cg::cluster_group cluster = cg::this_cluster();
    if (threadIdx.x == 0) mine = 100 + blockIdx.x;
    cluster.sync();
    unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
    if (threadIdx.x == 0) to[blockIdx.x] = *cluster.map_shared_rank(&mine, next);
    cluster.sync();
}

int main()
{
    int *device, host[8];
    CUDA(cudaMalloc(&device, sizeof host));
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim = {4, 1, 1};
    cudaLaunchConfig_t config = {};
    config.gridDim = 8;
    config.blockDim = 32;
    config.attrs = &attribute;
    config.numAttrs = 1;
    CUDA(cudaLaunchKernelEx(&config, rotate, device));
    CUDA(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 8; i++) REQUIRE(host[i] == 100 + i / 4 * 4 + (i + 1) % 4);
    int clusters = 0;
    CUDA(cudaOccupancyMaxActiveClusters(&clusters, rotate, &config));
    REQUIRE(clusters > 0);
}
