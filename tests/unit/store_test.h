// SPDX-License-Identifier: MIT
// The parts of the suite `store`: the bytes are in store_test.c, the faults in store_fault_test.c.
#ifndef TMAREF_STORE_TEST_H
#define TMAREF_STORE_TEST_H

#include <check.h>

Suite *store_suite(void);

void store_fault_add_tests(Suite *suite);

#endif
