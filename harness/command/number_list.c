// SPDX-License-Identifier: MIT
#include "number_list.h"

#include <string.h>

#include "command.h"

enum { NUMBER_BYTES = 32 };

// The item up to the next comma, without blanks around it. Returns what follows the comma, or NULL after the last one.
static const char *next_item(const char *text, char item[NUMBER_BYTES])
{
    size_t length = strcspn(text, ",");
    const char *rest = text[length] == ',' ? text + length + 1 : NULL;
    while (length > 0 && text[0] == ' ') text++, length--;
    while (length > 0 && text[length - 1] == ' ') length--;
    int too_long = length >= NUMBER_BYTES;
    if (too_long) length = NUMBER_BYTES - 4;
    memcpy(item, text, length);
    strcpy(item + length, too_long ? "..." : "");
    return rest;
}

// Calls take(item) for each item; it returns 0 for no number in range.
static int parse_list(const char *text, int max_count, int (*take)(const char *item, int index, void *to), void *to,
                      struct text *why)
{
    char item[NUMBER_BYTES];
    int count = 0;
    for (const char *rest = text; rest != NULL; count++) {
        if (count == max_count) return text_fail(why, "takes at most %d numbers", max_count);
        rest = next_item(rest, item);
        if (take(item, count, to)) continue;
        return text_fail(why, "item %d, '%s', is not a whole number in range; write numbers as 4096,0x40", count + 1,
                         item);
    }
    return count;
}

struct u64_list {
    uint64_t max, *values;
};

static int take_u64(const char *item, int index, void *to)
{
    const struct u64_list *list = to;
    return parse_u64(item, list->max, &list->values[index]);
}

int parse_u64_list(const char *text, uint64_t max, int max_count, uint64_t *values, struct text *why)
{
    struct u64_list list = {max, values};
    return parse_list(text, max_count, take_u64, &list, why);
}

struct i64_list {
    int64_t min, max, *values;
};

static int take_i64(const char *item, int index, void *to)
{
    const struct i64_list *list = to;
    return parse_i64(item, list->min, list->max, &list->values[index]);
}

int parse_i64_list(const char *text, int64_t min, int64_t max, int max_count, int64_t *values, struct text *why)
{
    struct i64_list list = {min, max, values};
    return parse_list(text, max_count, take_i64, &list, why);
}
