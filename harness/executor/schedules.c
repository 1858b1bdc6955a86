// SPDX-License-Identifier: MIT
#include "schedules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEEDS = 16 };

// On which grounds a result is that of an H200, one bit each.
#define HAS(ground) (1u << GROUND_##ground)
static const struct {
    const char *name;
    uint32_t grounds;
} schedules[] = {
    {"default", HAS(PTX) | HAS(H200) | HAS(SLOW)},
    {"late", HAS(PTX) | HAS(SLOW)},
    {"early", HAS(PTX) | HAS(H200)},
    {"shuffled", HAS(PTX)},
    {"pct", HAS(PTX)},
    {"delay", HAS(PTX)},
};
enum { SCHEDULES = sizeof schedules / sizeof schedules[0], IN_PAIRS = 4 }; // the pairs have the first ones

static int now = SCHEDULE_NONE;

int schedule_pair(void)
{
    return now;
}

void schedule_set(int pair)
{
    char seed[16];
    if (pair == now) return;
    now = pair;
    snprintf(seed, sizeof seed, "%d", pair % SEEDS);
    setenv("TMAREF_SCHEDULE", schedules[(pair + pair / SEEDS) % IN_PAIRS].name, 1);
    setenv("TMAREF_SEED", seed, 1);
}

static const char *set_or(const char *variable, const char *otherwise)
{
    const char *text = getenv(variable);
    return text != NULL && text[0] != '\0' ? text : otherwise;
}

const char *schedule_text(void)
{
    static char text[64];
    snprintf(text, sizeof text, "%.20s, seed %.20s", set_or("TMAREF_SCHEDULE", schedules[0].name),
             set_or("TMAREF_SEED", "0"));
    return text;
}

bool schedule_has(enum family_ground ground)
{
    const char *name = set_or("TMAREF_SCHEDULE", schedules[0].name);
    uint32_t grounds = 0;
    for (int i = 0; i < SCHEDULES; i++)
        if (strcmp(schedules[i].name, name) == 0) grounds = schedules[i].grounds;
    return (int)(grounds >> ground & true);
}
