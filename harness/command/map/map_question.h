// SPDX-License-Identifier: MIT
// What the commands that ask about one box read alike: its map, and coordinates and addresses with the rank of it.
#ifndef TMAREF_MAP_QUESTION_H
#define TMAREF_MAP_QUESTION_H

#include "map_options.h"
#include "tensormap.h"

// The map that `map_text` (bytes, or a call as JSON, or a file with either; may be NULL) or else `options` say.
//   returns  EXIT_AGREE; EXIT_MISMATCH when the call is refused, EXIT_USAGE on wrong arguments: the reason is printed
int map_question_read(const char *command, const char *map_text, const struct map_options *options,
                      struct tensormap *map);

// `wanted` numbers of option --`option`; `what` says what their number is ("the rank"). Returns as above.
int index_read(const char *command, const char *option, const char *text, int wanted, const char *what, int64_t min,
               int64_t max, int64_t *index);

// A 32-bit shared address. Returns as above.
int address_read(const char *command, const char *option, const char *text, uint32_t *address);

#endif
