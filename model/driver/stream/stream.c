// SPDX-License-Identifier: MIT
// cuStream*: work is done when it is asked for, but for what waits for memory that others write and what comes behind
// that (later.h). Captures are in capture.c.
#include <stdlib.h>
#include <string.h>

#include "capture.h"
#include "green.h"
#include "later.h"
#include "sanitize_order.h"
#include "work_graph.h"

enum { LEGACY_HANDLE = 1, PER_THREAD_HANDLE = 2, LEAST_PRIORITY = 0, GREATEST_PRIORITY = -5 };

static struct CUstream_st *stream_new(struct driver *driver, uint32_t flags, int priority)
{
    static uint64_t streams;
    struct CUstream_st *stream = object_new(&driver->objects, OBJECT_STREAM, sizeof *stream);
    if (stream == NULL) return NULL;
    stream->object.owner = stream->context = driver_context();
    stream->green = driver_current()->green;
    stream->flags = flags;
    stream->priority = priority;
    stream->id = ++streams;
    stream_attributes_begin(stream);
    return stream;
}

static bool is_default(const struct CUstream_st *handle)
{
    return (uintptr_t)handle <= PER_THREAD_HANDLE;
}

enum { ALL_THREADS = 1 };

uint64_t stream_thread(void)
{
    static _Atomic uint64_t threads = ALL_THREADS;
    static _Thread_local uint64_t own;
    if (own == 0) own = ++threads;
    return own;
}

bool stream_is_of_all(const struct CUstream_st *stream)
{
    return stream->whose == ALL_THREADS;
}

// The default streams of a context are made when they are first asked for.
static struct CUstream_st *default_stream(struct driver *driver, uint64_t whose)
{
    for (struct object *object = driver->objects.live[OBJECT_STREAM]; object != NULL; object = object->next) {
        struct CUstream_st *stream = (struct CUstream_st *)object;
        if (stream->whose == whose && stream->context == driver_context()) return stream;
    }
    struct CUstream_st *stream = stream_new(driver, 0, 0);
    if (stream != NULL) stream->whose = whose;
    return stream;
}

struct CUstream_st *stream_of(struct driver *driver, struct CUstream_st *handle)
{
    if (!is_default(handle)) return object_is(handle, OBJECT_STREAM) && !handle->is_ending ? handle : NULL;
    return default_stream(driver, (uintptr_t)handle == PER_THREAD_HANDLE ? stream_thread() : ALL_THREADS);
}

struct CUctx_st *driver_lend(struct driver *driver, const struct CUstream_st *handle)
{
    if (is_default(handle) || !object_is(handle, OBJECT_STREAM)) return NULL;
    if (driver_usable(driver) != CUDA_ERROR_INVALID_CONTEXT) return NULL; // one that was destroyed may be current
    return driver_push_context(handle->context) == CUDA_SUCCESS ? handle->context : NULL;
}

void driver_end_loan(struct CUctx_st **lent)
{
    if (*lent != NULL) driver_leave_context(*lent);
}

enum cuda_result stream_submit(struct driver *driver, struct CUstream_st *handle, const struct work *work)
{
    struct CUstream_st *stream = stream_of(driver, handle);
    if (stream == NULL) return CUDA_ERROR_INVALID_HANDLE;
    if (stream->capture != NULL) return capture_add(driver, stream, work);
    return capture_holds(driver, stream) ? capture_refuse_held(driver, stream) : stream_run(driver, stream, work);
}

enum cuda_result stream_run(struct driver *driver, const struct CUstream_st *stream, const struct work *work)
{
    struct turn turn;
    const uint64_t before = driver->turns_ended;
    if (work->type == NODE_MEMCPY && copy_is_waited_for(driver, &work->of.copy))
        turns_wait_for_later(driver, stream, NULL);
    enum cuda_result error = turn_begin(driver, &turn, stream, NULL);
    if (error != CUDA_SUCCESS) return error;
    if (driver->turns_ended != before)
        error = work_check(driver, "work that waited for its stream (was something freed meanwhile?)", work);
    if (error == CUDA_SUCCESS) error = later_run(driver, &turn, work);
    turn_end(driver, &turn);
    return error;
}

