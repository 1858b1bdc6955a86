// SPDX-License-Identifier: MIT
// Whole files, for everything that reads one.
#ifndef TMAREF_READ_FILE_H
#define TMAREF_READ_FILE_H

#include <stddef.h>

#include "text.h"

// Reads a whole file ("-" is standard input) of at most `max_bytes`; NULL with a reason in `why` on failure. The
// caller frees it; a NUL follows the last byte.
char *read_file(const char *path, size_t max_bytes, size_t *size_bytes, struct text *why);

#endif
