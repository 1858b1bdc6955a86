// SPDX-License-Identifier: MIT
// The suite that compares model/tma with the slow second model. The runner takes slow_suite().
#ifndef TMAREF_SLOW_TEST_H
#define TMAREF_SLOW_TEST_H

#include <check.h>

Suite *slow_suite(void);

// Adds the cases of slow_encode_test.c; called by slow_suite().
void slow_encode_add_tests(Suite *suite);

#endif
