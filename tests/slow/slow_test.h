// SPDX-License-Identifier: MIT
// The suite that compares model/tma with the slow second model.
#ifndef TMAREF_SLOW_TEST_H
#define TMAREF_SLOW_TEST_H

#include <check.h>
#include <stdint.h>

#include "slow.h"

// Fails with the names of the misreadings of `subjects` (1 << subject each) to which is_noticed() says 0.
void slow_require_noticed(uint32_t subjects, int (*is_noticed)(enum slow_mutant mutant));

#endif
