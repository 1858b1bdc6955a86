// SPDX-License-Identifier: MIT
#include "options.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"

struct reader {
    char *why;
    size_t why_bytes;
    bool ok;
};

static void read_number(struct reader *reader, const char *variable, uint64_t least, uint64_t most, uint64_t *to)
{
    const char *text = getenv(variable);
    *to = 0;
    if (text == NULL || text[0] == '\0') return;
    errno = 0;
    const uint64_t value = strtoull(text, NULL, 10);
    if (text[strspn(text, "0123456789")] == '\0' && errno == 0 && value >= least && value <= most) {
        *to = value;
        return;
    }
    snprintf(reader->why, reader->why_bytes, "%s is '%.80s', which is not a whole number from %llu to %llu", variable,
             text, (unsigned long long)least, (unsigned long long)most);
    reader->ok = false;
}

static void read_word(struct reader *reader, const char *variable, const char *words, int *to)
{
    const char *text = getenv(variable);
    *to = text == NULL || text[0] == '\0' ? 0 : driver_option_word(words, text);
    if (*to >= 0) return;
    *to = 0;
    snprintf(reader->why, reader->why_bytes, "%s is '%.80s', which is not one of: %s", variable, text, words);
    reader->ok = false;
}

static const char *read_text(const char *variable)
{
    const char *text = getenv(variable);
    return text == NULL ? "" : text;
}

bool driver_options_read(struct driver_options *options, char *why, size_t why_bytes)
{
    struct reader reader = {why, why_bytes, true};
#define DRIVER_NUMBER(member, variable, least, most) read_number(&reader, variable, least, most, &options->member);
#define DRIVER_WORD(member, variable, words)         read_word(&reader, variable, words, &options->member);
    DRIVER_NUMBER_ROWS(DRIVER_NUMBER)
    DRIVER_WORD_ROWS(DRIVER_WORD)
#define DRIVER_TEXT(member, variable) options->member = read_text(variable);
    DRIVER_TEXT_ROWS(DRIVER_TEXT)
#undef DRIVER_NUMBER
#undef DRIVER_WORD
#undef DRIVER_TEXT
    return reader.ok;
}

void driver_options_schedule(struct driver_options *options)
{
    char why[256];
    struct driver_options now;
    if (driver_options_read(&now, why, sizeof why)) {
        options->schedule = now.schedule;
        options->seed = now.seed;
    }
}

// The release of the newest runtime that a stripped file of the program holds: Warp makes PTX only for a driver that is
// as new as its runtime.
static int newest_runtime(void)
{
    int (*asked)(void);
    void *symbol = dlsym(RTLD_DEFAULT, "tmaref_newest_runtime"); // of the preloaded library (harness/exec/takeover)
    memcpy(&asked, &symbol, sizeof asked);                       // ISO C has no cast from void * to a function
    return symbol == NULL ? 0 : asked();
}

int driver_options_cuda(void)
{
    struct driver_options options;
    char why[256];
    driver_options_read(&options, why, sizeof why); // cuInit tells what is wrong with them
    const int newest = newest_runtime(), version = newest > DRIVER_VERSION ? newest : DRIVER_VERSION;
    return options.cuda == 0 ? version : (int)options.cuda;
}
