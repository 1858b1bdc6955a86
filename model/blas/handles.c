// SPDX-License-Identifier: MIT
#include <stdlib.h>

#include "handle.h"
#include "queue.h"
#include "refusal.h"

int handle_make(const struct handle_kind *kind, void *to, size_t bytes)
{
    struct handle **handle = to;
    if (handle == NULL) return kind->invalid;
    if (!queue_make_ready()) return kind->not_initialized;
    *handle = calloc(1, bytes);
    if (*handle == NULL) return kind->no_memory;
    (*handle)->mark = kind->mark;
    return 0;
}

bool handle_is(const struct handle_kind *kind, const void *handle, const char *call)
{
    const struct handle *known = handle;
    if (known != NULL && known->mark == kind->mark) return true;
    refusal_say(call, "the handle was never made by %s, or was destroyed", kind->made_by);
    return false;
}

int handle_destroy(const struct handle_kind *kind, void *handle, const char *call)
{
    if (!handle_is(kind, handle, call)) return kind->not_initialized;
    ((struct handle *)handle)->mark = 0;
    free(handle);
    return 0;
}

int handle_version(const struct handle_kind *kind, int property, int *value)
{
    if (value == NULL || property < 0 || property > 2) return kind->invalid;
    *value = kind->version[property];
    return 0;
}
