// SPDX-License-Identifier: MIT
// Clusters of a launch that nothing orders: each is followed by a clock_order of its own, which knows what is ordered
// within it. This says whether two of them access the same bytes of global memory, one of them by a write: each cluster
// gives its pages when it has ended, in any order. What is kept has a bit for each byte, and drops nothing; so the
// answer is the same whoever comes first. Several threads of the host may call at once.
#ifndef TMAREF_ORDER_APART_H
#define TMAREF_ORDER_APART_H

#include <pthread.h>
#include <stdbool.h>

#include "clock_order.h"

#pragma GCC visibility push(hidden)

// A page: all ways in which clusters have accessed it, and of all that read, write or add which bytes. is_fresh: nobody
// had written it before the launch, nor read it. is_joined: there were more lines than APART_MOST_WAYS, so that the
// lowest stands for all that accessed it in the same way.
enum { APART_FEW = 2, APART_KINDS = 3 };
struct apart_page {
    struct apart_page *next;
    uint64_t number;
    bool is_fresh, is_joined;
    struct shadow_ways ways;
    uint64_t used[APART_KINDS][SHADOW_PAGE_WIDES];
    struct shadow_way few[APART_FEW]; // the first ways
};

// Which of APART_ASKED pages of the host, the first of which is number `first`, nobody had touched; first 0: not asked.
// Clusters touch none that they have not met, so the answer holds for the launch.
struct apart_answer {
    uint64_t first;
    uint32_t untouched;
};

// Pages that the host has as one, and those that it is asked of at once, are behind one lock. is_over: the clusters
// must be followed together, and some reason for it was seen: a clash, more pages than there is room for, an order by
// memory, or no memory.
enum { APART_HASH = 1 << 14, APART_LOCKS = 64, APART_MOST_WAYS = 32, APART_ASKED = 16, APART_ANSWERS = 1 << 10 };
struct order_apart {
    void *context;
    uint32_t (*untouched)(void *context, uint64_t address, uint32_t pages);
    uint32_t pages_of_host; // how many pages the host has as one
    uint32_t pages;
    int is_over;
    bool has_atomics; // of global memory
    pthread_mutex_t lock[APART_LOCKS];
    struct apart_slab *slab[APART_LOCKS]; // where its pages are
    struct apart_page *page[APART_HASH];
    struct apart_answer answer[APART_ANSWERS];
};

// untouched: of so many pages of the host from that of the address on, a bit for each that nobody has written, nor
// read. NULL without memory.
struct order_apart *order_apart_open(void *context,
                                     uint32_t (*untouched)(void *context, uint64_t address, uint32_t pages));
void order_apart_close(struct order_apart *apart);

bool order_apart_is_over(const struct order_apart *apart);
void order_apart_end(struct order_apart *apart); // from now on it is

// A cluster accesses the page for the first time, and has not done it yet: is it fresh?
bool order_apart_meet(struct order_apart *apart, uint64_t number);

// How clusters that ended have accessed a page, and those given before have not.
void order_apart_join(struct order_apart *apart, uint64_t number, const struct shadow_ways *ways);

// The cluster has ended: takes its pages. Then the clock_order is as one that was just opened.
void order_apart_take(struct order_apart *apart, const struct clock_order *order);
void clock_order_again(struct clock_order *order);

// Has every bit of the page one way at most? Of several lines that write a byte the last stays; of several that read
// it, too, unless it is written. Sorted by the first byte. Returns how many there are in way[], which has room for
// APART_MOST_WAYS.
uint32_t order_apart_ways(const struct apart_page *page, struct shadow_way *way);

// Gives all accesses to a clock_order of the launch that has seen none, as those of a thread that is not known.
#define ORDER_ANY_CTA UINT64_MAX
void order_apart_give(const struct order_apart *apart, struct clock_order *order);

// All pages, by rising number: an array that the caller frees. NULL: there are none, or no memory.
struct apart_item {
    uint64_t number;
    const struct apart_page *page;
};
struct apart_item *order_apart_pages(const struct order_apart *apart, uint32_t *count);

#pragma GCC visibility pop

#endif
