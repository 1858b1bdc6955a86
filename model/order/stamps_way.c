// SPDX-License-Identifier: MIT
// By which lines of the PTX a page of stamps.h was accessed. As long as there is one for all reads, the bits or stamps
// of the page say which words; and so of writes.
#include "stamps_page.h"

// Most are found where they are looked for first.
static uint32_t *words_of(struct order_stamps *stamps, struct stamps_page *page, uint32_t way)
{
    for (struct stamps_ways **ways = &page->ways;; ways = &(*ways)->next) {
        if (*ways == NULL && (*ways = stamps_take(stamps, sizeof **ways)) == NULL) return NULL;
        for (uint32_t left = STAMPS_WAYS, i = way % STAMPS_WAYS; left > 0; left--, i = (i + 1) % STAMPS_WAYS) {
            if ((*ways)->way[i] == 0) (*ways)->way[i] = way;
            if ((*ways)->way[i] == way) return (*ways)->words[i];
        }
    }
}

static struct shadow_ways *bytes_of(struct order_stamps *stamps, struct stamps_page *page)
{
    if (page->bytes == NULL) page->bytes = stamps_take(stamps, sizeof *page->bytes);
    return page->bytes;
}

static bool writes(uint32_t way)
{
    return (way - 1) % 2 != 0;
}

static bool add_bytes(struct shadow_ways *ways, uint32_t way, uint32_t wide, uint64_t bytes)
{
    return bytes == 0 || shadow_ways_add(ways, (way - 1) / 2, writes(way), wide, bytes) != 0;
}

// --- The only way of its kind ----------------------------------------------------------------------------------------

static uint32_t used_words(const struct stamps_page *page, bool writes, uint32_t group)
{
    if (page->stamp == NULL) return (writes ? page->written : page->read)[group];
    const int32_t *stamp = &stamps_of(page, writes)[group * STAMPS_GROUP];
    uint32_t bits = 0;
    for (uint32_t i = 0; i < STAMPS_GROUP; i++) bits |= (uint32_t)(stamp[i] != 0) << i;
    return bits;
}

static uint64_t used_bytes(const struct stamps_page *page, bool writes, uint32_t wide)
{
    const int32_t *stamp = &stamps_of(page, writes)[wide * SHADOW_WIDE_BYTES];
    uint64_t bits = 0;
    for (uint32_t i = 0; i < SHADOW_WIDE_BYTES; i++) bits |= (uint64_t)(stamp[i] != 0) << i;
    return bits;
}

uint64_t stamps_used(const struct stamps_page *page, bool writes, uint32_t wide)
{
    const uint32_t shift = wide % 2 * STAMPS_GROUP / 2;
    return page->unit == 0 ? used_bytes(page, writes, wide)
                           : shadow_bytes_of(used_words(page, writes, wide / 2) >> shift & 0xffff);
}

static bool add_words(struct shadow_ways *ways, uint32_t way, uint32_t group, uint32_t bits)
{
    _Static_assert(STAMPS_GROUP * SHADOW_WORD_BYTES == 2 * SHADOW_WIDE_BYTES, "a group has two wide cells");
    return add_bytes(ways, way, 2 * group, shadow_bytes_of(bits & 0xffff)) &&
           add_bytes(ways, way, 2 * group + 1, shadow_bytes_of(bits >> 16));
}

static bool add_only(const struct stamps_page *page, uint32_t way, struct shadow_ways *ways)
{
    bool is_added = true;
    for (uint32_t wide = 0; wide < SHADOW_PAGE_WIDES; wide++)
        is_added &= add_bytes(ways, way, wide, stamps_used(page, writes(way), wide));
    return is_added;
}

// It is one of several from now on. 0 without memory.
static bool note_only(struct order_stamps *stamps, struct stamps_page *page, bool writes)
{
    const uint32_t way = page->only[writes];
    if (way == STAMPS_SEVERAL) return true;
    page->only[writes] = STAMPS_SEVERAL;
    if (page->unit == 0) {
        struct shadow_ways *bytes = bytes_of(stamps, page);
        return bytes != NULL && add_only(page, way, bytes);
    }
    uint32_t *words = words_of(stamps, page, way);
    for (uint32_t group = 0; group < STAMPS_GROUPS && words != NULL; group++)
        words[group] = used_words(page, writes, group);
    return words != NULL;
}

// --- Several ways ----------------------------------------------------------------------------------------------------

uint32_t *stamps_words(struct order_stamps *stamps, struct stamps_page *page, uint32_t way)
{
    return note_only(stamps, page, writes(way)) ? words_of(stamps, page, way) : NULL;
}

int stamps_note_bytes(struct order_stamps *stamps, struct stamps_page *page, uint32_t way, uint32_t begin, uint32_t end)
{
    struct shadow_ways *bytes = bytes_of(stamps, page);
    int noted = bytes != NULL && note_only(stamps, page, writes(way));
    for (uint32_t past; begin < end && noted != 0; begin = past) {
        const uint32_t wide = begin / SHADOW_WIDE_BYTES, start = wide * SHADOW_WIDE_BYTES;
        past = start + SHADOW_WIDE_BYTES < end ? start + SHADOW_WIDE_BYTES : end;
        const int one =
            shadow_ways_add(bytes, (way - 1) / 2, writes(way), wide, shadow_bits(begin - start, past - start));
        noted = one == 1 ? noted : one;
    }
    return noted;
}

bool stamps_give_ways(const struct stamps_page *page, struct shadow_ways *ways)
{
    bool is_given = true;
    for (int writes = 0; writes < 2; writes++)
        if (page->only[writes] != 0 && page->only[writes] != STAMPS_SEVERAL)
            is_given &= add_only(page, page->only[writes], ways);
    for (const struct stamps_ways *of = page->ways; of != NULL; of = of->next)
        for (uint32_t i = 0; i < STAMPS_WAYS; i++)
            for (uint32_t group = 0; group < STAMPS_GROUPS && of->way[i] != 0; group++)
                is_given &= add_words(ways, of->way[i], group, of->words[i][group]);
    for (uint32_t i = 0; page->bytes != NULL && i < page->bytes->count; i++)
        is_given &= shadow_ways_join(ways, &page->bytes->way[i]);
    return is_given;
}