DRIVER_VISIBLE enum cuda_result cuStreamCreateWithPriority(struct CUstream_st **stream, unsigned flags, int priority)
{
    if (stream != NULL) *stream = NULL; // an H200's driver writes it also where it makes none
    DRIVER_USE_OR_RETURN(driver);
    if (stream == NULL || flags > CU_STREAM_NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
    if (priority > LEAST_PRIORITY) priority = LEAST_PRIORITY;
    if (priority < GREATEST_PRIORITY) priority = GREATEST_PRIORITY;
    *stream = stream_new(driver, flags, priority);
    return *stream != NULL ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

DRIVER_CALL(cuStreamCreate, (struct CUstream_st * *stream, unsigned flags),
            cuStreamCreateWithPriority(stream, flags, 0))

void stream_destroy(struct driver *driver, struct CUstream_st *stream)
{
    if (stream->is_origin) {
        capture_leave(driver, stream);
        if (!stream->is_foreign_graph) graph_free(driver, stream->capture);
    }
    capture_forget(stream);
    history_forget_times(&stream->times);
    object_destroy(&driver->objects, stream);
}

DRIVER_VISIBLE enum cuda_result cuStreamDestroy_v2(struct CUstream_st *stream)
{
    DRIVER_USE_OF_OR_RETURN(driver, stream);
    if (is_default(stream) || stream_of(driver, stream) == NULL) return CUDA_ERROR_INVALID_HANDLE;
    turns_wait_for_calls(driver, stream);
    if (turns_are_later(driver, stream, NULL)) return later_end_stream(driver, stream);
    stream_destroy(driver, stream);
    return CUDA_SUCCESS;
}

// A stream, or an error; where it is captured, it cannot be waited for, and the capture is of no more use.
static enum cuda_result check_done(struct driver *driver, struct CUstream_st *handle)
{
    struct CUstream_st *stream = stream_of(driver, handle);
    if (stream == NULL) return CUDA_ERROR_INVALID_HANDLE;
    if (capture_holds(driver, stream)) return capture_refuse_held(driver, stream);
    if (stream->capture == NULL) return capture_check_safe(driver);
    capture_spoil(driver, stream->capture_id);
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

DRIVER_VISIBLE enum cuda_result cuStreamSynchronize(struct CUstream_st *stream)
{
    DRIVER_USE_OF_OR_RETURN(driver, stream);
    const enum cuda_result error = check_done(driver, stream);
    if (error != CUDA_SUCCESS) return error;
    turns_wait(driver, stream_of(driver, stream));
    return driver_usable(driver);
}

DRIVER_VISIBLE enum cuda_result cuStreamQuery(struct CUstream_st *stream)
{
    DRIVER_USE_OF_OR_RETURN(driver, stream);
    const enum cuda_result error = check_done(driver, stream);
    if (error != CUDA_SUCCESS) return error;
    kernel_forget_primary(driver);
    if (!turns_are_on(driver, stream_of(driver, stream))) {
        sanitize_order_wait(driver, stream_of(driver, stream));
        return CUDA_SUCCESS;
    }
    turns_let(driver);
    return CUDA_ERROR_NOT_READY;
}

// A call that tells of a stream.
#define STREAM_CALL(name, type, value)                                                                                 \
    DRIVER_VISIBLE enum cuda_result name(struct CUstream_st *handle, type *to)                                         \
    {                                                                                                                  \
        DRIVER_USE_OF_OR_RETURN(driver, handle);                                                                       \
        const struct CUstream_st *stream = stream_of(driver, handle);                                                  \
        if (stream == NULL || to == NULL)                                                                              \
            return stream == NULL ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;                              \
        *to = value;                                                                                                   \
        return CUDA_SUCCESS;                                                                                           \
    }

STREAM_CALL(cuStreamGetFlags, unsigned, stream->flags)
STREAM_CALL(cuStreamGetPriority, int, stream->priority)
STREAM_CALL(cuStreamGetId, unsigned long long, stream->id)
STREAM_CALL(cuStreamGetCtx, struct CUctx_st *,
            is_default(handle)      ? driver_current()
            : stream->green != NULL ? stream->green->context
                                    : stream->context)
STREAM_CALL(cuStreamGetDevice, int, 0)

DRIVER_VISIBLE enum cuda_result cuStreamAttachMemAsync(struct CUstream_st *stream, unsigned long long address,
                                                       size_t bytes, unsigned flags)
{
    enum { GLOBAL = 1, HOST = 2, SINGLE = 4 };
    DRIVER_USE_OF_OR_RETURN(driver, stream);
    const struct allocation *found = allocations_find(&driver->allocations, address);
    if (stream_of(driver, stream) == NULL) return CUDA_ERROR_INVALID_HANDLE;
    if (found == NULL || found->kind != ALLOCATION_MANAGED) return CUDA_ERROR_INVALID_VALUE;
    if (bytes != 0 && bytes != found->size_bytes) return CUDA_ERROR_INVALID_VALUE;
    if (flags == SINGLE) return (uintptr_t)stream > LEGACY_HANDLE ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    return flags == GLOBAL || flags == HOST ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// --- Functions of the host -------------------------------------------------------------------------------------------

DRIVER_VISIBLE enum cuda_result cuLaunchHostFunc(struct CUstream_st *stream, void (*call)(void *user), void *user)
{
    DRIVER_USE_OF_OR_RETURN(driver, stream);
    if (call == NULL) return CUDA_ERROR_INVALID_VALUE;
    return stream_submit(driver, stream, &(struct work){NODE_HOST, {.host = {.call = call, .user = user}}});
}

DRIVER_VISIBLE enum cuda_result cuStreamAddCallback(struct CUstream_st *handle,
                                                    void (*call)(struct CUstream_st *stream, enum cuda_result error,
                                                                 void *user),
                                                    void *user, unsigned flags)
{
    DRIVER_ENTER(driver);
    struct CUctx_st *lent __attribute__((cleanup(driver_end_loan), unused)) = driver_lend(driver, handle);
    if (!driver->is_initialized) return CUDA_ERROR_NOT_INITIALIZED;
    if (driver_context() == NULL) return CUDA_ERROR_INVALID_CONTEXT;
    if (call == NULL || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    struct CUstream_st *stream = stream_of(driver, handle);
    if (stream == NULL) return CUDA_ERROR_INVALID_HANDLE;
    if (stream->capture != NULL) {
        capture_spoil(driver, stream->capture_id);
        return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
    }
    if (capture_holds(driver, stream)) return capture_refuse_held(driver, stream);
    const struct work work = {NODE_HOST, {.host = {.callback = call, .handle = handle, .user = user}}};
    struct work_state none = {0};
    if (stream_run(driver, stream, &work) != CUDA_SUCCESS) work_run(driver, &work, &none); // it is told of errors too
    return CUDA_SUCCESS;
}
