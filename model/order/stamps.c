// SPDX-License-Identifier: MIT
#include "stamps.h"

#include <stdlib.h>
#include <string.h>

#include "each.h"

// A stamp: the part, as the table counts it, from bit PART on; the warp; the lane; MANY: several lanes or warps, of
// which one is named; OTHER: of a read, an earlier CTA has read it too. 0: nobody.
enum { MANY = 1, OTHER = 2, LANE = 2, WARP = 7, PART = 12, MOST_PARTS = 1 << 19, EARLIER = 1 << PART };

enum { WORDS = SHADOW_PAGE_BYTES / SHADOW_WORD_BYTES, HASH = 1 << 14, RECENT = 1 << 12, SLAB = 32 };

// The line by which all units with a stamp were accessed; lines: 1: so it is; 2: there were several, which are in the
// page's ways; 0: nobody has.
struct only {
    uint32_t lines, line;
};

// stamp: of reads and of writes, of each word in `own`, of each byte elsewhere. unit: log2 of the bytes that have one:
// 2, or 0 once somebody has accessed a part of a word. only: of reads, of writes. kept: the caller's.
struct page {
    int32_t *stamp[2];
    struct only only[2];
    uint32_t unit;
    bool is_fresh;
    uint64_t number;
    struct page *next, *older;
    void *kept;
    struct shadow_ways ways;
    int32_t own[2 * WORDS];
};

struct slab {
    struct slab *next;
    uint32_t used;
    struct page page[SLAB];
};

struct recent {
    uint64_t number;
    struct page *page;
};

// base: what the table's parts are less than those of the caller. first: the latest CTA's. made: all pages
struct order_stamps {
    struct order_apart *apart;
    uint64_t base, first, again;
    struct slab *slab;
    struct page *made, *page[HASH];
    struct recent recent[RECENT];
};

struct order_stamps *order_stamps_open(struct order_apart *apart)
{
    struct order_stamps *stamps = calloc(1, sizeof *stamps);
    if (stamps != NULL) stamps->apart = apart;
    return stamps;
}

static void free_page(struct page *page)
{
    if (page->stamp[0] != page->own) free(page->stamp[0]);
    shadow_ways_free(&page->ways);
}

void order_stamps_close(struct order_stamps *stamps)
{
    if (stamps == NULL) return;
    for (struct page *page = stamps->made; page != NULL; page = page->older) free_page(page);
    for (struct slab *slab = stamps->slab, *next; slab != NULL; slab = next) {
        next = slab->next;
        free(slab);
    }
    free(stamps);
}

uint64_t order_stamps_again(const struct order_stamps *stamps)
{
    return stamps->again;
}

// --- Pages -----------------------------------------------------------------------------------------------------------

// Zeroed memory that nobody has touched takes no room of the host.
static struct page *new_page(struct order_stamps *stamps)
{
    struct slab *slab = stamps->slab;
    if (slab == NULL || slab->used == SLAB) {
        if ((slab = calloc(1, sizeof *slab)) == NULL) return NULL;
        slab->next = stamps->slab;
        stamps->slab = slab;
    }
    return &slab->page[slab->used++];
}

static struct page *add_page(struct order_stamps *stamps, struct page **first, uint64_t number)
{
    struct page *page = new_page(stamps);
    if (page == NULL) return NULL;
    page->number = number;
    page->unit = 2;
    page->stamp[0] = page->own;
    page->stamp[1] = page->own + WORDS;
    page->is_fresh = order_apart_meet(stamps->apart, number);
    page->older = stamps->made;
    page->next = *first;
    return stamps->made = *first = page;
}

static __attribute__((noinline)) struct page *look_up(struct order_stamps *stamps, uint64_t number)
{
    struct page **first = &stamps->page[(number ^ number >> 14) % HASH], *page = *first;
    while (page != NULL && page->number != number) page = page->next;
    if (page == NULL && (page = add_page(stamps, first, number)) == NULL) return NULL;
    stamps->recent[number % RECENT] = (struct recent){number, page};
    return page;
}

static inline struct page *page_of(struct order_stamps *stamps, uint64_t number)
{
    const struct recent *recent = &stamps->recent[number % RECENT];
    return recent->number == number && recent->page != NULL ? recent->page : look_up(stamps, number);
}

void **order_stamps_kept(struct order_stamps *stamps, uint64_t number, bool *is_fresh)
{
    struct page *page = page_of(stamps, number);
    *is_fresh = page != NULL && page->is_fresh;
    return page != NULL ? &page->kept : NULL;
}

