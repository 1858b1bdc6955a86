// SPDX-License-Identifier: MIT
// Streams, events and functions of the host.
#include "runtime.h"

RUNTIME_CALL(cudaStreamCreate, (struct CUstream_st * *stream), cuStreamCreate(stream, CU_STREAM_DEFAULT))
RUNTIME_CALL(cudaStreamCreateWithFlags, (struct CUstream_st * *stream, unsigned flags), cuStreamCreate(stream, flags))
RUNTIME_CALL(cudaStreamCreateWithPriority, (struct CUstream_st * *stream, unsigned flags, int priority),
             cuStreamCreateWithPriority(stream, flags, priority))
RUNTIME_CALL(cudaStreamDestroy, (struct CUstream_st * stream), cuStreamDestroy_v2(stream))
RUNTIME_CALL(cudaStreamSynchronize, (struct CUstream_st * stream), cuStreamSynchronize(stream))
RUNTIME_CALL(cudaStreamQuery, (struct CUstream_st * stream), cuStreamQuery(stream))
RUNTIME_CALL(cudaStreamWaitEvent, (struct CUstream_st * stream, struct CUevent_st *event, unsigned flags),
             cuStreamWaitEvent(stream, event, flags))
RUNTIME_CALL(cudaStreamGetFlags, (struct CUstream_st * stream, unsigned *flags), cuStreamGetFlags(stream, flags))
RUNTIME_CALL(cudaStreamGetPriority, (struct CUstream_st * stream, int *priority), cuStreamGetPriority(stream, priority))
RUNTIME_CALL(cudaStreamGetId, (struct CUstream_st * stream, unsigned long long *id), cuStreamGetId(stream, id))
RUNTIME_CALL(cudaStreamGetDevice, (struct CUstream_st * stream, int *device), cuStreamGetDevice(stream, device))
RUNTIME_CALL(cudaStreamAttachMemAsync, (struct CUstream_st * stream, void *pointer, size_t bytes, unsigned flags),
             cuStreamAttachMemAsync(stream, (unsigned long long)(uintptr_t)pointer, bytes, flags))
RUNTIME_CALL(cudaStreamGetAttribute, (struct CUstream_st * stream, uint32_t attribute, void *value),
             cuStreamGetAttribute(stream, attribute, value))
RUNTIME_CALL(cudaStreamCopyAttributes, (struct CUstream_st * to, struct CUstream_st *from),
             cuStreamCopyAttributes(to, from))
RUNTIME_CALL(cudaStreamSetAttribute, (struct CUstream_st * stream, uint32_t attribute, const void *value),
             cuStreamSetAttribute(stream, attribute, value))

RUNTIME_CALL(cudaStreamBeginCapture, (struct CUstream_st * stream, uint32_t mode),
             cuStreamBeginCapture_v2(stream, mode))
RUNTIME_CALL(cudaStreamBeginCaptureToGraph,
             (struct CUstream_st * stream, struct CUgraph_st *graph, struct CUgraphNode_st *const *after,
              const struct CUgraphEdgeData_st *edges, size_t count, uint32_t mode),
             cuStreamBeginCaptureToGraph(stream, graph, after, edges, count, mode))
RUNTIME_CALL(cudaStreamEndCapture, (struct CUstream_st * stream, struct CUgraph_st **graph),
             cuStreamEndCapture(stream, graph))
RUNTIME_CALL(cudaStreamIsCapturing, (struct CUstream_st * stream, uint32_t *status),
             cuStreamIsCapturing(stream, status))
RUNTIME_CALL(cudaStreamGetCaptureInfo,
             (struct CUstream_st * stream, uint32_t *status, unsigned long long *id, struct CUgraph_st **graph,
              struct CUgraphNode_st *const **after, const struct CUgraphEdgeData_st **edges, size_t *count),
             cuStreamGetCaptureInfo_v3(stream, status, (uint64_t *)id, graph, after, edges, count))
RUNTIME_CALL(cudaStreamUpdateCaptureDependencies,
             (struct CUstream_st * stream, struct CUgraphNode_st **after, const struct CUgraphEdgeData_st *edges,
              size_t count, unsigned flags),
             cuStreamUpdateCaptureDependencies_v2(stream, after, edges, count, flags))
RUNTIME_CALL(cudaThreadExchangeStreamCaptureMode, (uint32_t * mode), cuThreadExchangeStreamCaptureMode(mode))

// --- Events ----------------------------------------------------------------------------------------------------------

RUNTIME_CALL(cudaEventCreate, (struct CUevent_st * *event), cuEventCreate(event, CU_EVENT_DEFAULT))
RUNTIME_CALL(cudaEventCreateWithFlags, (struct CUevent_st * *event, unsigned flags), cuEventCreate(event, flags))
RUNTIME_CALL(cudaEventDestroy, (struct CUevent_st * event), cuEventDestroy_v2(event))
RUNTIME_CALL(cudaEventRecord, (struct CUevent_st * event, struct CUstream_st *stream), cuEventRecord(event, stream))
RUNTIME_CALL(cudaEventRecordWithFlags, (struct CUevent_st * event, struct CUstream_st *stream, unsigned flags),
             cuEventRecordWithFlags(event, stream, flags))
RUNTIME_CALL(cudaEventQuery, (struct CUevent_st * event), cuEventQuery(event))
RUNTIME_CALL(cudaEventSynchronize, (struct CUevent_st * event), cuEventSynchronize(event))
RUNTIME_CALL(cudaEventElapsedTime, (float *milliseconds, struct CUevent_st *start, struct CUevent_st *end),
             cuEventElapsedTime_v2(milliseconds, start, end))

// --- Functions of the host -------------------------------------------------------------------------------------------

RUNTIME_CALL(cudaLaunchHostFunc, (struct CUstream_st * stream, void (*call)(void *user), void *user),
             cuLaunchHostFunc(stream, call, user))
RUNTIME_CALL(cudaStreamAddCallback,
             (struct CUstream_st * stream, void (*call)(struct CUstream_st *stream, enum cuda_result error, void *user),
              void *user, unsigned flags),
             cuStreamAddCallback(stream, call, user, flags))
