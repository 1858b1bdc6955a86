// SPDX-License-Identifier: MIT
// Which findings earlier launches of the process have told: a kernel that runs a thousand times tells a mistake once.
#ifndef TMAREF_TOLD_BEFORE_H
#define TMAREF_TOLD_BEFORE_H

#include <stdbool.h>

#include "machine.h"

struct told_before;

// NULL if there is no memory.
struct told_before *told_before_open(void);
void told_before_close(struct told_before *before);

// Was the finding `rule` of the kernel told before, at these two places? From now on it is. 0 if `before` is NULL, or
// for want of memory.
bool told_before_add(struct told_before *before, const char *rule, const char *kernel,
                     const struct machine_where *const place[2]);

#endif
