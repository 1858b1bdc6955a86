// SPDX-License-Identifier: MIT
#include "sass.h"

#include <string.h>

// Of BAR: it arrives and does not wait.
#define ARRIVE_BIT UINT64_C(0x2000)

// Of SYNCS.ARRIVE: .RED.
#define REMOTE_BIT UINT64_C(0x400)

// Of UBLKCP and UBLKRED two bits: the destination is in shared memory, the source is.
enum { SIDES_AT = 9, TO_SHARED = 1, FROM_SHARED = 2 };

struct row {
    uint16_t operation;
    enum sass_kind kind;
};

static const struct row rows[] = {
    {0x5a7, SASS_WAIT},
    {0x9a7, SASS_ARRIVE},
    {0x9b0, SASS_ARRIVE},
    {0xdbd, SASS_SHARED_COPY},
    {0xdbe, SASS_SHARED_COPY},
    {0x5b2, SASS_EXCHANGE},
    {0xb1d, SASS_BARRIER},
    {0x949, SASS_JUMP},
    {0x343, SASS_JUMP},
    {0x944, SASS_CALL},
    {0x950, SASS_RETURN},
    {0x94a, SASS_JUMP},
    {0x31d, SASS_BARRIER_UNKNOWN},
    {0x91d, SASS_BARRIER_UNKNOWN},
    {0x51d, SASS_BARRIER_REGISTER},
    {0x9c7, SASS_CLUSTER_ARRIVE},
    {0xdc7, SASS_CLUSTER_WAIT},
    {0x947, SASS_BRANCH},
    {0x980, SASS_LOAD},
    {0x981, SASS_LOAD},
    {0x9a8, SASS_LOAD},
    {0x3a9, SASS_LOAD},
    {0x5b4, SASS_TENSOR_LOAD},
    {0x3b4, SASS_TENSOR_LOAD},
    {0x3b5, SASS_TENSOR_STORE},
    {0x9c8, SASS_REGISTERS},
    {0x82e, SASS_GRID},
    {0x3ba, SASS_BULK_LOAD},
    {0x3bb, SASS_BULK_LOAD},
    {0x3b6, SASS_TENSOR_STORE},
    {0x387, SASS_LOCAL},
    {0x983, SASS_LOCAL},
    {0x95c, SASS_TRAP},
    {0x95d, SASS_SLEEP},
    {0x948, SASS_WARPSYNC},
    {0x94d, SASS_EXIT},
};

static enum sass_kind kind_of(uint64_t low)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].operation == (low & 0xfff)) return rows[i].kind;
    return SASS_OTHER;
}

// Units of four bytes from behind the branch: 8 bits at 16, and what lies above bit 34, signed.
static uint64_t target_of(uint64_t low, uint64_t offset)
{
    const int64_t units = ((int64_t)low >> 34) * 256 + (int64_t)(low >> 16 & 0xff);
    return offset + SASS_BYTES + (uint64_t)(units * 4);
}

static enum sass_kind bulk_kind(uint64_t high)
{
    switch (high >> SIDES_AT & (TO_SHARED | FROM_SHARED)) {
    case TO_SHARED:
        return SASS_BULK_LOAD;
    case FROM_SHARED:
        return SASS_BULK_STORE;
    case TO_SHARED | FROM_SHARED:
        return SASS_SHARED_COPY;
    default:
        return SASS_OTHER;
    }
}

struct sass sass_at(const struct core_bytes *code, uint64_t offset)
{
    const uint8_t *at = core_bytes_at(code, code->address + offset, SASS_BYTES);
    uint64_t low, high;
    if (at == NULL) return (struct sass){0};
    memcpy(&low, at, sizeof low);
    memcpy(&high, at + sizeof low, sizeof high);
    struct sass sass = {.kind = kind_of(low),
                        .at = (uint8_t)(low >> 24),
                        .value = (uint8_t)(low >> 32),
                        .data = (uint8_t)(low >> 16),
                        .uniform = (uint8_t)(high & 63),
                        .offset = (int32_t)((int64_t)low >> 40),
                        .is_guarded = (low >> 12 & 7) != 7};
    if (sass.kind == SASS_BULK_LOAD) sass.kind = bulk_kind(high);
    if (sass.kind == SASS_ARRIVE) sass.is_remote = (high & REMOTE_BIT) != 0;
    if (sass.kind == SASS_BRANCH || sass.kind == SASS_CALL) sass.target = target_of(low, offset);
    if (sass.kind == SASS_BARRIER || sass.kind == SASS_BARRIER_REGISTER) {
        sass.number = sass.kind == SASS_BARRIER ? (uint32_t)(low >> 54 & 15) : SASS_ANY_NUMBER;
        sass.count = (uint32_t)(low >> 42 & 0xfff);
        if ((high & ARRIVE_BIT) != 0) sass.kind = SASS_BARRIER_ARRIVE;
    }
    return sass;
}
