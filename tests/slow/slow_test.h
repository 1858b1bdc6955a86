// SPDX-License-Identifier: MIT
// The suite that compares model/tma with the slow second model. The runner takes slow_suite().
#ifndef TMAREF_SLOW_TEST_H
#define TMAREF_SLOW_TEST_H

#include <check.h>
#include <stdint.h>

#include "slow.h"

Suite *slow_suite(void);

// Fails with the names of the misreadings of `subjects` (1 << subject each) to which is_noticed() says 0.
void slow_require_noticed(uint32_t subjects, int (*is_noticed)(enum slow_mutant mutant));

// Add the cases of the other files; called by slow_suite().
void slow_store_add_tests(Suite *suite);
void slow_bulk_add_tests(Suite *suite);
void slow_encode_add_tests(Suite *suite);
void slow_wgmma_add_tests(Suite *suite);
void slow_sparse_add_tests(Suite *suite);
void slow_mma_add_tests(Suite *suite);

#endif
