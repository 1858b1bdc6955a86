// SPDX-License-Identifier: MIT
// The cells of global memory: pages that are made when they are first accessed.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apart.h"

static uint32_t hash_of(uint64_t number)
{
    return (uint32_t)((number ^ number >> 14) % ORDER_GLOBAL_HASH);
}

static struct shadow_page *find(const struct order_global *global, uint64_t number)
{
    struct shadow_page *page = global->page != NULL ? global->page[hash_of(number)] : NULL;
    while (page != NULL && page->number != number) page = page->next;
    return page;
}

uint32_t order_pages_of_host(void)
{
    const long bytes = sysconf(_SC_PAGESIZE);
    return bytes > SHADOW_PAGE_BYTES ? (uint32_t)bytes / SHADOW_PAGE_BYTES : 1;
}

// Had nobody touched it before this launch? The host tells of its own pages, so what it said of one page holds for
// those beside it, which this launch has not touched either.
static bool is_fresh(const struct clock_order *order, uint64_t number)
{
    const uint64_t beside_it = order_pages_of_host();
    if (order->apart != NULL) return order_apart_meet(order->apart, number);
    if (order->is_untouched == NULL) return false;
    for (uint64_t i = 0, first = number / beside_it * beside_it; i < beside_it; i++) {
        const struct shadow_page *beside = find(&order->global, first + i);
        if (beside != NULL) return beside->is_fresh;
    }
    return order->is_untouched(order->context, number * SHADOW_PAGE_BYTES);
}

static struct shadow_page *page_new(struct clock_order *order, uint64_t number)
{
    struct order_global *global = &order->global;
    if (global->pages == ORDER_MOST_PAGES) {
        global->is_full = true;
        return NULL;
    }
    if (global->page == NULL) global->page = calloc(ORDER_GLOBAL_HASH, sizeof *global->page);
    struct shadow_page *page = global->page != NULL ? order_page_spare(order) : NULL;
    if (page == NULL) {
        order->is_short = true;
        return NULL;
    }
    global->pages++;
    page->number = number;
    page->is_fresh = is_fresh(order, number);
    page->kept = NULL;
    page->older = order->made;
    if (order->apart != NULL) order->made = page;
    struct shadow_page **first = &global->page[hash_of(number)];
    page->next = *first;
    return *first = page;
}

const struct shadow_page *order_global_find(const struct clock_order *order, uint64_t address)
{
    return find(&order->global, address / SHADOW_PAGE_BYTES);
}

static struct shadow_page *look_up(struct clock_order *order, uint64_t number)
{
    struct order_global *global = &order->global;
    struct shadow_page *page = find(global, number);
    if (page == NULL) page = page_new(order, number);
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
    for (int i = 0; global->page != NULL && i < ORDER_GLOBAL_HASH; i++)
        while (global->page[i] != NULL) {
            struct shadow_page *next = global->page[i]->next;
            free(global->page[i]->cell);
            free(global->page[i]->ways.way);
            free(global->page[i]);
            global->page[i] = next;
        }
    free(global->page);
    global->page = NULL;
}

// --- A cluster by itself ---------------------------------------------------------------------------------------------

static void forget_pages(struct clock_order *order)
{
    for (struct shadow_page *page = order->made, *older; page != NULL; page = older) {
        older = page->older;
        order->global.page[hash_of(page->number)] = NULL;
        page->ways.count = 0;
        shadow_drop(&order->pool, page);
        page->next = order->spare;
        order->spare = page;
    }
    order->made = NULL;
    order->global.pages = 0;
    memset(order->global.recent, 0, sizeof order->global.recent);
}

void clock_order_again(struct clock_order *order)
{
    forget_pages(order);
    order_actors_forget(order);
    order_places_free(order);
    order->ctas = 0;
}
