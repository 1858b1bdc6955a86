// SPDX-License-Identifier: MIT
// Functions that stand for calls that no other file defines, as model/driver/calls.c does for refused calls.
int blas_missing(const char *call, int *was_told);

#define BLAS_NAME(name)                                                                                                \
    __attribute__((visibility("default"), weak)) int name(void);                                                       \
    int name(void)                                                                                                     \
    {                                                                                                                  \
        static int was_told;                                                                                           \
        return blas_missing(#name, &was_told);                                                                         \
    }
#define BLASLT_NAME(name) BLAS_NAME(name)
#include "blas_names.def"
#include "blaslt_names.def"
