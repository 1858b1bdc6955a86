// SPDX-License-Identifier: MIT
// cuMemAllocAsync and pools: a pool is a name, memory comes from where all memory comes from.
#include <unistd.h>

#include "capture.h"
#include "graph_memory.h"
#include "sanitize_order.h"
#include "turns.h"

enum { POOL_THRESHOLD = 4, POOL_RESERVED_CURRENT, POOL_RESERVED_HIGH, POOL_USED_CURRENT, POOL_USED_HIGH };

static struct CUmemPoolHandle_st *default_pool(struct driver *driver)
{
    if (driver->default_pool == NULL)
        driver->default_pool = object_new(&driver->objects, OBJECT_POOL, sizeof *driver->default_pool);
    return driver->default_pool;
}

static struct CUmemPoolHandle_st *current_pool(struct driver *driver)
{
    return driver->pool != NULL ? driver->pool : default_pool(driver);
}

static enum cuda_result get_pool(struct CUmemPoolHandle_st **pool, int device,
                                 struct CUmemPoolHandle_st *which(struct driver *driver))
{
    DRIVER_BEGUN_OR_RETURN(driver);
    if (pool == NULL) return CUDA_ERROR_INVALID_VALUE;
    if (device != 0) return CUDA_ERROR_INVALID_DEVICE;
    *pool = which(driver);
    return *pool != NULL ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
}

DRIVER_CALL(cuDeviceGetDefaultMemPool, (struct CUmemPoolHandle_st * *pool, int device),
            get_pool(pool, device, default_pool))
DRIVER_CALL(cuDeviceGetMemPool, (struct CUmemPoolHandle_st * *pool, int device), get_pool(pool, device, current_pool))

