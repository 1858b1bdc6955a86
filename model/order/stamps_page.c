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

static void free_bytes(struct order_stamps *stamps, struct stamps_page *page)
{
    (void)stamps;
    if (page->bytes != NULL) shadow_ways_free(page->bytes);
}

void order_stamps_close(struct order_stamps *stamps)
{
    if (stamps == NULL) return;
    stamps_each(stamps, free_bytes);
    for (struct stamps_slab *slab = stamps->slab, *next; slab != NULL; slab = next) {
        next = slab->next;
        free(slab);
    }
    free(stamps->list);
    free(stamps);
}

void *stamps_take(struct order_stamps *stamps, uint32_t bytes)
{
    struct stamps_slab *slab = stamps->slab;
    if (slab == NULL || slab->used + bytes > STAMPS_SLAB) {
        if ((slab = aligned_alloc(STAMPS_LINE, sizeof *slab)) == NULL) return NULL;
        slab->next = stamps->slab;
        slab->used = 0;
        stamps->slab = slab;
    }
    void *taken = memset(&slab->room[slab->used], 0, bytes);
    slab->used += (bytes + STAMPS_LINE - 1) / STAMPS_LINE * STAMPS_LINE;
    return taken;
}

// --- Pages -----------------------------------------------------------------------------------------------------------

static struct stamps_region *make(struct order_stamps *stamps, struct stamps_region **first, uint64_t number)
{
    struct stamps_region *region = stamps_take(stamps, sizeof *region);
    if (region == NULL) return NULL;
    for (int i = 0; i < STAMPS_REGION; i++) region->page[i].index = (uint16_t)i;
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

void stamps_meet(const struct order_stamps *stamps, struct stamps_page *page)
{
    page->is_met = true;
    page->unit = 2;
    page->is_fresh = order_apart_meet(stamps->apart, stamps_number(page));
    page->by_bits[0] = !page->is_fresh;
    page->by_bits[1] = true;
}

void stamps_each(struct order_stamps *stamps, void (*call)(struct order_stamps *stamps, struct stamps_page *page))
{
    for (struct stamps_region *region = stamps->made; region != NULL; region = region->older)
        for (uint32_t i = 0; i < STAMPS_REGION; i++)
            if (region->page[i].is_met) call(stamps, &region->page[i]);
}

// --- Stamps ----------------------------------------------------------------------------------------------------------

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

// Entries are added from the last one back, too.
static void add_entry(int32_t *stamp, const struct stamps_entry *entry)
{
    for (uint32_t i = 0; i < entry->count; i++) {
        const int32_t mine = entry->stamp + (int32_t)(i >> entry->shift << STAMPS_LANE);
        int32_t *const of = &stamp[(entry->writes ? STAMPS_WORDS : 0) + entry->first + i];
        if (!entry->writes)
            read_before(of, mine, entry->was_read >> i & 1);
        else if (*of == 0)
            *of = mine;
    }
}

// The words that only earlier CTAs have accessed.
static void add_earlier(int32_t *stamp, const uint32_t bits[STAMPS_GROUPS])
{
    for (uint32_t i = 0; i < STAMPS_WORDS; i++)
        if ((bits[i / STAMPS_GROUP] >> i % STAMPS_GROUP & 1) != 0 && stamp[i] == 0) stamp[i] = STAMPS_EARLIER;
}

// The page's entry before this one; NULL: the last one. NULL: there is none.
static const struct stamps_entry *entry_before(const struct order_stamps *stamps, const struct stamps_page *page,
                                               const struct stamps_entry *entry)
{
    const uint32_t number = entry != NULL ? entry->before : page->latest;
    return number > stamps->dropped ? &stamps->list[number - stamps->dropped - 1] : NULL;
}

bool stamps_begin(struct order_stamps *stamps, struct stamps_page *page)
{
    int32_t *stamp = stamps_take(stamps, 2 * STAMPS_WORDS * sizeof *stamp);
    if (stamp == NULL) return false;
    for (const struct stamps_entry *entry = NULL; (entry = entry_before(stamps, page, entry)) != NULL;)
        add_entry(stamp, entry);
    add_earlier(stamp, page->read);
    add_earlier(stamp + STAMPS_WORDS, page->written);
    page->stamp = stamp;
    page->by_bits[0] = page->by_bits[1] = false;
    return true;
}

bool stamps_split(struct order_stamps *stamps, struct stamps_page *page)
{
    int32_t *each = stamps_take(stamps, 2 * SHADOW_PAGE_BYTES * sizeof *each);
    if (each == NULL) return false;
    for (uint32_t i = 0; i < 2 * SHADOW_PAGE_BYTES; i++) each[i] = page->stamp[i / SHADOW_WORD_BYTES];
    page->stamp = each;
    page->unit = 0;
    return true;
}

// --- The list --------------------------------------------------------------------------------------------------------

static int32_t stamp_at(const struct stamps_entry *entry, uint32_t word)
{
    return entry->stamp + (int32_t)((word - entry->first) >> entry->shift << STAMPS_LANE);
}

// Words that two entries have in common, from `first` on to `past`: did the same lane access each of them, alone?
static bool is_same(const struct stamps_entry *one, const struct stamps_entry *other, uint32_t first, uint32_t past)
{
    bool same = (one->stamp & STAMPS_MANY) == 0;
    for (uint32_t word = first; word < past; word++) same &= stamp_at(one, word) == stamp_at(other, word);
    return same;
}

// The words of `access` that somebody else may have accessed, as far as is known from the later entries on: reads,
// where it is a write, and writes.
struct doubt {
    uint32_t read, written;
};

// The first entry of a word's reads says whether an earlier CTA has read it. A CTA that has written a word is the only
// one that has: else the launch would be over. 0: in this part another lane has accessed a word.
static bool is_right_after(const struct stamps_entry *access, const struct stamps_entry *entry, struct doubt *doubt)
{
    const uint32_t first = access->first > entry->first ? access->first : entry->first,
                   end = (uint32_t)access->first + access->count, end_of = (uint32_t)entry->first + entry->count,
                   past = end < end_of ? end : end_of;
    if (first >= past || !(access->writes || entry->writes)) return true;
    if (entry->stamp >> STAMPS_PART == access->stamp >> STAMPS_PART && !is_same(access, entry, first, past))
        return false;
    const uint32_t shift = first - access->first, bits = UINT32_MAX >> (STAMPS_GROUP - (past - first)) << shift;
    if (entry->writes)
        doubt->written &= ~bits;
    else
        doubt->read = (doubt->read & ~bits) | (entry->was_read >> (first - entry->first) << shift & bits);
    return true;
}

bool stamps_is_own(const struct order_stamps *stamps, const struct stamps_page *page, const struct stamps_entry *access)
{
    const uint32_t group = access->first / STAMPS_GROUP, shift = access->first % STAMPS_GROUP;
    const uint32_t bits = UINT32_MAX >> (STAMPS_GROUP - access->count);
    struct doubt doubt = {access->writes ? page->read[group] >> shift & bits : 0, page->written[group] >> shift & bits};
    if (!access->writes && page->is_fresh && doubt.written != bits) return false;
    const struct stamps_entry *entry = NULL;
    for (int left = STAMPS_MOST_ASKED; (entry = entry_before(stamps, page, entry)) != NULL; left--)
        if (left == 0 || !is_right_after(access, entry, &doubt)) return false;
    return (doubt.read | doubt.written) == 0;
}

static void forget_entries(struct order_stamps *stamps, struct stamps_page *page)
{
    (void)stamps;
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

static void forget_parts(struct order_stamps *stamps, struct stamps_page *page)
{
    (void)stamps;
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
