// SPDX-License-Identifier: MIT
// The CUDA driver API as tmaref uses it: values (here), structs (here) and calls (driver_calls.def), written by hand
// from the public documentation so that nothing needs the toolkit. tests/meta/cuda_abi_check.c compares all of it with
// cuda.h where that exists. Where cuda.h was included first, its own enumerators are used.
#ifndef TMAREF_CUDA_ABI_H
#define TMAREF_CUDA_ABI_H

#include <stddef.h>
#include <stdint.h>

#include "map_value.h"

// The values, one row each: X(name, value); errors are in errors.def. CUDA driver API 13.0, "Data types used by CUDA
// driver".
#define CUDA_DEVICE_ATTRIBUTE_ROWS(X)                                                                                  \
    X(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1)                                                                    \
    X(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 8)                                                              \
    X(CU_DEVICE_ATTRIBUTE_WARP_SIZE, 10)                                                                               \
    X(CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 13)                                                                              \
    X(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 16)                                                                    \
    X(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 38)                                                                           \
    X(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 39)                                                          \
    X(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 75)                                                                \
    X(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 76)                                                                \
    X(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 81)                                                    \
    X(CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 95)                                                                      \
    X(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 97)                                                       \
    X(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 102)                                                    \
    X(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, 120)                                                                         \
    X(CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED, 127)

#define CUDA_FUNCTION_ATTRIBUTE_ROWS(X)                                                                                \
    X(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 0)                                                                      \
    X(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, 1)                                                                          \
    X(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, 3)                                                                           \
    X(CU_FUNC_ATTRIBUTE_NUM_REGS, 4)                                                                                   \
    X(CU_FUNC_ATTRIBUTE_PTX_VERSION, 5)                                                                                \
    X(CU_FUNC_ATTRIBUTE_BINARY_VERSION, 6)                                                                             \
    X(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 8)                                                              \
    X(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 9)                                                           \
    X(CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET, 10)                                                                  \
    X(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 14)

// Small enums that only pass through struct fields and flag words.
#define CUDA_FLAG_ROWS(X)                                                                                              \
    X(CU_LAUNCH_ATTRIBUTE_IGNORE, 0)                                                                                   \
    X(CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, 1)                                                                     \
    X(CU_LAUNCH_ATTRIBUTE_COOPERATIVE, 2)                                                                              \
    X(CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY, 3)                                                                   \
    X(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, 4)                                                                        \
    X(CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE, 5)                                                     \
    X(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION, 6)                                                        \
    X(CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT, 7)                                                                       \
    X(CU_LAUNCH_ATTRIBUTE_PRIORITY, 8)                                                                                 \
    X(CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP, 9)                                                                      \
    X(CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN, 10)                                                                         \
    X(CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION, 11)                                                             \
    X(CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT, 12)                                                                 \
    X(CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE, 13)                                                            \
    X(CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 14)                                                        \
    X(CU_CTX_SCHED_AUTO, 0)                                                                                            \
    X(CU_CTX_SCHED_SPIN, 1)                                                                                            \
    X(CU_CTX_SCHED_BLOCKING_SYNC, 4)                                                                                   \
    X(CU_EVENT_DEFAULT, 0)                                                                                             \
    X(CU_EVENT_BLOCKING_SYNC, 1)                                                                                       \
    X(CU_EVENT_DISABLE_TIMING, 2)                                                                                      \
    X(CU_STREAM_DEFAULT, 0)                                                                                            \
    X(CU_STREAM_NON_BLOCKING, 1)                                                                                       \
    X(CU_STREAM_CAPTURE_MODE_RELAXED, 2)                                                                               \
    X(CU_MEM_ALLOCATION_TYPE_PINNED, 1)                                                                                \
    X(CU_MEM_LOCATION_TYPE_DEVICE, 1)                                                                                  \
    X(CU_MEM_HANDLE_TYPE_NONE, 0)                                                                                      \
    X(CU_MEM_ACCESS_FLAGS_PROT_NONE, 0)                                                                                \
    X(CU_MEM_ACCESS_FLAGS_PROT_READ, 1)                                                                                \
    X(CU_MEM_ACCESS_FLAGS_PROT_READWRITE, 3)                                                                           \
    X(CU_MEM_ALLOC_GRANULARITY_MINIMUM, 0)                                                                             \
    X(CU_MEM_ALLOC_GRANULARITY_RECOMMENDED, 1)                                                                         \
    X(CU_GET_PROC_ADDRESS_DEFAULT, 0)                                                                                  \
    X(CU_GET_PROC_ADDRESS_LEGACY_STREAM, 1)                                                                            \
    X(CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM, 2)                                                                \
    X(CU_GET_PROC_ADDRESS_SUCCESS, 0)                                                                                  \
    X(CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND, 1)                                                                         \
    X(CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT, 2)

