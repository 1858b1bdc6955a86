// SPDX-License-Identifier: MIT
// Do the rows of driver_calls.def and runtime_calls.def have the parameters of a toolkit's headers? toolkit.sh compiles
// this file with the rows that these headers declare; a row with others is an error that names it.
#define __CUDA_API_VERSION_INTERNAL // all versions of a call are declared, and none is a macro
#include <cuda.h>
#if __has_include(<cudaProfiler.h>) // it is in a wheel of its own
#include <cudaProfiler.h>
#endif
#include <cuda_runtime_api.h>
#undef cudaGetDeviceProperties

#define SAME(name, type, parameters)                                                                                   \
    _Static_assert(__builtin_types_compatible_p(__typeof__(name), type parameters),                                    \
                   "the header has other parameters than its row: " #name);

// Structs that have names of their own here; cuda_abi_check.c compares their members.
#define cuda_result              cudaError_enum
#define cuda_device_attribute    CUdevice_attribute_enum
#define cuda_function_attribute  CUfunction_attribute_enum
#define cuda_launch_config       CUlaunchConfig_st
#define cuda_mem_allocation_prop CUmemAllocationProp_st
#define cuda_mem_access_desc     CUmemAccessDesc_st
#define cuda_mem_location        CUmemLocation_st
#define tensormap_image          CUtensorMap_st
#if CUDA_VERSION < 12020
#define CUDA_BATCH_MEM_OP_NODE_PARAMS_v1_st CUDA_BATCH_MEM_OP_NODE_PARAMS_st
#define CUDA_MEM_ALLOC_NODE_PARAMS_v1_st    CUDA_MEM_ALLOC_NODE_PARAMS_st
#endif

#define CALL(name, since, streams, parameters)          SAME(name, CUresult, parameters)
#define FORWARD(name, since, streams, parameters, call) SAME(name, CUresult, parameters)
#include "driver_rows.def"

// The runtime's structs have the driver's names here.
#undef cuda_result
#undef cuda_mem_access_desc
#undef cuda_mem_location
#define cuda_result                      cudaError
#define cuda_mem_access_desc             cudaMemAccessDesc
#define cuda_mem_location                cudaMemLocation
#define CUmemPoolProps_st                cudaMemPoolProps
#define CUmemPoolPtrExportData_st        cudaMemPoolPtrExportData
#define CUgraphEdgeData_st               cudaGraphEdgeData_st
#define CUgraphExecUpdateResultInfo_st   cudaGraphExecUpdateResultInfo_st
#define CUDA_GRAPH_INSTANTIATE_PARAMS_st cudaGraphInstantiateParams_st
#undef CUDA_MEM_ALLOC_NODE_PARAMS_v1_st
#define CUDA_MEM_ALLOC_NODE_PARAMS_v1_st                   cudaMemAllocNodeParams
#define CUDA_MEMCPY3D_BATCH_OP_st                          cudaMemcpy3DBatchOp
#define CUmemcpyAttributes_st                              cudaMemcpyAttributes
#define CUipcEventHandle_st                                cudaIpcEventHandle_st
#define CUipcMemHandle_st                                  cudaIpcMemHandle_st
#define CUasyncNotificationInfo_st                         cudaAsyncNotificationInfo
#define CUasyncCallbackHandle                              cudaAsyncCallbackHandle_t
#define CALL(name, releases, streams, parameters)          SAME(name, cudaError_t, parameters)
#define GIVES(name, releases, streams, type, parameters)   SAME(name, type, parameters)
#define FORWARD(name, releases, streams, parameters, call) SAME(name, cudaError_t, parameters)
#include "runtime_rows.def"
