// SPDX-License-Identifier: MIT
// What stamps.h keeps of a page of global memory. As long as each word is only read, or written once, a bit for each
// says so, and a list of what the CTA has accessed says who. From the first other access on each word has stamps; they
// are made of the bits and of the list.
#ifndef TMAREF_ORDER_STAMPS_PAGE_H
#define TMAREF_ORDER_STAMPS_PAGE_H

#include "stamps.h"

#pragma GCC visibility push(hidden)

// A stamp: the part, as the table counts it, from bit PART on; the warp; the lane; MANY: several lanes or warps, of
// which one is named; OTHER: of a read, an earlier CTA has read it too. 0: nobody.
enum {
    STAMPS_MANY = 1,
    STAMPS_OTHER = 2,
    STAMPS_LANE = 2,
    STAMPS_WARP = 7,
    STAMPS_PART = 12,
    STAMPS_EARLIER = 1 << STAMPS_PART,
    STAMPS_MOST_PARTS = 1 << 19
};

// GROUP: words that have their bits in one number. REGION: pages that lie together. LINE: bytes that the host reads at
// once. MOST_LISTED: entries of the list, of which one access takes ACCESS_LISTED at most. MOST_ASKED: entries of a
// page that are looked through.
enum {
    STAMPS_WORDS = SHADOW_PAGE_BYTES / SHADOW_WORD_BYTES,
    STAMPS_GROUP = 32,
    STAMPS_GROUPS = STAMPS_WORDS / STAMPS_GROUP,
    STAMPS_REGION = 32,
    STAMPS_REGIONS = 1 << 12,
    STAMPS_RECENT = 1 << 10,
    STAMPS_LINE = 64,
    STAMPS_MOST_LISTED = 1 << 17,
    STAMPS_ACCESS_LISTED = 32,
    STAMPS_MOST_ASKED = 16,
    STAMPS_WAYS = 14
};

// In which ways whole words of a page were accessed: a line of the PTX, and whether it writes (stamps_way); a bit for
// each word. 0: none.
struct stamps_ways {
    uint32_t way[STAMPS_WAYS];
    struct stamps_ways *next;
    uint32_t words[STAMPS_WAYS][STAMPS_GROUPS];
};

// What a read of the latest CTA needs comes first.
//   read, written   a bit for each word, while there are no stamps
//   only            the way of all reads, of all writes; 0: there are none; SEVERAL: they are in `ways`
//   latest          the number of the page's last entry in the list
//   by_bits         of reads, of writes: is there no stamp, and may there be none?
//   unit            log2 of the bytes that have a stamp: 2, or 0 once somebody has accessed a part of a word
//   index           in its region
//   stamp           of reads, and behind them of writes; NULL: none yet
//   bytes           the ways in which parts of words were accessed; NULL: none
//   kept            the caller's
#define STAMPS_SEVERAL UINT32_MAX
struct stamps_page {
    _Alignas(STAMPS_LINE) uint32_t read[STAMPS_GROUPS];
    uint32_t only[2], latest;
    bool by_bits[2], is_met, is_fresh;
    struct stamps_ways *ways;
    int32_t *stamp;
    uint32_t written[STAMPS_GROUPS];
    uint16_t unit, index;
    struct shadow_ways *bytes;
    void *kept;
};

// number: of the first page, in regions
struct stamps_region {
    struct stamps_page page[STAMPS_REGION];
    uint64_t number;
    struct stamps_region *next, *older;
};

// Memory that is given back at the end, all at once.
enum { STAMPS_SLAB = 1 << 16 };
struct stamps_slab {
    _Alignas(STAMPS_LINE) uint8_t room[STAMPS_SLAB];
    struct stamps_slab *next;
    uint32_t used;
};

struct stamps_recent {
    uint64_t number;
    struct stamps_region *region;
};

// Words of one group, from `first` of the page on, of which each lane has 1 << shift. stamp: of the first of them.
// before: the number of the page's entry before it. was_read: those that had been read, from the first on.
struct stamps_entry {
    uint32_t before, was_read;
    int32_t stamp;
    uint8_t first, count, shift;
    bool writes;
};

// base: what the table's parts are less than those of the caller. first: the latest CTA's. listed: the number of the
// last entry of the list, which goes from the one behind `dropped` on. made: all regions
struct order_stamps {
    struct order_apart *apart;
    uint64_t base, first, again;
    uint32_t listed, dropped;
    struct stamps_entry *list;
    struct stamps_slab *slab;
    struct stamps_region *made, *region[STAMPS_REGIONS];
    struct stamps_recent recent[STAMPS_RECENT];
    void *context;
    void (*save)(void *context, uint64_t number); // NULL: nobody watches
};