// The enums made of the rows. Where cuda.h is there, they are its own types.
#ifdef CUDA_VERSION
#define cuda_result             cudaError_enum
#define cuda_device_attribute   CUdevice_attribute_enum
#define cuda_function_attribute CUfunction_attribute_enum
#else
#define CUDA_ENUMERATOR(name, value)                  name = value,
#define CUDA_ERROR_ROW(number, driver, runtime, text) driver = number,
#define DRIVER_ERROR_ROW(number, name, text)          name = number,
enum cuda_result {
#include "errors.def"
};
enum cuda_device_attribute { CUDA_DEVICE_ATTRIBUTE_ROWS(CUDA_ENUMERATOR) };
enum cuda_function_attribute { CUDA_FUNCTION_ATTRIBUTE_ROWS(CUDA_ENUMERATOR) };
enum cuda_flag { CUDA_FLAG_ROWS(CUDA_ENUMERATOR) };
enum cuda_tensor_map_data_type { CUDA_TENSOR_MAP_DATA_TYPE_ROWS(CUDA_ENUMERATOR) };
enum cuda_tensor_map_interleave { CUDA_TENSOR_MAP_INTERLEAVE_ROWS(CUDA_ENUMERATOR) };
enum cuda_tensor_map_swizzle { CUDA_TENSOR_MAP_SWIZZLE_ROWS(CUDA_ENUMERATOR) };
enum cuda_tensor_map_l2_promotion { CUDA_TENSOR_MAP_L2_PROMOTION_ROWS(CUDA_ENUMERATOR) };
enum cuda_tensor_map_oob_fill { CUDA_TENSOR_MAP_OOB_FILL_ROWS(CUDA_ENUMERATOR) };
enum cuda_tensor_map_wide_mode { CUDA_TENSOR_MAP_WIDE_MODE_ROWS(CUDA_ENUMERATOR) };
#undef CUDA_ENUMERATOR
#endif

// Handles, never looked into (the names are cuda.h's, so that the types are the same): driver_calls.def is written with
// them. A CUdevice is an int, a CUtensorMap the model's struct tensormap_image.
struct tensormap_image;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUlib_st *CUlibrary;
typedef struct CUkern_st *CUkernel;
typedef struct CUlinkState_st *CUlinkState;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct CUuserObject_st *CUuserObject;
typedef struct CUmemPoolHandle_st *CUmemoryPool;
typedef struct CUgreenCtx_st *CUgreenCtx;
typedef struct CUdevResourceDesc_st *CUdevResourceDesc;
typedef struct CUlogsCallbackEntry_st *CUlogsCallbackHandle;
typedef struct CUasyncCallbackEntry_st *CUasyncCallbackHandle;
typedef unsigned long long CUdeviceptr;

enum { CUDA_LAUNCH_VALUE_BYTES = 64 };

// CUlaunchAttribute: `id` is a CU_LAUNCH_ATTRIBUTE_ value and says which member of `value` is read.
struct cuda_launch_attribute {
    uint32_t id;
    uint32_t zero;
    union {
        unsigned char bytes[CUDA_LAUNCH_VALUE_BYTES];
        struct {
            uint32_t x, y, z;
        } cluster;
        int cooperative;
        int programmatic_stream_serialization_allowed;
        struct {
            struct CUevent_st *event;
            int flags;
        } event; // of both attributes that record one
    } value;
};

// CUlaunchConfig: grid and cluster in CTAs, block in threads, dynamic shared memory in bytes.
struct cuda_launch_config {
    uint32_t grid_x, grid_y, grid_z;
    uint32_t block_x, block_y, block_z;
    uint32_t shared_bytes;
    struct CUstream_st *stream;
    struct cuda_launch_attribute *attributes;
    uint32_t attribute_count;
};

// CUmemLocation, CUmemAllocationProp, CUmemAccessDesc: for cuMemCreate and cuMemSetAccess.
struct cuda_mem_location {
    uint32_t type;
    int32_t id;
};

struct cuda_mem_allocation_prop {
    uint32_t type;
    uint32_t handle_types;
    struct cuda_mem_location location;
    void *win32_metadata;
    unsigned char compression, gpu_direct_rdma;
    uint16_t usage;
    unsigned char zero[4];
};

struct cuda_mem_access_desc {
    struct cuda_mem_location location;
    uint32_t flags;
};

#endif
