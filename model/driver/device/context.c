// SPDX-License-Identifier: MIT
// cuCtx* and the primary context. A context is a name for the device: whatever it allocated goes
// with it.
#include <stdlib.h>
#include <string.h>

#include "capture.h"
#include "cuda_array.h"
#include "loaded.h"
#include "turns.h"

// As the driver 580.159.04 says of an H200; the two that it does not support are about launches from kernels.
enum {
    LIMIT_FIFO_BYTES = 1,
    LIMIT_DEPTH = 3,
    LIMIT_PENDING,
    LIMIT_FETCH_BYTES,
    LIMIT_PERSISTING_BYTES,
    LIMIT_SHARED_BYTES,
    LIMIT_GRAPHICS = 9,
    LIMITS
};
enum { API_VERSION = 3020, GREATEST_PRIORITY = -5, CTX_MAP_HOST = 8 };
static const size_t limits[LIMITS] = {1024, 8650752, 8388608, 0, 2048, 64, 11796480, 232448, 0, 0};

// What an H200 makes of a value (2026-11-28): it is rounded up to steps, and taken for the least or the most that there
// is; what is more than a strict limit is refused.
static const struct {
    size_t least, most, step;
    bool is_strict;
} bounds[LIMITS] = {
    [LIMIT_STACK_BYTES] = {0, 523712, 1, true},
    [LIMIT_FIFO_BYTES] = {524288, (size_t)2 << 30, 1, false},
    [LIMIT_HEAP_BYTES] = {4194304, SIZE_MAX, 1, false},
    [LIMIT_PENDING] = {32, 599186, 1, false},
    [LIMIT_FETCH_BYTES] = {0, 128, 1, true},
    [LIMIT_PERSISTING_BYTES] = {0, 39321600, 3932160, true},
};

static enum cuda_result check_limit(uint32_t limit)
{
    if (limit >= LIMITS) return CUDA_ERROR_INVALID_VALUE;
    return limit == LIMIT_DEPTH || limit == LIMIT_GRAPHICS ? CUDA_ERROR_UNSUPPORTED_LIMIT : CUDA_SUCCESS;
}

// At most one way to wait, which is a power of two.
static bool are_flags(unsigned flags)
{
    enum { WAYS = 7, ALL_FLAGS = 255 };
    const unsigned way = flags & WAYS;
    return flags <= ALL_FLAGS && (way & (way - 1)) == 0;
}

static struct CUctx_st *context_new(struct driver *driver, uint32_t flags)
{
    static uint64_t contexts;
    struct CUctx_st *context = object_new(&driver->objects, OBJECT_CONTEXT, sizeof *context);
    if (context == NULL) return NULL;
    context->flags = flags;
    context->id = ++contexts;
    memcpy(context->limit, limits, sizeof limits);
    return context;
}

struct CUctx_st *context_of_green(struct driver *driver, struct CUgreenCtx_st *green)
{
    struct CUctx_st *context = context_new(driver, 0);
    if (context == NULL) return NULL;
    context->base = driver->primary;
    context->green = green;
    return context;
}

// Everything that goes with a context, but not itself.
static void context_empty(struct driver *driver, struct CUctx_st *context)
{
    loaded_close_all(driver, context);
    for (struct object *object = driver->objects.live[OBJECT_STREAM], *next; object != NULL; object = next) {
        next = object->next;
        if (object->owner == context) stream_destroy(driver, (struct CUstream_st *)object);
    }
    for (struct object *object = driver->objects.live[OBJECT_EVENT], *next; object != NULL; object = next) {
        next = object->next;
        if (object->owner == context) event_destroy(driver, (struct CUevent_st *)object);
    }
    arrays_remove_owned(driver, context);
    virtual_unmap_all(driver, context);
    allocations_remove_owned(&driver->allocations, context);
    machine_heap_close(context->heap);
    context->heap = NULL;
    free(context->coredump);
    context->coredump = NULL;
    context->grid_workspace = 0;
}

struct machine_heap *context_heap(struct CUctx_st *context)
{
    if (context->heap == NULL) context->heap = machine_heap_open(context->limit[LIMIT_HEAP_BYTES]);
    return context->heap;
}

// --- The primary context ---------------------------------------------------------------------------------------------

