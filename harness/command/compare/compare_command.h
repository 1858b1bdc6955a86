// SPDX-License-Identifier: MIT
// `tmaref compare`: what its files share. compare_read.c reads the two files, compare.c counts, compare_print.c says
// what was found.
#ifndef TMAREF_COMPARE_COMMAND_H
#define TMAREF_COMPARE_COMMAND_H

#include <jansson.h>

#include "dtype.h"
#include "npy.h"
#include "tmaref_dump.h"

enum { COMPARE_MOST_FACTS = 32, COMPARE_TEXT_BYTES = 160 };

//   type    of the elements of raw files, as dtype_find() knows them; NULL: bytes
//   shape   of raw files, outermost first; NULL: one dimension
struct compare_options {
    const char *path[2], *type, *shape;
    int json;
};

// One of the two files. head.magic is 0 unless it is a dump of tmaref_dump().
struct compare_side {
    const char *path;
    char *room;
    const uint8_t *bytes;
    struct tmaref_dump_head head;
};

// Something that is said of both files besides their elements, and differs.
struct compare_fact {
    char name[48], value[2][COMPARE_TEXT_BYTES];
};

//   dtype        of an element, DTYPE_COUNT: none of those, `element_bytes` bytes each
//   base         shared address of the first byte of dumps
//   has_map      elements of a tiled box are named by their place in the tensor
//   shape        of a buffer, outermost first
//   first, last  elements that differ, if any do; largest_ulps: of floats that are numbers on both sides
struct compare {
    struct compare_side side[2];
    enum dtype dtype;
    uint32_t element_bytes, base;
    bool is_dump, has_map;
    int rank;
    struct tensormap map;
    uint64_t shape[NPY_MAX_RANK];
    struct compare_fact fact[COMPARE_MOST_FACTS];
    int facts;
    uint64_t elements, different, first, last, largest_ulps;
};

// Reads both files. EXIT_AGREE, or the exit status after a complaint; the caller frees side[].room in any case.
int compare_read(const struct compare_options *options, struct compare *compare);

// How many units in the last place lie between two elements of the type, 0 if it is no float, or one is NaN.
uint64_t compare_ulps(const struct compare *compare, uint64_t element);

// For people, and as an object.
void compare_print(const struct compare *compare);
json_t *compare_json(const struct compare *compare);

#endif
