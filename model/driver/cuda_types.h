// SPDX-License-Identifier: MIT
// Structs of the driver API that only the driver's own calls take, with the names of CUDA's documents, so that
// cuda_api.h compiles with cuda.h included first as well as without it: tests/meta/cuda_api_check.c does with the
// header.
#ifndef TMAREF_CUDA_TYPES_H
#define TMAREF_CUDA_TYPES_H

#include "cuda_abi.h"

struct CUarray_st;
struct CUmipmappedArray_st;
struct CUctxCreateParams_st;
struct CUexecAffinityParam_st;
struct CUdevprop_st;
struct CUdevResource_st;
struct CUasyncNotificationInfo_st;
struct CUDA_KERNEL_NODE_PARAMS_st; // begins as the second version, and ends before `kern`

#ifndef CUDA_VERSION

struct CUexecAffinityParam_st {
    uint32_t type, count;
};

struct CUctxCreateParams_st {
    struct CUexecAffinityParam_st *execAffinityParams;
    int numExecAffinityParams;
    void *cigParams;
};

struct CUdevprop_st {
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], sharedMemPerBlock, totalConstantMemory, SIMDWidth;
    int memPitch, regsPerBlock, clockRate, textureAlign;
};

struct CUuuid_st {
    char bytes[16];
};

struct CUDA_MEMCPY2D_st {
    size_t srcXInBytes, srcY;
    uint32_t srcMemoryType;
    const void *srcHost;
    unsigned long long srcDevice;
    struct CUarray_st *srcArray;
    size_t srcPitch;
    size_t dstXInBytes, dstY;
    uint32_t dstMemoryType;
    void *dstHost;
    unsigned long long dstDevice;
    struct CUarray_st *dstArray;
    size_t dstPitch;
    size_t WidthInBytes, Height;
};

struct CUDA_MEMCPY3D_st {
    size_t srcXInBytes, srcY, srcZ, srcLOD;
    uint32_t srcMemoryType;
    const void *srcHost;
    unsigned long long srcDevice;
    struct CUarray_st *srcArray;
    void *reserved0;
    size_t srcPitch, srcHeight;
    size_t dstXInBytes, dstY, dstZ, dstLOD;
    uint32_t dstMemoryType;
    void *dstHost;
    unsigned long long dstDevice;
    struct CUarray_st *dstArray;
    void *reserved1;
    size_t dstPitch, dstHeight;
    size_t WidthInBytes, Height, Depth;
};

struct CUDA_ARRAY_DESCRIPTOR_st {
    size_t Width, Height;
    uint32_t Format, NumChannels;
};

struct CUDA_ARRAY3D_DESCRIPTOR_st {
    size_t Width, Height, Depth;
    uint32_t Format, NumChannels, Flags;
};

// What a texture or surface object is made of.
struct CUDA_RESOURCE_DESC_st {
    uint32_t resType;
    union {
        struct CUarray_st *array;
        struct CUmipmappedArray_st *mipmap;
        struct {
            unsigned long long devPtr;
            uint32_t format, numChannels;
            size_t sizeInBytes;
        } linear;
        struct {
            unsigned long long devPtr;
            uint32_t format, numChannels;
            size_t width, height, pitchInBytes;
        } pitch2D;
        int reserved[32];
    } res;
    uint32_t flags;
};

struct CUDA_TEXTURE_DESC_st {
    uint32_t addressMode[3], filterMode, flags, maxAnisotropy, mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp, borderColor[4];
    int reserved[12];
};

struct CUDA_RESOURCE_VIEW_DESC_st {
    uint32_t format;
    size_t width, height, depth;
    uint32_t firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer, reserved[16];
};

struct CUDA_KERNEL_NODE_PARAMS_v2_st {
    struct CUfunc_st *func;
    unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
    void **kernelParams;
    void **extra;
    struct CUkern_st *kern;
    struct CUctx_st *ctx;
};

struct CUDA_MEMSET_NODE_PARAMS_st {
    unsigned long long dst;
    size_t pitch;
    unsigned value, elementSize;
    size_t width, height;
};

struct CUDA_HOST_NODE_PARAMS_st {
    void (*fn)(void *user);
    void *userData;
};

struct CUmemPoolProps_st {
    uint32_t allocType, handleTypes;
    struct cuda_mem_location location;
    void *win32SecurityAttributes;
    size_t maxSize;
    unsigned short usage;
    unsigned char reserved[54];
};

struct CUgraphEdgeData_st {
    unsigned char from_port, to_port, type, reserved[5];
};

struct CUDA_GRAPH_INSTANTIATE_PARAMS_st {
    uint64_t flags;
    struct CUstream_st *hUploadStream;
    struct CUgraphNode_st *hErrNode_out;
    uint32_t result_out;
};

struct CUgraphExecUpdateResultInfo_st {
    uint32_t result;
    struct CUgraphNode_st *errorNode, *errorFromNode;
};

