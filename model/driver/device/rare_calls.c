// SPDX-License-Identifier: MIT
// Calls that few programs make: contexts that are attached, cooperative launches on several devices of which there is
// one, notifications that never come, functions that host and device have at one address, which an H200 has none of.
#include "cuda_api.h"
#include "driver.h"

enum { MULTIPROCESSOR_COUNT, AFFINITIES };

DRIVER_VISIBLE enum cuda_result cuCtxAttach(struct CUctx_st **context, unsigned flags)
{
    DRIVER_USE_OR_RETURN(driver);
    if (context == NULL || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    *context = driver_current();
    (*context)->attached++;
    return CUDA_SUCCESS;
}

// The last one destroys a context of the program's own.
DRIVER_VISIBLE enum cuda_result cuCtxDetach(struct CUctx_st *context)
{
    DRIVER_BEGUN_OR_RETURN(driver);
    if (!object_is(context, OBJECT_CONTEXT)) return CUDA_ERROR_INVALID_CONTEXT;
    if (context->attached > 0) {
        context->attached--;
        return CUDA_SUCCESS;
    }
    return context == driver->primary ? CUDA_SUCCESS : cuCtxDestroy_v2(context);
}

DRIVER_VISIBLE enum cuda_result cuCtxGetExecAffinity(struct CUexecAffinityParam_st *to, uint32_t type)
{
    DRIVER_USE_OR_RETURN(driver);
    int count = 0;
    if (to == NULL) return CUDA_ERROR_INVALID_VALUE;
    if (type >= AFFINITIES) return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
    cuDeviceGetAttribute(&count, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0);
    *to = (struct CUexecAffinityParam_st){.type = MULTIPROCESSOR_COUNT, .count = (uint32_t)count};
    return CUDA_SUCCESS;
}

// The one device is no peer of itself.
DRIVER_VISIBLE enum cuda_result cuDeviceGetP2PAtomicCapabilities(unsigned *capabilities, const uint32_t *operation,
                                                                 unsigned count, int from, int to)
{
    (void)from, (void)to;
    DRIVER_BEGUN_OR_RETURN(driver);
    if (capabilities == NULL || operation == NULL || count == 0) return CUDA_ERROR_INVALID_VALUE;
    return CUDA_ERROR_INVALID_DEVICE;
}

DRIVER_VISIBLE enum cuda_result cuLaunchCooperativeKernelMultiDevice(struct CUDA_LAUNCH_PARAMS_st *launch,
                                                                     unsigned devices, unsigned flags)
{
    enum { ALL_FLAGS = 3, DEFAULT_HANDLES = 2 };
    DRIVER_USE_OR_RETURN(driver);
    if (launch == NULL || devices != 1 || flags > ALL_FLAGS) return CUDA_ERROR_INVALID_VALUE;
    if ((uintptr_t)launch->hStream <= DEFAULT_HANDLES) return CUDA_ERROR_INVALID_HANDLE;
    return cuLaunchCooperativeKernel(launch->function, launch->gridDimX, launch->gridDimY, launch->gridDimZ,
                                     launch->blockDimX, launch->blockDimY, launch->blockDimZ, launch->sharedMemBytes,
                                     launch->hStream, launch->kernelParams);
}

struct CUasyncCallbackEntry_st {
    struct object object;
};

DRIVER_VISIBLE enum cuda_result cuDeviceRegisterAsyncNotification(
    int device,
    void (*call)(struct CUasyncNotificationInfo_st *info, void *user, struct CUasyncCallbackEntry_st *callback),
    void *user, struct CUasyncCallbackEntry_st **callback)
{
    (void)user;
    DRIVER_BEGUN_OR_RETURN(driver);
    if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
    if (call == NULL || callback == NULL) return CUDA_ERROR_INVALID_VALUE;
    *callback = object_new(&driver->objects, OBJECT_NOTIFICATION, sizeof **callback);
    return *callback != NULL ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

DRIVER_VISIBLE enum cuda_result cuDeviceUnregisterAsyncNotification(int device,
                                                                    struct CUasyncCallbackEntry_st *callback)
{
    DRIVER_BEGUN_OR_RETURN(driver);
    if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
    if (!object_is(callback, OBJECT_NOTIFICATION)) return CUDA_ERROR_INVALID_VALUE;
    object_destroy(&driver->objects, callback);
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuLibraryGetUnifiedFunction(void **function, struct CUlib_st *library,
                                                            const char *symbol)
{
    DRIVER_USE_OR_RETURN(driver);
    (void)function, (void)symbol;
    return object_is(library, OBJECT_MODULE) ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_HANDLE;
}