static enum cuda_result check_device(const struct driver *driver, int device)
{
    if (!driver->is_initialized) return CUDA_ERROR_NOT_INITIALIZED;
    return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

DRIVER_VISIBLE enum cuda_result cuDevicePrimaryCtxRetain(struct CUctx_st **context, int device)
{
    DRIVER_ENTER(driver);
    if (check_device(driver, device) != CUDA_SUCCESS) return check_device(driver, device);
    if (context == NULL) return CUDA_ERROR_INVALID_VALUE;
    if (driver->primary == NULL) driver->primary = context_new(driver, 0);
    if (driver->primary == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
    if (driver->error == CUDA_SUCCESS) driver->is_primary_gone = false;
    driver->primary->retained++;
    *context = driver->primary;
    return CUDA_SUCCESS;
}

// The handle stays the same for the life of the process, as on a GPU.
static void primary_reset(struct driver *driver)
{
    struct CUctx_st *primary = driver->primary;
    turns_wait(driver, NULL);
    if (!driver->is_of_gpu) driver->error = CUDA_SUCCESS;
    if (primary == NULL) return;
    context_empty(driver, primary);
    loaded_refresh_libraries(driver);
    driver->is_primary_gone = true;
}

DRIVER_VISIBLE enum cuda_result cuDevicePrimaryCtxRelease_v2(int device)
{
    DRIVER_ENTER(driver);
    if (check_device(driver, device) != CUDA_SUCCESS) return check_device(driver, device);
    if (driver->primary == NULL || driver->primary->retained == 0) return CUDA_ERROR_INVALID_CONTEXT;
    if (--driver->primary->retained == 0) primary_reset(driver);
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuDevicePrimaryCtxReset_v2(int device)
{
    DRIVER_ENTER(driver);
    if (check_device(driver, device) != CUDA_SUCCESS) return check_device(driver, device);
    primary_reset(driver);
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active)
{
    DRIVER_ENTER(driver);
    if (check_device(driver, device) != CUDA_SUCCESS) return check_device(driver, device);
    if (flags == NULL || active == NULL) return CUDA_ERROR_INVALID_VALUE;
    *flags = driver->primary == NULL ? 0 : driver->primary->flags;
    *active = driver->primary != NULL && driver->primary->retained > 0 && !driver->is_primary_gone;
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags)
{
    DRIVER_ENTER(driver);
    if (check_device(driver, device) != CUDA_SUCCESS) return check_device(driver, device);
    if (!are_flags(flags) || flags & CTX_MAP_HOST) return CUDA_ERROR_INVALID_VALUE;
    if (driver->primary == NULL) driver->primary = context_new(driver, 0);
    if (driver->primary == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
    driver->primary->flags = flags;
    return CUDA_SUCCESS;
}

// --- Other contexts --------------------------------------------------------------------------------------------------

DRIVER_VISIBLE enum cuda_result cuCtxCreate_v2(struct CUctx_st **context, unsigned flags, int device)
{
    DRIVER_ENTER(driver);
    if (check_device(driver, device) != CUDA_SUCCESS) return check_device(driver, device);
    if (context == NULL || !are_flags(flags)) return CUDA_ERROR_INVALID_VALUE;
    if (driver->error != CUDA_SUCCESS) return driver->error;
    struct CUctx_st *made = context_new(driver, flags);
    if (made == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
    *context = made;
    return driver_push_context(made);
}

DRIVER_VISIBLE enum cuda_result cuCtxCreate_v4(struct CUctx_st **context, struct CUctxCreateParams_st *parameters,
                                               unsigned flags, int device)
{
    if (parameters != NULL && parameters->numExecAffinityParams > 0) return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
    return cuCtxCreate_v2(context, flags, device);
}

// Not one of them is supported.
DRIVER_VISIBLE enum cuda_result cuCtxCreate_v3(struct CUctx_st **context, struct CUexecAffinityParam_st *affinity,
                                               int count, unsigned flags, int device)
{
    (void)affinity;
    return count > 0 ? CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY : cuCtxCreate_v2(context, flags, device);
}

DRIVER_VISIBLE enum cuda_result cuCtxSetFlags(unsigned flags)
{
    DRIVER_USE_FAILED_OR_RETURN(driver);
    if (!are_flags(flags)) return CUDA_ERROR_INVALID_VALUE;
    driver_context()->flags = flags;
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuCtxDestroy_v2(struct CUctx_st *context)
{
    DRIVER_ENTER(driver);
    if (context == NULL) return CUDA_ERROR_INVALID_VALUE;
    if (!driver->is_initialized) return CUDA_ERROR_NOT_INITIALIZED;
    if (!object_is(context, OBJECT_CONTEXT) || context == driver->primary || context->green != NULL)
        return CUDA_ERROR_INVALID_CONTEXT;
    turns_wait(driver, NULL);
    context_empty(driver, context);
    driver_leave_context(context);
    object_destroy(&driver->objects, context);
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuCtxSynchronize(void)
{
    DRIVER_USE_OR_RETURN(driver);
    const enum cuda_result error = capture_check_none(driver);
    if (error != CUDA_SUCCESS) return error;
    turns_wait(driver, NULL);
    return driver_usable(driver);
}

DRIVER_VISIBLE enum cuda_result cuCtxGetDevice(int *device)
{
    DRIVER_ENTER(driver);
    if (device == NULL) return CUDA_ERROR_INVALID_VALUE;
    if (driver_context() == NULL) return CUDA_ERROR_INVALID_CONTEXT;
    *device = 0;
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuCtxGetFlags(unsigned *flags)
{
    DRIVER_ENTER(driver);
    if (flags == NULL) return CUDA_ERROR_INVALID_VALUE;
    if (driver_context() == NULL) return CUDA_ERROR_INVALID_CONTEXT;
    *flags = driver_context()->flags | (driver_context() == driver->primary ? CTX_MAP_HOST : 0);
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuCtxGetId(struct CUctx_st *context, unsigned long long *id)
{
    DRIVER_ENTER(driver);
    if (id == NULL) return CUDA_ERROR_INVALID_VALUE;
    if (context == NULL) context = driver_current();
    if (object_was(&driver->objects, context, OBJECT_CONTEXT)) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    if (!object_is(context, OBJECT_CONTEXT)) return CUDA_ERROR_INVALID_CONTEXT;
    *id = context->id;
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuCtxGetApiVersion(struct CUctx_st *context, unsigned *version)
{
    (void)context;
    if (version == NULL) return CUDA_ERROR_INVALID_VALUE;
    *version = API_VERSION;
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuCtxGetLimit(size_t *value, uint32_t limit)
{
    DRIVER_USE_OR_RETURN(driver);
    if (value == NULL) return CUDA_ERROR_INVALID_VALUE;
    if (check_limit(limit) != CUDA_SUCCESS) return check_limit(limit);
    *value = driver_context()->limit[limit];
    return CUDA_SUCCESS;
}

static enum cuda_result set_limit(struct driver *driver, uint32_t limit, size_t value)
{
    const size_t least = bounds[limit].least, most = bounds[limit].most, step = bounds[limit].step;
    if (step > 0) {
        if (value > most && bounds[limit].is_strict)
            return driver_refuse(driver, CUDA_ERROR_INVALID_VALUE, "cuCtxSetLimit",
                                 "limit %u is set to %zu, must be at most %zu on an H200", limit, value, most);
        if (value > most) value = most;
        if (value < least) value = least;
        value = (value + step - 1) / step * step;
    }
    driver_context()->limit[limit] = value;
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuCtxSetLimit(uint32_t limit, size_t value)
{
    DRIVER_USE_OR_RETURN(driver);
    if (check_limit(limit) != CUDA_SUCCESS) return check_limit(limit);
    if (limit == LIMIT_HEAP_BYTES && driver_context()->heap != NULL)
        return driver_refuse(driver, CUDA_ERROR_INVALID_VALUE, "cuCtxSetLimit",
                             "a kernel that calls malloc() or free() has run: the size of its heap is fixed until the "
                             "context is reset");
    if (limit == LIMIT_SHARED_BYTES) return CUDA_ERROR_NOT_PERMITTED;
    return set_limit(driver, limit, value);
}

DRIVER_VISIBLE enum cuda_result cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    DRIVER_USE_OR_RETURN(driver);
    if (least != NULL) *least = 0;
    if (greatest != NULL) *greatest = GREATEST_PRIORITY;
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuCtxGetCacheConfig(uint32_t *config)
{
    DRIVER_USE_OR_RETURN(driver);
    if (config == NULL) return CUDA_ERROR_INVALID_VALUE;
    *config = driver_context()->cache_config;
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuCtxSetCacheConfig(uint32_t config)
{
    enum { MOST_CACHE_CONFIG = 3 };
    DRIVER_USE_OR_RETURN(driver);
    if (config > MOST_CACHE_CONFIG) return CUDA_ERROR_INVALID_VALUE;
    driver_context()->cache_config = config;
    return CUDA_SUCCESS;
}

DRIVER_USE_CALL(cuCtxResetPersistingL2Cache, (void), CUDA_SUCCESS)
