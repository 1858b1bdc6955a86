// SPDX-License-Identifier: MIT
// Functions that stand for calls of the runtime that no other file defines, as model/driver/missing.c.
int runtime_missing(const char *name, int *was_told);

#define RUNTIME_NAME(name, first, last)                                                                                \
    __attribute__((visibility("default"), weak)) int name(void);                                                       \
    int name(void)                                                                                                     \
    {                                                                                                                  \
        static int was_told;                                                                                           \
        return runtime_missing(#name, &was_told);                                                                      \
    }
#define RUNTIME_ALIAS(name, same, first, last)
#include "runtime_names.def"
