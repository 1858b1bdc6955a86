// SPDX-License-Identifier: MIT
// The capture of streams: what is asked of them becomes nodes of a graph. And the events that join one stream to
// another.
#include "capture.h"

#include <stdlib.h>

#include "sanitize_order.h"
#include "work_graph.h"

enum { LEGACY_HANDLE = 1, CAPTURE_MODES = 3 };
enum { EVENT_EXTERNAL = 1 }; // a node of the graph that is captured, not an edge

void capture_forget(struct CUstream_st *stream)
{
    free(stream->after);
    free(stream->edges);
    stream->after = NULL;
    stream->edges = NULL;
    stream->after_count = 0;
}

enum cuda_result capture_add(struct driver *driver, struct CUstream_st *stream, const struct work *work)
{
    if (stream->is_invalidated || !object_is(stream->capture, OBJECT_GRAPH))
        return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    struct CUgraphNode_st *node = graph_add(driver, stream->capture, stream->after, stream->after_count, work);
    capture_forget(stream);
    if (node != NULL && graph_after(&stream->after, &stream->after_count, node)) return CUDA_SUCCESS;
    capture_spoil(driver, stream->capture_id);
    return CUDA_ERROR_OUT_OF_MEMORY;
}

static bool is_reached(const struct CUstream_st *stream)
{
    for (uint32_t i = 0; i < stream->after_count; i++)
        if (!stream->after[i]->mark) return false;
    return true;
}

static void forget_captured_events(struct driver *driver, uint64_t id)
{
    for (struct object *object = driver->objects.live[OBJECT_EVENT]; object != NULL; object = object->next) {
        struct CUevent_st *event = (struct CUevent_st *)object;
        if (event->capture == NULL || event->capture_id != id) continue;
        event->capture = NULL;
        event->is_of_ended = true;
    }
}

// Takes all streams out of a capture; 0 if one of them had work that the origin does not wait for.
bool capture_leave(struct driver *driver, const struct CUstream_st *origin)
{
    const uint64_t id = origin->capture_id;
    bool is_joined = true;
    graph_mark(origin->capture, origin->after, origin->after_count);
    for (struct object *object = driver->objects.live[OBJECT_STREAM]; object != NULL; object = object->next) {
        struct CUstream_st *stream = (struct CUstream_st *)object;
        if (stream == origin || stream->capture == NULL || stream->capture_id != id) continue;
        is_joined &= is_reached(stream);
        stream->capture = NULL;
        stream->is_invalidated = false;
        capture_forget(stream);
    }
    forget_captured_events(driver, id);
    return is_joined;
}

// Is `other` captured, and would it wait for this default stream?
static bool is_holder(const struct CUstream_st *other, const struct CUstream_st *stream)
{
    return other->capture != NULL && other->context == stream->context && !(other->flags & CU_STREAM_NON_BLOCKING);
}

// A stream that waits for the default stream of all threads is captured. What is asked of that one meanwhile is neither
// done nor captured.
bool capture_holds(const struct driver *driver, const struct CUstream_st *stream)
{
    if (!stream_is_of_all(stream)) return false;
    for (const struct object *object = driver->objects.live[OBJECT_STREAM]; object != NULL; object = object->next)
        if (is_holder((const struct CUstream_st *)object, stream)) return true;
    return false;
}

enum cuda_result capture_refuse_held(struct driver *driver, const struct CUstream_st *stream)
{
    for (struct object *object = driver->objects.live[OBJECT_STREAM]; object != NULL; object = object->next) {
        const struct CUstream_st *other = (const struct CUstream_st *)object;
        if (is_holder(other, stream)) capture_spoil(driver, other->capture_id);
    }
    return driver_refuse(driver, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, "the default stream",
                         "a stream that waits for it is captured: make that one with cudaStreamNonBlocking, or use a "
                         "stream of your own here");
}

// --- Calls that could wait -------------------------------------------------------------------------------------------

enum { MODE_GLOBAL, MODE_THREAD_LOCAL, MODE_RELAXED };
static _Thread_local uint32_t mode_of_thread;

// Does what this stream captures keep this thread from calls that could wait?
static bool is_guarded(const struct CUstream_st *stream)
{
    if (!stream->is_origin || stream->capture == NULL || mode_of_thread == MODE_RELAXED) return false;
    if (stream->capture_thread == stream_thread()) return stream->capture_mode != MODE_RELAXED;
    return stream->capture_mode == MODE_GLOBAL && mode_of_thread == MODE_GLOBAL;
}

