// SPDX-License-Identifier: MIT
#include "parse_number.h"

#include <errno.h>
#include <stdlib.h>
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

int parse_i64(const char *text, int64_t min, int64_t max, int64_t *value)
{
    uint64_t magnitude;
    int negative = text[0] == '-';
    if (!parse_u64(text + negative, (uint64_t)INT64_MAX + (uint64_t)negative, &magnitude)) return 0;
    int64_t number = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    if (number < min || number > max) return 0;
    *value = number;
    return 1;
}
