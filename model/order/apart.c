// SPDX-License-Identifier: MIT
#include "apart.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// --- Open and close --------------------------------------------------------------------------------------------------

enum { SLAB = 16 };
struct apart_slab {
    struct apart_slab *next;
    uint32_t used;
    struct apart_page page[SLAB];
};

struct order_apart *order_apart_open(void *context,
                                     uint32_t (*untouched)(void *context, uint64_t address, uint32_t pages))
{
    struct order_apart *apart = calloc(1, sizeof *apart);
    if (apart == NULL) return NULL;
    apart->context = context;
    apart->untouched = untouched;
    apart->pages_of_host = order_pages_of_host();
    for (int i = 0; i < APART_LOCKS; i++) pthread_mutex_init(&apart->lock[i], NULL);
    return apart;
}

void order_apart_close(struct order_apart *apart)
{
    if (apart == NULL) return;
    for (int i = 0; i < APART_LOCKS; i++) {
        for (struct apart_slab *slab = apart->slab[i], *next; slab != NULL; slab = next) {
            next = slab->next;
            for (uint32_t k = 0; k < slab->used; k++) shadow_ways_free(&slab->page[k].ways);
            free(slab);
        }
        pthread_mutex_destroy(&apart->lock[i]);
    }
    free(apart);
}

bool order_apart_is_over(const struct order_apart *apart)
{
    return __atomic_load_n(&apart->is_over, __ATOMIC_RELAXED);
}

void order_apart_end(struct order_apart *apart)
{
    __atomic_store_n(&apart->is_over, 1, __ATOMIC_RELAXED);
}

// --- Pages -----------------------------------------------------------------------------------------------------------

static uint32_t answer_of(uint64_t of_host)
{
    const uint64_t asked = of_host / APART_ASKED;
    return (uint32_t)((asked ^ asked >> 10) % APART_ANSWERS);
}

static uint32_t hash_of(const struct order_apart *apart, uint64_t number)
{
    const uint64_t of_host = number / apart->pages_of_host;
    _Static_assert((int)APART_HASH == (int)APART_ASKED * (int)APART_ANSWERS, "pages of one answer are side by side");
    return (uint32_t)(answer_of(of_host) * APART_ASKED + of_host % APART_ASKED);
}

static uint32_t lock_number(const struct order_apart *apart, uint64_t number)
{
    return hash_of(apart, number) / APART_ASKED % APART_LOCKS;
}

static pthread_mutex_t *lock_of(struct order_apart *apart, uint64_t number)
{
    return &apart->lock[lock_number(apart, number)];
}

// The page, or one that the host has as one with it; NULL: there is none.
static struct apart_page *find(const struct order_apart *apart, uint64_t number, struct apart_page **near)
{
    struct apart_page *page = apart->page[hash_of(apart, number)];
    for (*near = NULL; page != NULL && page->number != number; page = page->next)
        if (page->number / apart->pages_of_host == number / apart->pages_of_host) *near = page;
    return page;
}

// Its address. Memory may end within it, but begins with it.
static uint64_t host_page(const struct order_apart *apart, uint64_t of_host)
{
    return of_host * apart->pages_of_host * SHADOW_PAGE_BYTES;
}

static bool is_fresh(struct order_apart *apart, uint64_t number)
{
    const uint64_t of_host = number / apart->pages_of_host, first = of_host - of_host % APART_ASKED;
    struct apart_answer *answer = &apart->answer[answer_of(of_host)];
    if (answer->first != first || first == 0)
        *answer = (struct apart_answer){first, apart->untouched(apart->context, host_page(apart, first), APART_ASKED)};
    return answer->untouched >> of_host % APART_ASKED & 1;
}

// NULL without memory.
static struct apart_page *new_page(struct apart_slab **slab)
{
    if (*slab == NULL || (*slab)->used == SLAB) {
        struct apart_slab *more = malloc(sizeof *more);
        if (more == NULL) return NULL;
        more->used = 0;
        more->next = *slab;
        *slab = more;
    }
    struct apart_page *page = &(*slab)->page[(*slab)->used++];
    memset(page, 0, offsetof(struct apart_page, few));
    page->ways = shadow_ways_lent(page->few, APART_FEW);
    return page;
}

