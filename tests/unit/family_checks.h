// SPDX-License-Identifier: MIT
// For the suites of families: cases as text. What families refuse, and say of a mismatch, is in family_words_test.c.
#ifndef TMAREF_FAMILY_CHECKS_H
#define TMAREF_FAMILY_CHECKS_H

// Reads the text as a case of the family; fails the test if it is none.
void family_takes(const char *family, const char *text, void *test_case);

#endif