struct CUDA_MEMCPY3D_PEER_st {
    size_t srcXInBytes, srcY, srcZ, srcLOD;
    uint32_t srcMemoryType;
    const void *srcHost;
    unsigned long long srcDevice;
    struct CUarray_st *srcArray;
    struct CUctx_st *srcContext;
    size_t srcPitch, srcHeight;
    size_t dstXInBytes, dstY, dstZ, dstLOD;
    uint32_t dstMemoryType;
    void *dstHost;
    unsigned long long dstDevice;
    struct CUarray_st *dstArray;
    struct CUctx_st *dstContext;
    size_t dstPitch, dstHeight;
    size_t WidthInBytes, Height, Depth;
};

struct CUmemcpyAttributes_st {
    uint32_t srcAccessOrder;
    struct cuda_mem_location srcLocHint, dstLocHint;
    unsigned flags;
};

// `rowLength` and `layerHeight` count bytes and rows; 0: as many as are copied.
struct CUmemcpy3DOperand_st {
    uint32_t type;
    union {
        struct {
            unsigned long long ptr;
            size_t rowLength, layerHeight;
            struct cuda_mem_location locHint;
        } ptr;
        struct {
            struct CUarray_st *array;
            size_t offset[3];
        } array;
    } op;
};

struct CUDA_MEMCPY3D_BATCH_OP_st {
    struct CUmemcpy3DOperand_st src, dst;
    struct {
        size_t width, height, depth;
    } extent;
    uint32_t srcAccessOrder, flags;
};

struct CUDA_MEM_ALLOC_NODE_PARAMS_v1_st {
    struct CUmemPoolProps_st poolProps;
    const struct cuda_mem_access_desc *accessDescs;
    size_t accessDescCount, bytesize;
    unsigned long long dptr;
};

// An operation of a stream on one word. `value64` is a 32-bit value in its low half, for those of 32 bits.
union CUstreamBatchMemOpParams_union {
    uint32_t operation;
    struct {
        uint32_t operation;
        unsigned long long address;
        uint64_t value64;
        unsigned flags;
        unsigned long long alias;
    } value;
    struct {
        uint32_t operation, flags;
    } barrier;
    uint64_t pad[6];
};

struct CUDA_BATCH_MEM_OP_NODE_PARAMS_v1_st {
    struct CUctx_st *ctx;
    unsigned count;
    union CUstreamBatchMemOpParams_union *paramArray;
    unsigned flags;
};

// Streaming multiprocessors of the device. The padding is the driver's own.
struct CUdevResource_st {
    uint32_t type;
    unsigned char _internal_padding[92];
    union {
        struct {
            unsigned smCount, minSmPartitionSize, smCoscheduledAlignment;
        } sm;
        unsigned char _oversize[48];
    };
};

struct CUipcEventHandle_st {
    char reserved[64];
};

struct CUipcMemHandle_st {
    char reserved[64];
};

struct CUmemPoolPtrExportData_st {
    unsigned char reserved[64];
};

struct CUDA_LAUNCH_PARAMS_st {
    struct CUfunc_st *function;
    unsigned gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes;
    struct CUstream_st *hStream;
    void **kernelParams;
};

struct CUDA_CONDITIONAL_NODE_PARAMS {
    uint64_t handle;
    uint32_t type;
    unsigned size;
    struct CUgraph_st **phGraph_out;
    struct CUctx_st *ctx;
};

// The parameters of any node. Those of memset and of host nodes are what their own calls take, with `ctx` behind.
struct CUgraphNodeParams_st {
    uint32_t type;
    int reserved0[3];
    union {
        long long reserved1[29];
        struct CUDA_KERNEL_NODE_PARAMS_v2_st kernel;
        struct {
            int flags, reserved;
            struct CUctx_st *ctx;
            struct CUDA_MEMCPY3D_st params;
        } copy;
        struct {
            struct CUDA_MEMSET_NODE_PARAMS_st params;
            struct CUctx_st *ctx;
        } set;
        struct CUDA_HOST_NODE_PARAMS_st host;
        struct {
            struct CUgraph_st *graph;
            uint32_t ownership;
        } child;
        struct {
            struct CUevent_st *event;
        } event;
        struct CUDA_MEM_ALLOC_NODE_PARAMS_v1_st alloc;
        struct {
            unsigned long long dptr;
        } freed;
        struct CUDA_BATCH_MEM_OP_NODE_PARAMS_v1_st operations;
        struct CUDA_CONDITIONAL_NODE_PARAMS conditional;
    };
    long long reserved2;
};

#endif

// The values that this folder looks at, by our names: the documents' enumerators are cuda.h's.
enum { MEMORY_OF_HOST = 1, MEMORY_OF_DEVICE = 2, MEMORY_OF_ARRAY = 3, MEMORY_UNIFIED = 4 };
enum { CAPTURE_NONE, CAPTURE_ACTIVE, CAPTURE_INVALIDATED };
enum graph_node_type {
    NODE_KERNEL,
    NODE_MEMCPY,
    NODE_MEMSET,
    NODE_HOST,
    NODE_GRAPH,
    NODE_EMPTY,
    NODE_WAIT_EVENT,
    NODE_EVENT_RECORD,
    NODE_MEM_ALLOC = 10,
    NODE_MEM_FREE = 11,
    NODE_MEM_OPERATIONS = 12,
    NODE_CONDITIONAL = 13
};

#endif
