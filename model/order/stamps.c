// SPDX-License-Identifier: MIT
#include "stamps.h"

#include "each.h"
#include "stamps_page.h"

uint64_t order_stamps_again(const struct order_stamps *stamps)
{
    return stamps->again;
}

void **order_stamps_kept(struct order_stamps *stamps, uint64_t number, bool *is_fresh)
{
    struct stamps_page *page = stamps_page_of(stamps, number);
    *is_fresh = page != NULL && page->is_fresh;
    return page != NULL ? &page->kept : NULL;
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
    const int32_t other = ((is_earlier & -(before != 0)) | (~is_earlier & before)) & STAMPS_OTHER;
    const int32_t more = before | (-((before & ~STAMPS_OTHER) != mine) & STAMPS_MANY);
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
    seen->bad |= clash(now, before, mine) | clash(now, read, mine) | -((read & STAMPS_OTHER) != 0);
    seen->new |= -(before < now->first);
    *write = mine;
}

// The stamps of the other kind, where nobody has accessed the page so.
static const int32_t nobody[SHADOW_PAGE_BYTES];

EACH const int32_t *others_of(const struct stamps_page *page, bool writes)
{
    return page->only[!writes].lines == 0 ? nobody : stamps_of(page, !writes);
}

// Units of one page from the first on, of which each lane has 1 << shift.
struct piece {
    uint32_t first, count, shift;
    bool writes;
};

// Several at once, where the compiler can.
static struct seen use_units(const struct now *by, const struct stamps_page *page, const struct piece *piece)
{
    int32_t *restrict const own = stamps_of(page, piece->writes) + piece->first;
    const int32_t *restrict const others = others_of(page, piece->writes) + piece->first;
    const struct now now = *by;
    struct seen seen = {0, 0};
    const int32_t shift = (int32_t)piece->shift, count = (int32_t)piece->count, fresh = -(int32_t)page->is_fresh;
    if (piece->writes)
        for (int32_t i = 0; i < count; i++)
            write_unit(&now, others[i], &own[i], now.stamp + (i >> shift << STAMPS_LANE), &seen);
    else
        for (int32_t i = 0; i < count; i++)
            read_unit(&now, &own[i], others[i], now.stamp + (i >> shift << STAMPS_LANE), fresh, &seen);
    return seen;
}

EACH struct seen use_unit(const struct now *now, const struct stamps_page *page, uint32_t at, bool writes)
{
    struct seen seen = {0, 0};
    if (writes)
        write_unit(now, others_of(page, true)[at], &stamps_of(page, true)[at], now->stamp, &seen);
    else
        read_unit(now, &stamps_of(page, false)[at], others_of(page, false)[at], now->stamp, -(int32_t)page->is_fresh,
                  &seen);
    return seen;
}

// --- Words without stamps --------------------------------------------------------------------------------------------

// Words of one page, from `first` on, in one group of bits.
struct words {
    uint32_t first, count, bits;
    bool writes;
};

EACH struct words words_at(uint32_t first, uint32_t count, bool writes)
{
    return (struct words){first, count, UINT32_MAX >> (STAMPS_GROUP - count) << first % STAMPS_GROUP, writes};
}

// Is it enough to keep that these words are accessed, and by whom?
EACH bool is_plain(const struct stamps_page *page, const struct words *words)
{
    if (page->stamp != NULL || (page->is_fresh && !words->writes)) return false;
    const uint32_t group = words->first / STAMPS_GROUP;
    if (words->writes) return ((page->read[group] | page->written[group]) & words->bits) == 0;
    return page->only[1].lines == 0 || (page->written[group] & words->bits) == 0;
}

// stamp: of the first word. shift: as in a piece.
EACH void list_words(struct order_stamps *stamps, struct stamps_page *page, const struct words *words, int32_t stamp,
                     uint32_t shift)
{
    uint32_t *own = &(words->writes ? page->written : page->read)[words->first / STAMPS_GROUP];
    struct stamps_entry *entry = &stamps->list[stamps->listed - stamps->dropped];
    *entry = (struct stamps_entry){.before = page->latest,
                                   .was_read = (*own & words->bits) >> words->first % STAMPS_GROUP,
                                   .stamp = stamp,
                                   .first = (uint8_t)words->first,
                                   .count = (uint8_t)words->count,
                                   .shift = (uint8_t)shift,
                                   .writes = words->writes};
    *own |= words->bits;
    page->latest = ++stamps->listed;
}

// Those of a piece from `at` on.
EACH struct words words_of(const struct piece *piece, uint32_t at)
{
    const uint32_t left = piece->first + piece->count - at, room = STAMPS_GROUP - at % STAMPS_GROUP;
    return words_at(at, left < room ? left : room, piece->writes);
}

static bool is_plain_piece(const struct stamps_page *page, const struct piece *piece)
{
    bool plain = true;
    for (uint32_t at = piece->first; at < piece->first + piece->count;) {
        const struct words words = words_of(piece, at);
        plain &= is_plain(page, &words);
        at += words.count;
    }
    return plain;
}

