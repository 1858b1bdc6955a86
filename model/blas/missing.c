// SPDX-License-Identifier: MIT
// Functions that stand for calls that no other file defines.
#include "routines.h"

int blas_missing(const char *call, int *was_told);

#define NAME(name)        MISSING_CALL(blas_missing, name)
#define BLASLT_NAME(name) NAME(name)
#include "blas_names.def"
#include "blaslt_names.def"
