// SPDX-License-Identifier: MIT
// A place in the source, and what a phase of an mbarrier lacks, in the words of every report of a hang: that of the
// machine and that of a core dump.
#ifndef TMAREF_MACHINE_WHERE_TEXT_H
#define TMAREF_MACHINE_WHERE_TEXT_H

#include <stdio.h>

#include "machine.h"
#include "mbarrier.h"

#pragma GCC visibility push(hidden)

// "pipe.cu:12" into `text`, with the folders if `is_whole`; "" of a place without a line.
const char *where_place(const struct machine_caller *at, bool is_whole, char *text, size_t bytes);

// Prints " (wait.h:7, inlined at pipe.cu:12)"; nothing of a place without a line.
void where_print_lines(FILE *out, const struct machine_where *where);

// Prints ": 2 of 4 arrivals are missing, 512 of 1024 expected bytes have not come". `expected_bytes`: 0 if nobody
// knows.
void where_print_missing(FILE *out, const struct mbarrier_fields *now, uint64_t expected_bytes);

#pragma GCC visibility pop

#endif
