// SPDX-License-Identifier: MIT
// The lists of names that a command's line may hold, for what near.h proposes.
#ifndef TMAREF_NEAR_LISTS_H
#define TMAREF_NEAR_LISTS_H

#include "near.h"

// Entry `i` of the families, executors, rules, kernels of `tmaref run`; NULL behind the last. For near_names().
const char *near_family(int i);
const char *near_executor(int i);
const char *near_rule(int i);
const char *near_kernel(int i);

#endif
