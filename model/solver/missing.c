// SPDX-License-Identifier: MIT
// Functions that stand for calls that no other file defines.
#include "routines.h"

int solver_missing(const char *call, int *was_told);

#define NAME(name) MISSING_CALL(solver_missing, name)
#include "solver_names.def"
