// SPDX-License-Identifier: MIT
// Where memory is: what the locations of CUDA's calls may be.
#include "driver.h"

enum cuda_result location_check(struct cuda_mem_location location)
{
    if (location.type == CU_MEM_LOCATION_TYPE_DEVICE)
        return location.id == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
    return location.type >= LOCATION_HOST && location.type <= LOCATION_HOST_NUMA_CURRENT ? CUDA_SUCCESS
                                                                                         : CUDA_ERROR_INVALID_VALUE;
}

// The node of the current thread is no place to stay, and memory of the host at large goes to no other process.
enum cuda_result location_check_new(struct cuda_mem_location location, uint32_t handle_types, int *is_on_host)
{
    *is_on_host = location.type != CU_MEM_LOCATION_TYPE_DEVICE;
    if (location.type == LOCATION_HOST_NUMA_CURRENT) return CUDA_ERROR_INVALID_VALUE;
    if (location.type == LOCATION_HOST && handle_types != CU_MEM_HANDLE_TYPE_NONE) return CUDA_ERROR_INVALID_VALUE;
    return location_check(location);
}
