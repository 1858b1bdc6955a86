// SPDX-License-Identifier: MIT
// A tensor map printed: its fields with the driver's names, the call that makes it, its bytes. For findings see
// finding_text.h, for the way in map_options.h and map_bytes.h.
#ifndef TMAREF_MAP_TEXT_H
#define TMAREF_MAP_TEXT_H

#include <jansson.h>
#include <stdio.h>

#include "finding.h"
#include "map_args.h"

// The 256 hex digits, lowest byte first, on one line; or 16 lines of 64-bit words, with the number of the first bit.
void map_print_hex(const struct tensormap_image *image, FILE *out);
void map_print_words(const struct tensormap_image *image, FILE *out);

// One line per field; what no driver value has a name for is printed as its number.
void map_print_fields(const struct tensormap *map, FILE *out);

// The arguments of the call that makes `map`; 0 if none does, because a field has no value a call could be given.
bool map_args_of(const struct tensormap *map, struct map_args *args);

// That call as C source, for a tiled or an im2col map.
void map_print_call(const struct map_args *args, FILE *out);

// {"map": hex, "call": the arguments or null, "names": {...}, "boxBytes", "patternBytes"}. `call` is an object that
// 'tmaref encode -' takes.
json_t *map_json(const struct tensormap_image *image, const struct tensormap *map);

// The findings on `out`, and as an array.
void findings_print(const struct findings *findings, FILE *out);
json_t *findings_array(const struct findings *findings);

#endif
