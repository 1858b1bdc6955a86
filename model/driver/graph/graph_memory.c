// SPDX-License-Identifier: MIT
#include "graph_memory.h"

#include <string.h>

struct allocation *graph_memory_at(struct driver *driver, uint64_t address)
{
    struct allocation *found = allocations_find(&driver->allocations, address);
    return found != NULL && found->kind == ALLOCATION_GRAPH && found->address == address ? found : NULL;
}

static void set_hidden(struct driver *driver, struct allocation *memory, bool is_hidden)
{
    memory->is_hidden = is_hidden;
    driver->allocations.has_changed = true;
}

static uint64_t used_bytes(const struct driver *driver)
{
    uint64_t used = 0;
    for (uint32_t i = 0; i < driver->allocations.count; i++) {
        const struct allocation *item = &driver->allocations.item[i];
        if (item->kind == ALLOCATION_GRAPH && !item->is_hidden) used += item->size_bytes;
    }
    return used;
}

enum cuda_result graph_memory_make(struct driver *driver, const char *call, size_t bytes, unsigned long long *address)
{
    const enum cuda_result error = memory_allocate(driver, call, address, bytes, ALLOCATION_GRAPH, 0);
    if (error == CUDA_SUCCESS) set_hidden(driver, graph_memory_at(driver, *address), true);
    return error;
}

void graph_memory_hold(struct driver *driver, uint64_t address)
{
    struct allocation *memory = graph_memory_at(driver, address);
    if (memory != NULL) memory->holders++;
}

static void remove_idle(struct driver *driver, struct allocation *memory)
{
    if (memory->holders == 0 && memory->is_hidden) allocations_remove(&driver->allocations, memory);
}

void graph_memory_release(struct driver *driver, uint64_t address)
{
    struct allocation *memory = graph_memory_at(driver, address);
    if (memory == NULL) return;
    if (memory->holders > 0) memory->holders--;
    remove_idle(driver, memory);
}

enum cuda_result graph_memory_show(struct driver *driver, uint64_t address)
{
    struct allocation *memory = graph_memory_at(driver, address);
    if (memory == NULL) return CUDA_ERROR_INVALID_VALUE;
    set_hidden(driver, memory, false);
    const uint64_t used = used_bytes(driver);
    if (used > driver->graph_most_bytes) driver->graph_most_bytes = used;
    return CUDA_SUCCESS;
}

enum cuda_result graph_memory_free(struct driver *driver, uint64_t address)
{
    struct allocation *memory = graph_memory_at(driver, address);
    if (memory == NULL || memory->is_hidden)
        return driver_refuse(driver, CUDA_ERROR_INVALID_VALUE, "cuMemFree",
                             "%#llx: the memory of a graph's node is not allocated now", (unsigned long long)address);
    set_hidden(driver, memory, true);
    remove_idle(driver, memory);
    return CUDA_SUCCESS;
}

enum cuda_result graph_memory_start(struct driver *driver, const struct CUgraphExec_st *exec, bool is_freed)
{
    for (uint32_t i = 0; i < exec->count; i++) {
        if (exec->step[i].work.type != NODE_MEM_ALLOC) continue;
        struct allocation *memory = graph_memory_at(driver, exec->step[i].work.of.address);
        if (memory == NULL || memory->is_hidden) continue;
        if (!is_freed)
            return driver_refuse(driver, CUDA_ERROR_INVALID_VALUE, "cuGraphLaunch",
                                 "the memory at %#llx, which a node allocates, was not freed since the last launch; "
                                 "free it, or instantiate with CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH",
                                 (unsigned long long)memory->address);
        set_hidden(driver, memory, true);
    }
    return CUDA_SUCCESS;
}

bool graph_memory_is_taken(struct driver *driver, const struct CUgraph_st *graph)
{
    for (uint32_t i = 0; i < graph->count; i++) {
        if (graph->node[i]->work.type != NODE_MEM_ALLOC) continue;
        const struct allocation *memory = graph_memory_at(driver, graph->node[i]->work.of.address);
        if (memory != NULL && memory->holders > 1) return true;
    }
    return false;
}

bool graph_has_memory(const struct CUgraph_st *graph)
{
    for (uint32_t i = 0; i < graph->count; i++)
        if (graph->node[i]->work.type == NODE_MEM_ALLOC || graph->node[i]->work.type == NODE_MEM_FREE) return true;
    return false;
}

// --- What is asked of it ---------------------------------------------------------------------------------------------

enum { USED_NOW, USED_MOST, RESERVED_NOW, RESERVED_MOST, ATTRIBUTES };

static enum cuda_result check_device(struct driver *driver, const void *value, int device)
{
    if (!driver->is_initialized) return CUDA_ERROR_NOT_INITIALIZED;
    if (value == NULL) return CUDA_ERROR_INVALID_VALUE;
    return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

DRIVER_VISIBLE enum cuda_result cuDeviceGetGraphMemAttribute(int device, uint32_t attribute, void *value)
{
    DRIVER_ENTER(driver);
    const enum cuda_result error = check_device(driver, value, device);
    if (error != CUDA_SUCCESS) return error;
    if (attribute >= ATTRIBUTES) return CUDA_ERROR_INVALID_VALUE;
    const bool is_most = attribute == USED_MOST || attribute == RESERVED_MOST;
    const uint64_t bytes = is_most ? driver->graph_most_bytes : used_bytes(driver);
    memcpy(value, &bytes, sizeof bytes);
    return CUDA_SUCCESS;
}

// The most is what it was since it was last set to 0.
DRIVER_VISIBLE enum cuda_result cuDeviceSetGraphMemAttribute(int device, uint32_t attribute, void *value)
{
    DRIVER_ENTER(driver);
    uint64_t most;
    const enum cuda_result error = check_device(driver, value, device);
    if (error != CUDA_SUCCESS) return error;
    memcpy(&most, value, sizeof most);
    if ((attribute != USED_MOST && attribute != RESERVED_MOST) || most != 0) return CUDA_ERROR_INVALID_VALUE;
    driver->graph_most_bytes = used_bytes(driver);
    return CUDA_SUCCESS;
}

// Nothing is kept that is not used.
DRIVER_ENTER_CALL(cuDeviceGraphMemTrim, (int device), check_device(driver, &device, device))
