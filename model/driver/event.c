// SPDX-License-Identifier: MIT
// cuEvent*: a moment on the host's clock. cuEventRecord is in capture.c.
#include <stdlib.h>

#include "capture.h"

DRIVER_VISIBLE enum cuda_result cuEventCreate(struct CUevent_st **event, unsigned flags)
{
    enum { ALL_FLAGS = 7, INTERPROCESS = 4 };
    DRIVER_USE(driver);
    if (event == NULL || flags > ALL_FLAGS) return CUDA_ERROR_INVALID_VALUE;
    if ((flags & INTERPROCESS) && !(flags & CU_EVENT_DISABLE_TIMING)) return CUDA_ERROR_INVALID_VALUE;
    *event = object_new(&driver->objects, OBJECT_EVENT, sizeof **event);
    if (*event == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
    (*event)->object.owner = driver_context();
    (*event)->flags = flags;
    return CUDA_SUCCESS;
}

void event_destroy(struct driver *driver, struct CUevent_st *event)
{
    free(event->after);
    object_destroy(&driver->objects, event);
}

DRIVER_VISIBLE enum cuda_result cuEventDestroy_v2(struct CUevent_st *event)
{
    DRIVER_USE(driver);
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

DRIVER_VISIBLE enum cuda_result cuEventQuery(struct CUevent_st *event)
{
    DRIVER_USE(driver);
    return check_done(driver, event);
}

DRIVER_VISIBLE enum cuda_result cuEventSynchronize(struct CUevent_st *event)
{
    DRIVER_USE(driver);
    return check_done(driver, event);
}

DRIVER_VISIBLE enum cuda_result cuEventElapsedTime_v2(float *milliseconds, struct CUevent_st *start,
                                                      struct CUevent_st *end)
{
    DRIVER_USE(driver);
    if (milliseconds == NULL) return CUDA_ERROR_INVALID_HANDLE; // as an H200's driver says
    if (!object_is(start, OBJECT_EVENT) || !object_is(end, OBJECT_EVENT)) return CUDA_ERROR_INVALID_HANDLE;
    if (!start->is_recorded || !end->is_recorded) return CUDA_ERROR_INVALID_HANDLE;
    if ((start->flags | end->flags) & CU_EVENT_DISABLE_TIMING) return CUDA_ERROR_INVALID_HANDLE;
    *milliseconds = (float)(1e3 * (end->seconds - start->seconds));
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuEventElapsedTime(float *milliseconds, struct CUevent_st *start,
                                                   struct CUevent_st *end)
{
    return cuEventElapsedTime_v2(milliseconds, start, end);
}
