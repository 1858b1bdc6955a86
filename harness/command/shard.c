// SPDX-License-Identifier: MIT
#include "shard.h"

#include <string.h>

void take_shard(const struct command_option *option, void *to, char *value, struct argp_state *state)
{
    struct shard *shard = (struct shard *)((char *)to + option->at);
    char *slash = strchr(value, '/');
    if (slash == NULL) argp_error(state, "--%s takes I/N, for example 1/4, not '%s'", option->name, value);
    *slash = '\0';
    shard->parts = command_option_number(option->name, 1, SHARDS_MOST, slash + 1, state);
    shard->part = command_option_number(option->name, 1, shard->parts, value, state);
    shard->is_given = true;
}
