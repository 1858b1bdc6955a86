// SPDX-License-Identifier: MIT
// What driver_calls.def alone defines: the calls that are refused, those that go on to a later version, and what
// programs mean by a name. A refused call takes no arguments: on the platforms of CUDA the caller takes them back.
#include <string.h>

#include "cuda_api.h"
#include "driver.h"
#include "refusals.h"

#define REFUSED(name, since, streams, why)                                                                             \
    DRIVER_VISIBLE int name(void);                                                                                     \
    int name(void)                                                                                                     \
    {                                                                                                                  \
        static int was_told;                                                                                           \
        return driver_missing(#name, WHY_##why, &was_told);                                                            \
    }
#define FORWARD(name, since, streams, parameters, call)                                                                \
    DRIVER_VISIBLE enum cuda_result name parameters                                                                    \
    {                                                                                                                  \
        return call;                                                                                                   \
    }
#include "driver_calls.def"

static const struct {
    const char *name;
    int since;
    driver_call *call;
} rows[] = {
#define CALL(name, since, ...)    {#name, since, (driver_call *)(void (*)(void))name},
#define FORWARD(name, since, ...) CALL(name, since, )
#define REFUSED(name, since, ...) CALL(name, since, )
#include "driver_calls.def"
};
enum { ROWS = sizeof rows / sizeof rows[0] };

// Is `name` what programs mean by `symbol`: the same, or the same with _v2, _v3, ...?
static bool is_version_of(const char *name, const char *symbol)
{
    const size_t length = strlen(symbol);
    if (strncmp(name, symbol, length) != 0) return false;
    if (name[length] == '\0') return true;
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
