// SPDX-License-Identifier: MIT
// The functions that the preloaded library stands before (harness/exec/interpose).
#include <string.h>

#include "cubins.h"
#include "curand.h"

const char *const interposed_libraries[] = {"libnvrtc.so.13",
                                            "libnvrtc.so.12",
                                            "libnvrtc.so.11.2",
                                            "libnvJitLink.so.13",
                                            "libnvJitLink.so.12",
                                            "libcurand.so.10",
                                            NULL};

// Programs and links are known to the copy of the library that made them, and to no other.
static _Atomic(void *) nvrtc_home, link_home;

#define HOME(symbol)            (CUBINS_##symbol < CUBINS_nvJitLinkCreate ? &nvrtc_home : &link_home)
#define ROW(symbol, parameters) [CUBINS_##symbol] = {.name = #symbol, .wrapper = (void *)symbol, .home = HOME(symbol)},
static struct interposed symbols[CUBINS_SYMBOLS] = {CUBINS_ROWS(ROW)};
#undef ROW
#undef HOME

struct interposed *interposed_find(const char *name)
{
    if (strncmp(name, "curand", strlen("curand")) == 0) return curand_find(name);
    if (name[0] != 'n' || name[1] != 'v') return NULL;
    for (int i = 0; i < CUBINS_SYMBOLS; i++)
        if (strcmp(symbols[i].name, name) == 0) return &symbols[i];
    return NULL;
}

void *cubins_real(enum cubins_symbol symbol)
{
    return interpose_real(&symbols[symbol]);
}
