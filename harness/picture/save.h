// SPDX-License-Identifier: MIT
// Writing a whole file so that nobody ever sees half of it.
#ifndef TMAREF_SAVE_H
#define TMAREF_SAVE_H

#include <stddef.h>

#include "result.h"

// Writes a temporary file beside `path` and renames it over `path`; on any failure `path` is as it was.
//   returns  1, or 0 with a sentence in `why`: a directory, a device, a symbolic link, no permission, a full disk
int save_file(const char *path, const char *bytes, size_t size_bytes, struct text *why);

#endif