// From now on each byte has a stamp, at first its word's. 0 without memory.
static __attribute__((noinline)) bool split(struct page *page)
{
    int32_t *each = malloc(2 * sizeof *each * SHADOW_PAGE_BYTES);
    if (each == NULL) return false;
    for (uint32_t i = 0; i < 2 * SHADOW_PAGE_BYTES; i++) each[i] = page->own[i / SHADOW_WORD_BYTES];
    page->stamp[0] = each;
    page->stamp[1] = each + SHADOW_PAGE_BYTES;
    page->unit = 0;
    return true;
}

static void forget_parts(const struct page *page)
{
    const uint32_t count = 2 * SHADOW_PAGE_BYTES >> page->unit;
    for (uint32_t i = 0; i < count; i++)
        if (page->stamp[0][i] != 0) page->stamp[0][i] = EARLIER;
}

// A CTA begins: if there may be no numbers for its parts, all CTAs up to now become one.
static __attribute__((noinline)) void begin_cta(struct order_stamps *stamps, uint64_t first)
{
    stamps->first = first;
    if (first - stamps->base < MOST_PARTS / 2) return;
    for (struct page *page = stamps->made; page != NULL; page = page->older) forget_parts(page);
    stamps->base = first - 2;
}

// --- Stamps ----------------------------------------------------------------------------------------------------------

// The stamp of who accesses now, for the first lane; the least of its CTA and of its part. many: all bits, if several
// lanes access each unit, and the stamp says so.
struct now {
    int32_t stamp, first, part, many;
};

// Which units may be wrong, and which the CTA accesses for the first time: all bits, or none.
struct seen {
    int32_t bad, new;
};

#define EACH static inline __attribute__((always_inline))

EACH int32_t clash(const struct now *now, int32_t stamp, int32_t mine)
{
    return -(stamp != 0) & (-(stamp < now->first) | (-(stamp >= now->part) & (-(stamp != mine) | now->many)));
}

// A unit that is read: where that is the first time in this part, the warp stands for those of before.
EACH int32_t read_by(const struct now *now, int32_t before, int32_t mine)
{
    const int32_t is_over = -(before < now->part), is_earlier = -(before < now->first);
    const int32_t other = ((is_earlier & -(before != 0)) | (~is_earlier & before)) & OTHER;
    const int32_t more = before | (-((before & ~OTHER) != mine) & MANY);
    return (is_over & (mine | other)) | (~is_over & more);
}

EACH void read_unit(const struct now *now, int32_t *read, int32_t write, int32_t mine, int32_t fresh, struct seen *seen)
{
    const int32_t before = *read;
    seen->bad |= clash(now, write, mine) | (fresh & -(write == 0));
    seen->new |= -(before < now->first);
    *read = read_by(now, before, mine);
}

EACH void write_unit(const struct now *now, int32_t read, int32_t *write, int32_t mine, struct seen *seen)
{
    const int32_t before = *write;
    seen->bad |= clash(now, before, mine) | clash(now, read, mine) | -((read & OTHER) != 0);
    seen->new |= -(before < now->first);
    *write = mine;
}

// The stamps of the other kind, where nobody has accessed the page so.
static const int32_t nobody[SHADOW_PAGE_BYTES];

EACH const int32_t *others_of(const struct page *page, bool writes)
{
    return page->only[!writes].lines == 0 ? nobody : page->stamp[!writes];
}

// Units of one page from the first on, of which each lane has 1 << shift.
struct piece {
    uint32_t first, count, shift;
    bool writes;
};

// Several at once, where the compiler can.
static struct seen use_units(const struct now *by, const struct page *page, const struct piece *piece)
{
    int32_t *restrict const own = page->stamp[piece->writes] + piece->first;
    const int32_t *restrict const others = others_of(page, piece->writes) + piece->first;
    const struct now now = *by;
    struct seen seen = {0, 0};
    const int32_t shift = (int32_t)piece->shift, count = (int32_t)piece->count, fresh = -(int32_t)page->is_fresh;
    if (piece->writes)
        for (int32_t i = 0; i < count; i++)
            write_unit(&now, others[i], &own[i], now.stamp + (i >> shift << LANE), &seen);
    else
        for (int32_t i = 0; i < count; i++)
            read_unit(&now, &own[i], others[i], now.stamp + (i >> shift << LANE), fresh, &seen);
    return seen;
}

