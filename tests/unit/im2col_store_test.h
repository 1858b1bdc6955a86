// SPDX-License-Identifier: MIT
// The parts of the suite `im2col_store`: the bytes are in im2col_store_test.c, the faults in im2col_store_fault_test.c.
#ifndef TMAREF_IM2COL_STORE_TEST_H
#define TMAREF_IM2COL_STORE_TEST_H

#include <check.h>

Suite *im2col_store_suite(void);

void im2col_store_fault_add_tests(Suite *suite);

#endif
