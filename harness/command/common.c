// SPDX-License-Identifier: MIT
#include <stdarg.h>
#include <stdio.h>

#include "command.h"

int command_usage(const char *name, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "tmaref %s: ", name);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\nTry 'tmaref %s --help'.\n", name);
    va_end(arguments);
    return EXIT_USAGE;
}
