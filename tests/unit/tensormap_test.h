// SPDX-License-Identifier: MIT
// The parts of the suite `tensormap`: each of these files adds its test cases to it.
#ifndef TMAREF_TENSORMAP_TEST_H
#define TMAREF_TENSORMAP_TEST_H

#include <check.h>

Suite *tensormap_suite(void);

void encode_add_tests(Suite *suite);
void encode_mutant_add_tests(Suite *suite);
void decode_add_tests(Suite *suite);
void decode_odd_add_tests(Suite *suite);
void replace_add_tests(Suite *suite);

#endif
