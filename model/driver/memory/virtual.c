// SPDX-License-Identifier: MIT
// Addresses that are reserved first and backed by memory later: cuMemAddressReserve, cuMemMap and theirs. The memory is
// in backing.c.
#define _GNU_SOURCE 1
#include <sys/mman.h>

#include "backing.h"
#include "turns.h"

#define GRANULARITY BACKING_GRANULARITY

// Addresses of cuMemAddressReserve.
struct reservation {
    struct object object;
    uint64_t address, size_bytes;
};

static bool is_within(uint64_t start, uint64_t bytes, uint64_t whole_start, uint64_t whole_bytes)
{
    return start >= whole_start && bytes <= whole_bytes && start - whole_start <= whole_bytes - bytes;
}

// The reservation that holds all these addresses, or NULL.
static struct reservation *reservation_of(const struct driver *driver, uint64_t address, uint64_t bytes)
{
    for (struct object *object = driver->objects.live[OBJECT_RESERVATION]; object != NULL; object = object->next) {
        struct reservation *reservation = (struct reservation *)object;
        if (is_within(address, bytes, reservation->address, reservation->size_bytes)) return reservation;
    }
    return NULL;
}

static bool is_whole(uint64_t bytes)
{
    return bytes != 0 && bytes % GRANULARITY == 0;
}

DRIVER_VISIBLE enum cuda_result
cuMemGetAllocationGranularity(size_t *bytes, const struct cuda_mem_allocation_prop *prop, uint32_t option)
{
    DRIVER_BEGUN_OR_RETURN(driver);
    if (bytes == NULL || prop == NULL || option > CU_MEM_ALLOC_GRANULARITY_RECOMMENDED) return CUDA_ERROR_INVALID_VALUE;
    *bytes = GRANULARITY;
    return CUDA_SUCCESS;
}

