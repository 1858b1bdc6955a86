// SPDX-License-Identifier: MIT
#include "added.h"

#include <stdlib.h>

// each: the bytes of an atomic, of each wide cell; 0: there was none.
struct page {
    uint64_t number;
    struct page *next, *older;
    bool is_fresh;
    uint64_t each[SHADOW_PAGE_WIDES];
    struct shadow_ways ways;
};

// made: all pages
enum { HASH = 1 << 12 };
struct order_added {
    struct order_apart *apart;
    struct page *made, *last, *page[HASH];
};

struct order_added *order_added_open(struct order_apart *apart)
{
    struct order_added *added = calloc(1, sizeof *added);
    if (added != NULL) added->apart = apart;
    return added;
}

void order_added_close(struct order_added *added)
{
    if (added == NULL) return;
    for (struct page *page = added->made, *older; page != NULL; page = older) {
        older = page->older;
        shadow_ways_free(&page->ways);
        free(page);
    }
    free(added);
}

static struct page *add_page(struct order_added *added, struct page **first, uint64_t number)
{
    struct page *page = calloc(1, sizeof *page);
    if (page == NULL) return NULL;
    page->number = number;
    page->is_fresh = order_apart_meet(added->apart, number);
    page->older = added->made;
    page->next = *first;
    return added->made = *first = page;
}

static struct page *page_of(struct order_added *added, uint64_t number)
{
    struct page **first = &added->page[number % HASH], *page = *first;
    if (added->last != NULL && added->last->number == number) return added->last;
    while (page != NULL && page->number != number) page = page->next;
    return added->last = page != NULL ? page : add_page(added, first, number);
}

bool order_added_use(struct order_added *added, uint64_t address, uint64_t bytes, uint32_t line)
{
    const uint32_t flags = SHADOW_WRITES | SHADOW_STRONG | SHADOW_REDUCES;
    const uint64_t first = address % SHADOW_WIDE_BYTES;
    const uint32_t wide = (uint32_t)(address % SHADOW_PAGE_BYTES / SHADOW_WIDE_BYTES);
    if (bytes == 0 || first + bytes > SHADOW_WIDE_BYTES) return false;
    struct page *page = page_of(added, address / SHADOW_PAGE_BYTES);
    if (page == NULL || page->is_fresh || (page->each[wide] != 0 && page->each[wide] != bytes)) return false;
    page->each[wide] = bytes;
    const uint64_t bits = UINT64_MAX >> (SHADOW_WIDE_BYTES - bytes) << first;
    return shadow_ways_add(&page->ways, line, flags, wide, bits) != 0;
}

void order_added_give(struct order_added *added)
{
    if (added->made != NULL) added->apart->has_atomics = true;
    for (const struct page *page = added->made; page != NULL; page = page->older)
        order_apart_join(added->apart, page->number, &page->ways);
}
