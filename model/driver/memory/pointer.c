// SPDX-License-Identifier: MIT
// cuPointer*: what an address is.
#include <string.h>

#include "driver.h"

enum pointer_attribute {
    POINTER_CONTEXT = 1,
    POINTER_MEMORY_TYPE = 2,
    POINTER_DEVICE_POINTER = 3,
    POINTER_HOST_POINTER = 4,
    POINTER_SYNC_MEMOPS = 6,
    POINTER_BUFFER_ID = 7,
    POINTER_IS_MANAGED = 8,
    POINTER_DEVICE_ORDINAL = 9,
    POINTER_RANGE_START = 11,
    POINTER_RANGE_SIZE = 12,
    POINTER_MAPPED = 13,
    POINTER_ACCESS_FLAGS = 16,
    POINTER_MEMPOOL = 17,
};

static void put(void *to, uint64_t value, size_t bytes)
{
    memcpy(to, &value, bytes);
}

static bool is_of_host(const struct allocation *found)
{
    return found->kind == ALLOCATION_PINNED || found->kind == ALLOCATION_REGISTERED ||
           found->kind == ALLOCATION_HOST_POOL || found->is_on_host;
}

// That in which it was allocated. What no context owns is said to be of the current one.
static const void *context_of(const struct allocation *found)
{
    const bool is_of_module = found->kind == ALLOCATION_MODULE;
    const void *owner = is_of_module ? ((const struct CUmod_st *)found->owner)->context : found->owner;
    return owner != NULL ? owner : driver_context();
}

static enum cuda_result tell(void *to, uint32_t attribute, const struct allocation *found, uint64_t address)
{
    const bool is_managed = found->kind == ALLOCATION_MANAGED, is_host = is_of_host(found);
    switch (attribute) {
    case POINTER_CONTEXT:
        put(to, (uint64_t)(uintptr_t)context_of(found), sizeof(void *));
        return CUDA_SUCCESS;
    case POINTER_MEMORY_TYPE:
        put(to, is_host ? MEMORY_OF_HOST : MEMORY_OF_DEVICE, sizeof(uint32_t));
        return CUDA_SUCCESS;
    case POINTER_DEVICE_POINTER:
        put(to, address, sizeof address);
        return CUDA_SUCCESS;
    case POINTER_HOST_POINTER:
        if (!is_host && !is_managed) return CUDA_ERROR_INVALID_VALUE;
        put(to, address, sizeof address);
        return CUDA_SUCCESS;
    case POINTER_SYNC_MEMOPS:
    case POINTER_IS_MANAGED:
        put(to, attribute == POINTER_IS_MANAGED && is_managed, sizeof(uint8_t));
        return CUDA_SUCCESS;
    case POINTER_BUFFER_ID:
        put(to, found->id, sizeof found->id);
        return CUDA_SUCCESS;
    case POINTER_DEVICE_ORDINAL:
        put(to, 0, sizeof(int));
        return CUDA_SUCCESS;
    case POINTER_RANGE_START:
        put(to, found->address, sizeof found->address);
        return CUDA_SUCCESS;
    case POINTER_RANGE_SIZE:
        put(to, found->size_bytes, sizeof found->size_bytes);
        return CUDA_SUCCESS;
    case POINTER_MAPPED:
        put(to, 1, sizeof(uint8_t));
        return CUDA_SUCCESS;
    case POINTER_ACCESS_FLAGS:
        put(to, CU_MEM_ACCESS_FLAGS_PROT_READWRITE, sizeof(uint32_t)); // of constants too
        return CUDA_SUCCESS;
    case POINTER_MEMPOOL:
        put(to, (uint64_t)(uintptr_t)found->pool, sizeof(void *));
        return CUDA_SUCCESS;
    default:
        return CUDA_ERROR_INVALID_VALUE;
    }
}

DRIVER_VISIBLE enum cuda_result cuPointerGetAttribute(void *to, uint32_t attribute, unsigned long long address)
{
    DRIVER_USE_BARE_FAILED_OR_RETURN(driver);
    const struct allocation *found = allocations_find(&driver->allocations, address);
    if (to == NULL || found == NULL) return CUDA_ERROR_INVALID_VALUE;
    return tell(to, attribute, found, address);
}

// What is 0 for an address that is not known; what is not even that is not written.
static size_t attribute_bytes(uint32_t attribute)
{
    switch (attribute) {
    case POINTER_MEMORY_TYPE:
    case POINTER_DEVICE_ORDINAL:
    case POINTER_ACCESS_FLAGS:
        return sizeof(uint32_t);
    case POINTER_SYNC_MEMOPS:
    case POINTER_IS_MANAGED:
    case POINTER_MAPPED:
        return sizeof(uint8_t);
    case POINTER_RANGE_SIZE:
        return 0;
    default:
        return sizeof(uint64_t);
    }
}

DRIVER_VISIBLE enum cuda_result cuPointerGetAttributes(unsigned count, uint32_t *attribute, void **to,
                                                       unsigned long long address)
{
    enum { NO_DEVICE = -2, MOST_ATTRIBUTES = 64 }; // more than there are: the count is no count
    DRIVER_USE_OR_RETURN(driver);
    const struct allocation *found = allocations_find(&driver->allocations, address);
    if (attribute == NULL || to == NULL || count > MOST_ATTRIBUTES) return CUDA_ERROR_INVALID_VALUE;
    for (unsigned i = 0; i < count; i++) {
        if (to[i] == NULL) return CUDA_ERROR_INVALID_VALUE;
        put(to[i], 0, attribute_bytes(attribute[i]));
        if (found != NULL) tell(to[i], attribute[i], found, address);
        if (found == NULL && attribute[i] == POINTER_DEVICE_ORDINAL) *(int *)to[i] = NO_DEVICE;
    }
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuPointerSetAttribute(const void *value, uint32_t attribute, unsigned long long address)
{
    DRIVER_USE_OR_RETURN(driver);
    if (value == NULL || attribute != POINTER_SYNC_MEMOPS) return CUDA_ERROR_INVALID_VALUE;
    return allocations_find(&driver->allocations, address) != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
