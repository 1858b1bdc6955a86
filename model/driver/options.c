// SPDX-License-Identifier: MIT
#include "options.h"

#include <stdlib.h>

static uint64_t number_of(const char *variable)
{
    const char *text = getenv(variable);
    return text == NULL ? 0 : strtoull(text, NULL, 10);
}

static const char *word_of(const char *variable)
{
    const char *text = getenv(variable);
    return text == NULL ? "" : text;
}

void driver_options_read(struct driver_options *options)
{
#define DRIVER_NUMBER(member, variable) options->member = number_of(variable);
#define DRIVER_WORD(member, variable)   options->member = word_of(variable);
    DRIVER_NUMBER_ROWS(DRIVER_NUMBER)
    DRIVER_WORD_ROWS(DRIVER_WORD)
#undef DRIVER_NUMBER
#undef DRIVER_WORD
}
