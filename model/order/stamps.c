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
    return page->only[!writes] == 0 ? nobody : stamps_of(page, !writes);
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

// Of a page of which words are accessed so by their bits: is it enough to keep that these are, and by whom?
EACH bool is_plain(const struct stamps_page *page, const struct words *words)
{
    const uint32_t group = words->first / STAMPS_GROUP;
    if (words->writes) return ((page->read[group] | page->written[group]) & words->bits) == 0;
    return page->only[1] == 0 || (page->written[group] & words->bits) == 0;
}

// As an entry of the list; stamp: of the first word; shift: as in a piece.
EACH struct stamps_entry entry_of(const struct words *words, int32_t stamp, uint32_t shift)
{
    return (struct stamps_entry){.stamp = stamp,
                                 .first = (uint8_t)words->first,
                                 .count = (uint8_t)words->count,
                                 .shift = (uint8_t)shift,
                                 .writes = words->writes};
}

// It is the next one, and has the number.
EACH void list_words(struct stamps_page *page, const struct words *words, struct stamps_entry *entry, uint32_t number)
{
    uint32_t *own = &(words->writes ? page->written : page->read)[words->first / STAMPS_GROUP];
    entry->before = page->latest;
    entry->was_read = (*own & words->bits) >> words->first % STAMPS_GROUP;
    *own |= words->bits;
    page->latest = number;
}

EACH struct stamps_entry *next_entry(const struct order_stamps *stamps)
{
    return &stamps->list[stamps->listed - stamps->dropped];
}

// Those of a piece from `at` on.
EACH struct words words_of(const struct piece *piece, uint32_t at)
{
    const uint32_t left = piece->first + piece->count - at, room = STAMPS_GROUP - at % STAMPS_GROUP;
    return words_at(at, left < room ? left : room, piece->writes);
}

EACH struct stamps_entry entry_at(const struct piece *piece, const struct words *words, int32_t stamp)
{
    const uint32_t lane = (words->first - piece->first) >> piece->shift;
    return entry_of(words, stamp + (int32_t)(lane << STAMPS_LANE), piece->shift);
}

// May its words be told without stamps?
static bool may_list(const struct order_stamps *stamps, const struct stamps_page *page, const struct piece *piece,
                     int32_t stamp, bool is_constant)
{
    bool may = true;
    for (uint32_t at = piece->first; at < piece->first + piece->count && may;) {
        const struct words words = words_of(piece, at);
        const struct stamps_entry entry = entry_at(piece, &words, stamp);
        may = (page->by_bits[piece->writes] && is_plain(page, &words)) ||
              (!is_constant && stamps_is_own(stamps, page, &entry));
        at += words.count;
    }
    return may;
}

static void list_piece(struct order_stamps *stamps, struct stamps_page *page, const struct piece *piece, int32_t stamp)
{
    for (uint32_t at = piece->first; at < piece->first + piece->count;) {
        const struct words words = words_of(piece, at);
        struct stamps_entry *entry = next_entry(stamps);
        *entry = entry_at(piece, &words, stamp);
        list_words(page, &words, entry, ++stamps->listed);
        at += words.count;
    }
}

// Before their bits, or stamps. 0 without memory; 1: it is noted already.
EACH int note_words(struct order_stamps *stamps, struct stamps_page *page, uint32_t way, const struct words *words)
{
    stamps_first_way(stamps, page, way, words->writes);
    if (page->only[words->writes] == way) return 1;
    uint32_t *of = stamps_words(stamps, page, way);
    if (of == NULL) return 0;
    const bool is_noted = (words->bits & ~of[words->first / STAMPS_GROUP]) == 0;
    of[words->first / STAMPS_GROUP] |= words->bits;
    return is_noted ? 1 : 2;
}

