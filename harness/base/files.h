// SPDX-License-Identifier: MIT
// Reading a whole file, and writing one so that nobody ever sees half of it; or into a stream: a pipe, a terminal,
// /dev/stdout.
#ifndef TMAREF_FILES_H
#define TMAREF_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "text.h"

// Writes a temporary file beside `path` and renames it over `path`; on any failure `path` is as it was. A stream gets
// the bytes at once, /dev/stdout behind what was printed before.
//   returns  1, or 0 with a sentence in `why`: a directory, a symbolic link, no permission, a full disk
int save_file(const char *path, const char *bytes, size_t size_bytes, struct text *why);

// The same of what write(what, out) writes.
int save_written(const char *path, void (*write)(const void *what, FILE *out), const void *what, struct text *why);

// Writes all of it, however many calls that takes; 0 with errno if that fails.
bool write_all(int file, const void *bytes, size_t size_bytes);

// Does `path` name something that bytes are written into, not a file that is replaced: a pipe, a terminal, a device, or
// one of this process's open files (/dev/stdout, /dev/fd/3)?
bool is_stream(const char *path);

// Reads a whole file ("-" is standard input) of at most `max_bytes`; NULL with a reason in `why` on failure. The
// caller frees it; a NUL follows the last byte.
char *read_file(const char *path, size_t max_bytes, size_t *size_bytes, struct text *why);

#endif
