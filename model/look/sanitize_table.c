// SPDX-License-Identifier: MIT
#include "sanitize_table.h"

#include <stdlib.h>

struct sanitize_item **sanitize_table_find(struct sanitize_table *table, uint64_t cta, uint32_t warp)
{
    struct sanitize_item **at = &table->bucket[(cta * 33 + warp) % SANITIZE_BUCKETS];
    while (*at != NULL && ((*at)->cta != cta || (*at)->warp != warp)) at = &(*at)->next;
    return at;
}

void *sanitize_table_make(struct sanitize_item **at, uint64_t cta, uint32_t warp, size_t bytes)
{
    if (*at != NULL) return *at;
    *at = calloc(1, bytes);
    if (*at == NULL) return NULL;
    (*at)->cta = cta;
    (*at)->warp = warp;
    return *at;
}

void sanitize_table_drop(struct sanitize_item **at, void (*end)(struct sanitize_item *item))
{
    struct sanitize_item *gone = *at;
    if (gone == NULL) return;
    *at = gone->next;
    end(gone);
    free(gone);
}

void sanitize_table_clear(struct sanitize_table *table, void (*end)(struct sanitize_item *item))
{
    for (int i = 0; i < SANITIZE_BUCKETS; i++)
        while (table->bucket[i] != NULL) sanitize_table_drop(&table->bucket[i], end);
}
