// SPDX-License-Identifier: MIT
#include "map_names.h"

#include <string.h>

#include "near.h"
#include "parse_number.h"

// What to type: "none, 16B, 32B, or a number".
static struct text words_of(enum map_enum which)
{
    struct text list = {""}, all;
    for (int i = 0; map_words[which][i] != NULL; i++) {
        strcat(list.at, map_words[which][i]);
        strcat(list.at, ", ");
    }
    text_set(&all, "%.400s%sor a number", list.at, which == MAP_DATA_TYPE ? "a driver name, " : "");
    return all;
}

int map_value_find(enum map_enum which, const char *text, uint32_t *value, struct text *why)
{
    uint64_t number;
    if (map_value_named(which, text, value)) return 1;
    if (!parse_u64(text, UINT32_MAX, &number))
        return text_fail(why, "takes %s, not '%.64s'%s", words_of(which).at, text,
                         which == MAP_DATA_TYPE ? near_dtype(text).at : "");
    *value = (uint32_t)number;
    return 1;
}
