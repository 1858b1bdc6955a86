// SPDX-License-Identifier: MIT
#include "objects.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

// --- Addresses -------------------------------------------------------------------------------------------------------

// The addresses of all objects, live and destroyed, as a program may pass any pointer as a handle: it is looked up here
// before it is looked at. Written under the driver's lock, and read without it, so that a table that was replaced
// stays.
struct addresses {
    struct addresses *last; // which it replaced
    size_t room, used;      // room: a power of two
    _Atomic(uintptr_t) at[];
};
static _Atomic(struct addresses *) addresses;

static size_t place_of(const struct addresses *in, uintptr_t address)
{
    size_t place = (address * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (in->room - 1);
    for (;; place = (place + 1) & (in->room - 1)) {
        const uintptr_t there = atomic_load_explicit(&in->at[place], memory_order_acquire);
        if (there == 0 || there == address) return place;
    }
}

static bool is_known(uintptr_t address)
{
    struct addresses *in = atomic_load_explicit(&addresses, memory_order_acquire);
    return in != NULL && in->at[place_of(in, address)] == address;
}

static void enter(struct addresses *in, uintptr_t address)
{
    atomic_store_explicit(&in->at[place_of(in, address)], address, memory_order_release);
    in->used++;
}

// One table of twice the room, which has what the last one had. 0 if there is no memory.
static bool grow(struct addresses *last)
{
    const size_t room = last == NULL ? 256 : 2 * last->room;
    struct addresses *next = calloc(1, sizeof *next + room * sizeof next->at[0]);
    if (next == NULL) return false;
    next->room = room;
    next->last = last;
    for (size_t i = 0; last != NULL && i < last->room; i++)
        if (last->at[i] != 0) enter(next, last->at[i]);
    atomic_store_explicit(&addresses, next, memory_order_release);
    return true;
}

static bool know(const void *object)
{
    struct addresses *in = atomic_load_explicit(&addresses, memory_order_relaxed);
    if ((in == NULL || 2 * in->used >= in->room) && !grow(in)) return false;
    enter(atomic_load_explicit(&addresses, memory_order_relaxed), (uintptr_t)object);
    return true;
}

// --- Objects ---------------------------------------------------------------------------------------------------------

static void unlink_object(struct object **list, struct object *object)
{
    if (object->next != NULL) object->next->before = object->before;
    if (object->before != NULL)
        object->before->next = object->next;
    else
        *list = object->next;
}

static void link_object(struct object **list, struct object *object)
{
    object->before = NULL;
    object->next = *list;
    if (*list != NULL) (*list)->before = object;
    *list = object;
}

// The runtime and nvcc's stubs keep handles of modules and kernels over a reset of the device, threads those of
// contexts, and streams those of green contexts. One of those must never become that of another.
static bool is_used_again(enum object_kind kind)
{
    return kind != OBJECT_CONTEXT && kind != OBJECT_MODULE && kind != OBJECT_FUNCTION && kind != OBJECT_GREEN;
}

void *object_new(struct objects *objects, enum object_kind kind, size_t size_bytes)
{
    struct object *object = is_used_again(kind) ? objects->destroyed[kind] : NULL;
    if (object != NULL)
        unlink_object(&objects->destroyed[kind], object);
    else
        object = calloc(1, size_bytes);
    if (object == NULL) return NULL;
    if (!is_known((uintptr_t)object) && !know(object)) {
        free(object);
        return NULL;
    }
    memset(object, 0, size_bytes);
    object->kind = kind;
    link_object(&objects->live[kind], object);
    return object;
}

void object_destroy(struct objects *objects, void *it)
{
    struct object *object = it;
    const uint32_t kind = object->kind;
    unlink_object(&objects->live[kind], object);
    object->kind = 0;
    link_object(&objects->destroyed[kind], object);
}

bool object_was(const struct objects *objects, const void *object, enum object_kind kind)
{
    for (const struct object *destroyed = objects->destroyed[kind]; destroyed != NULL; destroyed = destroyed->next)
        if (destroyed == object) return true;
    return false;
}

int object_is(const void *object, enum object_kind kind)
{
    return object != NULL && is_known((uintptr_t)object) && ((const struct object *)object)->kind == kind;
}
