// SPDX-License-Identifier: MIT
#include "gpu_clusters.h"

int gpu_clusters(struct gpu *gpu, const struct gpu_launch *launch)
{
    struct CUfunc_st *function;
    struct cuda_launch_attribute attribute = {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
    attribute.value.cluster.x = launch->cluster;
    attribute.value.cluster.y = attribute.value.cluster.z = 1;
    struct cuda_launch_config config = {.grid_x = launch->cluster,
                                        .grid_y = 1,
                                        .grid_z = 1,
                                        .block_x = launch->block,
                                        .block_y = 1,
                                        .block_z = 1,
                                        .shared_bytes = launch->shared_bytes,
                                        .attributes = &attribute,
                                        .attribute_count = 1};
    int clusters = 0;
    if (gpu_function(gpu, launch->module, launch->kernel, &function) != CUDA_SUCCESS) return 0;
    gpu->driver.cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                   (int)launch->shared_bytes);
    gpu->driver.cuFuncSetAttribute(function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
    if (gpu->driver.cuOccupancyMaxActiveClusters(&clusters, function, &config) != CUDA_SUCCESS) return 0;
    return clusters;
}
