// SPDX-License-Identifier: MIT
// The statistics of a kernel: stats.c gathers them, stats_print.c prints them.
#ifndef TMAREF_LOOK_STATS_H
#define TMAREF_LOOK_STATS_H

#include <stdio.h>

#include "parts.h"

#pragma GCC visibility push(hidden)

enum { LOOK_NAME_BYTES = 64, LOOK_SPACES = 2, LOOK_KINDS = 3 };

// How often instructions of a name were executed, by warps and by threads.
struct look_mix {
    char name[LOOK_NAME_BYTES];
    uint64_t warps, threads;
};

// What instructions of a form moved, by enum access_space and enum access_kind.
struct look_moved {
    uint64_t bytes[LOOK_SPACES][LOOK_KINDS];
};

// Accesses of warps to shared memory at a place of the source. worst: wavefronts of one access.
struct look_bank {
    char *place, name[LOOK_NAME_BYTES];
    uint64_t accesses, wavefronts, ideal;
    uint32_t worst;
};

struct look_kernel {
    char *name;
    uint64_t launches, warps, threads;
    struct look_mix *mix;
    struct look_moved *moved; // by form
    struct look_bank *bank;
    uint32_t mixes, mix_room, banks, bank_room;
    bool is_short; // there was no memory for all
};

// As a table, or as one line of JSON. Sorts what it prints.
void look_stats_print(struct look_kernel *kernel, bool is_json, FILE *out);

#pragma GCC visibility pop

#endif
