// SPDX-License-Identifier: MIT
#include <stdlib.h>

#include "paths_trace.h"

bool paths_list_add(struct paths_list *list, uint32_t item)
{
    if (list->count == list->room) {
        const uint32_t room = list->room * 2 + 8;
        uint32_t *more = realloc(list->item, room * sizeof *more);
        if (more == NULL) return false;
        list->item = more;
        list->room = room;
    }
    list->item[list->count++] = item;
    return true;
}

bool paths_list_has(const struct paths_list *list, uint32_t item)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->item[i] == item) return true;
    return false;
}

void paths_list_free(struct paths_list *list)
{
    free(list->item);
    *list = (struct paths_list){NULL, 0, 0};
}
