// SPDX-License-Identifier: MIT
// Which CUDA's runtime is compiled: 13, 12 or 11. Each is a library of its own, libcudart.so.13, .12 and .11.0, as
// programs name it; they are the same code. Where CUDA 13 gave a name to a newer call, the code has it by the name
// that it had before, and old_calls.c has the older call.
#ifndef TMAREF_RUNTIME_RELEASE_H
#define TMAREF_RUNTIME_RELEASE_H

#ifndef RUNTIME_RELEASE
#define RUNTIME_RELEASE 13
#endif

// What cudaRuntimeGetVersion() says.
#define RUNTIME_VERSION (RUNTIME_RELEASE == 13 ? 13000 : RUNTIME_RELEASE == 12 ? 12090 : 11080)

#if RUNTIME_RELEASE < 13
#define cudaGetDeviceProperties             cudaGetDeviceProperties_v2
#define cudaMemPrefetchAsync                cudaMemPrefetchAsync_v2
#define cudaMemAdvise                       cudaMemAdvise_v2
#define cudaMemcpyBatchAsync                cudaMemcpyBatchAsync_v2
#define cudaMemcpy3DBatchAsync              cudaMemcpy3DBatchAsync_v2
#define cudaStreamGetCaptureInfo            cudaStreamGetCaptureInfo_v3
#define cudaStreamUpdateCaptureDependencies cudaStreamUpdateCaptureDependencies_v2
#define cudaGraphAddNode                    cudaGraphAddNode_v2
#define cudaGraphAddDependencies            cudaGraphAddDependencies_v2
#define cudaGraphRemoveDependencies         cudaGraphRemoveDependencies_v2
#define cudaGraphGetEdges                   cudaGraphGetEdges_v2
#define cudaGraphNodeGetDependencies        cudaGraphNodeGetDependencies_v2
#define cudaGraphNodeGetDependentNodes      cudaGraphNodeGetDependentNodes_v2
#endif

#if RUNTIME_RELEASE < 12
#define cudaFuncGetAttributes   cudaFuncGetAttributes_v2
#define cudaGetDriverEntryPoint cudaGetDriverEntryPoint_v2
#define cudaGraphInstantiate    cudaGraphInstantiate_v2
#define cudaGraphExecUpdate     cudaGraphExecUpdate_v2
#endif

#endif
