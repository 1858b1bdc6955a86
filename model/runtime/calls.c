// SPDX-License-Identifier: MIT
// What runtime_calls.def alone defines: the calls that are one of the driver's, and those that are refused. And three
// that have no better place.
#include "refusals.h"
#include "runtime.h"

#define FORWARD(name, releases, streams, parameters, call) RUNTIME_CALL(name, parameters, call)
#define BARE(name, releases, streams, parameters, call)    RUNTIME_BARE_CALL(name, parameters, call)
#define REFUSED(name, releases, streams, why)                                                                          \
    RUNTIME_VISIBLE int name(void);                                                                                    \
    int name(void)                                                                                                     \
    {                                                                                                                  \
        static int was_told;                                                                                           \
        return runtime_missing(#name, WHY_##why, &was_told);                                                           \
    }
#include "release_calls.def"

static enum cuda_result make_handle(unsigned long long *handle, struct CUgraph_st *graph, unsigned value,
                                    unsigned flags)
{
    struct CUctx_st *context = NULL;
    const enum cuda_result error = cuCtxGetCurrent(&context);
    return error != CUDA_SUCCESS ? error
                                 : cuGraphConditionalHandleCreate((uint64_t *)handle, graph, context, value, flags);
}

RUNTIME_CALL(cudaGraphConditionalHandleCreate,
             (unsigned long long *handle, struct CUgraph_st *graph, unsigned value, unsigned flags),
             make_handle(handle, graph, value, flags))

// The one device is no peer of itself.
RUNTIME_CALL(cudaDeviceEnablePeerAccess, (int peer, unsigned flags),
             ((void)flags, peer == 0 ? cudaErrorPeerAccessUnsupported : cudaErrorInvalidDevice))

// What the channels of arrays and textures are.
RUNTIME_VISIBLE struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, uint32_t kind)
{
    return (struct cudaChannelFormatDesc){x, y, z, w, kind};
}
