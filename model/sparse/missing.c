// SPDX-License-Identifier: MIT
// Functions that stand for calls that no other file defines.
#include "routines.h"

int sparse_missing(const char *call, int *was_told);

#define NAME(name) MISSING_CALL(sparse_missing, name)
#include "sparse_names.def"