struct stamps_region *stamps_look_up(struct order_stamps *stamps, uint64_t number); // NULL without memory
void stamps_meet(const struct order_stamps *stamps, struct stamps_page *page);

// The page is needed soon: the host may read it meanwhile.
static inline void stamps_fetch(const struct order_stamps *stamps, uint64_t number)
{
    const struct stamps_region *region = stamps->recent[number / STAMPS_REGION % STAMPS_RECENT].region;
    if (region != NULL) __builtin_prefetch(&region->page[number % STAMPS_REGION], 1);
}

// A page by its number; NULL without memory.
static inline struct stamps_page *stamps_page_of(struct order_stamps *stamps, uint64_t number)
{
    const uint64_t of = number / STAMPS_REGION;
    const struct stamps_recent *recent = &stamps->recent[of % STAMPS_RECENT];
    struct stamps_region *region = recent->region;
    if ((recent->number != of || region == NULL) && (region = stamps_look_up(stamps, of)) == NULL) return NULL;
    struct stamps_page *page = &region->page[number % STAMPS_REGION];
    if (!page->is_met) stamps_meet(stamps, page);
    return page;
}

static inline uint64_t stamps_number(const struct stamps_page *page)
{
    const struct stamps_region *region = (const struct stamps_region *)(const void *)(page - page->index);
    return region->number * STAMPS_REGION + page->index;
}

// Calls for each page that was accessed.
void stamps_each(struct order_stamps *stamps, void (*call)(struct order_stamps *stamps, struct stamps_page *page));

// From now on each word has stamps; each byte. 0 without memory.
bool stamps_begin(struct order_stamps *stamps, struct stamps_page *page);
bool stamps_split(struct order_stamps *stamps, struct stamps_page *page);

// A CTA begins: the list is empty, and if there may be no numbers for the CTA's parts, all those before become one.
void stamps_next_cta(struct order_stamps *stamps, uint64_t first);

// Words of a page without stamps, of one group, as an entry would have them: has only its CTA accessed them, and since
// the barrier only the lane that does so now? So it is plain what their stamps would be. 0: it is not, or not soon
// known.
bool stamps_is_own(const struct order_stamps *stamps, const struct stamps_page *page,
                   const struct stamps_entry *access);

// There is no room in the list for an access: its pages have stamps from now on. 0 without memory.
bool stamps_make_room(struct order_stamps *stamps);

static inline bool stamps_has_room(const struct order_stamps *stamps)
{
    return stamps->listed - stamps->dropped <= STAMPS_MOST_LISTED - STAMPS_ACCESS_LISTED;
}

// A way in which a page is accessed: a line of the PTX, and whether it writes.
static inline uint32_t stamps_way(uint32_t line, bool writes)
{
    return 2 * line + writes + 1;
}

// The page is about to be accessed so: it is the only way, if there is none of its kind.
static inline void stamps_first_way(const struct order_stamps *stamps, struct stamps_page *page, uint32_t way,
                                    bool writes)
{
    if (page->only[writes] != 0) return;
    page->only[writes] = way;
    if (writes && !page->is_fresh && stamps->save != NULL) stamps->save(stamps->context, stamps_number(page));
}

// Another way than the only one of its kind is about to access words: a bit for each that has been accessed so. NULL
// without memory.
uint32_t *stamps_words(struct order_stamps *stamps, struct stamps_page *page, uint32_t way);

// Or bytes, from `begin` of the page to `end`, before their stamps. 0 without memory; 1: it is noted already.
int stamps_note_bytes(struct order_stamps *stamps, struct stamps_page *page, uint32_t way, uint32_t begin,
                      uint32_t end);

// The bytes of a wide cell that were accessed so.
uint64_t stamps_used(const struct stamps_page *page, bool writes, uint32_t wide);

// All ways, added to `ways`. 0 without memory.
bool stamps_give_ways(const struct stamps_page *page, struct shadow_ways *ways);

// Zeroed; a multiple of LINE. NULL without memory.
void *stamps_take(struct order_stamps *stamps, uint32_t bytes);

static inline int32_t *stamps_of(const struct stamps_page *page, bool writes)
{
    return page->stamp + (writes ? SHADOW_PAGE_BYTES >> page->unit : 0);
}

#pragma GCC visibility pop

#endif
