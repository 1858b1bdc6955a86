// SPDX-License-Identifier: MIT
#include "tell_map.h"

#include "tensormap.h"

static void tell(enum access_kind kind, enum access_space space, uint64_t address, const struct teller *teller)
{
    if (teller == NULL) return;
    const uint32_t rank = space == SPACE_SHARED ? teller->origin.rank : 0;
    const struct access access = {.kind = kind, .space = space, .rank = rank};
    event_tell_access(teller, access, address, TENSORMAP_BYTES);
}

void map_replace_observe(enum access_space space, uint64_t address, const struct teller *teller)
{
    tell(ACCESS_READ, space, address, teller);
    tell(ACCESS_WRITE, space, address, teller);
}

void map_copy_observe(uint32_t from, uint64_t to, const struct teller *teller)
{
    tell(ACCESS_READ, SPACE_SHARED, from, teller);
    tell(ACCESS_WRITE, SPACE_GLOBAL, to, teller);
}
