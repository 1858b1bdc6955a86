// SPDX-License-Identifier: MIT
// `tmaref exec --expect`: a test that is known to fail, or is not to run.
#ifndef TMAREF_EXEC_EXPECT_H
#define TMAREF_EXEC_EXPECT_H

#include "text.h"

enum exec_expected { EXEC_PASSES, EXEC_FAILS, EXEC_SKIPPED };

//   file, test  of --expect and --test; test NULL: the program's name without folders
//   reason      of the line that fits
struct exec_expectation {
    const char *file, *test;
    enum exec_expected verdict;
    struct text reason;
};

// Finds the line. 0, with `why`, if the file is none.
bool exec_expect(struct exec_expectation *expectation, const char *program, struct text *why);

// The exit status of a program that ended with `status`, and a line on stderr where the file has one for it.
int exec_expected_status(const struct exec_expectation *expectation, int status);

#endif
