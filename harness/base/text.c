// SPDX-License-Identifier: MIT
#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void text_set(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text->at, sizeof text->at, format, arguments);
    va_end(arguments);
}

int text_fail(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text->at, sizeof text->at, format, arguments);
    va_end(arguments);
    return 0;
}

void text_add_name(struct text *list, const char *name, int i, int count)
{
    size_t used = strlen(list->at);
    snprintf(list->at + used, sizeof list->at - used, "%s%s", i == 0 ? "" : i == count - 1 ? " or " : ", ", name);
}

unsigned long long numbers_at(struct numbers numbers, int i)
{
    unsigned long long number = 0;
    const unsigned unused = 64 - 8 * (unsigned)numbers.bytes;
    memcpy(&number, (const char *)numbers.at + (size_t)i * numbers.bytes, numbers.bytes); // the low bytes come first
    return numbers.is_signed ? (unsigned long long)((long long)(number << unused) >> unused) : number;
}

struct text text_numbers(struct numbers numbers, const char *between)
{
    struct text text = {""};
    for (int i = 0, used = 0; i < numbers.count && used < TEXT_BYTES; i++)
        used += snprintf(text.at + used, sizeof text.at - (size_t)used, numbers.is_signed ? "%s%lld" : "%s%llu",
                         i == 0 ? "" : between, numbers_at(numbers, i));
    return text;
}