// Those of a piece that have no stamps, before its bits. 0 without memory.
static bool note_piece(struct order_stamps *stamps, struct stamps_page *page, uint32_t line, const struct piece *piece)
{
    const uint32_t way = stamps_way(line, piece->writes);
    bool is_noted = true;
    for (uint32_t at = piece->first; at < piece->first + piece->count && page->only[piece->writes] != way;) {
        const struct words words = words_of(piece, at);
        is_noted &= note_words(stamps, page, way, &words) != 0;
        at += words.count;
    }
    return is_noted;
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

// Bytes of a page with stamps, before those.
static int note_bytes(struct order_stamps *stamps, struct stamps_page *page, const struct stamps_by *by,
                      const struct stamps_use *use, uint64_t begin, uint64_t end)
{
    const uint32_t way = stamps_way(by->line, use->writes);
    stamps_first_way(stamps, page, way, use->writes);
    return page->only[use->writes] == way ? 1 : stamps_note_bytes(stamps, page, way, (uint32_t)begin, (uint32_t)end);
}

// Bytes of a page with stamps, of lanes from the one of `now` on.
static bool use_stamps(struct order_stamps *stamps, struct stamps_page *page, const struct now *now,
                       const struct stamps_by *by, const struct stamps_use *use, uint64_t begin, uint64_t end)
{
    if (page->unit != 0 && (begin | use->each) % SHADOW_WORD_BYTES != 0 && !stamps_split(stamps, page)) return false;
    if (use->is_constant && is_written(page, begin, end)) return false;
    const struct piece piece = piece_of(now, use, begin, end, page->unit);
    const int noted = note_bytes(stamps, page, by, use, begin, end);
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
        if (may_list(stamps, page, &piece, now->stamp, use->is_constant)) {
            stamps->again = 0;
            const bool is_noted = note_piece(stamps, page, by->line, &piece);
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

// The page of the lane before, and where it has the bits of the way; NULL: they are those of the page.
struct latest {
    uint64_t number;
    struct stamps_page *page;
    uint32_t *of;
};

// Can the page be accessed by its bits, by this way?
EACH bool is_open(struct order_stamps *stamps, uint32_t way, bool writes, struct latest *latest)
{
    struct stamps_page *page = latest->page = stamps_page_of(stamps, latest->number);
    latest->of = NULL;
    if (page == NULL || !page->by_bits[writes]) return false;
    stamps_first_way(stamps, page, way, writes);
    return page->only[writes] == way || (latest->of = stamps_words(stamps, page, way)) != NULL;
}

// Lanes of words, of each lane in one group. Returns those that are not told here.
EACH uint32_t use_plain_lanes(struct order_stamps *stamps, uint32_t line, int32_t stamp, const struct stamps_use *use,
                              const uint64_t *address, uint32_t each, bool writes)
{
    const uint32_t way = stamps_way(line, writes);
    for (EACH_BIT(next, use->lanes)) stamps_fetch(stamps, address[next] / SHADOW_PAGE_BYTES);
    struct stamps_entry *entry = next_entry(stamps);
    struct latest latest = {.number = UINT64_MAX};
    bool open = false;
    uint32_t left = 0, number = stamps->listed;
    for (EACH_BIT(lane, use->lanes)) {
        const uint64_t at = address[lane];
        if (at / SHADOW_PAGE_BYTES != latest.number) {
            latest.number = at / SHADOW_PAGE_BYTES;
            open = is_open(stamps, way, writes, &latest);
        }
        const struct words words =
            words_at(at % SHADOW_PAGE_BYTES / SHADOW_WORD_BYTES, each / SHADOW_WORD_BYTES, writes);
        *entry = entry_of(&words, stamp | (int32_t)(lane << STAMPS_LANE), 31);
        if (!open || at % each != 0 ||
            (!is_plain(latest.page, &words) && (use->is_constant || !stamps_is_own(stamps, latest.page, entry)))) {
            left |= UINT32_C(1) << lane;
            continue;
        }
        if (latest.of != NULL) latest.of[words.first / STAMPS_GROUP] |= words.bits;
        list_words(latest.page, &words, entry++, ++number);
    }
    stamps->listed = number;
    return left;
}

// The same for the most frequent sizes.
static uint32_t use_lanes(struct order_stamps *stamps, const struct stamps_by *by, const struct stamps_use *use,
                          const uint64_t *address, int32_t stamp)
{
    const uint32_t each = (uint32_t)use->each;
    if (use->each < SHADOW_WORD_BYTES || use->each > STAMPS_GROUP) return use->lanes;
    if (each == SHADOW_WORD_BYTES && !use->writes)
        return use_plain_lanes(stamps, by->line, stamp, use, address, SHADOW_WORD_BYTES, false);
    return use_plain_lanes(stamps, by->line, stamp, use, address, each, use->writes);
}

// A word with a stamp, not by ld.global.nc. 0: it is none.
EACH bool use_word(struct order_stamps *stamps, const struct now *now, const struct stamps_by *by,
                   const struct stamps_use *use, uint64_t at, bool *right)
{
    struct stamps_page *page = stamps_page_of(stamps, at / SHADOW_PAGE_BYTES);
    if (page == NULL || page->stamp == NULL || page->unit == 0 || at % SHADOW_WORD_BYTES != 0) return false;
    const struct words words = words_at(at % SHADOW_PAGE_BYTES / SHADOW_WORD_BYTES, 1, use->writes);
    const int noted = note_words(stamps, page, stamps_way(by->line, use->writes), &words);
    const struct seen seen = use_unit(now, page, words.first, use->writes);
    *right &= is_right(stamps, &seen, noted);
    return true;
}

bool order_stamps_lanes(struct order_stamps *stamps, const struct stamps_by *by, const struct stamps_use *use,
                        const uint64_t *address)
{
    if (!is_known(stamps, by, use) || (!stamps_has_room(stamps) && !stamps_make_room(stamps))) return false;
    struct now now = now_of(stamps, by, 0, false);
    const int32_t stamp = now.stamp;
    const uint32_t left = use_lanes(stamps, by, use, address, stamp);
    struct stamps_use one = *use;
    one.bytes = use->each;
    bool right = true;
    if (left != use->lanes) stamps->again = 0;
    for (EACH_BIT(lane, left)) {
        now.stamp = stamp | (int32_t)(lane << STAMPS_LANE);
        if (use->each == SHADOW_WORD_BYTES && !use->is_constant &&
            use_word(stamps, &now, by, use, address[lane], &right))
            continue;
        one.begin = address[lane];
        one.lanes = UINT32_C(1) << lane;
        right &= use_run(stamps, by, &one, false);
    }
    return right;
}

// --- The end ---------------------------------------------------------------------------------------------------------

// Most pages have one way of reads, and one of writes.
static void give(struct order_stamps *stamps, struct stamps_page *page)
{
    struct shadow_way room[2];
    struct shadow_ways ways = shadow_ways_lent(room, 2);
    if (!stamps_give_ways(page, &ways)) order_apart_end(stamps->apart);
    order_apart_join(stamps->apart, stamps_number(page), &ways);
    shadow_ways_free(&ways);
}

void order_stamps_give(struct order_stamps *stamps)
{
    stamps_each(stamps, give);
}

// --- What was written ------------------------------------------------------------------------------------------------

void order_stamps_watch(struct order_stamps *stamps, void *context, void (*save)(void *context, uint64_t number))
{
    stamps->context = context;
    stamps->save = save;
}

static void call_written(const struct stamps_page *page, void *context,
                         void (*call)(void *context, uint64_t address, uint32_t bytes))
{
    for (uint32_t wide = 0; wide < SHADOW_PAGE_WIDES; wide++) {
        const uint64_t start = stamps_number(page) * SHADOW_PAGE_BYTES + wide * SHADOW_WIDE_BYTES;
        uint64_t left = stamps_used(page, true, wide);
        while (left != 0) {
            const uint32_t first = (uint32_t)__builtin_ctzll(left);
            const uint64_t from = ~(left >> first);
            const uint32_t count = from != 0 ? (uint32_t)__builtin_ctzll(from) : SHADOW_WIDE_BYTES;
            call(context, start + first, count);
            left &= ~(UINT64_MAX >> (SHADOW_WIDE_BYTES - count) << first);
        }
    }
}

void order_stamps_written(const struct order_stamps *stamps, void *context,
                          void (*call)(void *context, uint64_t address, uint32_t bytes))
{
    for (const struct stamps_region *region = stamps->made; region != NULL; region = region->older)
        for (uint32_t i = 0; i < STAMPS_REGION; i++)
            if (region->page[i].only[1] != 0 && !region->page[i].is_fresh)
                call_written(&region->page[i], context, call);
}
