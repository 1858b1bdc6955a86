// SPDX-License-Identifier: MIT
#ifndef TMAREF_LOAD_TEXT_H
#define TMAREF_LOAD_TEXT_H

#include <jansson.h>

#include "result.h"

// The result of a load as lines: "smem 0800+16 = gmem 1a40", "smem 0880+32 = fill 7ff7", "smem 0900+256 untouched",
// "mbar 7fffe00000..." (addresses and words in hex, lengths in bytes; gmem counts from the start of the arena).
json_t *load_describe(const void *test_case, const struct result *result);

// Appends the lines of one window of shared memory, whose base is the shared address that the canaries were made of.
void load_describe_window(const struct window *window, json_t *lines);
// These lines back: writes what they say into the bytes of shared memory from `base` on, which hold what was there
// before, and the word. Returns 0 if a line is no such line or lies outside.
int load_restore(const json_t *text, uint8_t *word, uint8_t *shared, uint64_t base, uint32_t size_bytes);

#endif
