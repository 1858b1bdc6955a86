// SPDX-License-Identifier: MIT
// Functions that stand for calls that no other file defines, as model/driver/missing.c.
int solver_missing(const char *call, int *was_told);

#define SOLVER_NAME(name)                                                                                              \
    __attribute__((visibility("default"), weak)) int name(void);                                                       \
    int name(void)                                                                                                     \
    {                                                                                                                  \
        static int was_told;                                                                                           \
        return solver_missing(#name, &was_told);                                                                       \
    }
#include "solver_names.def"
