// SPDX-License-Identifier: MIT
// For the suites of families: cases as text, what readers refuse, and what is said of a mismatch.
#ifndef TMAREF_FAMILY_CHECKS_H
#define TMAREF_FAMILY_CHECKS_H

#include <stdint.h>

// Reads the text as a case of the family; fails the test if it is none.
void family_takes(const char *family, const char *text, void *test_case);

// Fails the test if the family takes this case, or refuses it in a sentence without `why`.
void family_refuses(const char *family, const char *text, const char *why);

// Fails the test if `words` are not in what is said of a result of the model whose byte `at` of a window is changed by
// `flip`; of one with the status `at`, where the window is FAMILY_STATUS.
enum { FAMILY_STATUS = -1 };
void family_says(const char *family, const void *test_case, int window, uint32_t at, uint8_t flip, const char *words);

#endif
