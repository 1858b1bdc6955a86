// SPDX-License-Identifier: MIT
// Addresses that are reserved first and backed by memory later: cuMemAddressReserve, cuMemCreate, cuMemMap and theirs.
// A handle is a file in memory, so that it can be mapped at several addresses.
#define _GNU_SOURCE 1
#include <sys/mman.h>
#include <unistd.h>

#include "device.h"
#include "driver.h"

#define GRANULARITY ((size_t)2 << 20)

static int is_whole(uint64_t bytes)
{
    return bytes != 0 && bytes % GRANULARITY == 0;
}

DRIVER_VISIBLE enum cuda_result
cuMemGetAllocationGranularity(size_t *bytes, const struct cuda_mem_allocation_prop *prop, uint32_t option)
{
    DRIVER_ENTER(driver);
    if (!driver->is_initialized) return CUDA_ERROR_NOT_INITIALIZED;
    if (bytes == NULL || prop == NULL || option > CU_MEM_ALLOC_GRANULARITY_RECOMMENDED) return CUDA_ERROR_INVALID_VALUE;
    *bytes = GRANULARITY;
    return CUDA_SUCCESS;
}

// Rounded up to the granularity, inside of what mmap gives.
DRIVER_VISIBLE enum cuda_result cuMemAddressReserve(unsigned long long *address, size_t bytes, size_t alignment,
                                                    unsigned long long hint, unsigned long long flags)
{
    DRIVER_ENTER(driver);
    if (!driver->is_initialized) return CUDA_ERROR_NOT_INITIALIZED;
    if (address == NULL || !is_whole(bytes) || flags != 0 || (alignment & (alignment - 1)))
        return CUDA_ERROR_INVALID_VALUE;
    if (alignment < GRANULARITY) alignment = GRANULARITY;
    const int protection = PROT_NONE, kind = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    if (hint != 0 && hint % alignment == 0) {
        void *there = mmap((void *)(uintptr_t)hint, bytes, protection, kind | MAP_FIXED_NOREPLACE, -1, 0);
        *address = (uint64_t)(uintptr_t)there;
        if (*address == hint) return CUDA_SUCCESS;
    }
    void *made = mmap(NULL, bytes + alignment, protection, kind, -1, 0);
    if (made == MAP_FAILED) return CUDA_ERROR_OUT_OF_MEMORY;
    const uint64_t start = (uint64_t)(uintptr_t)made;
    *address = (start + alignment - 1) / alignment * alignment;
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuMemAddressFree(unsigned long long address, size_t bytes)
{
    DRIVER_ENTER(driver);
    if (!driver->is_initialized) return CUDA_ERROR_NOT_INITIALIZED;
    if (address == 0 || !is_whole(bytes)) return CUDA_ERROR_INVALID_VALUE;
    munmap((void *)(uintptr_t)address, bytes);
    return CUDA_SUCCESS;
}

// A handle is the number of its file, and one more: 0 is none.
DRIVER_VISIBLE enum cuda_result cuMemCreate(unsigned long long *handle, size_t bytes,
                                            const struct cuda_mem_allocation_prop *prop, unsigned long long flags)
{
    DRIVER_ENTER(driver);
    if (!driver->is_initialized) return CUDA_ERROR_NOT_INITIALIZED;
    if (handle == NULL || prop == NULL || flags != 0 || !is_whole(bytes)) return CUDA_ERROR_INVALID_VALUE;
    const int file = memfd_create("tmaref", MFD_CLOEXEC);
    if (file < 0) return CUDA_ERROR_OUT_OF_MEMORY;
    if (ftruncate(file, (off_t)bytes) != 0) {
        close(file);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *handle = (unsigned long long)file + 1;
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuMemRelease(unsigned long long handle)
{
    return handle != 0 && close((int)handle - 1) == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

DRIVER_VISIBLE enum cuda_result cuMemMap(unsigned long long address, size_t bytes, size_t offset,
                                         unsigned long long handle, unsigned long long flags)
{
    DRIVER_USE(driver);
    if (!is_whole(bytes) || flags != 0 || handle == 0) return CUDA_ERROR_INVALID_VALUE;
    const struct allocation allocation = {
        .address = address, .size_bytes = bytes, .kind = ALLOCATION_MAPPED, .is_hidden = 1, .owner = driver_context()};
    void *there = mmap((void *)(uintptr_t)address, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                       (int)handle - 1, (off_t)offset);
    if (there == MAP_FAILED) return CUDA_ERROR_INVALID_VALUE;
    return allocations_add(&driver->allocations, &allocation) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

DRIVER_VISIBLE enum cuda_result cuMemUnmap(unsigned long long address, size_t bytes)
{
    DRIVER_USE(driver);
    struct allocation *found = allocations_find(&driver->allocations, address);
    if (found == NULL || found->kind != ALLOCATION_MAPPED || found->address != address || found->size_bytes != bytes)
        return CUDA_ERROR_INVALID_VALUE;
    allocations_remove(&driver->allocations, found);
    mmap((void *)(uintptr_t)address, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuMemSetAccess(unsigned long long address, size_t bytes,
                                               const struct cuda_mem_access_desc *desc, size_t count)
{
    DRIVER_USE(driver);
    if (desc == NULL || count == 0 || !is_whole(bytes)) return CUDA_ERROR_INVALID_VALUE;
    for (uint64_t at = address; at < address + bytes;) {
        struct allocation *found = allocations_find(&driver->allocations, at);
        if (found == NULL || found->kind != ALLOCATION_MAPPED) return CUDA_ERROR_INVALID_VALUE;
        found->is_hidden = desc->flags == CU_MEM_ACCESS_FLAGS_PROT_NONE;
        found->is_read_only = desc->flags == CU_MEM_ACCESS_FLAGS_PROT_READ;
        at = found->address + found->size_bytes;
    }
    driver->allocations.has_changed = 1;
    return CUDA_SUCCESS;
}
