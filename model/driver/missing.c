// SPDX-License-Identifier: MIT
// Every name of the API, and the functions that stand for calls that no other file defines. Those are weak: a file that
// defines the call wins. They take no arguments: on the platforms of CUDA the caller takes them back.
#include <string.h>

#include "driver.h"

#define DRIVER_NAME(name, since)                                                                                       \
    DRIVER_VISIBLE __attribute__((weak)) int name(void);                                                               \
    int name(void)                                                                                                     \
    {                                                                                                                  \
        static int was_told;                                                                                           \
        return driver_missing(#name, &was_told);                                                                       \
    }
#define DRIVER_ALIAS(name, same)
#include "driver_names.def"
#undef DRIVER_NAME

static const struct {
    const char *name;
    int since;
    int (*call)(void);
} rows[] = {
#define DRIVER_NAME(name, since) {#name, since, name},
#include "driver_names.def"
#undef DRIVER_NAME
#undef DRIVER_ALIAS
};
enum { ROWS = sizeof rows / sizeof rows[0] };

// Is `name` what programs mean by `symbol`: the same, or the same with _v2, _v3, ...?
static int is_version_of(const char *name, const char *symbol)
{
    const size_t length = strlen(symbol);
    if (strncmp(name, symbol, length) != 0) return 0;
    if (name[length] == '\0') return 1;
    return strncmp(name + length, "_v", 2) == 0 && strspn(name + length + 2, "0123456789") == strlen(name + length + 2);
}

driver_call *driver_find(const char *symbol, int version, int *exists)
{
    int found = -1;
    *exists = 0;
    for (int i = 0; i < ROWS; i++) {
        if (!is_version_of(rows[i].name, symbol)) continue;
        *exists = 1;
        if (rows[i].since <= version && (found < 0 || rows[i].since >= rows[found].since)) found = i;
    }
    return found < 0 ? NULL : rows[found].call;
}
