// SPDX-License-Identifier: MIT
// Structs of the runtime API, with the names of CUDA's documents. CUDA runtime API 13.0, "Data types used by CUDA
// Runtime"; tests/meta/runtime_abi_check.c compares them with the toolkit's headers where there are any.
#ifndef TMAREF_RUNTIME_TYPES_H
#define TMAREF_RUNTIME_TYPES_H

#include "cuda_types.h"
#include "runtime_release.h"

struct cudaExecutionContext_st;

#ifndef __DRIVER_TYPES_H__

#define CUDA_ERROR_ROW(number, driver, runtime, text) runtime = number,
#define RUNTIME_ERROR_ROW(number, name, text)         name = number,
enum cudaError {
#include "errors.def"
};

#endif

#if !defined __DRIVER_TYPES_H__ || defined TMAREF_COMPARE_RUNTIME

struct dim3 {
    unsigned x, y, z;
};

struct cudaExtent {
    size_t width, height, depth;
};

struct cudaPos {
    size_t x, y, z;
};

struct cudaChannelFormatDesc {
    int x, y, z, w;
    uint32_t f;
};

struct cudaPitchedPtr {
    void *ptr;
    size_t pitch, xsize, ysize;
};

// Fields that CUDA 13 dropped, and those that it added.
#if RUNTIME_RELEASE < 13
#define BEFORE_13(...) int __VA_ARGS__;
#define SINCE_13(...)
#else
#define BEFORE_13(...)
#define SINCE_13(...) __VA_ARGS__;
#endif

// What a texture or surface object is made of.
enum { RESOURCE_ARRAY, RESOURCE_MIPMAP, RESOURCE_LINEAR, RESOURCE_PITCH };
struct cudaResourceDesc {
    uint32_t resType;
    union {
        struct cudaArray *array;
        struct cudaMipmappedArray *mipmap;
        struct {
            void *devPtr;
            struct cudaChannelFormatDesc desc;
            size_t sizeInBytes;
        } linear;
        struct {
            void *devPtr;
            struct cudaChannelFormatDesc desc;
            size_t width, height, pitchInBytes;
        } pitch2D;
        SINCE_13(int reserved[32])
    } res;
    SINCE_13(uint32_t flags)
};

struct cudaResourceViewDesc; // the driver's CUDA_RESOURCE_VIEW_DESC_st

struct cudaTextureDesc {
    uint32_t addressMode[3], filterMode, readMode;
    int sRGB;
    float borderColor[4];
    int normalizedCoords;
    uint32_t maxAnisotropy, mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization, seamlessCubemap;
};

struct cudaMemcpy3DParms {
    struct cudaArray *srcArray;
    struct cudaPos srcPos;
    struct cudaPitchedPtr srcPtr;
    struct cudaArray *dstArray;
    struct cudaPos dstPos;
    struct cudaPitchedPtr dstPtr;
    struct cudaExtent extent;
    uint32_t kind;
};

struct cudaMemcpy3DPeerParms {
    struct cudaArray *srcArray;
    struct cudaPos srcPos;
    struct cudaPitchedPtr srcPtr;
    int srcDevice;
    struct cudaArray *dstArray;
    struct cudaPos dstPos;
    struct cudaPitchedPtr dstPtr;
    int dstDevice;
    struct cudaExtent extent;
};

struct cudaPointerAttributes {
    uint32_t type;
    int device;
    void *devicePointer, *hostPointer;
#if RUNTIME_RELEASE >= 13
    long reserved[8];
#endif
};

struct cudaFuncAttributes {
    size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
    int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA, maxDynamicSharedSizeBytes;
    int preferredShmemCarveout, clusterDimMustBeSet, requiredClusterWidth, requiredClusterHeight, requiredClusterDepth;
    int clusterSchedulingPolicyPreference, nonPortableClusterSizeAllowed, reserved[16];
};

struct cudaKernelNodeParams {
    void *func;
    struct dim3 gridDim, blockDim;
    unsigned sharedMemBytes;
    void **kernelParams, **extra;
};