static void list_piece(struct order_stamps *stamps, struct stamps_page *page, const struct piece *piece, int32_t stamp)
{
    for (uint32_t at = piece->first; at < piece->first + piece->count;) {
        const struct words words = words_of(piece, at);
        const uint32_t lane = (at - piece->first) >> piece->shift;
        list_words(stamps, page, &words, stamp + (int32_t)(lane << STAMPS_LANE), piece->shift);
        at += words.count;
    }
}

// --- Accesses --------------------------------------------------------------------------------------------------------

static uint64_t bits_of(uint64_t from, uint64_t to)
{
    return UINT64_MAX >> (64 - (to - from)) << from;
}

// The bytes of the wide cell that were accessed, by the bits of its words or by its stamps.
static uint64_t used(const struct stamps_page *page, bool writes, uint32_t wide)
{
    if (page->stamp == NULL) {
        const uint32_t first = wide * SHADOW_WIDE_BYTES / SHADOW_WORD_BYTES;
        return shadow_bytes_of((writes ? page->written : page->read)[first / STAMPS_GROUP] >> first % STAMPS_GROUP &
                               0xffff);
    }
    const uint32_t bytes = UINT32_C(1) << page->unit, units = SHADOW_WIDE_BYTES >> page->unit;
    const int32_t *stamp = &stamps_of(page, writes)[wide * units];
    const uint64_t unit = (UINT64_C(1) << bytes) - 1;
    uint64_t bits = 0;
    for (uint32_t i = 0; i < units; i++) bits |= (stamp[i] != 0 ? unit : 0) << i * bytes;
    return bits;
}

// What the bits or stamps of one line say becomes a way of the page. 0 without memory.
static bool make_way(struct stamps_page *page, bool writes)
{
    const struct stamps_only *only = &page->only[writes];
    bool is_made = true;
    for (uint32_t wide = 0; only->lines == 1 && wide < SHADOW_PAGE_WIDES; wide++) {
        const uint64_t bits = used(page, writes, wide);
        if (bits != 0) is_made &= shadow_ways_add(&page->ways, only->line, writes, wide, bits) != 0;
    }
    return is_made;
}

// Another line than the only one accesses these bytes of the page. 0 without memory; 1: it has done so before.
static __attribute__((noinline)) int note_other(struct stamps_page *page, const struct stamps_by *by, bool writes,
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

// The same of any line, before its bits or stamps: those of the only one say which bytes it has accessed.
EACH int note_line(struct stamps_page *page, const struct stamps_by *by, bool writes, uint64_t begin, uint64_t end)
{
    struct stamps_only *only = &page->only[writes];
    if (only->lines == 0) *only = (struct stamps_only){1, by->line};
    return only->lines == 1 && only->line == by->line ? 1 : note_other(page, by, writes, begin, end);
}

static bool is_written(const struct stamps_page *page, uint64_t begin, uint64_t end)
{
    int32_t any = 0;
    for (uint64_t i = begin >> page->unit; i < end >> page->unit; i++) any |= stamps_of(page, true)[i];
    return any != 0;
}

static struct piece piece_of(const struct now *now, const struct stamps_use *use, uint64_t begin, uint64_t end,
                             uint32_t unit)
{
    const uint32_t first = (uint32_t)(begin >> unit);
    return (struct piece){.first = first,
                          .count = (uint32_t)(end >> unit) - first,
                          .shift = now->many ? 31 : (uint32_t)__builtin_ctzll(use->each) - unit,
                          .writes = use->writes};
}

// What is seen of an access; noted: of its line.
EACH bool is_right(struct order_stamps *stamps, const struct seen *seen, int noted)
{
    stamps->again = noted == 1 && seen->new == 0 ? stamps->again + 1 : 0;
    return noted != 0 && seen->bad == 0;
}

// Units of one page, of lanes from the one of `now` on, which have stamps.
static bool use_stamps(struct order_stamps *stamps, struct stamps_page *page, const struct now *now,
                       const struct stamps_by *by, const struct stamps_use *use, uint64_t begin, uint64_t end)
{
    if (page->unit != 0 && (begin | use->each) % SHADOW_WORD_BYTES != 0 && !stamps_split(page)) return false;
    if (use->is_constant && is_written(page, begin, end)) return false;
    const struct piece piece = piece_of(now, use, begin, end, page->unit);
    const int noted = note_line(page, by, use->writes, begin, end);
    const struct seen seen = use_units(now, page, &piece);
    return is_right(stamps, &seen, noted);
}

// Bytes of one page, from `begin` to `end` of it, of lanes from the one of `now` on.
static bool use_page(struct order_stamps *stamps, struct stamps_page *page, const struct now *now,
                     const struct stamps_by *by, const struct stamps_use *use, uint64_t begin, uint64_t end)
{
    if (!stamps_has_room(stamps) && !stamps_make_room(stamps)) return false;
    if (page->stamp == NULL && (begin | use->each) % SHADOW_WORD_BYTES == 0) {
        const struct piece piece = piece_of(now, use, begin, end, 2);
        if (is_plain_piece(page, &piece)) {
            stamps->again = 0;
            const bool is_noted = note_line(page, by, use->writes, begin, end) != 0;
            list_piece(stamps, page, &piece, now->stamp);
            return is_noted;
        }
    }
    if (page->stamp == NULL && !stamps_begin(stamps, page)) return false;
    return use_stamps(stamps, page, now, by, use, begin, end);
}

static struct now now_of(const struct order_stamps *stamps, const struct stamps_by *by, uint32_t lane, bool many)
{
    struct now now = {.first = (int32_t)(by->first - stamps->base) << STAMPS_PART,
                      .part = (int32_t)(by->part - stamps->base) << STAMPS_PART,
                      .many = -(int32_t)many};
    now.stamp = now.part | (int32_t)(by->warp << STAMPS_WARP | lane << STAMPS_LANE | (many ? STAMPS_MANY : 0));
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
        struct stamps_page *page = stamps_page_of(stamps, at / SHADOW_PAGE_BYTES);
        past = start + SHADOW_PAGE_BYTES < end ? start + SHADOW_PAGE_BYTES : end;
        if (page == NULL) return false;
        right &= use_page(stamps, page, &now, by, use, at - start, past - start);
        if (!many) now.stamp += (int32_t)((past - at) / use->each << STAMPS_LANE);
    }
    return right;
}