static struct apart_page *make(struct order_apart *apart, uint64_t number, const struct apart_page *near)
{
    struct apart_page **first = &apart->page[hash_of(apart, number)],
                      *page = new_page(&apart->slab[lock_number(apart, number)]);
    if (page == NULL || __atomic_fetch_add(&apart->pages, 1, __ATOMIC_RELAXED) >= ORDER_MOST_PAGES)
        order_apart_end(apart);
    if (page == NULL) return NULL;
    page->number = number;
    page->is_fresh = near != NULL ? near->is_fresh : is_fresh(apart, number);
    page->next = *first;
    return *first = page;
}

bool order_apart_meet(struct order_apart *apart, uint64_t number)
{
    struct apart_page *near;
    pthread_mutex_lock(lock_of(apart, number));
    const struct apart_page *page = find(apart, number, &near);
    if (page == NULL) page = make(apart, number, near);
    const bool is_fresh = page != NULL && page->is_fresh;
    pthread_mutex_unlock(lock_of(apart, number));
    return is_fresh;
}

// --- Clusters --------------------------------------------------------------------------------------------------------

static bool is_write(const struct shadow_way *way)
{
    return (way->flags & SHADOW_WRITES) != 0;
}

// Reads are no clash with reads, and atomics none with atomics.
enum { READS, WRITES, ADDS };
_Static_assert(ADDS + 1 == (int)APART_KINDS, "all kinds");
static int kind_of(const struct shadow_way *way)
{
    return way->flags & SHADOW_REDUCES ? ADDS : is_write(way) ? WRITES : READS;
}

static bool clashes(const struct apart_page *page, const struct shadow_way *way)
{
    const int kind = kind_of(way);
    uint64_t both = 0;
    for (int i = 0; i < SHADOW_PAGE_WIDES; i++) {
        uint64_t others = page->used[WRITES][i];
        if (kind != READS) others |= page->used[READS][i];
        if (kind != ADDS) others |= page->used[ADDS][i];
        both |= way->bytes[i] & others;
    }
    return both != 0;
}

// To the one of its kind among those that were joined; there is room, for it is there or takes the place of another.
static void join(struct shadow_ways *ways, const struct shadow_way *way)
{
    uint32_t i = 0;
    while (i < ways->count && ways->way[i].flags != way->flags) i++;
    struct shadow_way *const one = &ways->way[i];
    if (i == ways->count) {
        ways->count++;
        *one = *way;
        return;
    }
    if (way->line < one->line) one->line = way->line;
    for (uint32_t k = 0; k < SHADOW_PAGE_WIDES; k++) one->bytes[k] |= way->bytes[k];
}

static void join_all(struct apart_page *page)
{
    const uint32_t count = page->ways.count;
    page->is_joined = true;
    page->ways.count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct shadow_way way = page->ways.way[i];
        join(&page->ways, &way);
    }
}

static bool add(struct apart_page *page, const struct shadow_way *way)
{
    bool is_added = true;
    for (uint32_t i = 0; i < SHADOW_PAGE_WIDES; i++) page->used[kind_of(way)][i] |= way->bytes[i];
    if (page->is_joined)
        join(&page->ways, way);
    else
        is_added = shadow_ways_join(&page->ways, way);
    if (page->ways.count > APART_MOST_WAYS) join_all(page);
    return is_added;
}

static bool take(struct apart_page *page, const struct shadow_ways *ways)
{
    bool is_apart = true;
    for (uint32_t i = 0; i < ways->count; i++) is_apart &= !clashes(page, &ways->way[i]);
    for (uint32_t i = 0; i < ways->count; i++) is_apart &= add(page, &ways->way[i]);
    return is_apart;
}

void order_apart_join(struct order_apart *apart, uint64_t number, const struct shadow_ways *ways)
{
    struct apart_page *near;
    pthread_mutex_lock(lock_of(apart, number));
    struct apart_page *page = find(apart, number, &near);
    if (page == NULL || !take(page, ways)) order_apart_end(apart);
    pthread_mutex_unlock(lock_of(apart, number));
}

void order_apart_take(struct order_apart *apart, const struct clock_order *order)
{
    for (const struct shadow_page *of = order->made; of != NULL; of = of->older)
        order_apart_join(apart, of->number, &of->ways);
}

