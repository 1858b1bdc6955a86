// SPDX-License-Identifier: MIT
// --shard I/N: part I of N of what a command does, so that several machines do it together.
#ifndef TMAREF_COMMAND_SHARD_H
#define TMAREF_COMMAND_SHARD_H

#include "command_option.h"
#include "shards.h"

// For OPTION_TAKEN, with `at` the place of a struct shard.
void take_shard(const struct command_option *option, void *to, char *value, struct argp_state *state);

#define OPTION_SHARD(short_form, member, ...)                                                                          \
    OPTION_TAKEN(short_form, "shard", "I/N", take_shard, __VA_ARGS__, OPTION_AT(member))

#endif
