// SPDX-License-Identifier: MIT
// Does cuda_abi.h agree with the toolkit's cuda.h? Every value, size, offset and prototype, at compile time: if this
// file compiles, it does. Built only where cuda.h is found.
#include <cuda.h>

#include "cuda_abi.h"

#define SAME_VALUE(name, value)                    _Static_assert((unsigned)(name) == (value), #name);
#define CUDA_ERROR_ROW(value, name, runtime, text) SAME_VALUE(name, value)
#define DRIVER_ERROR_ROW(value, name, text)        SAME_VALUE(name, value)
#include "errors.def"
CUDA_DEVICE_ATTRIBUTE_ROWS(SAME_VALUE)
CUDA_FUNCTION_ATTRIBUTE_ROWS(SAME_VALUE)
CUDA_FLAG_ROWS(SAME_VALUE)
CUDA_TENSOR_MAP_DATA_TYPE_ROWS(SAME_VALUE)
CUDA_TENSOR_MAP_INTERLEAVE_ROWS(SAME_VALUE)
CUDA_TENSOR_MAP_SWIZZLE_ROWS(SAME_VALUE)
CUDA_TENSOR_MAP_L2_PROMOTION_ROWS(SAME_VALUE)
CUDA_TENSOR_MAP_OOB_FILL_ROWS(SAME_VALUE)
CUDA_TENSOR_MAP_WIDE_MODE_ROWS(SAME_VALUE)

#define SAME_BYTES(ours, theirs) _Static_assert(sizeof(struct ours) == sizeof(theirs), #theirs);
#define SAME_FIELD(ours, field, theirs, their_field)                                                                   \
    _Static_assert(offsetof(struct ours, field) == offsetof(theirs, their_field) &&                                    \
                       sizeof(((struct ours *)0)->field) == sizeof(((theirs *)0)->their_field),                        \
                   #theirs "." #their_field);

SAME_BYTES(cuda_launch_config, CUlaunchConfig)
SAME_FIELD(cuda_launch_config, grid_x, CUlaunchConfig, gridDimX)
SAME_FIELD(cuda_launch_config, grid_y, CUlaunchConfig, gridDimY)
SAME_FIELD(cuda_launch_config, grid_z, CUlaunchConfig, gridDimZ)
SAME_FIELD(cuda_launch_config, block_x, CUlaunchConfig, blockDimX)
SAME_FIELD(cuda_launch_config, block_y, CUlaunchConfig, blockDimY)
SAME_FIELD(cuda_launch_config, block_z, CUlaunchConfig, blockDimZ)
SAME_FIELD(cuda_launch_config, shared_bytes, CUlaunchConfig, sharedMemBytes)
SAME_FIELD(cuda_launch_config, stream, CUlaunchConfig, hStream)
SAME_FIELD(cuda_launch_config, attributes, CUlaunchConfig, attrs)
SAME_FIELD(cuda_launch_config, attribute_count, CUlaunchConfig, numAttrs)

SAME_BYTES(cuda_launch_attribute, CUlaunchAttribute)
SAME_FIELD(cuda_launch_attribute, id, CUlaunchAttribute, id)
SAME_FIELD(cuda_launch_attribute, value, CUlaunchAttribute, value)
SAME_FIELD(cuda_launch_attribute, value.cluster.x, CUlaunchAttribute, value.clusterDim.x)
SAME_FIELD(cuda_launch_attribute, value.cluster.y, CUlaunchAttribute, value.clusterDim.y)
SAME_FIELD(cuda_launch_attribute, value.cluster.z, CUlaunchAttribute, value.clusterDim.z)
SAME_FIELD(cuda_launch_attribute, value.cooperative, CUlaunchAttribute, value.cooperative)
SAME_FIELD(cuda_launch_attribute, value.event.event, CUlaunchAttribute, value.programmaticEvent.event)
SAME_FIELD(cuda_launch_attribute, value.event.flags, CUlaunchAttribute, value.programmaticEvent.flags)
SAME_FIELD(cuda_launch_attribute, value.event.event, CUlaunchAttribute, value.launchCompletionEvent.event)
SAME_FIELD(cuda_launch_attribute, value.event.flags, CUlaunchAttribute, value.launchCompletionEvent.flags)
SAME_FIELD(cuda_launch_attribute, value.programmatic_stream_serialization_allowed, CUlaunchAttribute,
           value.programmaticStreamSerializationAllowed)

SAME_BYTES(cuda_mem_location, CUmemLocation)
SAME_FIELD(cuda_mem_location, type, CUmemLocation, type)
SAME_FIELD(cuda_mem_location, id, CUmemLocation, id)

SAME_BYTES(cuda_mem_allocation_prop, CUmemAllocationProp)
SAME_FIELD(cuda_mem_allocation_prop, type, CUmemAllocationProp, type)
SAME_FIELD(cuda_mem_allocation_prop, handle_types, CUmemAllocationProp, requestedHandleTypes)
SAME_FIELD(cuda_mem_allocation_prop, location, CUmemAllocationProp, location)
SAME_FIELD(cuda_mem_allocation_prop, win32_metadata, CUmemAllocationProp, win32HandleMetaData)
SAME_FIELD(cuda_mem_allocation_prop, compression, CUmemAllocationProp, allocFlags.compressionType)
SAME_FIELD(cuda_mem_allocation_prop, gpu_direct_rdma, CUmemAllocationProp, allocFlags.gpuDirectRDMACapable)
SAME_FIELD(cuda_mem_allocation_prop, usage, CUmemAllocationProp, allocFlags.usage)
SAME_FIELD(cuda_mem_allocation_prop, zero, CUmemAllocationProp, allocFlags.reserved)

SAME_BYTES(cuda_mem_access_desc, CUmemAccessDesc)
SAME_FIELD(cuda_mem_access_desc, location, CUmemAccessDesc, location)
SAME_FIELD(cuda_mem_access_desc, flags, CUmemAccessDesc, flags)