EACH struct seen use_unit(const struct now *now, const struct page *page, uint32_t at, bool writes)
{
    struct seen seen = {0, 0};
    if (writes)
        write_unit(now, others_of(page, true)[at], &page->stamp[1][at], now->stamp, &seen);
    else
        read_unit(now, &page->stamp[0][at], others_of(page, false)[at], now->stamp, -(int32_t)page->is_fresh, &seen);
    return seen;
}

// --- Accesses --------------------------------------------------------------------------------------------------------

static uint64_t bits_of(uint64_t from, uint64_t to)
{
    return UINT64_MAX >> (64 - (to - from)) << from;
}

// The bytes of the wide cell whose units have a stamp.
static uint64_t stamped(const struct page *page, bool writes, uint32_t wide)
{
    const uint32_t bytes = UINT32_C(1) << page->unit, units = SHADOW_WIDE_BYTES >> page->unit;
    const int32_t *stamp = &page->stamp[writes][wide * units];
    const uint64_t unit = (UINT64_C(1) << bytes) - 1;
    uint64_t bits = 0;
    for (uint32_t i = 0; i < units; i++) bits |= (stamp[i] != 0 ? unit : 0) << i * bytes;
    return bits;
}

// What the stamps of one line say becomes a way of the page. 0 without memory.
static bool make_way(struct page *page, bool writes)
{
    const struct only *only = &page->only[writes];
    bool is_made = true;
    for (uint32_t wide = 0; only->lines == 1 && wide < SHADOW_PAGE_WIDES; wide++) {
        const uint64_t bits = stamped(page, writes, wide);
        if (bits != 0) is_made &= shadow_ways_add(&page->ways, only->line, writes, wide, bits) != 0;
    }
    return is_made;
}

// Another line than the only one accesses these bytes of the page. 0 without memory; 1: it has done so before.
static __attribute__((noinline)) int note_other(struct page *page, const struct stamps_by *by, bool writes,
                                                uint64_t begin, uint64_t end)
{
    int noted = make_way(page, writes);
    page->only[writes].lines = 2;
    for (uint64_t past; begin < end && noted != 0; begin = past) {
        const uint64_t wide = begin / SHADOW_WIDE_BYTES, start = wide * SHADOW_WIDE_BYTES;
        past = start + SHADOW_WIDE_BYTES < end ? start + SHADOW_WIDE_BYTES : end;
        const int one =
            shadow_ways_add(&page->ways, by->line, writes, (uint32_t)wide, bits_of(begin - start, past - start));
        noted = one == 1 ? noted : one;
    }
    return noted;
}

// The same of any line, before its stamps: those of the only one say which bytes it has accessed.
EACH int note_line(struct page *page, const struct stamps_by *by, bool writes, uint64_t begin, uint64_t end)
{
    struct only *only = &page->only[writes];
    if (only->lines == 0) *only = (struct only){1, by->line};
    return only->lines == 1 && only->line == by->line ? 1 : note_other(page, by, writes, begin, end);
}

static bool is_written(const struct page *page, uint64_t begin, uint64_t end)
{
    int32_t any = 0;
    for (uint64_t i = begin >> page->unit; i < end >> page->unit; i++) any |= page->stamp[1][i];
    return any != 0;
}

// What is seen of an access; noted: of its line.
EACH bool is_right(struct order_stamps *stamps, const struct seen *seen, int noted)
{
    stamps->again = noted == 1 && seen->new == 0 ? stamps->again + 1 : 0;
    return noted != 0 && seen->bad == 0;
}

// Bytes of one page, from `begin` to `end` of it, of lanes from the one of `now` on.
static bool use_page(struct order_stamps *stamps, struct page *page, const struct now *now, const struct stamps_by *by,
                     const struct stamps_use *use, uint64_t begin, uint64_t end)
{
    if ((begin | use->each) % SHADOW_WORD_BYTES != 0 && page->unit != 0 && !split(page)) return false;
    if (use->is_constant && is_written(page, begin, end)) return false;
    const uint32_t unit = page->unit, first = (uint32_t)(begin >> unit);
    const uint32_t shift = now->many ? 31 : (uint32_t)__builtin_ctzll(use->each) - unit;
    const struct piece piece = {first, (uint32_t)(end >> unit) - first, shift, use->writes};
    const int noted = note_line(page, by, use->writes, begin, end);
    const struct seen seen = use_units(now, page, &piece);
    return is_right(stamps, &seen, noted);
}