static enum cuda_result spoil_all(struct driver *driver, bool of_all)
{
    enum cuda_result error = CUDA_SUCCESS;
    for (struct object *object = driver->objects.live[OBJECT_STREAM]; object != NULL; object = object->next) {
        const struct CUstream_st *stream = (const struct CUstream_st *)object;
        if (of_all ? stream->capture == NULL || stream->context != driver_context() : !is_guarded(stream)) continue;
        capture_spoil(driver, stream->capture_id);
        error = CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    return error;
}

enum cuda_result capture_check_safe(struct driver *driver)
{
    return spoil_all(driver, false);
}

enum cuda_result capture_check_none(struct driver *driver)
{
    return spoil_all(driver, true);
}

// --- Events of streams -----------------------------------------------------------------------------------------------

// More nodes that something comes after.
static enum cuda_result after_all(struct CUgraphNode_st ***after, uint32_t *after_count,
                                  struct CUgraphNode_st *const *node, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!graph_after(after, after_count, node[i])) return CUDA_ERROR_OUT_OF_MEMORY;
    return CUDA_SUCCESS;
}

static enum cuda_result record_captured(struct CUstream_st *stream, struct CUevent_st *event)
{
    free(event->after);
    event->after = NULL;
    event->after_count = 0;
    event->capture = stream->capture;
    event->capture_id = stream->capture_id;
    event->is_of_ended = false;
    return after_all(&event->after, &event->after_count, stream->after, stream->after_count);
}

