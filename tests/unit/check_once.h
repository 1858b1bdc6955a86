// SPDX-License-Identifier: MIT
// Included before every file of the suites. Check writes down at each assertion how far the test has come, to say it
// should the test crash: of a million assertions in a loop that is nearly all the time. Here a line is written down
// when a test first reaches it, each test being a process of its own.
#ifndef TMAREF_CHECK_ONCE_H
#define TMAREF_CHECK_ONCE_H

#include <check.h>

enum { CHECK_ONCE_LINES = 512 }; // files have at most 500

static inline void check_once(const char *file, int line)
{
    static unsigned char reached[CHECK_ONCE_LINES];
    if (reached[line % CHECK_ONCE_LINES]) return;
    reached[line % CHECK_ONCE_LINES] = 1;
    _mark_point(file, line);
}

#define _mark_point(file, line) check_once(file, line)

#endif
