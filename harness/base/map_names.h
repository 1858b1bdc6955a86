// SPDX-License-Identifier: MIT
// The value of a tensor map's enum that somebody typed (model/core/map_value.h has the names).
#ifndef TMAREF_MAP_NAMES_H
#define TMAREF_MAP_NAMES_H

#include "map_value.h"
#include "text.h"

// The value that `text` means: a name of map_value_named(), or any number, legal or not.
//   returns  1, or 0 with what would have been understood in `why`
int map_value_find(enum map_enum which, const char *text, uint32_t *value, struct text *why);

#endif
