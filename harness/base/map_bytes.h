// SPDX-License-Identifier: MIT
// The 128 bytes of a tensor map out of whatever people have: hex digits, a debugger's dump of words, a binary file.
#ifndef TMAREF_MAP_BYTES_H
#define TMAREF_MAP_BYTES_H

#include <stddef.h>

#include "tensormap.h"
#include "text.h"

// The map in `text`, of `size` bytes. Taken: 128 raw bytes; 256 hex digits, the byte at the lowest address first, with
// blanks, commas, quotes and brackets anywhere between bytes; and dumps of words or bytes that begin with 0x
// (cuda-gdb's x/16gx, x/32wx, x/128bx, p/x with "<repeats 11 times>"), where whatever stands before a ':' or a '=' is
// left out.
//   where    names the text in messages
//   returns  1, or 0 with a sentence in `why`: how many bytes there are, or what is no hex digit
int map_bytes_parse(const char *text, size_t size, const char *where, struct tensormap_image *image, struct text *why);

// The same of an argument: "-" is standard input, else a file of that name, else the digits themselves.
int map_bytes_read(const char *argument, struct tensormap_image *image, struct text *why);

// Reads what `argument` stands for: a file, standard input, or (in a copy) the argument itself. NULL with a reason in
// `why`. The caller frees it; a NUL follows the last byte.
char *argument_text(const char *argument, size_t *size, struct text *why);

#endif
