// SPDX-License-Identifier: MIT
// The suite `encode_mend`: what findings propose is legal: every refused call of the random generators, every accepted
// one with warnings, and crossings of two of them, with all proposals in place is accepted. The proposals of single
// rules are in encode_test.c.
#include <stddef.h>
#include <string.h>

#include "encode_call.h"
#include "map_args.h"
#include "rule_most.h"
#include "rules/map.h"
#include "rules/replace.h"

TEST_FILE(.seconds = 120);

enum { SEED = 20261122, CALLS = 150000, ENTRIES = TENSORMAP_MAX_RANK };

#define FIELD(argument, member)                                                                                        \
    {argument, offsetof(struct map_args, member), sizeof(((struct map_args *)NULL)->member)},
static const struct {
    const char *argument;
    size_t offset, bytes;
} fields[] = {ENCODE_FIELD_ROWS(FIELD)};

// Entries from `first` on as whoever raises the rank would choose them: one wide dimension, boxes of one step.
static void add_entries(struct map_args *args, uint32_t first, uint32_t past)
{
    for (uint32_t i = first; i < past && i < ENTRIES; i++) {
        args->dim[i] = 1 << 20;
        args->estride[i] = args->box[i] = 1;
        if (i == 0) args->box[0] = 16 / (args->data_type < DTYPE_COUNT ? dtype_row(args->data_type)->size_bytes : 1);
        if (i > 0) args->strides[i - 1] = 64;
        if (i > 1 && args->function == MAP_IM2COL) args->lower[i - 2] = args->upper[i - 2] = 0;
    }
}

// An array, or the map, where there was NULL.
static void add_array(struct map_args *args, const char *argument)
{
    static const char *const names[] = {"tensorMap",      "globalDim",           "globalStrides",      "boxDim",
                                        "elementStrides", "pixelBoxLowerCorner", "pixelBoxUpperCorner"};
    struct map_args legal = *args;
    uint32_t bit = 0;
    while (strcmp(names[bit], argument) != 0) bit++;
    args->null &= ~(1u << bit);
    add_entries(&legal, 0, ENTRIES);
    if (1u << bit == MAP_NULL_DIM) memcpy(args->dim, legal.dim, sizeof legal.dim);
    if (1u << bit == MAP_NULL_STRIDES) memcpy(args->strides, legal.strides, sizeof legal.strides);
    if (1u << bit == MAP_NULL_BOX) memcpy(args->box, legal.box, sizeof legal.box);
    if (1u << bit == MAP_NULL_ESTRIDES) memcpy(args->estride, legal.estride, sizeof legal.estride);
    if (1u << bit == MAP_NULL_LOWER) memset(args->lower, 0, sizeof args->lower);
    if (1u << bit == MAP_NULL_UPPER) memset(args->upper, 0, sizeof args->upper);
}

static bool is_null(enum rule rule)
{
    return rule == RULE_MAP_NULL_POINTER || rule == RULE_MAP_NULL_CORNER || rule == RULE_REPLACE_NULL_MAP;
}

static void put(struct map_args *args, const struct finding *finding)
{
    uint32_t word = (uint32_t)finding->nearest, rank = args->rank;
    if (is_null(finding->rule)) {
        add_array(args, finding->argument);
        return;
    }
    for (int i = 0; i < ROWS_OF(fields); i++) {
        if (strcmp(fields[i].argument, finding->argument) != 0) continue;
        char *place =
            (char *)args + fields[i].offset + (finding->index > 0 ? (size_t)finding->index : 0) * fields[i].bytes;
        memcpy(place, fields[i].bytes == 8 ? (const void *)&finding->nearest : &word, fields[i].bytes);
        add_entries(args, rank, args->rank);
    }
}

// Returns what the call broke, findings filled.
static enum rule require_mended(const struct map_args *args, const char *what, uint64_t call, struct findings *findings)
{
    struct tensormap_image image;
    struct map_args mended = *args;
    enum rule broken = map_args_encode(args, &image, findings);
    ck_assert_int_le(findings->count, FINDINGS_MAX);
    for (int i = 0; i < findings->count; i++) put(&mended, &findings->item[i]);
    struct findings left;
    enum rule rule = map_args_encode(&mended, &image, &left);
    if (rule == RULE_OK) return broken;
    char *text = json_dumps(fields_write(&map_fields, args), JSON_COMPACT);
    ck_abort_msg("%s, seed %d, call %llu: with the proposals for %s and %d others it still breaks %s, by %s[%d]; "
                 "model/map/encode_mend.c makes proposals legal together\n%s",
                 what, SEED, (unsigned long long)call, rule_row(findings->item[0].rule)->id, findings->count - 1,
                 rule_row(rule)->id, left.item[0].argument, left.item[0].index, text);
    return rule;
}

// Some words of another call of the same function: more that is wrong at once, and odder numbers.
static void cross(struct random *random, const struct map_args *other, struct map_args *args)
{
    const size_t first = offsetof(struct map_args, data_type), end = offsetof(struct map_args, misalign);
    for (size_t at = first; at < end && args->function == other->function; at += sizeof(uint32_t))
        if (random_chance(random, 20)) memcpy((char *)args + at, (const char *)other + at, sizeof(uint32_t));
}

struct tally {
    int refused, single, warned;
    int of_function[MAP_FUNCTIONS], of_type[DTYPE_COUNT + 1], of_rule[RULE_MOST];
};

static void count(struct tally *tally, const struct map_args *args, enum rule broken, const struct findings *findings)
{
    tally->refused += broken != RULE_OK;
    tally->single += broken != RULE_OK && findings->count == 1;
    tally->warned += broken == RULE_OK && findings->count > 0;
    if (broken == RULE_OK) return;
    tally->of_function[args->function]++;
    tally->of_type[args->data_type < DTYPE_COUNT ? args->data_type : DTYPE_COUNT]++;
    for (int i = 0; i < findings->count; i++) tally->of_rule[findings->item[i].rule]++;
}

static void require_all_kinds(const struct tally *tally)
{
    ck_assert_int_gt(tally->refused, CALLS / 4);
    ck_assert_int_gt(tally->single, CALLS / 20);
    ck_assert_int_gt(tally->warned, CALLS / 20);
    for (int i = 0; i < MAP_FUNCTIONS; i++) ck_assert_int_gt(tally->of_function[i], 500);
    for (int i = 0; i <= DTYPE_COUNT; i++) ck_assert_int_gt(tally->of_type[i], 500);
    for (enum rule rule = RULE_MAP_NULL_POINTER; rule <= RULE_MAP_WIDE_MODE; rule++)
        ck_assert_msg(tally->of_rule[rule] > 20, "%s: %d", rule_row(rule)->id, tally->of_rule[rule]);
}

LOOP_TEST(map_rank__and_all_others_propose_what_is_accepted, 0, 2)
{
    struct tally tally = {0};
    for (uint64_t i = 0; i < CALLS; i++) {
        struct random random = random_for(SEED, i);
        struct map_args args, other;
        struct findings findings;
        map_args_generate(&random, &args);
        if (_i == 1) {
            map_args_generate(&random, &other);
            cross(&random, &other, &args);
        }
        enum rule broken = require_mended(&args, _i == 0 ? "generated" : "crossed", i, &findings);
        count(&tally, &args, broken, &findings);
    }
    require_all_kinds(&tally);
}
