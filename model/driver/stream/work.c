// SPDX-License-Identifier: MIT
#include "work.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "graph_condition.h"
#include "graph_memory.h"
#include "why_work.h"

double seconds_of_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void *bytes_at(uint64_t address)
{
    return (void *)(uintptr_t)address;
}

void copy_run(const struct work_copy *copy)
{
    if (copy->width == 0 || copy->height == 0 || copy->depth == 0) return;
    const bool is_flat = copy->height <= 1 && copy->depth <= 1;
    if (is_flat) {
        memmove(bytes_at(copy->to), bytes_at(copy->from), copy->width);
        return;
    }
    for (size_t z = 0; z < copy->depth; z++)
        for (size_t y = 0; y < copy->height; y++)
            memmove(bytes_at(copy->to + z * copy->to_slice + y * copy->to_pitch),
                    bytes_at(copy->from + z * copy->from_slice + y * copy->from_pitch), copy->width);
}

static void set_row(uint8_t *row, const struct work_set *set)
{
    if (set->element_bytes == 1) {
        memset(row, (int)(set->value & 0xff), set->width);
        return;
    }
    for (size_t x = 0; x < set->width; x++) memcpy(row + x * set->element_bytes, &set->value, set->element_bytes);
}

static void run_set(const struct work_set *set)
{
    if (set->width == 0) return;
    for (size_t y = 0; y < set->height; y++) set_row(bytes_at(set->to + y * set->pitch), set);
}

// Other threads may call the driver meanwhile.
static void run_host(struct driver *driver, const struct work_host *host)
{
    const enum cuda_result error = driver_usable(driver);
    const int held = driver_release(driver);
    driver_callback(true);
    if (host->callback != NULL)
        host->callback(host->handle, error, host->user);
    else
        host->call(host->user);
    driver_callback(false);
    driver_retake(driver, held);
}

enum cuda_result work_check(struct driver *driver, const char *call, const struct work *work)
{
    switch (work->type) {
    case NODE_KERNEL:
        if (object_is(work->of.kernel.function, OBJECT_FUNCTION)) return kernel_check(driver, call, &work->of.kernel);
        return driver_refuse(driver, CUDA_ERROR_INVALID_HANDLE, call, "the module of the kernel was unloaded");
    case NODE_MEMCPY:
        return copy_check(driver, call, &work->of.copy);
    case NODE_MEMSET:
        return set_check(driver, call, &work->of.set);
    case NODE_EVENT_RECORD:
        if (object_is(work->of.event, OBJECT_EVENT)) return CUDA_SUCCESS;
        return driver_refuse(driver, CUDA_ERROR_INVALID_HANDLE, call, "the event to record was destroyed");
    case NODE_MEM_OPERATIONS:
        return operations_check(driver, call, &work->of.operations);
    default: // names nothing that can go
        return CUDA_SUCCESS;
    }
}

// Memory of a graph's node can be named at any time, and be used while it is allocated.
static enum cuda_result check_shown(struct driver *driver, uint64_t address)
{
    const struct allocation *found = allocations_find(&driver->allocations, address);
    if (found == NULL || found->kind != ALLOCATION_GRAPH || !found->is_hidden) return CUDA_SUCCESS;
    return driver_refuse(driver, CUDA_ERROR_INVALID_VALUE, "work of a stream",
                         "%#llx is memory of a graph's node, which is not allocated now: the graph that allocates it "
                         "has not run yet, or the memory was freed",
                         (unsigned long long)address);
}

enum cuda_result work_run(struct driver *driver, const struct work *work, struct work_state *state)
{
    enum cuda_result error;
    if (work->type != NODE_KERNEL) kernel_forget_primary(driver);
    switch (work->type) {
    case NODE_KERNEL:
        return kernel_run(driver, &work->of.kernel, state);
    case NODE_MEMCPY:
        error = check_shown(driver, work->of.copy.to);
        if (error == CUDA_SUCCESS) error = check_shown(driver, work->of.copy.from);
        if (error == CUDA_SUCCESS) copy_run(&work->of.copy);
        if (error == CUDA_SUCCESS) why_work_tell(driver, work);
        return error;
    case NODE_MEMSET:
        error = check_shown(driver, work->of.set.to);
        if (error == CUDA_SUCCESS) run_set(&work->of.set);
        if (error == CUDA_SUCCESS) why_work_tell(driver, work);
        return error;
    case NODE_HOST:
        run_host(driver, &work->of.host);
        return CUDA_SUCCESS;
    case NODE_EVENT_RECORD:
        work->of.event->is_recorded = true;
        work->of.event->turn = 0;
        work->of.event->seconds = seconds_of_clock();
        return CUDA_SUCCESS;
    case NODE_MEM_OPERATIONS:
        return operations_run(driver, &work->of.operations, state);
    case NODE_MEM_ALLOC:
        return graph_memory_show(driver, work->of.address);
    case NODE_MEM_FREE:
        return memory_free_in_order(driver, work->of.address);
    default: // what was waited for is done
        return CUDA_SUCCESS;
    }
}

void work_hang(struct driver *driver, const struct work *work, struct work_state *state, const char *why)
{
    if (work->type == NODE_KERNEL) kernel_hang(driver, &work->of.kernel, state, why);
    if (work->type == NODE_MEM_OPERATIONS) operations_hang(driver, &work->of.operations, state, why);
}

// Of no bytes `from` may be NULL.
static void *copy_of(const void *from, size_t bytes)
{
    void *to = malloc(bytes + 1);
    if (to != NULL && bytes > 0) memcpy(to, from, bytes);
    return to;
}

bool work_duplicate(struct driver *driver, struct work *to, const struct work *from)
{
    *to = *from;
    if (from->type == NODE_KERNEL) {
        to->of.kernel.parameters = copy_of(from->of.kernel.parameters, from->of.kernel.parameter_bytes);
        if (to->of.kernel.parameters == NULL) return false;
    }
    if (from->type == NODE_MEM_OPERATIONS) {
        to->of.operations.at =
            copy_of(from->of.operations.at, from->of.operations.count * sizeof *to->of.operations.at);
        if (to->of.operations.at == NULL) return false;
    }
    if (from->type == NODE_CONDITIONAL) return condition_duplicate(driver, &to->of.condition);
    if (from->type == NODE_MEM_ALLOC) graph_memory_hold(driver, from->of.address);
    if (from->type == NODE_GRAPH) {
        to->of.graph = graph_duplicate(driver, from->of.graph);
        if (to->of.graph == NULL) return false;
        to->of.graph->is_child = true;
    }
    return true;
}

void work_release(struct driver *driver, struct work *work)
{
    if (work->type == NODE_KERNEL) free(work->of.kernel.parameters);
    if (work->type == NODE_MEM_OPERATIONS) free(work->of.operations.at);
    if (work->type == NODE_MEM_ALLOC) graph_memory_release(driver, work->of.address);
    if (work->type == NODE_GRAPH) graph_free(driver, work->of.graph);
    if (work->type == NODE_CONDITIONAL) condition_release(driver, &work->of.condition);
}
