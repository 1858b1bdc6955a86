// SPDX-License-Identifier: MIT
// Vectors that are texts beside the suites: NAME.tsv of this folder has a row a line, its fields between tabs. `\n` in
// a field ends a line of it; a line that begins with # is a comment.
#ifndef TMAREF_TESTS_ROWS_H
#define TMAREF_TESTS_ROWS_H

#include <stdint.h>

enum { ROW_FIELDS = 8 };

struct row {
    char *field[ROW_FIELDS]; // those that the row lacks are ""
    char where[48];          // for messages: "NAME.tsv:LINE"
};

// How many rows a file has whose first field is `kind`; NULL: how many rows. Ends the program where there is none.
int rows_count(const char *file, const char *kind);

// Number `i` of them. Ends the test where there is none.
const struct row *rows_at(const char *file, const char *kind, int i);

// A field as a number, decimal or 0x. Ends the test where it is none.
uint64_t row_number(const struct row *row, int field);

// A field of at most `most` numbers with spaces between; those that it lacks are 0. Returns how many it has. Ends the
// test where one is none.
int row_numbers(const struct row *row, int field, uint64_t *numbers, int most);

#endif
