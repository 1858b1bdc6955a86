// SPDX-License-Identifier: MIT
// Calls that are the driver's by another name: ranges of managed memory, logs, other processes. And one that asks
// nobody.
#include "runtime.h"

// --- Managed memory --------------------------------------------------------------------------------------------------

RUNTIME_CALL(cudaMemRangeGetAttribute, (void *to, size_t bytes, uint32_t attribute, const void *address, size_t count),
             cuMemRangeGetAttribute(to, bytes, attribute, (uintptr_t)address, count))
RUNTIME_CALL(cudaMemRangeGetAttributes,
             (void **to, size_t *bytes, uint32_t *attribute, size_t attributes, const void *address, size_t count),
             cuMemRangeGetAttributes(to, bytes, attribute, attributes, (uintptr_t)address, count))
RUNTIME_CALL(cudaMemPrefetchBatchAsync,
             (void **address, size_t *bytes, size_t count, struct cuda_mem_location *place, size_t *place_from,
              size_t places, unsigned long long flags, struct CUstream_st *stream),
             cuMemPrefetchBatchAsync((unsigned long long *)address, bytes, count, place, place_from, places, flags,
                                     stream))
RUNTIME_CALL(cudaMemDiscardBatchAsync,
             (void **address, size_t *bytes, size_t count, unsigned long long flags, struct CUstream_st *stream),
             cuMemDiscardBatchAsync((unsigned long long *)address, bytes, count, flags, stream))
RUNTIME_CALL(cudaMemDiscardAndPrefetchBatchAsync,
             (void **address, size_t *bytes, size_t count, struct cuda_mem_location *place, size_t *place_from,
              size_t places, unsigned long long flags, struct CUstream_st *stream),
             cuMemDiscardAndPrefetchBatchAsync((unsigned long long *)address, bytes, count, place, place_from, places,
                                               flags, stream))

// --- Logs ------------------------------------------------------------------------------------------------------------

RUNTIME_BARE_CALL(cudaLogsRegisterCallback,
                  (void (*call)(void *user, uint32_t level, char *text, size_t bytes), void *user,
                   struct CUlogsCallbackEntry_st **callback),
                  cuLogsRegisterCallback(call, user, callback))
RUNTIME_BARE_CALL(cudaLogsUnregisterCallback, (struct CUlogsCallbackEntry_st * callback),
                  cuLogsUnregisterCallback(callback))
RUNTIME_BARE_CALL(cudaLogsCurrent, (unsigned *iterator, unsigned flags), cuLogsCurrent(iterator, flags))
RUNTIME_BARE_CALL(cudaLogsDumpToFile, (unsigned *iterator, const char *path, unsigned flags),
                  cuLogsDumpToFile(iterator, path, flags))
RUNTIME_BARE_CALL(cudaLogsDumpToMemory, (unsigned *iterator, char *to, size_t *bytes, unsigned flags),
                  cuLogsDumpToMemory(iterator, to, bytes, flags))

// --- Other processes -------------------------------------------------------------------------------------------------

RUNTIME_CALL(cudaIpcGetMemHandle, (struct CUipcMemHandle_st * handle, void *address),
             cuIpcGetMemHandle(handle, (uintptr_t)address))
RUNTIME_CALL(cudaIpcOpenMemHandle, (void **address, struct CUipcMemHandle_st handle, unsigned flags),
             cuIpcOpenMemHandle_v2((unsigned long long *)address, handle, flags))
RUNTIME_CALL(cudaIpcCloseMemHandle, (void *address), cuIpcCloseMemHandle((uintptr_t)address))
RUNTIME_CALL(cudaIpcGetEventHandle, (struct CUipcEventHandle_st * handle, struct CUevent_st *event),
             cuIpcGetEventHandle(handle, event))
RUNTIME_CALL(cudaMemPoolExportToShareableHandle,
             (void *handle, struct CUmemPoolHandle_st *pool, uint32_t type, unsigned flags),
             cuMemPoolExportToShareableHandle(handle, pool, type, flags))
RUNTIME_CALL(cudaMemPoolImportFromShareableHandle,
             (struct CUmemPoolHandle_st * *pool, void *handle, uint32_t type, unsigned flags),
             cuMemPoolImportFromShareableHandle(pool, handle, type, flags))
RUNTIME_CALL(cudaMemPoolExportPointer, (struct CUmemPoolPtrExportData_st * to, void *address),
             cuMemPoolExportPointer(to, (uintptr_t)address))
RUNTIME_CALL(cudaMemPoolImportPointer,
             (void **address, struct CUmemPoolHandle_st *pool, struct CUmemPoolPtrExportData_st *from),
             cuMemPoolImportPointer((unsigned long long *)address, pool, from))
RUNTIME_CALL(cudaIpcOpenEventHandle, (struct CUevent_st * *event, struct CUipcEventHandle_st handle),
             cuIpcOpenEventHandle(event, handle))

// --- Newer versions of calls ------------------------------------------------------------------------------------------

// `mode` is how the device waits for the function: sleeping (0) or spinning (1). It is the same here.
RUNTIME_CALL(cudaLaunchHostFunc_v2, (struct CUstream_st * stream, void (*call)(void *user), void *user, unsigned mode),
             mode > 1 ? CUDA_ERROR_INVALID_VALUE : cuLaunchHostFunc(stream, call, user))

// No call of this library makes an execution context, so there is none but that of the device.
RUNTIME_CALL(cudaGraphConditionalHandleCreate_v2,
             (uint64_t * handle, struct CUgraph_st *graph, const void *context, unsigned value, unsigned flags),
             context != NULL ? CUDA_ERROR_INVALID_HANDLE
                             : (enum cuda_result)cudaGraphConditionalHandleCreate(handle, graph, value, flags))

// --- Structs ---------------------------------------------------------------------------------------------------------

// Programs fill it in for arrays and textures, which are refused where they are made.
RUNTIME_VISIBLE struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, uint32_t kind)
{
    return (struct cudaChannelFormatDesc){x, y, z, w, kind};
}
