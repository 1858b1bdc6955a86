// SPDX-License-Identifier: MIT
// Programs that print what calls answer, one line each: with ours and with NVIDIA's libraries the lines must be the
// same (answers.h200.txt has those of an H200). Addresses and handles are never printed. Each SECTION(name)
// is a process of its own. The calls are written as programs write them, by the names of CUDA's headers.
#ifndef TMAREF_TESTS_ANSWERS_H
#define TMAREF_TESTS_ANSWERS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda_api.h"
#include "runtime_api.h"
#include "section.h"

#define SHOW(call)         show(#call, (int)(call))
#define VALUE(what, value) printf("    %s %lld\n", what, (long long)(value))

void show(const char *call, int answer);

// The names of CUDA's headers.
typedef unsigned long long CUdeviceptr, CUmemGenericAllocationHandle;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUlib_st *CUlibrary;
typedef struct CUkern_st *CUkernel;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct CUmemPoolHandle_st *CUmemoryPool;
typedef struct CUmemPoolProps_st CUmemPoolProps;
typedef struct cuda_mem_location CUmemLocation;
typedef struct cuda_mem_access_desc CUmemAccessDesc;
typedef struct cuda_mem_allocation_prop CUmemAllocationProp;
typedef struct CUDA_KERNEL_NODE_PARAMS_v2_st CUDA_KERNEL_NODE_PARAMS;
typedef struct CUDA_MEMSET_NODE_PARAMS_st CUDA_MEMSET_NODE_PARAMS;
typedef struct CUDA_HOST_NODE_PARAMS_st CUDA_HOST_NODE_PARAMS;
typedef struct CUDA_MEMCPY3D_st CUDA_MEMCPY3D;
typedef struct CUDA_MEMCPY3D_PEER_st CUDA_MEMCPY3D_PEER;
typedef struct CUDA_MEMCPY3D_BATCH_OP_st CUDA_MEMCPY3D_BATCH_OP;
typedef struct CUDA_BATCH_MEM_OP_NODE_PARAMS_v1_st CUDA_BATCH_MEM_OP_NODE_PARAMS;
typedef struct CUDA_GRAPH_INSTANTIATE_PARAMS_st CUDA_GRAPH_INSTANTIATE_PARAMS;
typedef struct CUDA_LAUNCH_PARAMS_st CUDA_LAUNCH_PARAMS;
typedef struct CUdevResource_st CUdevResource;
typedef struct CUdevResourceDesc_st *CUdevResourceDesc;
typedef struct CUgreenCtx_st *CUgreenCtx;
typedef struct CUgraphEdgeData_st CUgraphEdgeData;
typedef struct CUgraphNodeParams_st CUgraphNodeParams;
typedef struct CUgraphExecUpdateResultInfo_st CUgraphExecUpdateResultInfo;
typedef struct CUmemcpyAttributes_st CUmemcpyAttributes;
typedef struct CUexecAffinityParam_st CUexecAffinityParam;
typedef struct CUctxCreateParams_st CUctxCreateParams;
typedef struct CUdevprop_st CUdevprop;
typedef union CUstreamBatchMemOpParams_union CUstreamBatchMemOpParams;
enum { CU_POINTER_ATTRIBUTE_ACCESS_FLAGS = 16 };
typedef union {
    int priority;
    uint32_t number;
    unsigned char map[8], bytes[64];
    struct {
        unsigned long long base;
        size_t bytes;
        float hit_ratio;
        uint32_t hit, miss;
    } window;
} CUstreamAttrValue;

#define cuMemAlloc                   cuMemAlloc_v2
#define cuMemFree                    cuMemFree_v2
#define cuMemcpyDtoH                 cuMemcpyDtoH_v2
#define cuMemcpyHtoD                 cuMemcpyHtoD_v2
#define cuMemcpyDtoD                 cuMemcpyDtoD_v2
#define cuMemsetD8                   cuMemsetD8_v2
#define cuMemsetD32                  cuMemsetD32_v2
#define cuCtxDestroy                 cuCtxDestroy_v2
#define cuDevicePrimaryCtxSetFlags   cuDevicePrimaryCtxSetFlags_v2
#define cuStreamBeginCapture         cuStreamBeginCapture_v2
#define cuStreamWaitValue32          cuStreamWaitValue32_v2
#define cuStreamWaitValue64          cuStreamWaitValue64_v2
#define cuStreamWriteValue32         cuStreamWriteValue32_v2
#define cuStreamWriteValue64         cuStreamWriteValue64_v2
#define cuMemcpyBatchAsync           cuMemcpyBatchAsync_v2
#define cuMemcpy3DBatchAsync         cuMemcpy3DBatchAsync_v2
#define cuGraphInstantiate           cuGraphInstantiateWithFlags
#define cuGraphAddNode               cuGraphAddNode_v2
#define cuGraphAddKernelNode         cuGraphAddKernelNode_v2
#define cuGraphKernelNodeGetParams   cuGraphKernelNodeGetParams_v2
#define cuGraphAddDependencies       cuGraphAddDependencies_v2
#define cuGraphRemoveDependencies    cuGraphRemoveDependencies_v2
#define cuGraphGetEdges              cuGraphGetEdges_v2
#define cuGraphNodeGetDependencies   cuGraphNodeGetDependencies_v2
#define cuGraphNodeGetDependentNodes cuGraphNodeGetDependentNodes_v2
#define cuGraphExecUpdate            cuGraphExecUpdate_v2

// Calls that libcuda.so.1 has and its header does not declare by these names.
enum cuda_result cuCtxCreate_v3(CUcontext *context, CUexecAffinityParam *affinity, int count, unsigned flags,
                                int device);
enum cuda_result cuCtxGetDevice_v2(int *device, CUcontext context);
enum cuda_result cuCtxSynchronize_v2(CUcontext context);
enum cuda_result cuStreamGetCtx_v2(CUstream stream, CUcontext *context, struct CUgreenCtx_st **green);
enum cuda_result cuStreamGetGreenCtx(CUstream stream, struct CUgreenCtx_st **green);

// What sections begin with: a context, kernels, memory of zeros, and a word of it.
#define HEAD ".version 8.0\n.target sm_90a\n.address_size 64\n"
#define PUT                                                                                                            \
    ".visible .global .align 4 .u32 counter = 5;\n.visible .entry put(.param .u64 to, .param .u32 value)\n{\n"         \
    ".reg .b64 %rd<2>;\n.reg .b32 %r<2>;\nld.param.u64 %rd1, [to];\nld.param.u32 %r1, [value];\n"                      \
    "st.global.u32 [%rd1], %r1;\nret;\n}\n"
#define FAULT ".visible .entry fault()\n{\n.reg .b64 %rd<2>;\nmov.u64 %rd1, 0;\nst.global.u32 [%rd1], 1;\nret;\n}\n"

extern CUcontext ctx;
void ready(void);
CUmodule mod(const char *body);
CUfunction fun(const char *body, const char *name);
CUdeviceptr mem(size_t bytes);
unsigned word(CUdeviceptr address);
int launch(CUfunction function, CUdeviceptr to, unsigned value, CUstream stream);
CUDA_KERNEL_NODE_PARAMS node_of(CUfunction function, void **parameters);
void nothing(void *user);

#endif
