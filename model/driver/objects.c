// SPDX-License-Identifier: MIT
#include "objects.h"

#include <stdlib.h>
#include <string.h>

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
static int is_used_again(enum object_kind kind)
{
    return kind != OBJECT_CONTEXT && kind != OBJECT_MODULE && kind != OBJECT_FUNCTION && kind != OBJECT_GREEN;
}

void *object_new(struct objects *objects, enum object_kind kind, size_t size_bytes)
{
    struct object *object = is_used_again(kind) ? objects->destroyed[kind] : NULL;
    if (object != NULL)
        unlink_object(&objects->destroyed[kind], object);
    else
        object = malloc(size_bytes);
    if (object == NULL) return NULL;
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

int object_was(const struct objects *objects, const void *object, enum object_kind kind)
{
    for (const struct object *destroyed = objects->destroyed[kind]; destroyed != NULL; destroyed = destroyed->next)
        if (destroyed == object) return 1;
    return 0;
}

int object_is(const void *object, enum object_kind kind)
{
    return object != NULL && ((const struct object *)object)->kind == kind;
}
