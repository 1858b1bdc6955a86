// SPDX-License-Identifier: MIT
// The job is copied, and freed when it has run. A graph that captures it keeps it, as an object of the user's.
#include "queue.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_api.h"
#include "note.h"

struct queued {
    void (*run)(void *job);
    bool is_kept; // by a graph
    _Alignas(max_align_t) uint8_t job[];
};

static void run_queued(void *user)
{
    static atomic_int ran;
    struct queued *queued = user;
    queued->run(queued->job);
    if (!ran++) note_add(note_path(), NOTE_RAN);
    if (!queued->is_kept) free(queued);
}

static enum cuda_result keep(struct CUgraph_st *graph, struct queued *queued)
{
    enum { NO_DESTRUCTOR_SYNC = 1, MOVE = 1 };
    struct CUuserObject_st *object;
    queued->is_kept = true;
    const enum cuda_result error = cuUserObjectCreate(&object, queued, free, 1, NO_DESTRUCTOR_SYNC);
    return error != CUDA_SUCCESS ? error : cuGraphRetainUserObject(graph, object, 1, MOVE);
}

// The graph that the stream's work goes into; NULL if none.
static enum cuda_result capture_of(struct CUstream_st *stream, struct CUgraph_st **graph)
{
    uint32_t status;
    uint64_t id;
    size_t count;
    struct CUgraphNode_st *const *after;
    *graph = NULL;
    return cuStreamGetCaptureInfo_v2(stream, &status, &id, graph, &after, &count);
}

bool queue_is_captured(struct CUstream_st *stream)
{
    struct CUgraph_st *graph;
    return capture_of(stream, &graph) == CUDA_SUCCESS && graph != NULL;
}

enum cuda_result queue_run(struct CUstream_st *stream, void (*run)(void *job), const void *job, size_t bytes)
{
    struct CUgraph_st *graph;
    struct queued *queued = malloc(sizeof *queued + bytes);
    if (queued == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
    queued->run = run;
    queued->is_kept = false;
    memcpy(queued->job, job, bytes);
    enum cuda_result error = capture_of(stream, &graph);
    if (error == CUDA_SUCCESS && graph != NULL) error = keep(graph, queued);
    if (error == CUDA_SUCCESS) error = cuLaunchHostFunc(stream, run_queued, queued);
    if (error != CUDA_SUCCESS && !queued->is_kept) free(queued);
    return error;
}

static bool is_device_memory(const void *at)
{
    return cuMemGetAddressRange_v2(NULL, NULL, (unsigned long long)(uintptr_t)at) == CUDA_SUCCESS;
}

const char *queue_memory_fault(const void *at, size_t bytes)
{
    if (bytes == 0) return NULL;
    if (!is_device_memory(at)) return "are no memory of the device. On a GPU a later call returns error 700";
    if (!is_device_memory((const uint8_t *)at + bytes - 1))
        return "reach past the allocation. On a GPU this may return error 700 or use other data";
    return NULL;
}

bool queue_make_ready(void)
{
    struct CUctx_st *context = NULL;
    if (cuInit(0) != CUDA_SUCCESS) return false;
    if (cuCtxGetCurrent(&context) == CUDA_SUCCESS && context != NULL) return true;
    return cuDevicePrimaryCtxRetain(&context, 0) == CUDA_SUCCESS && cuCtxSetCurrent(context) == CUDA_SUCCESS;
}
