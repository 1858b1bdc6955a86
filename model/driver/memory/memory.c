// SPDX-License-Identifier: MIT
// cuMem*: memory of the device, managed and pinned memory, and memory of the program's own that is registered.
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture.h"
#include "device.h"
#include "graph_memory.h"
#include "sanitize_order.h"
#include "turns.h"
#include "why_host.h"

enum { PITCH_BYTES = 512, ALL_HOST_FLAGS = 7, ALL_REGISTER_FLAGS = 15, ATTACH_GLOBAL = 1, ATTACH_HOST = 2 };
enum { HOST_PORTABLE = 1, HOST_MAPPED = 2 };

enum cuda_result memory_allocate(struct driver *driver, const char *call, unsigned long long *address, size_t bytes,
                                 enum allocation_kind kind, uint32_t flags)
{
    const uint64_t left = allocations_left(&driver->allocations, driver->device->memory_bytes);
    if (address == NULL || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    if (allocation_is_of_device(kind) && bytes > left)
        return driver_refuse(driver, CUDA_ERROR_OUT_OF_MEMORY, call, "%zu bytes asked for, %zu left of the %s", bytes,
                             (size_t)left, driver->device->name);
    *address = allocations_make(&driver->allocations, bytes, kind, flags, driver_context());
    if (*address != 0) sanitize_order_allocate(driver, NULL, *address, bytes);
    if (*address != 0) look_why_allocate(driver->look, *address, bytes);
    return *address != 0 ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

// The same by a call that may wait for the GPU.
static enum cuda_result allocate(struct driver *driver, const char *call, unsigned long long *address, size_t bytes,
                                 enum allocation_kind kind, uint32_t flags)
{
    const enum cuda_result error = capture_check_safe(driver);
    return error != CUDA_SUCCESS ? error : memory_allocate(driver, call, address, bytes, kind, flags);
}

DRIVER_USE_CALL(cuMemAlloc_v2, (unsigned long long *address, size_t bytes),
                allocate(driver, "cuMemAlloc", address, bytes, ALLOCATION_DEVICE, 0))

DRIVER_VISIBLE enum cuda_result cuMemAllocPitch_v2(unsigned long long *address, size_t *pitch, size_t width,
                                                   size_t height, unsigned element_bytes)
{
    DRIVER_USE_OR_RETURN(driver);
    if (pitch == NULL || width == 0 || height == 0) return CUDA_ERROR_INVALID_VALUE;
    if (element_bytes != 4 && element_bytes != 8 && element_bytes != 16) return CUDA_ERROR_INVALID_VALUE;
    size_t bytes;
    if (__builtin_add_overflow(width, PITCH_BYTES - 1, pitch)) return CUDA_ERROR_OUT_OF_MEMORY;
    *pitch -= *pitch % PITCH_BYTES;
    if (__builtin_mul_overflow(*pitch, height, &bytes)) return CUDA_ERROR_OUT_OF_MEMORY;
    return allocate(driver, "cuMemAllocPitch", address, bytes, ALLOCATION_DEVICE, 0);
}

DRIVER_VISIBLE enum cuda_result cuMemAllocManaged(unsigned long long *address, size_t bytes, unsigned flags)
{
    DRIVER_USE_OR_RETURN(driver);
    if (flags != ATTACH_GLOBAL && flags != ATTACH_HOST) return CUDA_ERROR_INVALID_VALUE;
    return allocate(driver, "cuMemAllocManaged", address, bytes, ALLOCATION_MANAGED, flags);
}

DRIVER_VISIBLE enum cuda_result cuMemHostAlloc(void **address, size_t bytes, unsigned flags)
{
    DRIVER_USE_OR_RETURN(driver);
    unsigned long long made = 0;
    if (address == NULL || flags > ALL_HOST_FLAGS) return CUDA_ERROR_INVALID_VALUE;
    *address = NULL;
    if (bytes == 0) return CUDA_SUCCESS;
    const uint32_t told = (flags & ~(unsigned)HOST_PORTABLE) | HOST_MAPPED; // what cuMemHostGetFlags says
    enum cuda_result error = allocate(driver, "cuMemHostAlloc", &made, bytes, ALLOCATION_PINNED, told);
    if (error == CUDA_SUCCESS) *address = (void *)(uintptr_t)made;
    return error;
}

DRIVER_CALL(cuMemAllocHost_v2, (void **address, size_t bytes), cuMemHostAlloc(address, bytes, HOST_MAPPED))

// Of one of these kinds only, a bit for each. The caller has waited: another thread may have something else there
// since.
static enum cuda_result free_if(struct driver *driver, const char *call, uint64_t address, uint32_t kinds)
{
    struct allocation *found = allocations_find(&driver->allocations, address);
    if (found != NULL && found->address == address && kinds >> found->kind & 1) {
        allocations_remove(&driver->allocations, found);
        return CUDA_SUCCESS;
    }
    const char *why = found == NULL ? "there is no allocation (already freed?)"
                                    : "it is not the start of an allocation "
                                      "that this call frees";
    return driver_refuse(driver, CUDA_ERROR_INVALID_VALUE, call, "%#llx: %s", (unsigned long long)address, why);
}

DRIVER_VISIBLE enum cuda_result cuMemFree_v2(unsigned long long address)
{
    DRIVER_USE_BARE_OR_RETURN(driver);
    if (address == 0) return CUDA_SUCCESS;
    const enum cuda_result error = capture_check_safe(driver);
    if (error != CUDA_SUCCESS) return error;
    const struct allocation *found = allocations_find(&driver->allocations, address);
    if (found != NULL && found->pool != NULL) {
        turns_wait_for_calls(driver, NULL); // an H200's driver does not wait for the GPU here
        sanitize_order_free(driver, found->address, found->size_bytes);
    } else {
        turns_wait(driver, NULL);
    }
    if (graph_memory_at(driver, address) != NULL) return graph_memory_free(driver, address);
    return free_if(driver, "cuMemFree", address,
                   1u << ALLOCATION_DEVICE | 1u << ALLOCATION_MANAGED | 1u << ALLOCATION_HOST_POOL |
                       1u << ALLOCATION_POOL_IPC);
}

DRIVER_VISIBLE enum cuda_result cuMemFreeHost(void *address)
{
    DRIVER_USE_BARE_OR_RETURN(driver);
    if (address == NULL) return CUDA_SUCCESS;
    turns_wait(driver, NULL);
    return free_if(driver, "cuMemFreeHost", (uint64_t)(uintptr_t)address, 1u << ALLOCATION_PINNED);
}

DRIVER_VISIBLE enum cuda_result cuMemGetInfo_v2(size_t *left, size_t *total)
{
    DRIVER_USE_OR_RETURN(driver);
    if (total != NULL) *total = driver->device->memory_bytes;
    if (left != NULL) *left = allocations_left(&driver->allocations, driver->device->memory_bytes);
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuMemGetAddressRange_v2(unsigned long long *base, size_t *bytes,
                                                        unsigned long long address)
{
    DRIVER_USE_OR_RETURN(driver);
    const struct allocation *found = allocations_find(&driver->allocations, address);
    if (found == NULL) return CUDA_ERROR_NOT_FOUND;
    if (base != NULL) *base = found->address;
    if (bytes != NULL) *bytes = found->size_bytes;
    return CUDA_SUCCESS;
}

// --- Memory of the host ----------------------------------------------------------------------------------------------

// Is there anything in the page of an address?
static bool is_mapped(const void *address)
{
    unsigned char in_core;
    const uintptr_t page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE), at = (uintptr_t)address;
    return mincore((void *)(at - at % page_bytes), 1, &in_core) == 0;
}

DRIVER_VISIBLE enum cuda_result cuMemHostRegister_v2(void *address, size_t bytes, unsigned flags)
{
    enum { OF_DEVICE = 4, READ_ONLY = 8 };
    DRIVER_USE_OR_RETURN(driver);
    if (address == NULL || bytes == 0 || flags > ALL_REGISTER_FLAGS || flags & OF_DEVICE)
        return CUDA_ERROR_INVALID_VALUE;
    const struct allocation *known = allocations_find(&driver->allocations, (uint64_t)(uintptr_t)address);
    if (known != NULL && known->kind != ALLOCATION_REGISTERED) return CUDA_ERROR_INVALID_VALUE;
    if (!is_mapped(address))
        return driver_refuse(driver, CUDA_ERROR_INVALID_VALUE, "cuMemHostRegister", "no memory is mapped at %p",
                             address);
    const struct allocation allocation = {.address = (uint64_t)(uintptr_t)address,
                                          .size_bytes = bytes,
                                          .kind = ALLOCATION_REGISTERED,
                                          .flags = flags,
                                          .is_read_only = (flags & READ_ONLY) != 0,
                                          .owner = driver_context()};
    return allocations_add(&driver->allocations, &allocation) ? CUDA_SUCCESS
                                                              : CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
}

DRIVER_VISIBLE enum cuda_result cuMemHostUnregister(void *address)
{
    DRIVER_USE_OR_RETURN(driver);
    turns_wait(driver, NULL);
    struct allocation *found = allocations_find(&driver->allocations, (uint64_t)(uintptr_t)address);
    if (address == NULL) return CUDA_ERROR_INVALID_VALUE;
    if (found == NULL) return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
    if (found->kind != ALLOCATION_REGISTERED || found->address != (uint64_t)(uintptr_t)address)
        return CUDA_ERROR_INVALID_VALUE;
    allocations_remove(&driver->allocations, found);
    return CUDA_SUCCESS;
}

static const struct allocation *host_memory_at(const struct driver *driver, const void *address)
{
    const struct allocation *found = allocations_find(&driver->allocations, (uint64_t)(uintptr_t)address);
    return found != NULL && (found->kind == ALLOCATION_PINNED || found->kind == ALLOCATION_REGISTERED) ? found : NULL;
}

DRIVER_VISIBLE enum cuda_result cuMemHostGetDevicePointer_v2(unsigned long long *device, void *host, unsigned flags)
{
    DRIVER_USE_OR_RETURN(driver);
    if (device == NULL || flags != 0 || host_memory_at(driver, host) == NULL) return CUDA_ERROR_INVALID_VALUE;
    *device = (uint64_t)(uintptr_t)host;
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuMemHostGetFlags(unsigned *flags, void *host)
{
    DRIVER_USE_OR_RETURN(driver);
    const struct allocation *found = host_memory_at(driver, host);
    if (flags == NULL || found == NULL) return CUDA_ERROR_INVALID_VALUE;
    *flags = found->flags | HOST_MAPPED;
    return CUDA_SUCCESS;
}
