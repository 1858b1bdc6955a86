// SPDX-License-Identifier: MIT
// The cells of global memory: pages that are made when they are first accessed.
#include <stdlib.h>

#include "clock_order.h"

static struct shadow_page *page_new(struct clock_order *order, struct shadow_page **first, uint64_t number)
{
    struct order_global *global = &order->global;
    if (global->pages == ORDER_MOST_PAGES) {
        global->is_full = 1;
        return NULL;
    }
    struct shadow_page *page = calloc(1, sizeof *page);
    if (page == NULL) {
        order->is_short = 1;
        return NULL;
    }
    global->pages++;
    page->number = number;
    page->is_fresh =
        order->is_untouched != NULL && order->is_untouched(order->context, number * (uint64_t)SHADOW_PAGE_BYTES);
    page->next = *first;
    return *first = page;
}

static uint32_t hash_of(uint64_t number)
{
    return (uint32_t)((number ^ number >> 14) % ORDER_GLOBAL_HASH);
}

static struct shadow_page *find(const struct order_global *global, uint64_t number)
{
    struct shadow_page *page = global->page[hash_of(number)];
    while (page != NULL && page->number != number) page = page->next;
    return page;
}

const struct shadow_page *order_global_find(const struct clock_order *order, uint64_t address)
{
    return find(&order->global, address / SHADOW_PAGE_BYTES);
}

static struct shadow_page *look_up(struct clock_order *order, uint64_t number)
{
    struct order_global *global = &order->global;
    struct shadow_page *page = find(global, number);
    if (page == NULL) page = page_new(order, &global->page[hash_of(number)], number);
    if (page != NULL) global->recent[number % ORDER_RECENT_PAGES] = page;
    return page;
}

static inline struct shadow_page *page_of(struct clock_order *order, uint64_t number)
{
    struct shadow_page *page = order->global.recent[number % ORDER_RECENT_PAGES];
    return page != NULL && page->number == number ? page : look_up(order, number);
}

struct shadow_page *order_global_page(struct clock_order *order, uint64_t address)
{
    return page_of(order, address / SHADOW_PAGE_BYTES);
}

// Once the instruction has read a page, who asks the host finds that it was touched.
void order_global_meet(struct clock_order *order, const struct access *access)
{
    const uint64_t first = access->address / SHADOW_PAGE_BYTES;
    const uint64_t last = (access->address + access->bytes - 1) / SHADOW_PAGE_BYTES;
    page_of(order, first);
    if (last != first) page_of(order, last);
}

void order_global_free(struct order_global *global)
{
    for (int i = 0; i < ORDER_GLOBAL_HASH; i++)
        while (global->page[i] != NULL) {
            struct shadow_page *next = global->page[i]->next;
            free(global->page[i]->cell);
            free(global->page[i]);
            global->page[i] = next;
        }
}