struct cudaMemsetParams {
    void *dst;
    size_t pitch;
    unsigned value, elementSize;
    size_t width, height;
};

struct cudaHostNodeParams {
    void (*fn)(void *user);
    void *userData;
};

// The parameters of any node; all but kernels, copies and fills are the driver's.
struct cudaGraphNodeParams {
    uint32_t type;
    int reserved0[3];
    union {
        long long reserved1[29];
        struct cudaKernelNodeParams kernel;
        struct {
            int flags, reserved[3];
            struct cudaMemcpy3DParms params;
        } copy;
        struct cudaMemsetParams set;
        struct cudaHostNodeParams host;
        struct CUDA_MEM_ALLOC_NODE_PARAMS_v1_st alloc;
        struct CUDA_CONDITIONAL_NODE_PARAMS conditional;
    };
    long long reserved2;
};

struct cudaLaunchConfig_st {
    struct dim3 gridDim, blockDim;
    size_t dynamicSmemBytes;
    struct CUstream_st *stream;
    struct cuda_launch_attribute *attrs;
    unsigned numAttrs;
};

struct cudaDeviceProp {
    char name[256];
    struct CUuuid_st uuid;
    char luid[8];
    unsigned luidDeviceNodeMask;
    size_t totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize;
    size_t memPitch;
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
    BEFORE_13(clockRate)
    size_t totalConstMem;
    int major, minor;
    size_t textureAlignment, texturePitchAlignment;
    BEFORE_13(deviceOverlap)
    int multiProcessorCount;
    BEFORE_13(kernelExecTimeoutEnabled)
    int integrated, canMapHostMemory;
    BEFORE_13(computeMode)
    int maxTexture1D, maxTexture1DMipmap;
    BEFORE_13(maxTexture1DLinear)
    int maxTexture2D[2], maxTexture2DMipmap[2], maxTexture2DLinear[3];
    int maxTexture2DGather[2], maxTexture3D[3], maxTexture3DAlt[3], maxTextureCubemap, maxTexture1DLayered[2];
    int maxTexture2DLayered[3], maxTextureCubemapLayered[2], maxSurface1D, maxSurface2D[2], maxSurface3D[3];
    int maxSurface1DLayered[2], maxSurface2DLayered[3], maxSurfaceCubemap, maxSurfaceCubemapLayered[2];
    size_t surfaceAlignment;
    int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount;
    int unifiedAddressing;
    BEFORE_13(memoryClockRate)
    int memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize, maxThreadsPerMultiProcessor;
    int streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported;
    BEFORE_13(singleToDoublePrecisionPerfRatio)
    int pageableMemoryAccess, concurrentManagedAccess, computePreemptionSupported, canUseHostPointerForRegisteredMem;
    int cooperativeLaunch;
    BEFORE_13(cooperativeMultiDeviceLaunch)
    size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, maxBlocksPerMultiProcessor;
    int accessPolicyMaxWindowSize;
    size_t reservedSharedMemPerBlock;
    int hostRegisterSupported, sparseCudaArraySupported, hostRegisterReadOnlySupported;
    int timelineSemaphoreInteropSupported, memoryPoolsSupported, gpuDirectRDMASupported;
    unsigned gpuDirectRDMAFlushWritesOptions;
    int gpuDirectRDMAWritesOrdering;
    unsigned memoryPoolSupportedHandleTypes;
    int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch, unifiedFunctionPointers;
    int deviceNumaConfig, deviceNumaId, mpsEnabled, hostNumaId;
    unsigned gpuPciDeviceID, gpuPciSubsystemID;
    int hostNumaMultinodeIpcSupported, reserved[56];
};

#endif

enum { COPY_HOST_TO_HOST, COPY_HOST_TO_DEVICE, COPY_DEVICE_TO_HOST, COPY_DEVICE_TO_DEVICE, COPY_BY_POINTERS };
enum { POINTER_UNREGISTERED, POINTER_HOST, POINTER_DEVICE, POINTER_MANAGED };

#endif
