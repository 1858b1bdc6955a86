// SPDX-License-Identifier: MIT
// What the parts of `tmaref diagnose` share: the options, the question read from them and from files
// (diagnose_read.c), and the answer in words and as JSON (diagnose_report.c).
#ifndef TMAREF_DIAGNOSE_COMMAND_H
#define TMAREF_DIAGNOSE_COMMAND_H

#include "diagnose.h"
#include "map_options.h"

// The texts of the options; NULL where they were not given.
struct diagnose_options {
    struct map_options map;
    const char *map_text, *coord, *offsets, *shared, *slices;
    const char *dump, *dump_at, *tensor, *tensor_at, *fill, *before, *barrier, *expect;
    int json, causes;
};

// The bytes that a question points to.
struct diagnose_room {
    char *dump, *tensor, *before;
};

// Reads the question. Returns EXIT_AGREE, or another exit status after printing the reason. The caller frees the room.
int diagnose_read(const struct diagnose_options *from, struct diagnose *question, struct diagnose_room *room);

void diagnose_print(const struct diagnose *question, const struct diagnosis *answer);
void diagnose_print_json(const struct diagnose *question, const struct diagnosis *answer);

#endif
