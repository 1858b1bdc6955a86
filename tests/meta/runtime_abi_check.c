// SPDX-License-Identifier: MIT
// Does runtime_types.h agree with the toolkit's headers of the runtime? Every error, and the sizes and offsets of the
// structs, at compile time.
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <stddef.h>

#define CUDA_ERROR_ROW(number, driver, runtime, text) _Static_assert((unsigned)(runtime) == (number), #runtime);
#define RUNTIME_ERROR_ROW(number, name, text)         _Static_assert((unsigned)(name) == (number), #name);
#include "errors.def"

#define TMAREF_COMPARE_RUNTIME
#define dim3                  our_dim3
#define cudaExtent            our_cudaExtent
#define cudaPos               our_cudaPos
#define cudaChannelFormatDesc our_cudaChannelFormatDesc
#define cudaPitchedPtr        our_cudaPitchedPtr
#define cudaMemcpy3DParms     our_cudaMemcpy3DParms
#define cudaResourceDesc      our_cudaResourceDesc
#define cudaTextureDesc       our_cudaTextureDesc
#define cudaMemcpy3DPeerParms our_cudaMemcpy3DPeerParms
#define cudaPointerAttributes our_cudaPointerAttributes
#define cudaFuncAttributes    our_cudaFuncAttributes
#define cudaKernelNodeParams  our_cudaKernelNodeParams
#define cudaMemsetParams      our_cudaMemsetParams
#define cudaHostNodeParams    our_cudaHostNodeParams
#define cudaGraphNodeParams   our_cudaGraphNodeParams
#define cudaLaunchConfig_st   our_cudaLaunchConfig_st
#define cudaDeviceProp        our_cudaDeviceProp
#include "runtime_types.h"
#undef dim3
#undef cudaExtent
#undef cudaPos
#undef cudaChannelFormatDesc
#undef cudaPitchedPtr
#undef cudaMemcpy3DParms
#undef cudaResourceDesc
#undef cudaTextureDesc
#undef cudaMemcpy3DPeerParms
#undef cudaPointerAttributes
#undef cudaFuncAttributes
#undef cudaKernelNodeParams
#undef cudaMemsetParams
#undef cudaHostNodeParams
#undef cudaGraphNodeParams
#undef cudaLaunchConfig_st
#undef cudaDeviceProp

