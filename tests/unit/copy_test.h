// SPDX-License-Identifier: MIT
// The parts of the suite `copy`: the bytes of a load are in copy_test.c, its faults in load_fault_test.c.
#ifndef TMAREF_COPY_TEST_H
#define TMAREF_COPY_TEST_H

#include <check.h>

Suite *copy_suite(void);

void load_fault_add_tests(Suite *suite);

#endif
