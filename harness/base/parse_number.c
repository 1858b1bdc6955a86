// SPDX-License-Identifier: MIT
#include "parse_number.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

int parse_u64(const char *text, uint64_t max, uint64_t *value)
{
    if (text[0] < '0' || text[0] > '9') return 0;
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, strncasecmp(text, "0x", 2) == 0 ? 16 : 10);
    if (errno != 0 || *end != '\0' || end == text || number > max) return 0;
    *value = number;
    return 1;
}

// A whole signed number, decimal or 0x..., within min .. max.
static int parse_i64(const char *text, int64_t min, int64_t max, int64_t *value)
{
    uint64_t magnitude;
    int negative = text[0] == '-';
    if (!parse_u64(text + negative, (uint64_t)INT64_MAX + (uint64_t)negative, &magnitude)) return 0;
    int64_t number = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    if (number < min || number > max) return 0;
    *value = number;
    return 1;
}

// --- Lists -----------------------------------------------------------------------------------------------------------

enum { NUMBER_BYTES = 32 };

// The item up to the next comma, without blanks around it. Returns what follows the comma, or NULL after the last one.
static const char *next_item(const char *text, char item[NUMBER_BYTES])
{
    size_t length = strcspn(text, ",");
    const char *rest = text[length] == ',' ? text + length + 1 : NULL;
    while (length > 0 && text[0] == ' ') text++, length--;
    while (length > 0 && text[length - 1] == ' ') length--;
    bool too_long = length >= NUMBER_BYTES;
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
