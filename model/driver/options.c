// SPDX-License-Identifier: MIT
#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

struct reader {
    char *why;
    size_t why_bytes;
    int ok;
};

static void read_number(struct reader *reader, const char *variable, uint64_t most, uint64_t *to)
{
    const char *text = getenv(variable);
    *to = 0;
    if (text == NULL || text[0] == '\0') return;
    errno = 0;
    const uint64_t value = strtoull(text, NULL, 10);
    if (text[strspn(text, "0123456789")] == '\0' && errno == 0 && value <= most) {
        *to = value;
        return;
    }
    snprintf(reader->why, reader->why_bytes, "%s is '%.80s', which is not a whole number from 0 to %llu", variable,
             text, (unsigned long long)most);
    reader->ok = 0;
}

static void read_word(struct reader *reader, const char *variable, const char *words, const char **to)
{
    const char *text = getenv(variable);
    *to = "";
    if (text == NULL || text[0] == '\0') return;
    if (driver_option_is(words, text)) {
        *to = text;
        return;
    }
    snprintf(reader->why, reader->why_bytes, "%s is '%.80s', which is not one of: %s", variable, text, words);
    reader->ok = 0;
}

int driver_options_read(struct driver_options *options, char *why, size_t why_bytes)
{
    struct reader reader = {why, why_bytes, 1};
#define DRIVER_NUMBER(member, variable, most) read_number(&reader, variable, most, &options->member);
#define DRIVER_WORD(member, variable, words)  read_word(&reader, variable, words, &options->member);
    DRIVER_NUMBER_ROWS(DRIVER_NUMBER)
    DRIVER_WORD_ROWS(DRIVER_WORD)
#undef DRIVER_NUMBER
#undef DRIVER_WORD
    return reader.ok;
}
