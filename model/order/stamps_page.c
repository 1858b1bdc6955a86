// SPDX-License-Identifier: MIT
#include "stamps_page.h"

#include <stdlib.h>
#include <string.h>

// --- Open and close --------------------------------------------------------------------------------------------------

struct order_stamps *order_stamps_open(struct order_apart *apart)
{
    struct order_stamps *stamps = calloc(1, sizeof *stamps);
    if (stamps == NULL) return NULL;
    stamps->apart = apart;
    stamps->list = malloc(STAMPS_MOST_LISTED * sizeof *stamps->list);
    if (stamps->list != NULL) return stamps;
    order_stamps_close(stamps);
    return NULL;
}

static void free_page(struct order_stamps *stamps, struct stamps_page *page, uint64_t number)
{
    (void)stamps, (void)number;
    if (page->unit == 0) free(page->stamp);
    shadow_ways_free(&page->ways);
}

void order_stamps_close(struct order_stamps *stamps)
{
    if (stamps == NULL) return;
    stamps_each(stamps, free_page);
    for (struct stamps_region *region = stamps->made, *older; region != NULL; region = older) {
        older = region->older;
        free(region);
    }
    for (struct stamps_slab *slab = stamps->slab, *next; slab != NULL; slab = next) {
        next = slab->next;
        free(slab);
    }
    free(stamps->list);
    free(stamps);
}

// --- Pages -----------------------------------------------------------------------------------------------------------

static struct stamps_region *make(struct order_stamps *stamps, struct stamps_region **first, uint64_t number)
{
    struct stamps_region *region = aligned_alloc(STAMPS_LINE, sizeof *region);
    if (region == NULL) return NULL;
    memset(region, 0, sizeof *region);
    region->number = number;
    region->next = *first;
    region->older = stamps->made;
    return stamps->made = *first = region;
}

struct stamps_region *stamps_look_up(struct order_stamps *stamps, uint64_t number)
{
    struct stamps_region **first = &stamps->region[(number ^ number >> 12) % STAMPS_REGIONS], *region = *first;
    while (region != NULL && region->number != number) region = region->next;
    if (region == NULL && (region = make(stamps, first, number)) == NULL) return NULL;
    stamps->recent[number % STAMPS_RECENT] = (struct stamps_recent){number, region};
    return region;
}

void stamps_meet(const struct order_stamps *stamps, struct stamps_page *page, uint64_t number)
{
    page->is_met = true;
    page->unit = 2;
    page->is_fresh = order_apart_meet(stamps->apart, number);
}

void stamps_each(struct order_stamps *stamps,
                 void (*call)(struct order_stamps *stamps, struct stamps_page *page, uint64_t number))
{
    for (struct stamps_region *region = stamps->made; region != NULL; region = region->older)
        for (uint32_t i = 0; i < STAMPS_REGION; i++)
            if (region->page[i].is_met) call(stamps, &region->page[i], region->number * STAMPS_REGION + i);
}

// --- Stamps ----------------------------------------------------------------------------------------------------------

static int32_t *new_stamps(struct order_stamps *stamps)
{
    struct stamps_slab *slab = stamps->slab;
    if (slab == NULL || slab->used == STAMPS_SLAB) {
        if ((slab = calloc(1, sizeof *slab)) == NULL) return NULL;
        slab->next = stamps->slab;
        stamps->slab = slab;
    }
    return slab->stamp[slab->used++];
}

// An entry of reads, from the last one back: the part of the last one stands, and who read in it; of the first one,
// whether somebody had read before.
static void read_before(int32_t *stamp, int32_t mine, bool was_read)
{
    const int32_t later = *stamp & ~STAMPS_OTHER;
    if (later == 0)
        *stamp = mine;
    else if (later >> STAMPS_PART == mine >> STAMPS_PART && later != mine)
        *stamp |= STAMPS_MANY;
    *stamp = was_read ? *stamp | STAMPS_OTHER : *stamp & ~STAMPS_OTHER;
}

static void add_entry(int32_t *stamp, const struct stamps_entry *entry)
{
    for (uint32_t i = 0; i < entry->count; i++) {
        const int32_t mine = entry->stamp + (int32_t)(i >> entry->shift << STAMPS_LANE);
        if (entry->writes)
            stamp[STAMPS_WORDS + entry->first + i] = mine;
        else
            read_before(&stamp[entry->first + i], mine, entry->was_read >> i & 1);
    }
}

// The words that only earlier CTAs have accessed.
static void add_earlier(int32_t *stamp, const uint32_t bits[STAMPS_GROUPS])
{
    for (uint32_t i = 0; i < STAMPS_WORDS; i++)
        if ((bits[i / STAMPS_GROUP] >> i % STAMPS_GROUP & 1) != 0 && stamp[i] == 0) stamp[i] = STAMPS_EARLIER;
}

bool stamps_begin(struct order_stamps *stamps, struct stamps_page *page)
{
    int32_t *stamp = new_stamps(stamps);
    if (stamp == NULL) return false;
    for (uint32_t number = page->latest; number > stamps->dropped;) {
        const struct stamps_entry *entry = &stamps->list[number - stamps->dropped - 1];
        add_entry(stamp, entry);
        number = entry->before;
    }
    add_earlier(stamp, page->read);
    add_earlier(stamp + STAMPS_WORDS, page->written);
    page->stamp = stamp;
    return true;
}

bool stamps_split(struct stamps_page *page)
{
    int32_t *each = malloc(2 * sizeof *each * SHADOW_PAGE_BYTES);
    if (each == NULL) return false;
    for (uint32_t i = 0; i < 2 * SHADOW_PAGE_BYTES; i++) each[i] = page->stamp[i / SHADOW_WORD_BYTES];
    page->stamp = each;
    page->unit = 0;
    return true;
}

// --- The list --------------------------------------------------------------------------------------------------------

static void forget_entries(struct order_stamps *stamps, struct stamps_page *page, uint64_t number)
{
    (void)stamps, (void)number;
    page->latest = 0;
}

static void drop_list(struct order_stamps *stamps)
{
    if (stamps->listed > UINT32_MAX - 2 * STAMPS_MOST_LISTED) {
        stamps_each(stamps, forget_entries);
        stamps->listed = 0;
    }
    stamps->dropped = stamps->listed;
}

static void forget_parts(struct order_stamps *stamps, struct stamps_page *page, uint64_t number)
{
    (void)stamps, (void)number;
    const uint32_t count = page->stamp != NULL ? 2 * SHADOW_PAGE_BYTES >> page->unit : 0;
    for (uint32_t i = 0; i < count; i++)
        if (page->stamp[i] != 0) page->stamp[i] = STAMPS_EARLIER;
}

void stamps_next_cta(struct order_stamps *stamps, uint64_t first)
{
    drop_list(stamps);
    stamps->first = first;
    if (first - stamps->base < STAMPS_MOST_PARTS / 2) return;
    stamps_each(stamps, forget_parts);
    stamps->base = first - 2;
}

bool stamps_make_room(struct order_stamps *stamps)
{
    bool has_all = true;
    for (struct stamps_region *region = stamps->made; region != NULL; region = region->older)
        for (uint32_t i = 0; i < STAMPS_REGION; i++) {
            struct stamps_page *page = &region->page[i];
            if (page->stamp == NULL && page->latest > stamps->dropped) has_all &= stamps_begin(stamps, page);
        }
    drop_list(stamps);
    return has_all;
}
