// SPDX-License-Identifier: MIT
// Functions that stand for calls that no other file defines, as model/driver/missing.c.
int sparse_missing(const char *call, int *was_told);

#define SPARSE_NAME(name)                                                                                              \
    __attribute__((visibility("default"), weak)) int name(void);                                                       \
    int name(void)                                                                                                     \
    {                                                                                                                  \
        static int was_told;                                                                                           \
        return sparse_missing(#name, &was_told);                                                                       \
    }
#include "sparse_names.def"