#define SAME_BYTES(name) _Static_assert(sizeof(struct our_##name) == sizeof(struct name), #name);
#define SAME_FIELD(name, field)                                                                                        \
    _Static_assert(offsetof(struct our_##name, field) == offsetof(struct name, field), #name "." #field);

SAME_BYTES(dim3)
SAME_BYTES(cudaExtent)
SAME_BYTES(cudaPos)
SAME_BYTES(cudaChannelFormatDesc)
SAME_FIELD(cudaChannelFormatDesc, f)
SAME_BYTES(cudaPitchedPtr)
SAME_BYTES(cudaResourceDesc)
SAME_FIELD(cudaResourceDesc, res.linear.desc)
SAME_FIELD(cudaResourceDesc, res.linear.sizeInBytes)
SAME_FIELD(cudaResourceDesc, res.pitch2D.pitchInBytes)
SAME_FIELD(cudaResourceDesc, flags)
SAME_BYTES(cudaTextureDesc)
SAME_FIELD(cudaTextureDesc, readMode)
SAME_FIELD(cudaTextureDesc, borderColor)
SAME_FIELD(cudaTextureDesc, maxAnisotropy)
SAME_FIELD(cudaTextureDesc, seamlessCubemap)
SAME_BYTES(cudaMemcpy3DParms)
SAME_FIELD(cudaMemcpy3DParms, srcPtr)
SAME_FIELD(cudaMemcpy3DParms, dstPos)
SAME_FIELD(cudaMemcpy3DParms, dstPtr)
SAME_FIELD(cudaMemcpy3DParms, extent)
SAME_FIELD(cudaMemcpy3DParms, kind)
SAME_BYTES(cudaMemcpy3DPeerParms)
SAME_FIELD(cudaMemcpy3DPeerParms, dstPtr)
SAME_FIELD(cudaMemcpy3DPeerParms, extent)
SAME_BYTES(cudaPointerAttributes)
SAME_FIELD(cudaPointerAttributes, type)
SAME_FIELD(cudaPointerAttributes, device)
SAME_FIELD(cudaPointerAttributes, devicePointer)
SAME_FIELD(cudaPointerAttributes, hostPointer)
SAME_BYTES(cudaFuncAttributes)
SAME_FIELD(cudaFuncAttributes, localSizeBytes)
SAME_FIELD(cudaFuncAttributes, maxThreadsPerBlock)
SAME_FIELD(cudaFuncAttributes, maxDynamicSharedSizeBytes)
SAME_FIELD(cudaFuncAttributes, requiredClusterWidth)
SAME_FIELD(cudaFuncAttributes, nonPortableClusterSizeAllowed)
SAME_BYTES(cudaKernelNodeParams)
SAME_FIELD(cudaKernelNodeParams, func)
SAME_FIELD(cudaKernelNodeParams, gridDim)
SAME_FIELD(cudaKernelNodeParams, blockDim)
SAME_FIELD(cudaKernelNodeParams, sharedMemBytes)
SAME_FIELD(cudaKernelNodeParams, kernelParams)
SAME_FIELD(cudaKernelNodeParams, extra)
SAME_BYTES(cudaMemsetParams)
SAME_FIELD(cudaMemsetParams, dst)
SAME_FIELD(cudaMemsetParams, pitch)
SAME_FIELD(cudaMemsetParams, value)
SAME_FIELD(cudaMemsetParams, elementSize)
SAME_FIELD(cudaMemsetParams, width)
SAME_FIELD(cudaMemsetParams, height)
SAME_BYTES(cudaHostNodeParams)
SAME_BYTES(cudaGraphNodeParams)
SAME_FIELD(cudaGraphNodeParams, kernel)
SAME_FIELD(cudaGraphNodeParams, kernel.kernelParams)
_Static_assert(offsetof(struct our_cudaGraphNodeParams, copy.params) ==
                   offsetof(struct cudaGraphNodeParams, memcpy.copyParams),
               "memcpy.copyParams");
_Static_assert(offsetof(struct our_cudaGraphNodeParams, alloc.dptr) == offsetof(struct cudaGraphNodeParams, alloc.dptr),
               "alloc.dptr");
SAME_BYTES(cudaLaunchConfig_st)
SAME_FIELD(cudaLaunchConfig_st, gridDim)
SAME_FIELD(cudaLaunchConfig_st, blockDim)
SAME_FIELD(cudaLaunchConfig_st, dynamicSmemBytes)
SAME_FIELD(cudaLaunchConfig_st, stream)
SAME_FIELD(cudaLaunchConfig_st, attrs)
SAME_FIELD(cudaLaunchConfig_st, numAttrs)
SAME_BYTES(cudaDeviceProp)
SAME_FIELD(cudaDeviceProp, uuid)
SAME_FIELD(cudaDeviceProp, totalGlobalMem)
SAME_FIELD(cudaDeviceProp, memPitch)
SAME_FIELD(cudaDeviceProp, totalConstMem)
SAME_FIELD(cudaDeviceProp, textureAlignment)
SAME_FIELD(cudaDeviceProp, maxTexture1D)
SAME_FIELD(cudaDeviceProp, surfaceAlignment)
SAME_FIELD(cudaDeviceProp, l2CacheSize)
SAME_FIELD(cudaDeviceProp, sharedMemPerMultiprocessor)
SAME_FIELD(cudaDeviceProp, cooperativeLaunch)
SAME_FIELD(cudaDeviceProp, sharedMemPerBlockOptin)
SAME_FIELD(cudaDeviceProp, reservedSharedMemPerBlock)
SAME_FIELD(cudaDeviceProp, clusterLaunch)
SAME_FIELD(cudaDeviceProp, gpuPciDeviceID)
SAME_FIELD(cudaDeviceProp, reserved)
