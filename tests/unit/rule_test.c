// SPDX-License-Identifier: MIT
// The suite `rule`: the table of rules and its look-ups, element types, findings, memories (model/core). What a rule
// means for a tensor map, a copy or a barrier is tested beside that module.
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dtype.h"
#include "finding.h"
#include "memory.h"
#include "rule.h"
#include "rule_most.h"
#include "rules/load.h"
#include "rules/map.h"
#include "rules/tile.h"

LOOP_TEST(rule_row_is_complete, RULE_OK + 1, rule_count())
{
    const struct rule_row *row = rule_row((enum rule)_i);
    ck_assert_int_eq(rule_find(row->id), _i);
    for (const char *at = row->id; *at != '\0'; at++)
        ck_assert_msg(isupper((unsigned char)*at) || isdigit((unsigned char)*at) || *at == '_', "id %s", row->id);
    size_t length = strlen(row->sentence);
    ck_assert_msg(length > 0 && row->sentence[length - 1] == '.', "%s: the sentence ends with a full stop", row->id);
    ck_assert_msg(row->source[0] != '\0', "%s has no source", row->id);
    ck_assert_str_ne(outcome_name(row->documented), "");
}

static bool says_what_must_hold(const char *sentence)
{
    return strstr(sentence, "must ") != NULL || strstr(sentence, "may not ") != NULL ||
           strstr(sentence, "needs ") != NULL;
}

// A report says what happened, then the rule: in the indicative it would read as the opposite ("finds it mapped").
LOOP_TEST(rule_that_refuses_or_faults_says_what_must_hold, RULE_OK + 1, rule_count())
{
    const struct rule_row *row = rule_row((enum rule)_i);
    bool is_silent = row->documented == OUTCOME_WORKS || row->documented == OUTCOME_SILENT;
    if (is_silent && row->sm_90a == OUTCOME_WORKS) return; // how the machine works
    ck_assert_msg(says_what_must_hold(row->sentence), "%s: \"%s\": say what \"must\" hold, or what it \"needs\"",
                  row->id, row->sentence);
}

// Advice says what to do: it begins with a verb, and facts come behind it.
static bool begins_with_a_fact(const char *advice)
{
    static const char *const words[] = {"A ", "An ", "The ", "These ", "This ", "It ", "No ", "Is ", "Older ", "Maps "};
    for (int i = 0; i < ROWS_OF(words); i++)
        if (strncmp(advice, words[i], strlen(words[i])) == 0) return true;
    return false;
}

LOOP_TEST(rule_that_is_broken_says_what_to_do, RULE_OK + 1, rule_count())
{
    const struct rule_row *row = rule_row((enum rule)_i);
    if (row->documented == OUTCOME_WORKS || row->documented == OUTCOME_SILENT) return;
    ck_assert_msg(!begins_with_a_fact(row->advice), "%s: \"%s\": begin with what to do", row->id, row->advice);
}

// Every number has one row: two rows of one number, or a number left out, would leave a row empty.
TEST(rule_places_are_all_numbers_once)
{
    int seen[RULE_MOST] = {0};
    ck_assert_int_le(rule_count(), RULE_MOST);
    ck_assert_int_lt(rule_count(), RULE_NONE);
    for (int place = 0; place < rule_count(); place++) seen[rule_at(place)]++;
    for (int rule = 0; rule < rule_count(); rule++)
        ck_assert_msg(seen[rule] == 1, "number %d: %d rows", rule, seen[rule]);
}

LOOP_TEST(rule_row_error_fits_its_outcome, RULE_OK + 1, rule_count())
{
    const struct rule_row *row = rule_row((enum rule)_i);
    bool stops = row->sm_90a == OUTCOME_INVALID || row->sm_90a == OUTCOME_FAULT || row->sm_90a == OUTCOME_CRASH;
    ck_assert_msg((row->cuda_error != 0) == stops, "%s: %s with CUDA error %d", row->id, outcome_name(row->sm_90a),
                  row->cuda_error);
    ck_assert_msg(cuda_error_name(row->cuda_error) != NULL, "%s: error %d has no name", row->id, row->cuda_error);
    ck_assert_msg(!stops || row->advice[0] != '\0', "%s: no advice", row->id);
    ck_assert_int_eq(rule_cuda_error((enum rule)_i), row->cuda_error);
}