// Are there numbers for the parts? Sizes are powers of two.
static bool is_known(struct order_stamps *stamps, const struct stamps_by *by, const struct stamps_use *use)
{
    if (by->first != stamps->first) stamps_next_cta(stamps, by->first);
    return by->part - stamps->base < STAMPS_MOST_PARTS && use->each != 0 && (use->each & (use->each - 1)) == 0;
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

// One lane of words of one group, not by ld.global.nc of a page with stamps. 0: not told here.
EACH bool use_lane(struct order_stamps *stamps, struct stamps_page *page, const struct now *now,
                   const struct stamps_by *by, const struct stamps_use *use, uint64_t in, bool *right)
{
    const uint32_t first = (uint32_t)(in / SHADOW_WORD_BYTES), count = (uint32_t)(use->each / SHADOW_WORD_BYTES);
    const struct words words = words_at(first, count, use->writes);
    if (is_plain(page, &words)) {
        stamps->again = 0;
        *right &= note_line(page, by, use->writes, in, in + use->each) != 0;
        list_words(stamps, page, &words, now->stamp, 31);
        return true;
    }
    if (page->stamp == NULL || page->unit == 0 || count != 1 || use->is_constant) return false;
    const int noted = note_line(page, by, use->writes, in, in + SHADOW_WORD_BYTES);
    const struct seen seen = use_unit(now, page, first, use->writes);
    *right &= is_right(stamps, &seen, noted);
    return true;
}

bool order_stamps_lanes(struct order_stamps *stamps, const struct stamps_by *by, const struct stamps_use *use,
                        const uint64_t *address)
{
    if (!is_known(stamps, by, use) || (!stamps_has_room(stamps) && !stamps_make_room(stamps))) return false;
    struct now now = now_of(stamps, by, 0, false);
    const int32_t stamp = now.stamp;
    struct stamps_use one = {
        .bytes = use->each, .each = use->each, .writes = use->writes, .is_constant = use->is_constant};
    const bool are_words = use->each >= SHADOW_WORD_BYTES && use->each <= STAMPS_GROUP;
    bool right = true;
    for (EACH_BIT(lane, use->lanes)) {
        const uint64_t at = address[lane];
        struct stamps_page *page = stamps_page_of(stamps, at / SHADOW_PAGE_BYTES);
        now.stamp = stamp | (int32_t)(lane << STAMPS_LANE);
        if (page != NULL && are_words && at % use->each == 0 &&
            use_lane(stamps, page, &now, by, use, at % SHADOW_PAGE_BYTES, &right))
            continue;
        one.begin = at;
        one.lanes = UINT32_C(1) << lane;
        right &= use_run(stamps, by, &one, false);
    }
    return right;
}

// --- The end ---------------------------------------------------------------------------------------------------------

// Most pages have one way of reads, and one of writes.
static void give(struct order_stamps *stamps, struct stamps_page *page, uint64_t number)
{
    struct shadow_way room[2];
    if (page->ways.way == NULL) page->ways = shadow_ways_lent(room, 2);
    const bool is_read = make_way(page, false), is_written = make_way(page, true);
    if (!is_read || !is_written) order_apart_end(stamps->apart);
    order_apart_join(stamps->apart, number, &page->ways);
    shadow_ways_free(&page->ways);
}

void order_stamps_give(struct order_stamps *stamps)
{
    stamps_each(stamps, give);
}
