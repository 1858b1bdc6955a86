// SPDX-License-Identifier: MIT
// cuEvent*: a moment on the host's clock. cuEventRecord is in capture.c.
#include <stdlib.h>

#include "capture.h"
#include "sanitize_order.h"

DRIVER_VISIBLE enum cuda_result cuEventCreate(struct CUevent_st **event, unsigned flags)
{
    enum { ALL_FLAGS = 7 };
    DRIVER_USE_OR_RETURN(driver);
    if (event == NULL || flags > ALL_FLAGS) return CUDA_ERROR_INVALID_VALUE;
    if ((flags & EVENT_INTERPROCESS) && !(flags & CU_EVENT_DISABLE_TIMING)) return CUDA_ERROR_INVALID_VALUE;
    *event = object_new(&driver->objects, OBJECT_EVENT, sizeof **event);
    if (*event == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
    (*event)->object.owner = driver_context();
    (*event)->flags = flags;
    return CUDA_SUCCESS;
}

void event_destroy(struct driver *driver, struct CUevent_st *event)
{
    free(event->after);
    history_forget_times(&event->times);
    object_destroy(&driver->objects, event);
}

DRIVER_VISIBLE enum cuda_result cuEventDestroy_v2(struct CUevent_st *event)
{
    DRIVER_USE_BARE_OR_RETURN(driver);
    if (!object_is(event, OBJECT_EVENT)) return CUDA_ERROR_INVALID_HANDLE;
    event_destroy(driver, event);
    return CUDA_SUCCESS;
}

// Asking for an event of a capture spoils the capture.
static enum cuda_result check_done(struct driver *driver, const struct CUevent_st *event)
{
    if (!object_is(event, OBJECT_EVENT)) return CUDA_ERROR_INVALID_HANDLE;
    if (event->is_of_ended) return CUDA_ERROR_INVALID_VALUE;
    if (!object_is(event->capture, OBJECT_GRAPH)) return capture_check_safe(driver);
    capture_spoil(driver, event->capture_id);
    return CUDA_ERROR_CAPTURED_EVENT;
}

static bool is_under_way(const struct driver *driver, const struct CUevent_st *event)
{
    return event->turn != 0 && turn_of(driver, event->turn) != NULL;
}

static enum cuda_result is_over(struct driver *driver, const struct CUevent_st *event)
{
    sanitize_order_wait_event(driver, event);
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuEventQuery(struct CUevent_st *event)
{
    DRIVER_USE_BARE_OR_RETURN(driver);
    const enum cuda_result error = check_done(driver, event);
    if (error != CUDA_SUCCESS) return error;
    if (!is_under_way(driver, event)) return is_over(driver, event);
    turns_let(driver);
    return CUDA_ERROR_NOT_READY;
}

DRIVER_VISIBLE enum cuda_result cuEventSynchronize(struct CUevent_st *event)
{
    DRIVER_USE_BARE_OR_RETURN(driver);
    const enum cuda_result error = check_done(driver, event);
    if (error != CUDA_SUCCESS) return error;
    while (object_is(event, OBJECT_EVENT) && is_under_way(driver, event) && stream_thread() != driver->later_thread)
        driver_wait(driver); // a function that is called later has no other thread to wait for
    if (object_is(event, OBJECT_EVENT)) is_over(driver, event);
    return driver_usable_bare(driver);
}

DRIVER_VISIBLE enum cuda_result cuEventElapsedTime_v2(float *milliseconds, struct CUevent_st *start,
                                                      struct CUevent_st *end)
{
    DRIVER_USE_BARE_OR_RETURN(driver);
    if (milliseconds == NULL) return CUDA_ERROR_INVALID_HANDLE; // as an H200's driver says
    if (!object_is(start, OBJECT_EVENT) || !object_is(end, OBJECT_EVENT)) return CUDA_ERROR_INVALID_HANDLE;
    const bool are_recorded = (start->is_recorded || start->turn != 0) && (end->is_recorded || end->turn != 0);
    if (!are_recorded) return CUDA_ERROR_INVALID_HANDLE;
    if ((start->flags | end->flags) & CU_EVENT_DISABLE_TIMING) return CUDA_ERROR_INVALID_HANDLE;
    if (is_under_way(driver, start) || is_under_way(driver, end)) return CUDA_ERROR_NOT_READY;
    sanitize_order_wait_event(driver, start);
    sanitize_order_wait_event(driver, end);
    *milliseconds = (float)(1e3 * (end->seconds - start->seconds));
    return CUDA_SUCCESS;
}
