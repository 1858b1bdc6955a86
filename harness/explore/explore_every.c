// SPDX-License-Identifier: MIT
// Each list of one delay.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore.h"

static void add_line(struct explore_every *every, const char *line)
{
    const uint32_t count = every->operations + every->warps;
    char **more = realloc(every->line, (count + 1) * sizeof *more);
    if (more != NULL) every->line = more;
    if (more != NULL && (more[count] = strdup(line)) != NULL) every->operations++;
}

// Reads the delays of one kind: of a warp up to " after", of an operation all.
static void read_kind(struct explore_every *every, const char *path, bool are_warps)
{
    char *line = NULL;
    size_t room = 0;
    FILE *file = fopen(path, "r");
    while (file != NULL && getline(&line, &room, file) > 0) {
        char *comment = strstr(line, " # at "), *after = strstr(line, " after ");
        if (comment == NULL || line[0] == '#' || (after != NULL) != are_warps) continue;
        *(are_warps ? after : comment) = '\0';
        add_line(every, line);
    }
    if (file != NULL) fclose(file);
    free(line);
}

struct explore_every explore_every_of(const char *path)
{
    struct explore_every every = {.steps = explore_steps(path)};
    read_kind(&every, path, false);
    const uint32_t operations = every.operations;
    read_kind(&every, path, true);
    every.warps = every.operations - operations;
    every.operations = operations;
    return every;
}

void explore_every_free(struct explore_every *every)
{
    for (uint32_t i = 0; i < every->operations + every->warps; i++) free(every->line[i]);
    free(every->line);
    *every = (struct explore_every){NULL, 0, 0, 0};
}

uint64_t explore_every_lists(const struct explore_every *every)
{
    return 2 * (1 + every->operations + every->warps * (every->steps + 1));
}

bool explore_every_write(const struct explore_every *every, uint64_t number, const char *path)
{
    const uint64_t place = number / 2;
    FILE *file = fopen(path, "w");
    if (file == NULL) return false;
    fputs("tmaref delays 1\n", file);
    if (number % 2 == 1) fputs("weak\n", file);
    if (place > every->operations) {
        const uint64_t of_warps = place - 1 - every->operations;
        fprintf(file, "%s after %llu\n", every->line[every->operations + of_warps % every->warps],
                (unsigned long long)(of_warps / every->warps));
    } else if (place > 0) {
        fprintf(file, "%s\n", every->line[place - 1]);
    }
    return fclose(file) == 0;
}
