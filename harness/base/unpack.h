// SPDX-License-Identifier: MIT
// Bytes that zstd has compressed, unpacked in memory: traces, core dumps.
#ifndef TMAREF_UNPACK_H
#define TMAREF_UNPACK_H

#include <stddef.h>

#include "text.h"

// Do the bytes begin as a zstd frame does?
bool unpack_is_zstd(const char *bytes, size_t size_bytes);

// All frames, one after the other; a NUL follows the last byte. NULL with `why` if they are damaged, or make more than
// `most_bytes`. The caller frees it.
char *unpack_zstd(const char *bytes, size_t size_bytes, size_t most_bytes, size_t *unpacked_bytes, struct text *why);

#endif
