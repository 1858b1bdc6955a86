// SPDX-License-Identifier: MIT
// All paths of all threads, and the values that memory may hold on them (memory_model.h).
#ifndef TMAREF_DOMAIN_H
#define TMAREF_DOMAIN_H

#include "memory_model.h"

// Fills `domain`, `paths`, `path` and `path_end` of the work.
void domain_find(const struct litmus *test, const struct path_limits *limits, struct model_work *work,
                 struct model_answer *answer);

#endif
