// SPDX-License-Identifier: MIT
// Green contexts: the primary context with a part of the device's multiprocessors. The parts are counted and told, and
// bound what a cooperative launch may have; kernels run one after the other all the same.
#include "green.h"

#include "cuda_api.h"
#include "device.h"
#include "turns.h"

enum { RESOURCE_SM = 1, DEFAULT_STREAM = 1, NON_BLOCKING = 1 };
enum { IGNORE_COSCHEDULING = 1, MAX_CLUSTER = 2 };
enum { PARTITION = 8, FINE_PARTITION = 2 };

// What the padding of a resource says: 0 is no resource that a call filled in.
enum resource_origin { ORIGIN_NONE, ORIGIN_WHOLE, ORIGIN_GREEN, ORIGIN_SPLIT };

struct CUdevResourceDesc_st {
    struct object object;
    unsigned count;
};

// What cannot be split tells nothing of how it can be.
static struct CUdevResource_st resource(enum resource_origin origin, unsigned count)
{
    struct CUdevResource_st made = {.type = RESOURCE_SM};
    made.sm.smCount = count;
    if (origin != ORIGIN_SPLIT) made.sm.minSmPartitionSize = made.sm.smCoscheduledAlignment = PARTITION;
    made._internal_padding[0] = (unsigned char)origin;
    return made;
}

static unsigned whole(const struct driver *driver)
{
    int count = 0;
    device_attribute(driver->device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &count);
    return (unsigned)count;
}

// How many multiprocessors a green context has; NULL: the device.
static unsigned green_multiprocessors(const struct driver *driver, const struct CUgreenCtx_st *green)
{
    return green != NULL ? green->count : whole(driver);
}

// The primary context has one default stream of all, whichever green context asked for it first.
struct CUgreenCtx_st *green_of_stream(const struct CUstream_st *stream)
{
    return stream->whose != 0 ? driver_current()->green : stream->green;
}

// --- Resources -------------------------------------------------------------------------------------------------------

