// SPDX-License-Identifier: MIT
#include "text.h"

#include <stdarg.h>
#include <stdio.h>

void text_set(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text->at, sizeof text->at, format, arguments);
    va_end(arguments);
}