// --- What is known at the end ----------------------------------------------------------------------------------------

// A write before a read, a later line before an earlier one.
static int comes_first(const void *one, const void *other)
{
    const struct shadow_way *a = one, *b = other;
    if (is_write(a) != is_write(b)) return is_write(b) - is_write(a);
    if (a->line != b->line) return a->line < b->line ? 1 : -1;
    return (int)b->flags - (int)a->flags;
}

static uint32_t first_byte(const struct shadow_way *way)
{
    uint32_t i = 0;
    while (way->bytes[i] == 0) i++;
    return SHADOW_WIDE_BYTES * i + (uint32_t)__builtin_ctzll(way->bytes[i]);
}

static int lies_first(const void *one, const void *other)
{
    const uint32_t a = first_byte(one), b = first_byte(other);
    return a < b ? -1 : a > b;
}

// Takes the bytes from the way that others have; 0: nothing is left.
static bool leave(struct shadow_way *way, uint64_t taken[SHADOW_PAGE_WIDES])
{
    uint64_t left = 0;
    for (int i = 0; i < SHADOW_PAGE_WIDES; i++) {
        way->bytes[i] &= ~taken[i];
        taken[i] |= way->bytes[i];
        left |= way->bytes[i];
    }
    return left != 0;
}

uint32_t order_apart_ways(const struct apart_page *page, struct shadow_way *way)
{
    uint64_t taken[SHADOW_PAGE_WIDES] = {0};
    uint32_t count = page->ways.count < APART_MOST_WAYS ? page->ways.count : APART_MOST_WAYS, kept = 0;
    if (count > 0) memcpy(way, page->ways.way, count * sizeof *way);
    if (count < 2) return count;
    qsort(way, count, sizeof *way, comes_first);
    for (uint32_t i = 0; i < count; i++)
        if (leave(&way[i], taken)) way[kept++] = way[i];
    qsort(way, kept, sizeof *way, lies_first);
    return kept;
}

static int is_lower(const void *one, const void *other)
{
    const uint64_t a = ((const struct apart_item *)one)->number, b = ((const struct apart_item *)other)->number;
    return a < b ? -1 : a > b;
}

struct apart_item *order_apart_pages(const struct order_apart *apart, uint32_t *count)
{
    struct apart_item *item = calloc(apart->pages + 1u, sizeof *item);
    *count = 0;
    for (int i = 0; item != NULL && i < APART_LOCKS; i++)
        for (const struct apart_slab *slab = apart->slab[i]; slab != NULL; slab = slab->next)
            for (uint32_t k = 0; k < slab->used; k++)
                item[(*count)++] = (struct apart_item){slab->page[k].number, &slab->page[k]};
    if (item != NULL) qsort(item, *count, sizeof *item, is_lower);
    return item;
}

static void give_page(struct clock_order *order, const struct apart_page *from, uint32_t actor)
{
    struct shadow_page *page = order_global_page(order, from->number * SHADOW_PAGE_BYTES);
    for (uint32_t i = 0; page != NULL && i < from->ways.count; i++) {
        const struct shadow_way *way = &from->ways.way[i];
        const uint32_t reach = way->flags & SHADOW_STRONG ? ORDER_REACH_ALL << SHADOW_REACH_SHIFT : 0;
        const struct shadow_entry entry = {.actor = actor, .line = way->line, .flags = (uint8_t)(way->flags | reach)};
        for (uint32_t wide = 0; wide < SHADOW_PAGE_WIDES; wide++)
            if (way->bytes[wide] != 0 && !shadow_put(&order->pool, page, wide, way->bytes[wide], &entry))
                order->is_short = true;
    }
}

void order_apart_give(const struct order_apart *apart, struct clock_order *order)
{
    const struct order_actor somebody = {.kind = ORDER_WARP, .number = ORDER_ANY_CTA};
    const uint32_t actor = order_actor_new(order, &somebody);
    order->is_untouched = NULL;
    for (int i = 0; i < APART_HASH; i++)
        for (const struct apart_page *page = apart->page[i]; page != NULL; page = page->next)
            give_page(order, page, actor);
}
