// SPDX-License-Identifier: MIT
// Managed memory: prefetches, advice and what is told of them. The memory lies where it lies.
#include "capture.h"
#include "ranges.h"
#include "work.h"

enum { HOST_DEVICE = -1, NO_DEVICE = -2 };
enum { READ_MOSTLY = 1, PREFERRED_LOCATION = 3, ACCESSED_BY = 5, UNSET_ACCESSED_BY = 6 };

static enum cuda_result check_managed(const struct driver *driver, uint64_t address, size_t bytes)
{
    const struct allocation *found = allocations_find(&driver->allocations, address);
    if (found == NULL || found->kind != ALLOCATION_MANAGED || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    return bytes <= found->address + found->size_bytes - address ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// After the checks.
static enum cuda_result change(struct driver *driver, uint64_t address, size_t bytes, enum range_change how,
                               struct cuda_mem_location location)
{
    struct allocation *found = allocations_find(&driver->allocations, address);
    const bool is_done =
        ranges_change(&found->ranges, address, address + bytes, found->address + found->size_bytes, how, location);
    return is_done ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

// A graph has no nodes for these.
static enum cuda_result check_not_captured(struct driver *driver, const struct CUstream_st *stream)
{
    if (stream->capture == NULL) return CUDA_SUCCESS;
    capture_spoil(driver, stream->capture_id);
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

// What the calls without a location mean by a device: -1 is the host.
static struct cuda_mem_location location_of(int device)
{
    enum { CPU = -1, HOST = 2 };
    return device == CPU ? (struct cuda_mem_location){HOST, 0}
                         : (struct cuda_mem_location){CU_MEM_LOCATION_TYPE_DEVICE, device};
}

DRIVER_VISIBLE enum cuda_result cuMemPrefetchAsync_v2(unsigned long long address, size_t bytes,
                                                      struct cuda_mem_location location, unsigned flags,
                                                      struct CUstream_st *stream)
{
    DRIVER_USE_OF_OR_RETURN(driver, stream);
    if (stream_of(driver, stream) == NULL) return CUDA_ERROR_INVALID_HANDLE;
    if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
    enum cuda_result error = location_check(location);
    if (error == CUDA_SUCCESS) error = check_managed(driver, address, bytes);
    if (error == CUDA_SUCCESS) error = check_not_captured(driver, stream_of(driver, stream));
    if (location.type == LOCATION_HOST) location.id = HOST_DEVICE;
    return error == CUDA_SUCCESS ? change(driver, address, bytes, RANGE_PREFETCHED, location) : error;
}

DRIVER_CALL(cuMemPrefetchAsync, (unsigned long long address, size_t bytes, int device, struct CUstream_st *stream),
            cuMemPrefetchAsync_v2(address, bytes, location_of(device), 0, stream))

DRIVER_VISIBLE enum cuda_result cuMemAdvise_v2(unsigned long long address, size_t bytes, uint32_t advice,
                                               struct cuda_mem_location location)
{
    DRIVER_USE_OR_RETURN(driver);
    if (advice < READ_MOSTLY || advice > UNSET_ACCESSED_BY) return CUDA_ERROR_INVALID_VALUE;
    if (location.type == 0 || location.type > LOCATION_HOST_NUMA_CURRENT) return CUDA_ERROR_INVALID_VALUE;
    if (advice >= ACCESSED_BY && location.type > LOCATION_HOST)
        return CUDA_ERROR_INVALID_VALUE; // a node accesses nothing
    const bool has_location = advice == PREFERRED_LOCATION || advice >= ACCESSED_BY;
    if (has_location && location_check(location) != CUDA_SUCCESS) return CUDA_ERROR_INVALID_VALUE;
    const enum cuda_result error = check_managed(driver, address, bytes);
    const enum range_change how = RANGE_READ_MOSTLY + (enum range_change)(advice - READ_MOSTLY);
    if (location.type > CU_MEM_LOCATION_TYPE_DEVICE) // nodes of the host are the host
        location = (struct cuda_mem_location){LOCATION_HOST, HOST_DEVICE};
    return error == CUDA_SUCCESS ? change(driver, address, bytes, how, location) : error;
}

DRIVER_VISIBLE enum cuda_result cuMemAdvise(unsigned long long address, size_t bytes, uint32_t advice, int device)
{
    const bool has_location = advice == PREFERRED_LOCATION || advice >= ACCESSED_BY;
    if (has_location && location_check(location_of(device)) != CUDA_SUCCESS) return CUDA_ERROR_INVALID_DEVICE;
    return cuMemAdvise_v2(address, bytes, advice, location_of(device));
}

// --- What is told ----------------------------------------------------------------------------------------------------

enum {
    TELL_READ_MOSTLY = 1,
    TELL_PREFERRED,
    TELL_ACCESSED_BY,
    TELL_PREFETCHED,
    TELL_PREFERRED_TYPE,
    TELL_PREFERRED_ID,
    TELL_PREFETCHED_TYPE,
    TELL_PREFETCHED_ID
};
static int id_of(struct cuda_mem_location location)
{
    return location.type == 0 ? NO_DEVICE : location.id;
}

// A location as the number of a device.
static int device_of(struct cuda_mem_location location)
{
    return location.type > CU_MEM_LOCATION_TYPE_DEVICE ? HOST_DEVICE : id_of(location);
}

static int one_value(const struct range_state *state, uint32_t attribute)
{
    switch (attribute) {
    case TELL_READ_MOSTLY:
        return state->is_read_mostly;
    case TELL_PREFERRED:
        return device_of(state->preferred);
    case TELL_PREFETCHED:
        return device_of(state->prefetched);
    case TELL_PREFERRED_TYPE:
        return (int)state->preferred.type;
    case TELL_PREFERRED_ID:
        return id_of(state->preferred);
    case TELL_PREFETCHED_TYPE:
        return (int)state->prefetched.type;
    default:
        return id_of(state->prefetched);
    }
}

// Those that have it, and none for what is left of the room.
static void tell_accessors(const struct range_state *state, int *to, size_t count)
{
    size_t found = 0;
    if (state->is_of_device && found < count) to[found++] = 0;
    if (state->is_of_host && found < count) to[found++] = HOST_DEVICE;
    while (found < count) to[found++] = NO_DEVICE;
}

static bool is_room(uint32_t attribute, size_t bytes)
{
    if (attribute < TELL_READ_MOSTLY || attribute > TELL_PREFETCHED_ID) return false;
    return attribute == TELL_ACCESSED_BY ? bytes > 0 && bytes % sizeof(int) == 0 : bytes == sizeof(int);
}

DRIVER_VISIBLE enum cuda_result cuMemRangeGetAttributes(void **to, size_t *bytes, uint32_t *attribute,
                                                        size_t attributes, unsigned long long address, size_t count)
{
    DRIVER_USE_OR_RETURN(driver);
    if (to == NULL || bytes == NULL || attribute == NULL || attributes == 0) return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < attributes; i++)
        if (to[i] == NULL || !is_room(attribute[i], bytes[i])) return CUDA_ERROR_INVALID_VALUE;
    const enum cuda_result error = check_managed(driver, address, count);
    if (error != CUDA_SUCCESS) return error;
    const struct allocation *found = allocations_find(&driver->allocations, address);
    const struct range_state state = ranges_state(&found->ranges, address, address + count);
    for (size_t i = 0; i < attributes; i++) {
        if (attribute[i] == TELL_ACCESSED_BY)
            tell_accessors(&state, to[i], bytes[i] / sizeof(int));
        else
            *(int *)to[i] = one_value(&state, attribute[i]);
    }
    return CUDA_SUCCESS;
}

DRIVER_CALL(cuMemRangeGetAttribute,
            (void *to, size_t bytes, uint32_t attribute, unsigned long long address, size_t count),
            cuMemRangeGetAttributes(&to, &bytes, &attribute, 1, address, count))

// --- Lists -----------------------------------------------------------------------------------------------------------

// Ranges of managed memory, and where each goes: place `i` is of those from from[i] on.
struct range_list {
    unsigned long long *address;
    size_t *bytes, count;
    struct cuda_mem_location *place;
    size_t *from, places;
    unsigned long long flags;
};

static enum cuda_result check_list(struct driver *driver, const struct range_list *list, struct CUstream_st *handle)
{
    const struct CUstream_st *stream = stream_of(driver, handle);
    if (stream == NULL) return CUDA_ERROR_INVALID_HANDLE;
    if (stream_is_of_all(stream)) return CUDA_ERROR_INVALID_VALUE;
    if (list->address == NULL || list->bytes == NULL || list->count == 0 || list->flags != 0)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < list->count; i++)
        if (check_managed(driver, list->address[i], list->bytes[i]) != CUDA_SUCCESS) return CUDA_ERROR_INVALID_VALUE;
    return check_not_captured(driver, stream);
}

static enum cuda_result check_places(const struct range_list *list)
{
    if (list->place == NULL || list->from == NULL || list->places == 0 || list->places > list->count)
        return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < list->places; i++) {
        if (location_check(list->place[i]) != CUDA_SUCCESS) return CUDA_ERROR_INVALID_VALUE;
        if (i == 0 ? list->from[0] != 0 : list->from[i] <= list->from[i - 1]) return CUDA_ERROR_INVALID_VALUE;
        if (list->from[i] >= list->count) return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

static enum cuda_result prefetch_list(const struct range_list *list, struct CUstream_st *stream)
{
    DRIVER_USE_OR_RETURN(driver);
    enum cuda_result error = check_list(driver, list, stream);
    if (error == CUDA_SUCCESS) error = check_places(list);
    for (size_t i = 0, at = 0; i < list->count && error == CUDA_SUCCESS; i++) {
        if (at + 1 < list->places && list->from[at + 1] == i) at++;
        error = change(driver, list->address[i], list->bytes[i], RANGE_PREFETCHED, list->place[at]);
    }
    return error;
}

DRIVER_CALL(cuMemPrefetchBatchAsync,
            (unsigned long long *address, size_t *bytes, size_t count, struct cuda_mem_location *place,
             size_t *place_from, size_t places, unsigned long long flags, struct CUstream_st *stream),
            prefetch_list(&(struct range_list){address, bytes, count, place, place_from, places, flags}, stream))

// What memory holds that is discarded is open: here it stays.
DRIVER_USE_CALL(cuMemDiscardBatchAsync,
                (unsigned long long *address, size_t *bytes, size_t count, unsigned long long flags,
                 struct CUstream_st *stream),
                check_list(driver, &(struct range_list){address, bytes, count, NULL, NULL, 0, flags}, stream))
DRIVER_CALL(cuMemDiscardAndPrefetchBatchAsync,
            (unsigned long long *address, size_t *bytes, size_t count, struct cuda_mem_location *place,
             size_t *place_from, size_t places, unsigned long long flags, struct CUstream_st *stream),
            cuMemPrefetchBatchAsync(address, bytes, count, place, place_from, places, flags, stream))