static struct now now_of(const struct order_stamps *stamps, const struct stamps_by *by, uint32_t lane, bool many)
{
    struct now now = {.first = (int32_t)(by->first - stamps->base) << PART,
                      .part = (int32_t)(by->part - stamps->base) << PART,
                      .many = -(int32_t)many};
    now.stamp = now.part | (int32_t)(by->warp << WARP | lane << LANE | (many ? MANY : 0));
    return now;
}

// Lanes that follow each other, or one.
static bool use_run(struct order_stamps *stamps, const struct stamps_by *by, const struct stamps_use *use, bool many)
{
    const uint64_t end = use->begin + use->bytes;
    struct now now = now_of(stamps, by, (uint32_t)__builtin_ctz(use->lanes), many);
    bool right = true;
    for (uint64_t at = use->begin, past; at < end; at = past) {
        const uint64_t start = at - at % SHADOW_PAGE_BYTES;
        struct page *page = page_of(stamps, at / SHADOW_PAGE_BYTES);
        past = start + SHADOW_PAGE_BYTES < end ? start + SHADOW_PAGE_BYTES : end;
        if (page == NULL) return false;
        right &= use_page(stamps, page, &now, by, use, at - start, past - start);
        if (!many) now.stamp += (int32_t)((past - at) / use->each << LANE);
    }
    return right;
}

// Are there numbers for the parts? Sizes are powers of two.
static bool is_known(struct order_stamps *stamps, const struct stamps_by *by, const struct stamps_use *use)
{
    if (by->first != stamps->first) begin_cta(stamps, by->first);
    return by->part - stamps->base < MOST_PARTS && use->each != 0 && (use->each & (use->each - 1)) == 0;
}

bool order_stamps_use(struct order_stamps *stamps, const struct stamps_by *by, const struct stamps_use *use)
{
    const uint32_t above = use->lanes >> __builtin_ctz(use->lanes);
    const bool many = above != 1 && use->each == use->bytes;
    uint64_t address[32];
    if (many || (above & (above + 1)) == 0) return is_known(stamps, by, use) && use_run(stamps, by, use, many);
    uint64_t at = use->begin;
    for (EACH_BIT(lane, use->lanes)) {
        address[lane] = at;
        at += use->each;
    }
    return order_stamps_lanes(stamps, by, use, address);
}

// A word of a page that has stamps for words, not by ld.global.nc.
EACH bool is_word(const struct page *page, const struct stamps_use *use, uint64_t at)
{
    return page != NULL && page->unit != 0 && use->each == SHADOW_WORD_BYTES && at % SHADOW_WORD_BYTES == 0 &&
           !use->is_constant;
}

bool order_stamps_lanes(struct order_stamps *stamps, const struct stamps_by *by, const struct stamps_use *use,
                        const uint64_t *address)
{
    if (!is_known(stamps, by, use)) return false;
    struct now now = now_of(stamps, by, 0, false);
    const int32_t stamp = now.stamp;
    struct stamps_use one = {
        .bytes = use->each, .each = use->each, .writes = use->writes, .is_constant = use->is_constant};
    bool right = true;
    for (EACH_BIT(lane, use->lanes)) {
        const uint64_t at = address[lane], in = at % SHADOW_PAGE_BYTES;
        struct page *page = page_of(stamps, at / SHADOW_PAGE_BYTES);
        if (is_word(page, use, at)) {
            now.stamp = stamp | (int32_t)(lane << LANE);
            const int noted = note_line(page, by, use->writes, in, in + SHADOW_WORD_BYTES);
            const struct seen seen = use_unit(&now, page, (uint32_t)(in / SHADOW_WORD_BYTES), use->writes);
            right &= is_right(stamps, &seen, noted);
            continue;
        }
        one.begin = at;
        one.lanes = UINT32_C(1) << lane;
        right &= use_run(stamps, by, &one, false);
    }
    return right;
}

// --- The end ---------------------------------------------------------------------------------------------------------

void order_stamps_give(struct order_stamps *stamps)
{
    for (struct page *page = stamps->made; page != NULL; page = page->older) {
        struct shadow_way room[2]; // most pages have one way of reads, and one of writes
        if (page->ways.way == NULL) page->ways = shadow_ways_lent(room, 2);
        const bool is_read = make_way(page, false), is_written = make_way(page, true);
        if (!is_read || !is_written) order_apart_end(stamps->apart);
        order_apart_join(stamps->apart, page->number, &page->ways);
        shadow_ways_free(&page->ways);
    }
}
