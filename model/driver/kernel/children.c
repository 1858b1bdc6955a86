// SPDX-License-Identifier: MIT
#include "children.h"

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "heap.h"
#include "loaded.h"

// As the device runtime numbers them.
enum { CHILD_DONE = 0, CHILD_INVALID_VALUE = 1, CHILD_NO_MEMORY = 2, CHILD_INVALID_CONFIGURATION = 9 };

static const char call[] = "a kernel";

void children_open(struct children *children, struct driver *driver)
{
    *children = (struct children){.driver = driver, .context = driver_context()};
    pthread_mutex_init(&children->lock, NULL);
}

static void drop(struct children *children, struct child *list, size_t count)
{
    for (size_t i = 0; i < count; i++) work_release(children->driver, &list[i].work);
    free(list);
}

void children_close(struct children *children)
{
    drop(children, children->asked, children->asks);
    drop(children, children->waiting, children->waits);
    pthread_mutex_destroy(&children->lock);
}

static int make_kernel(struct children *children, const struct machine_child *asked, struct work_kernel *kernel)
{
    *kernel = (struct work_kernel){.shared_bytes = asked->shared_bytes};
    memcpy(kernel->grid, asked->grid, sizeof kernel->grid);
    memcpy(kernel->block, asked->block, sizeof kernel->block);
    if (loaded_kernel(children->driver, call, children->module, asked->kernel, &kernel->function) != CUDA_SUCCESS)
        return CHILD_INVALID_VALUE;
    if (kernel_check(children->driver, call, kernel) != CUDA_SUCCESS) return CHILD_INVALID_CONFIGURATION;
    kernel->parameter_bytes = kernel->function->facts.parameter_bytes;
    if (kernel->parameter_bytes > asked->parameter_bytes) return CHILD_INVALID_VALUE;
    kernel->parameters = calloc(1, (size_t)kernel->parameter_bytes + 1);
    if (kernel->parameters == NULL) return CHILD_NO_MEMORY;
    memcpy(kernel->parameters, asked->parameters, kernel->parameter_bytes);
    return CHILD_DONE;
}

// Of the memory of malloc() in kernels the calls of the host know nothing.
static bool is_of_heap(const struct children *children, uint64_t address, uint64_t bytes)
{
    const struct machine_heap *heap = children->context->heap;
    const struct memory memory = heap == NULL ? (struct memory){0} : machine_heap_memory(heap);
    const uint64_t offset = address - memory.base;
    return offset <= memory.size_bytes && bytes <= memory.size_bytes - offset;
}

static int make_copy(struct children *children, const struct machine_child *asked, struct work *work)
{
    const bool is_to = is_of_heap(children, asked->to, asked->bytes);
    const bool is_from = is_of_heap(children, asked->from, asked->bytes);
    *work = (struct work){NODE_MEMCPY,
                          {.copy = {.to = asked->to,
                                    .from = asked->from,
                                    .to_type = is_to ? MEMORY_UNIFIED : MEMORY_OF_DEVICE,
                                    .from_type = is_from ? MEMORY_UNIFIED : MEMORY_OF_DEVICE,
                                    .width = asked->bytes,
                                    .height = 1,
                                    .depth = 1}}};
    return work_check(children->driver, call, work) == CUDA_SUCCESS ? CHILD_DONE : CHILD_INVALID_VALUE;
}

static int make_set(struct children *children, const struct machine_child *asked, struct work *work)
{
    *work = (struct work){
        NODE_MEMSET,
        {.set = {.to = asked->to, .width = asked->bytes, .height = 1, .value = asked->value, .element_bytes = 1}}};
    if (is_of_heap(children, asked->to, asked->bytes)) return CHILD_DONE;
    return work_check(children->driver, call, work) == CUDA_SUCCESS ? CHILD_DONE : CHILD_INVALID_VALUE;
}

static int make_work(struct children *children, const struct machine_child *asked, struct work *work)
{
    *work = (struct work){NODE_KERNEL, {.kernel = {0}}};
    switch (asked->kind) {
    case MACHINE_CHILD_COPY:
        return make_copy(children, asked, work);
    case MACHINE_CHILD_SET:
        return make_set(children, asked, work);
    default:
        return make_kernel(children, asked, &work->of.kernel);
    }
}

static int ask(struct children *children, const struct machine_child *asked)
{
    struct child child = {.is_tail = asked->is_tail};
    const int error = make_work(children, asked, &child.work);
    if (error != CHILD_DONE) return error;
    if (ARRAY_ADD(children->asked, children->asks, child)) return CHILD_DONE;
    work_release(children->driver, &child.work);
    return CHILD_NO_MEMORY;
}

int children_ask(void *context, const struct machine_child *asked)
{
    struct children *children = context;
    pthread_mutex_lock(&children->lock);
    const int error = ask(children, asked);
    pthread_mutex_unlock(&children->lock);
    return error;
}

// Those of one kind, the first asked for on top.
static bool settle(struct children *children, bool is_tail)
{
    for (size_t i = children->asks; i > 0; i--) {
        struct child *child = &children->asked[i - 1];
        if (child->is_tail != is_tail) continue;
        if (!ARRAY_ADD(children->waiting, children->waits, *child)) return false;
        child->work = (struct work){NODE_EMPTY, {.address = 0}}; // it is not released twice
    }
    return true;
}

// Tail launches lie below: what the others launch goes on top of them, and runs before.
bool children_settle(struct children *children)
{
    if (!settle(children, true) || !settle(children, false)) return false;
    children->asks = 0;
    return true;
}

bool children_next(struct children *children, struct work *work)
{
    if (children->waits == 0) return false;
    *work = children->waiting[--children->waits].work;
    return true;
}
