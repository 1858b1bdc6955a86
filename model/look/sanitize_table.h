// SPDX-License-Identifier: MIT
// What a part of the sanitizer keeps of each CTA of a launch, or of each of its warps, by number. A part puts a struct
// sanitize_item in front of what it keeps.
#ifndef TMAREF_LOOK_SANITIZE_TABLE_H
#define TMAREF_LOOK_SANITIZE_TABLE_H

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum { SANITIZE_BUCKETS = 256 };

// warp: 0 in a table of CTAs.
struct sanitize_item {
    struct sanitize_item *next;
    uint64_t cta;
    uint32_t warp;
};

struct sanitize_table {
    struct sanitize_item *bucket[SANITIZE_BUCKETS];
};

// Where the item is; where it would be, if *at is NULL.
struct sanitize_item **sanitize_table_find(struct sanitize_table *table, uint64_t cta, uint32_t warp);

// The item at `at`, made of `bytes` zero bytes where there is none. NULL without memory.
void *sanitize_table_make(struct sanitize_item **at, uint64_t cta, uint32_t warp, size_t bytes);

// `end` frees what an item holds, but not the item.
void sanitize_table_drop(struct sanitize_item **at, void (*end)(struct sanitize_item *item));
void sanitize_table_clear(struct sanitize_table *table, void (*end)(struct sanitize_item *item));

#pragma GCC visibility pop

#endif