DRIVER_VISIBLE enum cuda_result cuDeviceSetMemPool(int device, struct CUmemPoolHandle_st *pool)
{
    DRIVER_BEGUN_OR_RETURN(driver);
    if (device != 0 || !object_is(pool, OBJECT_POOL) || pool->is_imported) return CUDA_ERROR_INVALID_VALUE;
    driver->pool = pool;
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuMemPoolCreate(struct CUmemPoolHandle_st **pool, const struct CUmemPoolProps_st *props)
{
    DRIVER_USE_BARE_OR_RETURN(driver);
    if (pool == NULL || props == NULL || props->allocType != CU_MEM_ALLOCATION_TYPE_PINNED)
        return CUDA_ERROR_INVALID_VALUE;
    int is_on_host;
    if (location_check_new(props->location, props->handleTypes, &is_on_host) != CUDA_SUCCESS)
        return CUDA_ERROR_INVALID_VALUE; // for a device that is not there too
    *pool = object_new(&driver->objects, OBJECT_POOL, sizeof **pool);
    if (*pool == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
    (*pool)->is_on_host = is_on_host;
    (*pool)->handle_types = props->handleTypes;
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuMemPoolDestroy(struct CUmemPoolHandle_st *pool)
{
    DRIVER_USE_BARE_OR_RETURN(driver);
    if (!object_is(pool, OBJECT_POOL) || pool == driver->default_pool) return CUDA_ERROR_INVALID_VALUE;
    if (pool == driver->pool) driver->pool = NULL;
    allocations_leave_pool(&driver->allocations, pool);
    if (pool->file != 0) close(pool->file - 1);
    object_destroy(&driver->objects, pool);
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuMemPoolTrimTo(struct CUmemPoolHandle_st *pool, size_t bytes)
{
    DRIVER_USE_BARE_OR_RETURN(driver);
    (void)bytes;
    return object_is(pool, OBJECT_POOL) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// 1 to 3 are ints and say what may be used again, the others are 64 bits. The highest amounts can be set to 0 alone.
DRIVER_VISIBLE enum cuda_result cuMemPoolSetAttribute(struct CUmemPoolHandle_st *pool, uint32_t attribute, void *value)
{
    DRIVER_USE_BARE_OR_RETURN(driver);
    if (!object_is(pool, OBJECT_POOL) || value == NULL) return CUDA_ERROR_INVALID_VALUE;
    const bool is_high = attribute == POOL_RESERVED_HIGH || attribute == POOL_USED_HIGH;
    if (attribute == 0 || (attribute > POOL_THRESHOLD && !is_high)) return CUDA_ERROR_INVALID_VALUE;
    if (is_high && *(uint64_t *)value != 0) return CUDA_ERROR_INVALID_VALUE;
    if (attribute < POOL_THRESHOLD) pool->does_not_reuse[attribute] = *(int *)value == 0;
    if (attribute == POOL_THRESHOLD) pool->threshold = *(uint64_t *)value;
    if (attribute == POOL_RESERVED_HIGH) pool->reserved_high_bytes = pool->used_bytes;
    if (attribute == POOL_USED_HIGH) pool->used_high_bytes = pool->used_bytes;
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuMemPoolGetAttribute(struct CUmemPoolHandle_st *pool, uint32_t attribute, void *value)
{
    DRIVER_USE_BARE_OR_RETURN(driver);
    if (!object_is(pool, OBJECT_POOL) || value == NULL) return CUDA_ERROR_INVALID_VALUE;
    if (attribute == 0 || attribute > POOL_USED_HIGH) return CUDA_ERROR_INVALID_VALUE;
    const uint64_t amount[] = {[POOL_THRESHOLD] = pool->threshold,
                               [POOL_RESERVED_CURRENT] = pool->used_bytes,
                               [POOL_RESERVED_HIGH] = pool->reserved_high_bytes,
                               [POOL_USED_CURRENT] = pool->used_bytes,
                               [POOL_USED_HIGH] = pool->used_high_bytes};
    if (attribute < POOL_THRESHOLD)
        *(int *)value = !pool->does_not_reuse[attribute];
    else
        *(uint64_t *)value = amount[attribute];
    return CUDA_SUCCESS;
}

// The device always has what its own pools have; it may be given what pools of the host have.
static enum cuda_result check_access(const struct CUmemPoolHandle_st *pool, const struct cuda_mem_access_desc *desc)
{
    if (desc->flags == CU_MEM_ACCESS_FLAGS_PROT_READ) return CUDA_ERROR_NOT_SUPPORTED;
    if (desc->flags > CU_MEM_ACCESS_FLAGS_PROT_READWRITE || desc->flags == 2) return CUDA_ERROR_INVALID_VALUE;
    if (desc->location.type != CU_MEM_LOCATION_TYPE_DEVICE) return CUDA_ERROR_NOT_SUPPORTED;
    if (desc->location.id != 0) return CUDA_ERROR_INVALID_DEVICE;
    return desc->flags == CU_MEM_ACCESS_FLAGS_PROT_NONE && !pool->is_on_host ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuMemPoolSetAccess(struct CUmemPoolHandle_st *pool,
                                                   const struct cuda_mem_access_desc *desc, size_t count)
{
    DRIVER_USE_BARE_OR_RETURN(driver);
    if (!object_is(pool, OBJECT_POOL) || desc == NULL) return CUDA_ERROR_INVALID_VALUE;
    for (size_t i = 0; i < count; i++) {
        const enum cuda_result error = check_access(pool, &desc[i]);
        if (error != CUDA_SUCCESS) return error;
    }
    if (count > 0 && pool->is_on_host) {
        pool->is_open = desc[count - 1].flags != CU_MEM_ACCESS_FLAGS_PROT_NONE;
        allocations_hide_pool(&driver->allocations, pool, !pool->is_open);
    }
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuMemPoolGetAccess(uint32_t *flags, struct CUmemPoolHandle_st *pool,
                                                   struct cuda_mem_location *location)
{
    DRIVER_USE_BARE_OR_RETURN(driver);
    if (flags == NULL || location == NULL || !object_is(pool, OBJECT_POOL)) return CUDA_ERROR_INVALID_VALUE;
    if (location_check(*location) != CUDA_SUCCESS) return CUDA_ERROR_INVALID_VALUE;
    const bool is_of_device = location->type == CU_MEM_LOCATION_TYPE_DEVICE;
    const bool is_open = is_of_device ? !pool->is_on_host || pool->is_open : pool->is_on_host;
    *flags = is_open ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_NONE;
    return CUDA_SUCCESS;
}

// --- Memory in the order of a stream ---------------------------------------------------------------------------------

// What is captured becomes memory of the graph, whatever the pool.
static enum cuda_result capture_alloc(struct driver *driver, struct CUstream_st *handle, size_t bytes,
                                      unsigned long long *address)
{
    enum cuda_result error = graph_memory_make(driver, "cuMemAllocAsync", bytes, address);
    if (error != CUDA_SUCCESS) return error;
    error = stream_submit(driver, handle, &(struct work){NODE_MEM_ALLOC, {.address = *address}});
    if (error != CUDA_SUCCESS) graph_memory_release(driver, *address);
    return error;
}

DRIVER_VISIBLE enum cuda_result cuMemAllocFromPoolAsync(unsigned long long *address, size_t bytes,
                                                        struct CUmemPoolHandle_st *pool, struct CUstream_st *handle)
{
    DRIVER_USE_OF_OR_RETURN(driver, handle);
    struct CUstream_st *stream = stream_of(driver, handle);
    if (stream == NULL) return CUDA_ERROR_INVALID_HANDLE;
    if (address == NULL || !object_is(pool, OBJECT_POOL)) return CUDA_ERROR_INVALID_VALUE;
    if (pool->is_imported)
        return driver_refuse(driver, CUDA_ERROR_INVALID_VALUE, "cuMemAllocFromPoolAsync",
                             "the pool was imported: its own process allocates from it");
    if (capture_holds(driver, stream)) return capture_refuse_held(driver, stream);
    if (bytes == 0) {
        *address = 0;
        return CUDA_SUCCESS;
    }
    if (stream->capture != NULL) return capture_alloc(driver, handle, bytes, address);
    const enum allocation_kind kind = pool->is_on_host ? ALLOCATION_HOST_POOL : ALLOCATION_DEVICE;
    const enum cuda_result error = memory_allocate(driver, "cuMemAllocAsync", address, bytes, kind, 0);
    if (error != CUDA_SUCCESS) return error;
    allocation_join(allocations_find(&driver->allocations, *address), pool);
    if (pool->is_on_host) allocations_hide_pool(&driver->allocations, pool, !pool->is_open);
    sanitize_order_allocate(driver, stream, *address, bytes);
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuMemAllocAsync(unsigned long long *address, size_t bytes, struct CUstream_st *stream)
{
    DRIVER_USE_OF_OR_RETURN(driver, stream);
    struct CUmemPoolHandle_st *pool = current_pool(driver);
    return pool == NULL ? CUDA_ERROR_OUT_OF_MEMORY : cuMemAllocFromPoolAsync(address, bytes, pool, stream);
}

DRIVER_VISIBLE enum cuda_result cuMemFreeAsync(unsigned long long address, struct CUstream_st *handle)
{
    DRIVER_USE_OF_OR_RETURN(driver, handle);
    const struct CUstream_st *stream = stream_of(driver, handle);
    if (stream == NULL) return CUDA_ERROR_INVALID_HANDLE;
    turns_wait_for_calls(driver, stream);
    struct allocation *found = allocations_find(&driver->allocations, address);
    if (address == 0) return CUDA_SUCCESS;
    if (found == NULL || found->address != address) return CUDA_ERROR_INVALID_VALUE;
    const bool is_of_graph = found->kind == ALLOCATION_GRAPH;
    if (found->kind != ALLOCATION_DEVICE && found->kind != ALLOCATION_HOST_POOL && found->kind != ALLOCATION_POOL_IPC &&
        !is_of_graph)
        return CUDA_ERROR_INVALID_VALUE;
    if (capture_holds(driver, stream)) return capture_refuse_held(driver, stream);
    if (stream->capture != NULL && !is_of_graph) return CUDA_ERROR_INVALID_VALUE;
    return stream_submit(driver, handle, &(struct work){NODE_MEM_FREE, {.address = address}});
}

enum cuda_result memory_free_in_order(struct driver *driver, uint64_t address)
{
    struct allocation *found = allocations_find(&driver->allocations, address);
    if (found == NULL || found->kind == ALLOCATION_GRAPH) return graph_memory_free(driver, address);
    allocations_remove(&driver->allocations, found);
    return CUDA_SUCCESS;
}