// At the hint if nothing is there, else anywhere.
static void *reserve(void *hint, size_t bytes)
{
    void *made = mmap(hint, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return made == MAP_FAILED ? NULL : made;
}

// Addresses at a multiple of `alignment`, 0 if there are none: what mmap gives around them is given back.
static uint64_t reserve_aligned(size_t bytes, size_t alignment)
{
    size_t whole;
    if (__builtin_add_overflow(bytes, alignment, &whole)) return 0;
    uint8_t *made = reserve(NULL, whole);
    if (made == NULL) return 0;
    const size_t before = (alignment - (uint64_t)(uintptr_t)made % alignment) % alignment;
    if (before > 0) munmap(made, before);
    if (before < alignment) munmap(made + before + bytes, alignment - before);
    return (uint64_t)(uintptr_t)made + before;
}

static uint64_t reserve_at(uint64_t hint, size_t bytes)
{
    void *made = reserve((void *)(uintptr_t)hint, bytes);
    if (made != NULL && (uint64_t)(uintptr_t)made != hint) munmap(made, bytes);
    return (uint64_t)(uintptr_t)made == hint ? hint : 0;
}

DRIVER_VISIBLE enum cuda_result cuMemAddressReserve(unsigned long long *address, size_t bytes, size_t alignment,
                                                    unsigned long long hint, unsigned long long flags)
{
    DRIVER_BEGUN_OR_RETURN(driver);
    if (address == NULL || !is_whole(bytes) || flags != 0 || (alignment & (alignment - 1)))
        return CUDA_ERROR_INVALID_VALUE;
    if (alignment < GRANULARITY) alignment = GRANULARITY;
    struct reservation *reservation = object_new(&driver->objects, OBJECT_RESERVATION, sizeof *reservation);
    if (reservation == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
    reservation->size_bytes = bytes;
    if (hint != 0 && hint % alignment == 0) reservation->address = reserve_at(hint, bytes);
    if (reservation->address == 0) reservation->address = reserve_aligned(bytes, alignment);
    *address = reservation->address;
    if (*address != 0) return CUDA_SUCCESS;
    object_destroy(&driver->objects, reservation);
    return CUDA_ERROR_OUT_OF_MEMORY;
}

static bool is_mapped_in(const struct driver *driver, const struct reservation *reservation)
{
    for (uint32_t i = 0; i < driver->allocations.count; i++)
        if (is_within(driver->allocations.item[i].address, 0, reservation->address, reservation->size_bytes - 1))
            return true;
    return false;
}

DRIVER_VISIBLE enum cuda_result cuMemAddressFree(unsigned long long address, size_t bytes)
{
    DRIVER_BEGUN_OR_RETURN(driver);
    struct reservation *found = reservation_of(driver, address, bytes);
    if (found == NULL || found->address != address || found->size_bytes != bytes)
        return driver_refuse(driver, CUDA_ERROR_INVALID_VALUE, "cuMemAddressFree",
                             "%zu bytes at %#llx are not a reservation of cuMemAddressReserve", bytes, address);
    if (is_mapped_in(driver, found))
        return driver_refuse(driver, CUDA_ERROR_INVALID_VALUE, "cuMemAddressFree",
                             "memory is mapped at %#llx or behind: call cuMemUnmap first", address);
    munmap((void *)(uintptr_t)address, bytes);
    object_destroy(&driver->objects, found);
    return CUDA_SUCCESS;
}

static enum cuda_result check_map(struct driver *driver, uint64_t address, size_t bytes, size_t offset,
                                  const struct backing *backing)
{
    const enum cuda_result error = CUDA_ERROR_INVALID_VALUE;
    if (backing == NULL) return driver_refuse(driver, error, "cuMemMap", "the handle is not from cuMemCreate");
    if (address % GRANULARITY != 0 || offset % GRANULARITY != 0)
        return driver_refuse(driver, error, "cuMemMap", "the address or the offset is not a multiple of %zu",
                             GRANULARITY);
    if (!is_within(offset, bytes, 0, backing->size_bytes))
        return driver_refuse(driver, error, "cuMemMap", "%zu bytes from %zu on: the handle has only %zu", bytes, offset,
                             (size_t)backing->size_bytes);
    if (reservation_of(driver, address, bytes) == NULL)
        return driver_refuse(driver, error, "cuMemMap", "%zu bytes at %#llx are not reserved", bytes,
                             (unsigned long long)address);
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuMemMap(unsigned long long address, size_t bytes, size_t offset,
                                         unsigned long long handle, unsigned long long flags)
{
    DRIVER_USE_BARE_OR_RETURN(driver);
    if (!is_whole(bytes) || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    struct backing *backing = backing_of(driver, handle);
    const enum cuda_result error = check_map(driver, address, bytes, offset, backing);
    if (error != CUDA_SUCCESS) return error;
    const struct allocation allocation = {.address = address,
                                          .size_bytes = bytes,
                                          .kind = ALLOCATION_MAPPED,
                                          .is_hidden = true,
                                          .is_on_host = backing_is_on_host(backing),
                                          .owner = driver_context(),
                                          .backing = backing,
                                          .offset = offset};
    if (!allocations_add(&driver->allocations, &allocation))
        return driver_refuse(driver, CUDA_ERROR_INVALID_VALUE, "cuMemMap", "memory is mapped there already");
    void *there = mmap((void *)(uintptr_t)address, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, backing->file,
                       (off_t)offset);
    if (there != MAP_FAILED) {
        backing->mappings++;
        return CUDA_SUCCESS;
    }
    allocations_remove(&driver->allocations, allocations_find(&driver->allocations, address));
    return CUDA_ERROR_OUT_OF_MEMORY;
}

static void unmap(struct driver *driver, struct allocation *allocation)
{
    const struct allocation gone = *allocation;
    allocations_remove(&driver->allocations, allocation);
    mmap((void *)(uintptr_t)gone.address, gone.size_bytes, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    gone.backing->mappings--;
    backing_leave(driver, gone.backing);
}

void virtual_unmap_all(struct driver *driver, const struct CUctx_st *context)
{
    for (uint32_t i = driver->allocations.count; i-- > 0;) {
        struct allocation *allocation = &driver->allocations.item[i];
        if (allocation->kind == ALLOCATION_MAPPED && allocation->owner == context) unmap(driver, allocation);
    }
}

DRIVER_VISIBLE enum cuda_result cuMemUnmap(unsigned long long address, size_t bytes)
{
    DRIVER_USE_BARE_OR_RETURN(driver);
    turns_wait(driver, NULL);
    struct allocation *found = allocations_find(&driver->allocations, address);
    if (found == NULL || found->kind != ALLOCATION_MAPPED || found->address != address || found->size_bytes != bytes)
        return CUDA_ERROR_INVALID_VALUE;
    unmap(driver, found);
    return CUDA_SUCCESS;
}

static bool is_all_mapped(const struct driver *driver, uint64_t address, size_t bytes)
{
    for (uint64_t at = address; at < address + bytes;) {
        const struct allocation *found = allocations_find(&driver->allocations, at);
        if (found == NULL || found->kind != ALLOCATION_MAPPED) return false;
        at = found->address + found->size_bytes;
    }
    return true;
}

DRIVER_VISIBLE enum cuda_result cuMemSetAccess(unsigned long long address, size_t bytes,
                                               const struct cuda_mem_access_desc *desc, size_t count)
{
    DRIVER_USE_BARE_OR_RETURN(driver);
    if (desc == NULL || count == 0 || !is_whole(bytes)) return CUDA_ERROR_INVALID_VALUE;
    if (reservation_of(driver, address, bytes) == NULL || !is_all_mapped(driver, address, bytes))
        return CUDA_ERROR_INVALID_VALUE;
    for (uint64_t at = address; at < address + bytes;) {
        struct allocation *found = allocations_find(&driver->allocations, at);
        found->is_hidden = desc->flags == CU_MEM_ACCESS_FLAGS_PROT_NONE;
        found->is_read_only = desc->flags == CU_MEM_ACCESS_FLAGS_PROT_READ;
        at = found->address + found->size_bytes;
    }
    driver->allocations.has_changed = true;
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuMemGetAccess(unsigned long long *flags, const struct cuda_mem_location *location,
                                               unsigned long long address)
{
    DRIVER_USE_BARE_OR_RETURN(driver);
    const struct allocation *found = allocations_find(&driver->allocations, address);
    if (flags == NULL || location == NULL || found == NULL) return CUDA_ERROR_INVALID_VALUE;
    const enum cuda_result error = location_check(*location);
    if (error != CUDA_SUCCESS) return error;
    *flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    if (found->is_read_only) *flags = CU_MEM_ACCESS_FLAGS_PROT_READ;
    if (found->is_hidden || found->kind != ALLOCATION_MAPPED) *flags = CU_MEM_ACCESS_FLAGS_PROT_NONE;
    return CUDA_SUCCESS;
}
