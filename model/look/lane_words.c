// SPDX-License-Identifier: MIT
#include "lane_words.h"

#include <stdlib.h>

enum { WORD_BYTES = 4, PAGE_WORDS = 1024, PAGE_BYTES = WORD_BYTES * PAGE_WORDS, LANES = 32, MANY = LANES };
_Static_assert((int)LANE_WORDS_BYTES == (int)LANE_WORDS_PAGES * (int)PAGE_BYTES, "all pages");

// at: the count, 0: nobody did; lane: MANY if several lanes read it, or wrote it by atomics.
struct use {
    uint64_t at;
    uint32_t line;
    uint8_t warp, lane, is_strong, reduces;
};

// byte: the uses of each of its bytes, since one was used without the others
struct lane_word {
    struct use write, read;
    struct lane_word *byte;
};

static bool is_of_now(const struct lane_by *by, const struct use *older, const struct use *newer)
{
    return older->warp == newer->warp && older->at > by->met;
}

// Was it another lane of the warp, in an earlier instruction that it has not met behind?
static bool clashes(const struct lane_by *by, const struct use *older, const struct use *newer)
{
    const bool are_strong = older->is_strong && newer->is_strong && (older->reduces || newer->reduces);
    return is_of_now(by, older, newer) && older->at < by->now && older->lane != newer->lane && !are_strong &&
           !lane_parts_behind(by->parts, newer->lane, older->lane, older->at);
}

// What several lanes did on both sides of a step is not kept apart: the later stays.
static void keep(const struct lane_by *by, struct use *use, const struct use *newer, bool writes)
{
    if (use->at > newer->at) return; // one that waited may be older than another warp's
    const bool are_alike = !writes || (use->reduces && newer->reduces);
    const bool is_stepped = use->at <= by->stepped && newer->at > by->stepped;
    const bool are_many = are_alike && !is_stepped && is_of_now(by, use, newer) && use->lane != newer->lane &&
                          !lane_parts_behind(by->parts, newer->lane, use->lane, use->at);
    *use = *newer;
    if (are_many) use->lane = MANY;
}

static bool meet_word(const struct lane_by *by, struct lane_word *word, const struct use *newer, bool writes,
                      struct sanitize_lane *older)
{
    const bool behind_write = clashes(by, &word->write, newer);
    const bool behind_read = writes && clashes(by, &word->read, newer);
    const bool is_stepped = behind_write && word->write.at <= by->stepped;
    const struct use *found = behind_write && !(is_stepped && behind_read) ? &word->write : &word->read;
    if (behind_write || behind_read) {
        const uint8_t lane = found->lane == MANY ? (uint8_t)(newer->lane == 0) : found->lane;
        *older = (struct sanitize_lane){.at = found->at,
                                        .line = found->line,
                                        .lane = lane,
                                        .newer_lane = newer->lane,
                                        .writes = found == &word->write,
                                        .is_strong = found->is_strong};
    }
    keep(by, writes ? &word->write : &word->read, newer, writes);
    return behind_write || behind_read;
}

// 0 without memory.
static bool part_word(struct lane_word *word)
{
    word->byte = malloc(WORD_BYTES * sizeof *word->byte);
    if (word->byte == NULL) return false;
    for (int i = 0; i < WORD_BYTES; i++) word->byte[i] = (struct lane_word){word->write, word->read, NULL};
    return true;
}

static struct lane_word *word_of(struct lane_words *words, uint64_t address)
{
    if (address >= LANE_WORDS_BYTES) return NULL;
    struct lane_word **page = &words->page[address / PAGE_BYTES];
    if (*page == NULL) *page = calloc(PAGE_WORDS, sizeof **page);
    return *page == NULL ? NULL : &(*page)[address % PAGE_BYTES / WORD_BYTES];
}

// Bytes of one word. 1 if another lane's clash with one of them; -1 without memory.
static int use_word(struct lane_word *word, const struct lane_by *by, const struct use *newer, uint32_t first,
                    uint32_t behind, bool writes, struct sanitize_lane *older)
{
    if (word->byte == NULL && first == 0 && behind == WORD_BYTES) return meet_word(by, word, newer, writes, older);
    if (word->byte == NULL && !part_word(word)) return -1;
    bool is_found = false;
    for (uint32_t i = first; i < behind; i++) is_found |= meet_word(by, &word->byte[i], newer, writes, older);
    return is_found;
}

// The bytes of one lane, of which all share `newer`. 1 if another lane's clash with one of them; -1 without memory.
static int use_bytes(struct lane_words *words, const struct lane_by *by, const struct use *newer, uint64_t begin,
                     uint64_t end, bool writes, struct sanitize_lane *older)
{
    bool is_found = false;
    for (uint64_t at = begin; at < end; at += WORD_BYTES - at % WORD_BYTES) {
        const uint64_t first = at % WORD_BYTES, left = end - (at - first);
        struct lane_word *word = word_of(words, at);
        struct sanitize_lane one;
        const int found = word == NULL ? -1
                                       : use_word(word, by, newer, (uint32_t)first,
                                                  left < WORD_BYTES ? (uint32_t)left : WORD_BYTES, writes, &one);
        if (found < 0) return -1;
        if (found == 0 || is_found) continue;
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
    struct use newer = {.at = use->at,
                        .line = use->line,
                        .warp = (uint8_t)by->warp,
                        .is_strong = use->is_strong,
                        .reduces = use->reduces};
    const bool are_same = use->each == use->end - use->begin;
    uint64_t at = use->begin;
    int found = 0;
    for (uint32_t left = use->lanes, done = 0; left != 0; left &= left - 1, done++) {
        if (are_same && !use->writes && done == 2) break;
        newer.lane = (uint8_t)__builtin_ctz(left);
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
    for (int i = 0; i < LANE_WORDS_PAGES; i++) {
        for (int j = 0; words->page[i] != NULL && j < PAGE_WORDS; j++) free(words->page[i][j].byte);
        free(words->page[i]);
    }
}
