// SPDX-License-Identifier: MIT
// The answers of a command that several processes, or machines, have given in parts (--shard I/N --json), and what they
// add up to.
#ifndef TMAREF_SHARDS_H
#define TMAREF_SHARDS_H

#include <jansson.h>
#include <stdint.h>

#include "text.h"

enum { SHARDS_MOST = 10000 };

// Part `part` of `parts`, from 1. is_given: --shard was; else it is all, {1, 1}.
struct shard {
    uint64_t part, parts;
    bool is_given;
};

// What such a command prints: the answer of a part, with what the other parts must have in common with it (settings:
// seeds, options). Takes both. The answer alone if no part was asked for.
json_t *shard_answer(const struct shard *shard, const char *command, json_t *settings, json_t *answer);

// Is the file such an answer? 0 too if it cannot be read.
bool shards_is_one(const char *path);

// Adds up the files. NULL with a sentence in `why`, which names the file, if one cannot be read, a part is missing or
// stands twice, or the parts are of different versions, commands or settings. `failures`: what makes the command's exit
// status 1.
//   {"command": ..., "version": ..., "shards": N, "settings": {...}, "answer": ...}
json_t *shards_merge(const char *const *paths, int count, uint64_t *failures, struct text *why);

#endif
