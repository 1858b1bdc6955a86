// SPDX-License-Identifier: MIT
// Does cuda_api.h declare the calls as the toolkit's cuda.h does? If this file compiles, it does: a declaration that
// conflicts with another is an error. The structs that cuda_abi.h has under names of its own are compared by
// cuda_abi_check.c.
#include <cuda.h>
#include <cudaProfiler.h>

#define TMAREF_CUDA_ABI_H
#define cuda_result              cudaError_enum
#define cuda_device_attribute    CUdevice_attribute_enum
#define cuda_function_attribute  CUfunction_attribute_enum
#define cuda_launch_config       CUlaunchConfig_st
#define cuda_mem_allocation_prop CUmemAllocationProp_st
#define cuda_mem_access_desc     CUmemAccessDesc_st
#define cuda_mem_location        CUmemLocation_st
#define tensormap_image          CUtensorMap_st

// The names without a version are macros there, and mean the latest.
#undef cuMemPrefetchAsync
#undef cuMemAdvise
#undef cuGetProcAddress

// Takes a pointer to a union there, which nothing here looks into.
#define cuStreamSetAttribute          our_cuStreamSetAttribute
#define cuStreamGetAttribute          our_cuStreamGetAttribute
#define cuGraphKernelNodeGetAttribute our_cuGraphKernelNodeGetAttribute
#define cuGraphKernelNodeSetAttribute our_cuGraphKernelNodeSetAttribute

// Take an enumeration of their own.
#define cuDeviceGetHostAtomicCapabilities our_cuDeviceGetHostAtomicCapabilities
#define cuDeviceGetP2PAtomicCapabilities  our_cuDeviceGetP2PAtomicCapabilities

#include "cuda_api.h"
