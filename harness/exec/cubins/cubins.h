// SPDX-License-Identifier: MIT
// Inside a program under `tmaref exec`: the libraries of NVIDIA that make cubins with no GPU. What they make is handed
// on with the PTX that it was made of in it (model/driver/kernel/cubin.h), which the simulated driver runs. Else
// nothing changes: their own answers, errors and logs stand.
#ifndef TMAREF_CUBINS_H
#define TMAREF_CUBINS_H

#include <stddef.h>
#include <stdint.h>

#include "interpose.h"

// The results that we look at; both libraries have more.
enum { CUBINS_SUCCESS = 0 };

// As nvrtc.h and nvJitLink.h declare them, but for the names of types.
#define CUBINS_ROWS(ROW)                                                                                               \
    ROW(nvrtcGetCUBINSize, (void *program, size_t *bytes))                                                             \
    ROW(nvrtcGetCUBIN, (void *program, char *cubin))                                                                   \
    ROW(nvJitLinkCreate, (void **link, uint32_t options, const char **option))                                         \
    ROW(nvJitLinkDestroy, (void **link))                                                                               \
    ROW(nvJitLinkAddData, (void *link, int kind, const void *data, size_t bytes, const char *name))                    \
    ROW(nvJitLinkAddFile, (void *link, int kind, const char *path))                                                    \
    ROW(nvJitLinkGetLinkedCubinSize, (void *link, size_t *bytes))                                                      \
    ROW(nvJitLinkGetLinkedCubin, (void *link, void *cubin))

#define CUBINS_DECLARED(name, parameters)                                                                              \
    typedef int(*name##_fn) parameters;                                                                                \
    __attribute__((visibility("default"))) int name parameters;
CUBINS_ROWS(CUBINS_DECLARED)
#undef CUBINS_DECLARED

#define CUBINS_SYMBOL(name, parameters) CUBINS_##name,
enum cubins_symbol { CUBINS_ROWS(CUBINS_SYMBOL) CUBINS_SYMBOLS };
#undef CUBINS_SYMBOL

// The library's own function; NULL if no library in this process has it.
void *cubins_real(enum cubins_symbol symbol);
#define CUBINS_REAL(name) ((name##_fn)cubins_real(CUBINS_##name))

#endif