TEST(rule_ok_is_a_row)
{
    ck_assert_str_eq(rule_row(RULE_OK)->id, "OK");
    ck_assert_int_eq(rule_cuda_error(RULE_OK), 0);
    ck_assert(!rule_is_warning(RULE_OK));
    ck_assert_int_eq(rule_find("OK"), RULE_OK);
}

TEST(rule_find_ignores_case_and_refuses_the_rest)
{
    ck_assert_int_eq(rule_find("MAP_RANK"), RULE_MAP_RANK);
    ck_assert_int_eq(rule_find("map_Rank"), RULE_MAP_RANK);
    ck_assert_int_eq(rule_find("MAP_RAN"), RULE_NONE);
    ck_assert_int_eq(rule_find("MAP_RANK "), RULE_NONE);
    ck_assert_int_eq(rule_find(""), RULE_NONE);
}

TEST(rule_warns_where_documents_forbid_and_sm_90a_works)
{
    ck_assert(rule_is_warning(RULE_MAP_OBJECT_ALIGN)); // INVALID, WORKS
    ck_assert(rule_is_warning(RULE_MAP_WIDE_SM90));    // UNSUPPORTED, WORKS
    ck_assert(!rule_is_warning(RULE_TILE_ADDRESS));    // WORKS, WORKS: how it works
    ck_assert(!rule_is_warning(RULE_TILE_PITCH));      // SILENT, WORKS: no document is stricter
    ck_assert(!rule_is_warning(RULE_MAP_RANK));        // INVALID, INVALID: a refusal
    ck_assert(!rule_is_warning(RULE_LOAD_RANK));       // UNDEFINED, FAULT
}

TEST(outcome_names_are_the_words_of_the_table)
{
    ck_assert_str_eq(outcome_name(OUTCOME_WORKS), "WORKS");
    ck_assert_str_eq(outcome_name(OUTCOME_INVALID), "INVALID");
    ck_assert_str_eq(outcome_name(OUTCOME_FAULT), "FAULT");
    ck_assert_str_eq(outcome_name(OUTCOME_UNDEFINED), "UNDEFINED");
    ck_assert_str_eq(outcome_name(OUTCOME_CRASH), "CRASH");
    ck_assert_str_eq(outcome_name(OUTCOME_UNSUPPORTED), "UNSUPPORTED");
    ck_assert_str_eq(outcome_name(OUTCOME_SILENT), "SILENT");
}

TEST(cuda_errors_have_the_driver_names)
{
    ck_assert_str_eq(cuda_error_name(0), "CUDA_SUCCESS");
    ck_assert_str_eq(cuda_error_name(1), "CUDA_ERROR_INVALID_VALUE");
    ck_assert_str_eq(cuda_error_name(715), "CUDA_ERROR_ILLEGAL_INSTRUCTION");
    ck_assert_str_eq(cuda_error_name(716), "CUDA_ERROR_MISALIGNED_ADDRESS");
    ck_assert_ptr_null(cuda_error_name(714));
    ck_assert_ptr_null(cuda_error_name(-1));
}

LOOP_TEST(dtype_row_is_found_by_every_name_it_has, 0, DTYPE_COUNT)
{
    const struct dtype_row *row = dtype_row((enum dtype)_i);
    char number[12];
    snprintf(number, sizeof number, "%d", _i);
    ck_assert_int_eq(dtype_find(row->name), _i);
    ck_assert_int_eq(dtype_find(row->ptx), _i);
    ck_assert_int_eq(dtype_find(number), _i);
    ck_assert_int_eq(dtype_from_format(row->format, row->is_tf32), _i);
    ck_assert(row->size_bytes == 1 || row->size_bytes == 2 || row->size_bytes == 4 || row->size_bytes == 8);
    ck_assert(!row->is_tf32 || row->is_float);
}

