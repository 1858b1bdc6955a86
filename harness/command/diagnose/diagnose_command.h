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
    const char *dump, *dump_at, *tile, *tensor, *tensor_at, *fill, *before, *barrier, *expect;
    const char *other[DIAGNOSE_MAX_OTHERS];
    int others, is_store, json, causes;
};

// The bytes that a question points to.
struct diagnose_room {
    char *dump, *source, *before, *other[DIAGNOSE_MAX_OTHERS];
};

// Reads bytes of global memory out of a file: raw ones, or a .npy file, whose elements are laid out as the map's tensor
// has them; if they are just `raw_bytes` bytes, they are those of a dump, and taken as they are. Returns NULL after
// printing the reason. The caller frees it.
char *diagnose_read_tensor(const char *option, const char *path, const struct tensormap *map, size_t raw_bytes,
                           size_t *size);

// Bytes from the tensor's first to its last; 0 if they are more than 1 GiB.
uint64_t diagnose_tensor_bytes(const struct tensormap *map);

// Reads the question. Returns EXIT_AGREE, or another exit status after printing the reason. The caller frees the room.
int diagnose_read(const struct diagnose_options *from, struct diagnose *question, struct diagnose_room *room);

void diagnose_print(const struct diagnose *question, const struct diagnosis *answer);
// The table of causes.
void diagnose_print_causes(bool is_json);

void diagnose_print_json(const struct diagnose *question, const struct diagnosis *answer);

#endif