static enum cuda_result give(struct CUdevResource_st *to, uint32_t type, enum resource_origin origin, unsigned count)
{
    if (to == NULL) return CUDA_ERROR_INVALID_VALUE;
    if (type != RESOURCE_SM) return CUDA_ERROR_INVALID_RESOURCE_TYPE;
    *to = resource(origin, count);
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuDeviceGetDevResource(int device, struct CUdevResource_st *to, uint32_t type)
{
    DRIVER_BEGUN_OR_RETURN(driver);
    if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
    return give(to, type, ORIGIN_WHOLE, whole(driver));
}

DRIVER_VISIBLE enum cuda_result cuCtxGetDevResource(struct CUctx_st *context, struct CUdevResource_st *to,
                                                    uint32_t type)
{
    DRIVER_USE_OR_RETURN(driver);
    if (!object_is(context, OBJECT_CONTEXT)) return CUDA_ERROR_INVALID_CONTEXT;
    return give(to, type, context->green != NULL ? ORIGIN_GREEN : ORIGIN_WHOLE,
                green_multiprocessors(driver, context->green));
}

DRIVER_VISIBLE enum cuda_result cuGreenCtxGetDevResource(struct CUgreenCtx_st *green, struct CUdevResource_st *to,
                                                         uint32_t type)
{
    DRIVER_USE_OR_RETURN(driver);
    if (!object_is(green, OBJECT_GREEN)) return CUDA_ERROR_INVALID_CONTEXT;
    return give(to, type, ORIGIN_GREEN, green->count);
}

// --- Splitting -------------------------------------------------------------------------------------------------------

// How many multiprocessors a group has that is to have `least`.
static unsigned group_of(const struct CUdevResource_st *from, unsigned flags, unsigned least)
{
    const unsigned step = flags & IGNORE_COSCHEDULING ? FINE_PARTITION : PARTITION;
    const unsigned group = least == 0 ? step : (least + step - 1) / step * step;
    return group < from->sm.smCount ? group : from->sm.smCount;
}

// An H200 has 16 times 8 multiprocessors, and makes 15 groups of 8 of them: one group would not lie together.
static unsigned groups_of(const struct CUdevResource_st *from, unsigned flags, unsigned group)
{
    const unsigned most = from->sm.smCount / group;
    const bool is_apart = from->_internal_padding[0] == ORIGIN_WHOLE && group == PARTITION;
    return is_apart && !(flags & IGNORE_COSCHEDULING) ? most - 1 : most;
}

// What one split makes cannot be split again before a green context has it.
static enum cuda_result check_split(const struct CUdevResource_st *from, unsigned flags, unsigned least)
{
    if ((flags & IGNORE_COSCHEDULING) && (flags & MAX_CLUSTER)) return CUDA_ERROR_INVALID_VALUE;
    if (from->type != RESOURCE_SM) return CUDA_ERROR_INVALID_RESOURCE_TYPE;
    const enum resource_origin origin = from->_internal_padding[0];
    const bool is_whole = origin == ORIGIN_WHOLE || origin == ORIGIN_GREEN;
    return is_whole && from->sm.smCount > 0 && least <= from->sm.smCount ? CUDA_SUCCESS
                                                                         : CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION;
}

DRIVER_VISIBLE enum cuda_result cuDevSmResourceSplitByCount(struct CUdevResource_st *to, unsigned *count,
                                                            const struct CUdevResource_st *from,
                                                            struct CUdevResource_st *rest, unsigned flags,
                                                            unsigned least)
{
    DRIVER_BEGUN_OR_RETURN(driver);
    if (count == NULL || from == NULL || (to != NULL && *count == 0)) return CUDA_ERROR_INVALID_VALUE;
    const enum cuda_result error = check_split(from, flags, least);
    if (error != CUDA_SUCCESS) return error;
    const unsigned group = group_of(from, flags, least), most = groups_of(from, flags, group);
    if (to == NULL || *count > most) *count = most;
    if (to == NULL) return CUDA_SUCCESS;
    for (unsigned i = 0; i < *count; i++) to[i] = resource(ORIGIN_SPLIT, group);
    const unsigned left = from->sm.smCount - *count * group;
    if (rest != NULL) *rest = left > 0 ? resource(ORIGIN_SPLIT, left) : (struct CUdevResource_st){.type = 0};
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuDevResourceGenerateDesc(struct CUdevResourceDesc_st **desc,
                                                          struct CUdevResource_st *from, unsigned count)
{
    DRIVER_ENTER(driver);
    unsigned total = 0;
    if (!driver->is_initialized) return CUDA_ERROR_NOT_INITIALIZED;
    if (desc == NULL || from == NULL || count == 0) return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < count; i++) {
        if (from[i].type != RESOURCE_SM) return CUDA_ERROR_INVALID_RESOURCE_TYPE;
        if (from[i]._internal_padding[0] == ORIGIN_NONE) return CUDA_ERROR_INVALID_VALUE;
        total += from[i].sm.smCount;
    }
    struct CUdevResourceDesc_st *made = object_new(&driver->objects, OBJECT_RESOURCES, sizeof *made);
    if (made == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
    made->count = total;
    *desc = made;
    return CUDA_SUCCESS;
}

// --- Contexts --------------------------------------------------------------------------------------------------------

DRIVER_VISIBLE enum cuda_result cuGreenCtxCreate(struct CUgreenCtx_st **green, struct CUdevResourceDesc_st *desc,
                                                 int device, unsigned flags)
{
    DRIVER_ENTER(driver);
    struct CUctx_st *primary;
    if (!driver->is_initialized) return CUDA_ERROR_NOT_INITIALIZED;
    if (green == NULL || !(flags & DEFAULT_STREAM) || !object_is(desc, OBJECT_RESOURCES))
        return CUDA_ERROR_INVALID_VALUE;
    const enum cuda_result error = cuDevicePrimaryCtxRetain(&primary, device);
    if (error != CUDA_SUCCESS) return error;
    struct CUgreenCtx_st *made = object_new(&driver->objects, OBJECT_GREEN, sizeof *made);
    struct CUctx_st *context = made == NULL ? NULL : context_of_green(driver, made);
    if (context == NULL) {
        if (made != NULL) object_destroy(&driver->objects, made);
        cuDevicePrimaryCtxRelease_v2(device);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    made->count = desc->count;
    made->context = context;
    *green = made;
    return CUDA_SUCCESS;
}

// Its streams stay, and are of no use.
DRIVER_VISIBLE enum cuda_result cuGreenCtxDestroy(struct CUgreenCtx_st *green)
{
    DRIVER_BEGUN_OR_RETURN(driver);
    if (!object_is(green, OBJECT_GREEN)) return CUDA_ERROR_INVALID_CONTEXT;
    turns_wait(driver, NULL);
    if (!object_is(green, OBJECT_GREEN)) return CUDA_ERROR_INVALID_CONTEXT; // another thread was faster
    object_destroy(&driver->objects, green->context);
    object_destroy(&driver->objects, green);
    return cuDevicePrimaryCtxRelease_v2(0);
}

DRIVER_VISIBLE enum cuda_result cuCtxFromGreenCtx(struct CUctx_st **context, struct CUgreenCtx_st *green)
{
    DRIVER_BEGUN_OR_RETURN(driver);
    if (context == NULL) return CUDA_ERROR_INVALID_VALUE;
    if (!object_is(green, OBJECT_GREEN)) return CUDA_ERROR_INVALID_CONTEXT;
    *context = green->context;
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuGreenCtxGetId(struct CUgreenCtx_st *green, unsigned long long *id)
{
    DRIVER_ENTER(driver);
    if (!object_is(green, OBJECT_GREEN) || id == NULL) return CUDA_ERROR_INVALID_CONTEXT;
    *id = green->context->id;
    return CUDA_SUCCESS;
}

static enum cuda_result check_pair(const struct CUgreenCtx_st *green, const struct CUevent_st *event)
{
    if (!object_is(green, OBJECT_GREEN)) return CUDA_ERROR_INVALID_CONTEXT;
    return object_is(event, OBJECT_EVENT) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

DRIVER_VISIBLE enum cuda_result cuGreenCtxRecordEvent(struct CUgreenCtx_st *green, struct CUevent_st *event)
{
    DRIVER_USE_OR_RETURN(driver);
    const enum cuda_result error = check_pair(green, event);
    return error != CUDA_SUCCESS ? error : cuEventRecord(event, NULL);
}

DRIVER_USE_CALL(cuGreenCtxWaitEvent, (struct CUgreenCtx_st * green, struct CUevent_st *event), check_pair(green, event))

DRIVER_VISIBLE enum cuda_result cuGreenCtxStreamCreate(struct CUstream_st **stream, struct CUgreenCtx_st *green,
                                                       unsigned flags, int priority)
{
    DRIVER_USE_OR_RETURN(driver);
    if (stream == NULL || flags != NON_BLOCKING) return CUDA_ERROR_INVALID_VALUE;
    if (!object_is(green, OBJECT_GREEN)) return CUDA_ERROR_INVALID_CONTEXT;
    const enum cuda_result error = cuStreamCreateWithPriority(stream, flags, priority);
    if (error == CUDA_SUCCESS) (*stream)->green = green;
    return error;
}
