// SPDX-License-Identifier: MIT
// What may come of a wgmma whose operand is overwritten: verdicts of sync/wgmma_group.h, the mixes of old and new that
// an element of D can be made of, and the words for one that is none.
#include <inttypes.h>
#include <string.h>

#include "fragments.h"
#include "rules/wgmma.h"
#include "wgmma_group.h"
#include "wgmma_order_case.h"

enum { PIECE_ELEMENTS = 4, PIECES = 4, MIXES = 1 << PIECES };

// --- Verdicts --------------------------------------------------------------------------------------------------------

unsigned wgmma_order_open_warps(const struct wgmma_order_case *c)
{
    struct wgmma_groups groups = wgmma_groups_start();
    struct wgmma_operation operation[WGMMA_ORDER_GROUPS];
    unsigned open = 0;
    if (c->kind == WGMMA_ORDER_OMIT) return 0;
    for (int warp = 0; warp < WGMMA_WARPS; warp++) wgmma_fence(&groups, warp, NULL);
    for (int i = 0; i < WGMMA_ORDER_GROUPS; i++) {
        wgmma_issue(&groups, &operation[i], NULL);
        for (int warp = 0; warp < WGMMA_WARPS; warp++) wgmma_commit(&groups, warp, NULL);
    }
    // One warp alone overwrites B: it does not know how far the others are.
    for (int warp = 0; warp < WGMMA_WARPS; warp++)
        if (c->target != WGMMA_ORDER_B_ALONE || warp == WGMMA_ORDER_WRITER) wgmma_wait(&groups, warp, c->newest, NULL);
    for (int warp = 0; warp < WGMMA_WARPS; warp++)
        if (wgmma_check_shared(&groups, &operation[c->victim], 1u << warp) != RULE_OK) open |= 1u << warp;
    return open;
}

// --- Elements --------------------------------------------------------------------------------------------------------

// The value of element `index` of four f16 of wgmma_order_word().
static int element(uint64_t word, int index)
{
    uint32_t bits = (uint32_t)(word >> 16 * index) & 0xffff, field = bits >> 10 & 31;
    int value = (int)(1024 + (bits & 1023)) >> (25 - field); // 1 to 8: fields 15 to 18
    return bits >> 15 ? -value : value;
}

// The address of piece `piece` (four elements of K) of a row of A or a column of B, whose operand starts at `start`.
static uint32_t piece_address(uint32_t start, uint32_t row, uint32_t piece)
{
    return start + row / 8 * 2 * WGMMA_ORDER_CORE_BYTES + piece / 2 * WGMMA_ORDER_CORE_BYTES + row % 8 * 16 +
           piece % 2 * 8;
}

// The sum of a piece's products; `is_new` by operand.
static int piece_sum(const struct wgmma_order_case *c, uint32_t group, struct number_place at, uint32_t piece,
                     const uint32_t is_new[2])
{
    uint32_t start_a = WGMMA_ORDER_SHARED_START + group * WGMMA_ORDER_A_BYTES;
    uint32_t start_b = WGMMA_ORDER_B_START + group * WGMMA_ORDER_B_BYTES;
    uint64_t a = wgmma_order_word(c->seed, piece_address(start_a, (uint32_t)at.row, piece), is_new[0]);
    uint64_t b = wgmma_order_word(c->seed, piece_address(start_b, (uint32_t)at.column, piece), is_new[1]);
    int sum = 0;
    for (int i = 0; i < PIECE_ELEMENTS; i++) sum += element(a, i) * element(b, i);
    return sum;
}

// Element `at` of D with the pieces in `mix` new.
static float mixed(const struct wgmma_order_case *c, uint32_t group, struct number_place at, unsigned mix)
{
    int sum = 0;
    for (uint32_t piece = 0; piece < PIECES; piece++) {
        uint32_t now = mix >> piece & 1;
        const uint32_t is_new[2] = {c->target == WGMMA_ORDER_A_OWN && now, c->target != WGMMA_ORDER_A_OWN && now};
        sum += piece_sum(c, group, at, piece, is_new);
    }
    return (float)sum;
}

static struct number_place place_of(uint32_t index)
{
    return wgmma_place_d(WGMMA_F32_F16_F16, (int)(index % WGMMA_ORDER_THREADS),
                         (int)(index / WGMMA_ORDER_THREADS % WGMMA_ORDER_REGISTERS), 0);
}