// To record an event and to wait for one has the same flags. External is for captures alone.
static enum cuda_result check_event_call(const struct CUstream_st *stream, const struct CUevent_st *event,
                                         unsigned flags)
{
    if (stream == NULL || !object_is(event, OBJECT_EVENT)) return CUDA_ERROR_INVALID_HANDLE;
    if (flags > EVENT_EXTERNAL) return CUDA_ERROR_INVALID_VALUE;
    return flags == EVENT_EXTERNAL && stream->capture == NULL ? CUDA_ERROR_ILLEGAL_STATE : CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuEventRecord(struct CUevent_st *event, struct CUstream_st *handle)
{
    DRIVER_USE_OF_OR_RETURN(driver, handle);
    struct CUstream_st *stream = stream_of(driver, handle);
    if (stream == NULL || !object_is(event, OBJECT_EVENT)) return CUDA_ERROR_INVALID_HANDLE;
    if (stream->capture != NULL) return record_captured(stream, event);
    if (capture_holds(driver, stream)) return capture_refuse_held(driver, stream);
    event->capture = NULL;
    event->is_of_ended = false;
    event->turn = 0;
    const enum cuda_result error = stream_run(driver, stream, &(struct work){NODE_EVENT_RECORD, {.event = event}});
    if (event->flags & EVENT_INTERPROCESS) turns_wait(driver, stream); // no other process can ask whether it is done
    return error;
}

DRIVER_VISIBLE enum cuda_result cuEventRecordWithFlags(struct CUevent_st *event, struct CUstream_st *handle,
                                                       unsigned flags)
{
    DRIVER_USE_OF_OR_RETURN(driver, handle);
    struct CUstream_st *stream = stream_of(driver, handle);
    const enum cuda_result error = check_event_call(stream, event, flags);
    if (error != CUDA_SUCCESS) return error;
    if (flags != EVENT_EXTERNAL) return cuEventRecord(event, handle);
    return capture_add(driver, stream, &(struct work){NODE_EVENT_RECORD, {.event = event}});
}

static bool is_spoilt(const struct driver *driver, uint64_t capture_id)
{
    for (const struct object *object = driver->objects.live[OBJECT_STREAM]; object != NULL; object = object->next) {
        const struct CUstream_st *stream = (const struct CUstream_st *)object;
        if (stream->capture_id == capture_id && stream->is_invalidated) return true;
    }
    return false;
}

void capture_spoil(struct driver *driver, uint64_t capture_id)
{
    for (struct object *object = driver->objects.live[OBJECT_STREAM]; object != NULL; object = object->next) {
        struct CUstream_st *stream = (struct CUstream_st *)object;
        if (stream->capture != NULL && stream->capture_id == capture_id) stream->is_invalidated = true;
    }
}

// The stream of all threads is never captured, and what it is asked to join is of no more use.
static enum cuda_result refuse_legacy(struct driver *driver, uint64_t capture_id)
{
    capture_spoil(driver, capture_id);
    return driver_refuse(driver, CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, "cuStreamWaitEvent",
                         "the event belongs to a capture, which the default stream of all threads (0, or "
                         "cudaStreamLegacy) cannot join; use a stream of cudaStreamCreate");
}

// Of an event that was recorded in no capture: only what is still to be recorded is worth waiting for.
static enum cuda_result wait_plainly(struct driver *driver, struct CUstream_st *stream, struct CUevent_st *event)
{
    if (stream->capture == NULL) sanitize_order_behind(driver, stream, event);
    if (stream->capture != NULL || event->turn == 0) return CUDA_SUCCESS;
    return stream_run(driver, stream, &(struct work){NODE_WAIT_EVENT, {.event = event}});
}

// A stream that waits for an event of a capture is captured too.
DRIVER_VISIBLE enum cuda_result cuStreamWaitEvent(struct CUstream_st *handle, struct CUevent_st *event, unsigned flags)
{
    DRIVER_USE_OF_OR_RETURN(driver, handle);
    struct CUstream_st *stream = stream_of(driver, handle);
    const enum cuda_result error = check_event_call(stream, event, flags);
    if (error != CUDA_SUCCESS) return error;
    if (flags == EVENT_EXTERNAL) return capture_add(driver, stream, &(struct work){NODE_WAIT_EVENT, {.event = event}});
    if (capture_holds(driver, stream)) return capture_refuse_held(driver, stream);
    if (stream->is_invalidated) return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    if (event->is_of_ended) return CUDA_ERROR_INVALID_VALUE;
    if (!object_is(event->capture, OBJECT_GRAPH)) return wait_plainly(driver, stream, event);
    if (is_spoilt(driver, event->capture_id)) return CUDA_ERROR_INVALID_VALUE;
    if (stream_is_of_all(stream)) return refuse_legacy(driver, event->capture_id);
    if (stream->capture != NULL && stream->capture_id != event->capture_id) {
        capture_spoil(driver, stream->capture_id);
        capture_spoil(driver, event->capture_id);
        return CUDA_ERROR_STREAM_CAPTURE_MERGE;
    }
    stream->capture = event->capture;
    stream->capture_id = event->capture_id;
    return after_all(&stream->after, &stream->after_count, event->after, event->after_count);
}

// --- Capture ---------------------------------------------------------------------------------------------------------

static enum cuda_result begin_capture(struct driver *driver, struct CUstream_st *handle, struct CUgraph_st *graph,
                                      uint32_t mode)
{
    if ((uintptr_t)handle <= LEGACY_HANDLE) return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    struct CUstream_st *stream = stream_of(driver, handle);
    if (stream == NULL) return CUDA_ERROR_INVALID_HANDLE;
    if (mode >= CAPTURE_MODES) return CUDA_ERROR_INVALID_VALUE;
    if (stream->capture != NULL) return CUDA_ERROR_ILLEGAL_STATE;
    stream->is_foreign_graph = graph != NULL;
    stream->capture = graph != NULL ? graph : graph_new(driver);
    if (stream->capture == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
    stream->capture_id = ++driver->captures;
    stream->capture_mode = mode;
    stream->capture_thread = stream_thread();
    stream->is_origin = true;
    stream->is_invalidated = false;
    capture_forget(stream);
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuStreamBeginCapture_v2(struct CUstream_st *stream, uint32_t mode)
{
    DRIVER_USE_OF_OR_RETURN(driver, stream);
    return begin_capture(driver, stream, NULL, mode);
}

static bool are_nodes_of(const struct CUgraph_st *graph, struct CUgraphNode_st *const *node, size_t count)
{
    if (count > 0 && node == NULL) return false;
    for (size_t i = 0; i < count; i++)
        if (!object_is(node[i], OBJECT_NODE) || node[i]->graph != graph) return false;
    return true;
}

DRIVER_VISIBLE enum cuda_result cuStreamBeginCaptureToGraph(struct CUstream_st *handle, struct CUgraph_st *graph,
                                                            struct CUgraphNode_st *const *after,
                                                            const struct CUgraphEdgeData_st *edges, size_t count,
                                                            uint32_t mode)
{
    DRIVER_USE_OF_OR_RETURN(driver, handle);
    (void)edges;
    if (!object_is(graph, OBJECT_GRAPH) || !are_nodes_of(graph, after, count)) return CUDA_ERROR_INVALID_VALUE;
    const enum cuda_result error = begin_capture(driver, handle, graph, mode);
    if (error != CUDA_SUCCESS) return error;
    struct CUstream_st *stream = stream_of(driver, handle);
    return after_all(&stream->after, &stream->after_count, after, count);
}

DRIVER_VISIBLE enum cuda_result cuStreamEndCapture(struct CUstream_st *handle, struct CUgraph_st **graph)
{
    DRIVER_USE_OF_OR_RETURN(driver, handle);
    struct CUstream_st *stream = stream_of(driver, handle);
    if (graph != NULL) *graph = NULL;
    if (stream == NULL) return CUDA_ERROR_INVALID_HANDLE;
    if (stream->capture == NULL) return CUDA_ERROR_ILLEGAL_STATE;
    if (stream->capture_mode != MODE_RELAXED && stream->is_origin && stream->capture_thread != stream_thread())
        return CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
    if (!stream->is_origin) {
        capture_spoil(driver, stream->capture_id);
        return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
    }
    struct CUgraph_st *captured = stream->capture;
    enum cuda_result error = CUDA_SUCCESS;
    if (!capture_leave(driver, stream)) error = CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
    if (stream->is_invalidated) error = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
    stream->capture = NULL;
    stream->is_origin = stream->is_invalidated = false;
    capture_forget(stream);
    if (error == CUDA_SUCCESS && graph != NULL) *graph = captured;
    if ((error != CUDA_SUCCESS || graph == NULL) && !stream->is_foreign_graph) graph_free(driver, captured);
    return error;
}

static uint32_t status_of(const struct CUstream_st *stream)
{
    if (stream->capture == NULL) return CAPTURE_NONE;
    return stream->is_invalidated ? CAPTURE_INVALIDATED : CAPTURE_ACTIVE;
}

DRIVER_VISIBLE enum cuda_result cuStreamIsCapturing(struct CUstream_st *handle, uint32_t *status)
{
    DRIVER_USE_OF_OR_RETURN(driver, handle);
    const struct CUstream_st *stream = stream_of(driver, handle);
    if (stream == NULL || status == NULL) return stream == NULL ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
    if (capture_holds(driver, stream)) return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    *status = status_of(stream);
    return CUDA_SUCCESS;
}

// Every edge of a capture is a plain one, all zero.
static bool edges_of(struct CUstream_st *stream, const struct CUgraphEdgeData_st **edges)
{
    free(stream->edges);
    *edges = stream->edges = stream->after_count > 0 ? calloc(stream->after_count, sizeof **edges) : NULL;
    return stream->after_count == 0 || stream->edges != NULL;
}

DRIVER_VISIBLE enum cuda_result cuStreamGetCaptureInfo_v3(struct CUstream_st *handle, uint32_t *status, uint64_t *id,
                                                          struct CUgraph_st **graph,
                                                          struct CUgraphNode_st *const **after,
                                                          const struct CUgraphEdgeData_st **edges, size_t *count)
{
    DRIVER_USE_OF_OR_RETURN(driver, handle);
    struct CUstream_st *stream = stream_of(driver, handle);
    if (stream == NULL || status == NULL) return stream == NULL ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
    if (edges != NULL && after == NULL) return CUDA_ERROR_INVALID_VALUE;
    if (capture_holds(driver, stream)) return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
    *status = status_of(stream);
    if (id != NULL) *id = stream->capture_id;
    if (graph != NULL) *graph = stream->capture;
    if (after != NULL) *after = stream->after;
    if (edges != NULL && !edges_of(stream, edges)) return CUDA_ERROR_OUT_OF_MEMORY;
    if (count != NULL) *count = stream->after_count;
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuStreamUpdateCaptureDependencies_v2(struct CUstream_st *handle,
                                                                     struct CUgraphNode_st **after,
                                                                     const struct CUgraphEdgeData_st *edges,
                                                                     size_t count, unsigned flags)
{
    enum { SET = 1 };
    DRIVER_USE_OF_OR_RETURN(driver, handle);
    (void)edges;
    struct CUstream_st *stream = stream_of(driver, handle);
    if (stream == NULL) return CUDA_ERROR_INVALID_HANDLE;
    if (stream->capture == NULL) return CUDA_ERROR_ILLEGAL_STATE;
    if (flags > SET || !are_nodes_of(stream->capture, after, count)) return CUDA_ERROR_INVALID_VALUE;
    if (flags != SET) return after_all(&stream->after, &stream->after_count, after, count);
    struct CUgraphNode_st **only = NULL; // made first: `after` may be what the stream gave
    uint32_t only_count = 0;
    const enum cuda_result error = after_all(&only, &only_count, after, count);
    capture_forget(stream);
    stream->after = only;
    stream->after_count = only_count;
    return error;
}

DRIVER_VISIBLE enum cuda_result cuThreadExchangeStreamCaptureMode(uint32_t *mode)
{
    if (mode == NULL) return CUDA_ERROR_INVALID_VALUE;
    const uint32_t before = mode_of_thread;
    mode_of_thread = *mode;
    *mode = before;
    return CUDA_SUCCESS;
}
