// SPDX-License-Identifier: MIT
// The parts of the answer of `tmaref explore`.
#ifndef TMAREF_EXPLORE_ANSWER_H
#define TMAREF_EXPLORE_ANSWER_H

#include <jansson.h>

#include "explore.h"

// What was searched of --paths, and what was found.
json_t *explore_json_of_paths(const struct explore_paths *paths);

// A number that may be larger than JSON's.
json_t *explore_json_of_number(uint64_t number);

#endif