// Independent of the names: cuda.h's numbers and sizes (mutant: FLOAT32_FTZ and TFLOAT32 swapped).
LOOP_TEST(dtype_numbers_and_sizes_are_those_of_cuda_h, 0, DTYPE_COUNT)
{
    static const uint32_t size_bytes[DTYPE_COUNT] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
    static const char is_float[] = "0000001111111", is_tf32[] = "0000000000011";
    const struct dtype_row *row = dtype_row((enum dtype)_i);
    ck_assert_uint_eq(row->size_bytes, size_bytes[_i]);
    ck_assert_int_eq(row->is_float, is_float[_i] - '0');
    ck_assert_int_eq(row->is_tf32, is_tf32[_i] - '0');
    ck_assert_int_eq(dtype_find("float32_ftz"), 10);
    ck_assert_int_eq(dtype_find("TFloat32"), 11);
}

LOOP_TEST(dtype_find_refuses_what_is_no_type, 0, 8)
{
    static const char *const text[] = {"", "13", "99999999999999999999", "1x", "x", "float8", "16U4_ALIGN8B", "-1"};
    ck_assert_int_eq(dtype_find(text[_i]), DTYPE_COUNT);
}

TEST(dtype_from_format_refuses_what_no_type_has)
{
    ck_assert_int_eq(dtype_from_format(0, 1), DTYPE_COUNT);
    ck_assert_int_eq(dtype_from_format(9, 1), DTYPE_COUNT);
    for (uint32_t format = 11; format < 16; format++) ck_assert_int_eq(dtype_from_format(format, 0), DTYPE_COUNT);
}

TEST(findings_past_the_end_are_counted_only)
{
    struct findings findings = {.count = 0};
    for (int i = 0; i < FINDINGS_MAX + 3; i++)
        finding_add(&findings, (struct finding){.rule = RULE_MAP_OBJECT_ALIGN, .argument = "tensorMap", .index = i});
    ck_assert_int_eq(findings.count, FINDINGS_MAX + 3);
    ck_assert_int_eq(findings.item[FINDINGS_MAX - 1].index, FINDINGS_MAX - 1);
    ck_assert_int_eq(findings_first_broken(&findings), RULE_OK);
}

TEST(findings_first_broken_passes_over_warnings)
{
    struct findings findings = {.count = 0};
    ck_assert_int_eq(findings_first_broken(&findings), RULE_OK);
    finding_add(&findings, (struct finding){.rule = RULE_MAP_OBJECT_ALIGN});
    ck_assert_int_eq(findings_first_broken(&findings), RULE_OK);
    finding_add(&findings, (struct finding){.rule = RULE_MAP_DIM});
    finding_add(&findings, (struct finding){.rule = RULE_MAP_RANK});
    ck_assert_int_eq(findings_first_broken(&findings), RULE_MAP_DIM);
}

TEST(finding_add_takes_null)
{
    finding_add(NULL, (struct finding){.rule = RULE_MAP_RANK});
}

// A memory of 16 bytes at 0x1000 (mutants: <= for <, no check of the start, sums that wrap).
static const struct {
    uint64_t address, count_bytes;
    int offset; // -1: not mapped
    const char *why;
} memory_cases[] = {
    {0x1000, 1, 0, "first byte"},
    {0x100f, 1, 15, "last byte"},
    {0x1000, 16, 0, "all of it"},
    {0x1010, 0, 16, "nothing, at the end"},
    {0x1010, 1, -1, "one past the end"},
    {0x0fff, 1, -1, "one before the start"},
    {0x0fff, 2, -1, "across the start"},
    {0x1001, 16, -1, "across the end"},
    {0x1008, UINT64_MAX, -1, "a count that wraps the sum"},
    {0, 1, -1, "NULL"},
    {UINT64_MAX, 1, -1, "the last address there is"},
};

LOOP_TEST(memory_at_keeps_to_its_bounds, 0, ROWS_OF(memory_cases))
{
    uint8_t bytes[16] = {0};
    const struct memory memory = {bytes, 0x1000, sizeof bytes};
    const uint8_t *at = memory_at(&memory, memory_cases[_i].address, memory_cases[_i].count_bytes);
    const uint8_t *expected = memory_cases[_i].offset < 0 ? NULL : bytes + memory_cases[_i].offset;
    ck_assert_msg(at == expected, "%s", memory_cases[_i].why);
}
