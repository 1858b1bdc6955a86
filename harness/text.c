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
