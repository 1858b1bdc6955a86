// SPDX-License-Identifier: MIT
// Which calls were made before: a program that encodes the same map for every launch is reported once.
#include <unistd.h>

#include "watch.h"

enum { ADDRESS_ALIGN = 64 };

static uint64_t mix(uint64_t key, uint64_t value)
{
    for (int i = 0; i < 8; i++) key = (key ^ (value >> 8 * i & 0xff)) * 0x100000001b3; // FNV-1a
    return key;
}

static uint64_t mix_argument(uint64_t key, const struct watch_argument *argument)
{
    if (argument->kind == WATCH_U64S || argument->kind == WATCH_U32S || argument->kind == WATCH_I32S) {
        key = mix(mix(key, argument->value != 0), (uint64_t)(int64_t)argument->count);
        for (int i = 0; i < argument->count; i++)
            key = mix(key, argument->kind == WATCH_U64S ? argument->entry.u64[i] : argument->entry.u32[i]);
        return key;
    }
    if (argument->kind != WATCH_POINTER) return mix(key, argument->value);
    return mix(mix(key, argument->value != 0), argument->value % ADDRESS_ALIGN);
}

struct watch_seen *watch_find_seen(const struct watch_call *call, struct watch_shared *shared)
{
    uint64_t key =
        mix(mix(0xcbf29ce484222325, (uint64_t)getpid()), (uint64_t)call->is_modelled << 32 | (uint64_t)call->rule);
    for (const char *at = call->function; *at != '\0'; at++) key = mix(key, (uint64_t)*at);
    for (int i = 0; i < call->argument_count; i++) key = mix_argument(key, &call->argument[i]);
    key |= key == 0; // 0 is a free place
    for (uint64_t i = 0; i < WATCH_SEEN; i++) {
        struct watch_seen *seen = &shared->seen[(key + i) % WATCH_SEEN];
        uint64_t there = 0;
        if (atomic_compare_exchange_strong(&seen->key, &there, key)) seen->number = call->number;
        if (there == 0 || there == key) return seen;
    }
    return NULL;
}