// The least mix that gives `word`, MIXES if none does. Only open warps' rows of the victim are mixed.
static unsigned mix_of(const struct wgmma_order_case *c, unsigned open, uint32_t index, uint32_t word)
{
    uint32_t group = index / (WGMMA_ORDER_REGISTERS * WGMMA_ORDER_THREADS);
    bool is_open = group == c->victim && (open >> index % WGMMA_ORDER_THREADS / 32 & 1);
    for (unsigned mix = 0; mix < (is_open ? MIXES : 1u); mix++) {
        float value = mixed(c, group, place_of(index), mix);
        if (memcmp(&value, &word, sizeof value) == 0) return mix;
    }
    return MIXES;
}

static uint32_t word_of(const struct result *result, uint32_t index)
{
    uint32_t word;
    memcpy(&word, result->window[0].bytes + index * sizeof word, sizeof word);
    return word;
}

// The first element of a result that cannot be; its size if there is none.
static uint32_t first_illegal(const struct wgmma_order_case *c, const struct result *result)
{
    unsigned open = wgmma_order_open_warps(c);
    uint32_t index = 0;
    while (index < WGMMA_ORDER_OUTPUT_WORDS && mix_of(c, open, index, word_of(result, index)) != MIXES) index++;
    return index;
}

int wgmma_order_is_legal(const void *test_case, const struct result *result)
{
    return result->status == 0 && result->windows == 1 && first_illegal(test_case, result) == WGMMA_ORDER_OUTPUT_WORDS;
}

// --- Words -----------------------------------------------------------------------------------------------------------

enum { GROUP_WORDS = WGMMA_ORDER_REGISTERS * WGMMA_ORDER_THREADS };

json_t *wgmma_order_describe(const void *test_case, const struct result *result)
{
    const struct wgmma_order_case *c = test_case;
    unsigned open = wgmma_order_open_warps(c);
    json_t *lines = json_array();
    for (uint32_t group = 0; open != 0 && result->windows == 1 && group < WGMMA_ORDER_GROUPS; group++) {
        char line[GROUP_WORDS + 1] = "";
        bool is_old = true;
        for (uint32_t i = 0; i < GROUP_WORDS; i++) {
            uint32_t index = group * GROUP_WORDS + i;
            unsigned mix = mix_of(c, open, index, word_of(result, index));
            line[i] = "0123456789abcdef?"[mix];
            is_old &= mix == 0;
        }
        json_array_append_new(lines, json_string(is_old ? "old" : line));
    }
    return lines;
}

// The mix of a digit; MIXES if it is none.
static unsigned mix_of_digit(char digit)
{
    const char *digits = "0123456789abcdef", *at = digit == 0 ? NULL : strchr(digits, digit);
    return at == NULL ? MIXES : (unsigned)(at - digits);
}

int wgmma_order_restore(const void *test_case, const json_t *text, struct result *result)
{
    const struct wgmma_order_case *c = test_case;
    uint8_t *bytes = result->window[0].bytes;
    for (uint32_t index = 0; index < WGMMA_ORDER_OUTPUT_WORDS; index++) {
        const char *line = json_string_value(json_array_get(text, index / GROUP_WORDS));
        if (line == NULL) return 0;
        bool is_old = strcmp(line, "old") == 0;
        if (!is_old && strlen(line) != GROUP_WORDS) return 0;
        unsigned mix = is_old ? 0 : mix_of_digit(line[index % GROUP_WORDS]);
        if (mix == MIXES) return 0;
        float value = mixed(c, index / GROUP_WORDS, place_of(index), mix);
        memcpy(bytes + index * sizeof value, &value, sizeof value);
    }
    return 1;
}

enum rule wgmma_order_explain(const void *test_case, const struct difference *difference, FILE *out)
{
    const struct wgmma_order_case *c = test_case;
    struct difference first = *difference;
    uint32_t index = difference->at / 4;
    const struct result found = {.windows = 1, .window = {*difference->found}};
    if (c->kind == WGMMA_ORDER_OVERWRITE) index = first_illegal(c, &found);
    enum rule rule = c->kind == WGMMA_ORDER_OMIT ? RULE_WGMMA_WAIT : RULE_WGMMA_WAIT_SHARED;
    if (index == WGMMA_ORDER_OUTPUT_WORDS) return rule;
    first.at = 4 * index;
    struct difference_units words = difference_units(&first, 4);
    struct number_place at = place_of(index);
    fprintf(out, "    group %u: D[%d][%d], thread %u, register %u: 0x%" PRIx64 " expected, 0x%" PRIx64 " found\n",
            index / (WGMMA_ORDER_REGISTERS * WGMMA_ORDER_THREADS), at.row, at.column, index % WGMMA_ORDER_THREADS,
            index / WGMMA_ORDER_THREADS % WGMMA_ORDER_REGISTERS, words.expected, words.found);
    return rule;
}
