// SPDX-License-Identifier: MIT
#include "lane_words.h"

#include <stdlib.h>
#include <string.h>

enum { WORD_BYTES = 4, PAGE_WORDS = 1024, PAGE_BYTES = WORD_BYTES * PAGE_WORDS, LANES = 32, MANY = LANES };
_Static_assert((int)LANE_WORDS_BYTES == (int)LANE_WORDS_PAGES * (int)PAGE_BYTES, "all pages");

// at: the count; mask: which bytes of the word; lane: of each, MANY if several lanes read it.
struct use {
    uint64_t at;
    uint32_t line;
    uint8_t warp, mask, lane[WORD_BYTES];
};

struct lane_word {
    struct use write, read;
};

// The first byte that both are of and that another lane used, WORD_BYTES: there is none.
static int other_lane(const struct lane_by *by, const struct use *older, const struct use *newer)
{
    int byte = 0;
    while (byte < WORD_BYTES && !((older->mask & newer->mask) >> byte & 1 && older->lane[byte] != newer->lane[byte] &&
                                  !lane_parts_behind(by->parts, newer->lane[byte], older->lane[byte], older->at)))
        byte++;
    return byte;
}

static bool is_of_now(const struct lane_by *by, const struct use *older, const struct use *newer)
{
    return older->mask != 0 && older->warp == newer->warp && older->at > by->met;
}

// Was it another lane of the warp, in an earlier instruction that it has not met behind?
static int clashes(const struct lane_by *by, const struct use *older, const struct use *newer)
{
    return is_of_now(by, older, newer) && older->at < by->now && other_lane(by, older, newer) < WORD_BYTES;
}

// The newer one, with the bytes that the warp has used since it met, by whichever lane.
static struct use joined(const struct lane_by *by, const struct use *older, const struct use *newer, int writes)
{
    struct use use = *newer;
    if (!is_of_now(by, older, newer)) return use;
    for (int byte = 0; byte < WORD_BYTES; byte++) {
        const bool had = older->mask >> byte & true, has = newer->mask >> byte & true;
        if (had && (!has || (!writes && older->lane[byte] != newer->lane[byte])))
            use.lane[byte] = has ? MANY : older->lane[byte];
    }
    use.mask |= older->mask;
    return use;
}

static bool meet_word(const struct lane_by *by, struct lane_word *word, const struct use *newer, int writes,
                      struct sanitize_lane *older)
{
    const int behind_write = clashes(by, &word->write, newer);
    const bool behind_read = writes && clashes(by, &word->read, newer);
    const struct use *found = behind_write ? &word->write : &word->read;
    if (behind_write || behind_read) {
        const int byte = other_lane(by, found, newer);
        const uint8_t lane = found->lane[byte] == MANY ? (uint8_t)(newer->lane[byte] == 0) : found->lane[byte];
        *older = (struct sanitize_lane){
            .line = found->line, .lane = lane, .newer_lane = newer->lane[byte], .writes = (uint8_t)behind_write};
    }
    struct use *use = writes ? &word->write : &word->read;
    if (use->at <= newer->at) *use = joined(by, use, newer, writes); // one that waited may be older than another warp's
    return behind_write || behind_read;
}

static struct lane_word *word_of(struct lane_words *words, uint64_t address)
{
    if (address >= LANE_WORDS_BYTES) return NULL;
    struct lane_word **page = &words->page[address / PAGE_BYTES];
    if (*page == NULL) *page = calloc(PAGE_WORDS, sizeof **page);
    return *page == NULL ? NULL : &(*page)[address % PAGE_BYTES / WORD_BYTES];
}

// The bytes of one lane, of which all share `newer`. 1 if another lane's clash with one of them; -1 without memory.
static int use_bytes(struct lane_words *words, const struct lane_by *by, struct use *newer, uint64_t begin,
                     uint64_t end, int writes, struct sanitize_lane *older)
{
    bool is_found = false;
    for (uint64_t at = begin; at < end; at += WORD_BYTES - at % WORD_BYTES) {
        const uint64_t first = at % WORD_BYTES, left = end - (at - first);
        struct lane_word *word = word_of(words, at);
        if (word == NULL) return -1;
        newer->mask = (uint8_t)((left >= WORD_BYTES ? 0xf : (1u << left) - 1) & (0xfu << first));
        struct sanitize_lane one;
        if (!meet_word(by, word, newer, writes, &one) || is_found) continue;
        *older = one;
        older->address = begin;
        older->bytes = (uint32_t)(end - begin);
        is_found = true;
    }
    return is_found;
}

// One by one, as if each lane came by itself. Of lanes that read the same bytes two stand for all.
static int use_lanes(struct lane_words *words, const struct lane_by *by, const struct lane_use *use,
                     struct sanitize_lane *older)
{
    struct use newer = {.at = use->at, .line = use->line, .warp = (uint8_t)by->warp};
    const bool are_same = use->each == use->end - use->begin;
    uint64_t at = use->begin;
    int found = 0;
    for (uint32_t left = use->lanes, done = 0; left != 0; left &= left - 1, done++) {
        if (are_same && !use->writes && done == 2) break;
        memset(newer.lane, __builtin_ctz(left), sizeof newer.lane);
        const int one = use_bytes(words, by, &newer, at, at + use->each, use->writes, &older[found]);
        if (one < 0) return -1;
        found += one;
        at += are_same ? 0 : use->each;
    }
    return found;
}

int lane_words_use(struct lane_words *words, const struct lane_by *by, const struct lane_use *use,
                   struct sanitize_lane *older)
{
    struct lane_use row = *use;
    int found = 0;
    if (use->rows > 1) row.lanes = UINT32_MAX >> (LANES - LANES / use->rows);
    for (uint32_t left = use->rows; left > 0; left--, row.lanes <<= LANES / use->rows % LANES) {
        const int one = use_lanes(words, by, &row, older + found);
        if (one < 0) return -1;
        found += one;
        row.begin += (uint64_t)(int64_t)use->rise;
        row.end += (uint64_t)(int64_t)use->rise;
    }
    return found;
}

void lane_words_free(struct lane_words *words)
{
    for (int i = 0; i < LANE_WORDS_PAGES; i++) free(words->page[i]);
}
