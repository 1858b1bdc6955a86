// SPDX-License-Identifier: MIT
// Calls about contexts and the device whose answers are facts of an H200, or of there being one device.
#include <string.h>

#include "capture.h"
#include "cuda_api.h"
#include "device.h"
#include "green.h"

// --- Contexts --------------------------------------------------------------------------------------------------------

enum { SHARED_CONFIGS = 3, FOUR_BYTE_BANKS = 1 };

DRIVER_VISIBLE enum cuda_result cuCtxGetSharedMemConfig(uint32_t *config)
{
    DRIVER_USE_OR_RETURN(driver);
    if (config == NULL) return CUDA_ERROR_INVALID_VALUE;
    *config = FOUR_BYTE_BANKS;
    return CUDA_SUCCESS;
}

DRIVER_USE_CALL(cuCtxSetSharedMemConfig, (uint32_t config),
                config < SHARED_CONFIGS ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE)

DRIVER_VISIBLE enum cuda_result cuFuncSetSharedMemConfig(struct CUfunc_st *function, uint32_t config)
{
    DRIVER_USE_OR_RETURN(driver);
    if (!object_is(function, OBJECT_FUNCTION)) return CUDA_ERROR_INVALID_HANDLE;
    return config < SHARED_CONFIGS ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// A context that is to record an event or to wait for one; the event is of the default stream, as nothing runs later.
static enum cuda_result check_pair(struct driver *driver, const struct CUctx_st *context,
                                   const struct CUevent_st *event)
{
    if (driver_usable(driver) != CUDA_SUCCESS) return driver_usable(driver);
    if (!object_is(context, OBJECT_CONTEXT)) return CUDA_ERROR_INVALID_CONTEXT;
    return object_is(event, OBJECT_EVENT) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

DRIVER_VISIBLE enum cuda_result cuCtxRecordEvent(struct CUctx_st *context, struct CUevent_st *event)
{
    DRIVER_ENTER(driver);
    const enum cuda_result error = check_pair(driver, context, event);
    return error != CUDA_SUCCESS ? error : cuEventRecord(event, NULL);
}

DRIVER_ENTER_CALL(cuCtxWaitEvent, (struct CUctx_st * context, struct CUevent_st *event),
                  check_pair(driver, context, event))

DRIVER_VISIBLE enum cuda_result cuCtxGetDevice_v2(int *device, struct CUctx_st *context)
{
    DRIVER_ENTER(driver);
    if (context == NULL) return cuCtxGetDevice(device);
    if (device == NULL) return CUDA_ERROR_INVALID_VALUE;
    if (!object_is(context, OBJECT_CONTEXT)) return CUDA_ERROR_INVALID_CONTEXT;
    *device = 0;
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuCtxSynchronize_v2(struct CUctx_st *context)
{
    DRIVER_ENTER(driver);
    if (context != NULL && !object_is(context, OBJECT_CONTEXT)) return CUDA_ERROR_INVALID_CONTEXT;
    return cuCtxSynchronize();
}

// The context beside it is the primary.
static enum cuda_result green_of(struct driver *driver, struct CUstream_st *handle, struct CUgreenCtx_st **green)
{
    const struct CUstream_st *stream = stream_of(driver, handle);
    if (stream == NULL) return CUDA_ERROR_INVALID_HANDLE;
    *green = green_of_stream(stream);
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuStreamGetCtx_v2(struct CUstream_st *stream, struct CUctx_st **context,
                                                  struct CUgreenCtx_st **green)
{
    DRIVER_USE_OR_RETURN(driver);
    struct CUgreenCtx_st *unasked;
    if (green == NULL) green = &unasked;
    const enum cuda_result error = green_of(driver, stream, green);
    if (error != CUDA_SUCCESS) return error;
    if (*green == NULL) return cuStreamGetCtx(stream, context);
    if (context == NULL) return CUDA_ERROR_INVALID_VALUE;
    *context = stream_of(driver, stream)->context;
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuStreamGetGreenCtx(struct CUstream_st *stream, struct CUgreenCtx_st **green)
{
    DRIVER_USE_OF_OR_RETURN(driver, stream);
    if (green == NULL) return CUDA_ERROR_INVALID_VALUE;
    return green_of(driver, stream, green);
}

// --- Other devices, of which there are none --------------------------------------------------------------------------

DRIVER_VISIBLE enum cuda_result cuCtxEnablePeerAccess(struct CUctx_st *peer, unsigned flags)
{
    DRIVER_USE_OR_RETURN(driver);
    if (!object_is(peer, OBJECT_CONTEXT)) return CUDA_ERROR_INVALID_CONTEXT;
    return flags != 0 ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
}

DRIVER_USE_CALL(cuCtxDisablePeerAccess, (struct CUctx_st * peer),
                object_is(peer, OBJECT_CONTEXT) ? CUDA_ERROR_PEER_ACCESS_NOT_ENABLED : CUDA_ERROR_INVALID_CONTEXT)

// A device is no peer of itself.
DRIVER_VISIBLE enum cuda_result cuDeviceGetP2PAttribute(int *value, uint32_t attribute, int device, int peer)
{
    (void)attribute, (void)device, (void)peer;
    DRIVER_BEGUN_OR_RETURN(driver);
    return value == NULL ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_DEVICE;
}

// --- The device ------------------------------------------------------------------------------------------------------

static enum cuda_result check(const struct driver *driver, const void *result, int device)
{
    if (!driver->is_initialized) return CUDA_ERROR_NOT_INITIALIZED;
    if (result == NULL) return CUDA_ERROR_INVALID_VALUE;
    return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

DRIVER_VISIBLE enum cuda_result cuDeviceGetExecAffinitySupport(int *value, uint32_t type, int device)
{
    DRIVER_ENTER(driver);
    (void)type;
    const enum cuda_result error = check(driver, value, device);
    if (error == CUDA_SUCCESS) *value = 0;
    return error;
}

// A LUID is a matter of Windows.
DRIVER_VISIBLE enum cuda_result cuDeviceGetLuid(char *luid, unsigned *mask, int device)
{
    DRIVER_ENTER(driver);
    (void)mask;
    const enum cuda_result error = check(driver, luid, device);
    return error != CUDA_SUCCESS ? error : CUDA_ERROR_NOT_SUPPORTED;
}

// The link to the host has no atomic operations.
DRIVER_VISIBLE enum cuda_result cuDeviceGetHostAtomicCapabilities(unsigned *capabilities, const uint32_t *operation,
                                                                  unsigned count, int device)
{
    enum { OPERATIONS = 13 };
    DRIVER_ENTER(driver);
    const enum cuda_result error = check(driver, capabilities, device);
    if (error != CUDA_SUCCESS) return error;
    if (operation == NULL || count == 0) return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < count; i++)
        if (operation[i] >= OPERATIONS) return CUDA_ERROR_INVALID_VALUE;
    memset(capabilities, 0, count * sizeof *capabilities);
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuDeviceGetProperties(struct CUdevprop_st *to, int device)
{
    DRIVER_ENTER(driver);
    const enum cuda_result error = check(driver, to, device);
    if (error != CUDA_SUCCESS) return error;
    int *const member[] = {&to->maxThreadsPerBlock, &to->maxThreadsDim[0],  &to->maxThreadsDim[1],
                           &to->maxThreadsDim[2],   &to->maxGridSize[0],    &to->maxGridSize[1],
                           &to->maxGridSize[2],     &to->sharedMemPerBlock, &to->totalConstantMemory,
                           &to->SIMDWidth,          &to->memPitch,          &to->regsPerBlock,
                           &to->clockRate,          &to->textureAlign}; // attributes 1 to 14, in this order
    for (size_t i = 0; i < sizeof member / sizeof member[0]; i++)
        device_attribute(driver->device, (int)i + 1, member[i]);
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuFlushGPUDirectRDMAWrites(uint32_t target, uint32_t scope)
{
    enum { TO_OWNER = 100, TO_ALL_DEVICES = 200 };
    DRIVER_USE_OR_RETURN(driver);
    return target == 0 && (scope == TO_OWNER || scope == TO_ALL_DEVICES) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

DRIVER_VISIBLE enum cuda_result cuKernelSetCacheConfig(struct CUkern_st *kernel, uint32_t config, int device)
{
    enum { CONFIGS = 4 };
    DRIVER_ENTER(driver);
    if (!object_is(kernel, OBJECT_FUNCTION)) return CUDA_ERROR_INVALID_HANDLE;
    if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
    return config < CONFIGS ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// --- Pools by place --------------------------------------------------------------------------------------------------

// There is one kind of memory in pools, and places are those of pools that are made.
static enum cuda_result check_place(struct driver *driver, const void *pool, const struct cuda_mem_location *location)
{
    if (driver_usable_bare(driver) != CUDA_SUCCESS) return driver_usable_bare(driver);
    if (pool == NULL || location == NULL) return CUDA_ERROR_INVALID_VALUE;
    return location_check(*location);
}

static enum cuda_result pool_at(const char *call, struct CUmemPoolHandle_st **pool,
                                const struct cuda_mem_location *location,
                                enum cuda_result (*of_device)(struct CUmemPoolHandle_st **pool, int device))
{
    DRIVER_ENTER(driver);
    const enum cuda_result error = check_place(driver, pool, location);
    if (error != CUDA_SUCCESS) return error;
    if (location->type != CU_MEM_LOCATION_TYPE_DEVICE)
        return driver_refuse(driver, CUDA_ERROR_NOT_SUPPORTED, call, "only the device has a pool of its own here");
    return of_device(pool, 0);
}

DRIVER_VISIBLE enum cuda_result cuMemGetMemPool(struct CUmemPoolHandle_st **pool, struct cuda_mem_location *location,
                                                uint32_t type)
{
    (void)type;
    return pool_at("cuMemGetMemPool", pool, location, cuDeviceGetMemPool);
}

DRIVER_VISIBLE enum cuda_result cuMemGetDefaultMemPool(struct CUmemPoolHandle_st **pool,
                                                       struct cuda_mem_location *location, uint32_t type)
{
    (void)type;
    return pool_at("cuMemGetDefaultMemPool", pool, location, cuDeviceGetDefaultMemPool);
}

DRIVER_VISIBLE enum cuda_result cuMemSetMemPool(struct cuda_mem_location *location, uint32_t type,
                                                struct CUmemPoolHandle_st *pool)
{
    DRIVER_ENTER(driver);
    (void)type;
    const enum cuda_result error = check_place(driver, pool, location);
    if (error != CUDA_SUCCESS) return error;
    return location->type == CU_MEM_LOCATION_TYPE_DEVICE ? cuDeviceSetMemPool(0, pool) : CUDA_ERROR_INVALID_VALUE;
}
