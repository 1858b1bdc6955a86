// SPDX-License-Identifier: MIT
// An array that grows: a pointer and a count, both 0 at first. It has room for the next power of two, so that nothing
// else is kept. free() ends it.
#ifndef TMAREF_ARRAY_H
#define TMAREF_ARRAY_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// Room for one item more; `array` is where the pointer lies. 0 without memory: the array is then as it was.
static inline bool array_grow(void *array, size_t count, size_t item_bytes)
{
    void *items;
    if ((count & (count - 1)) != 0) return true;
    memcpy(&items, array, sizeof items);
    items = realloc(items, (count == 0 ? 1 : 2 * count) * item_bytes);
    if (items != NULL) memcpy(array, &items, sizeof items);
    return items != NULL;
}

// Appends `item`; 0 without memory.
#define ARRAY_ADD(items, count, item)                                                                                  \
    (array_grow(&(items), (size_t)(count), sizeof *(items)) ? ((items)[(count)++] = (item), 1) : 0)

#endif
