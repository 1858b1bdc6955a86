// SPDX-License-Identifier: MIT
// The suite `finding_text`: how findings are written, as text and as JSON, and the line they are written into.
#include "finding_text.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "matrix.h"
#include "prefetch.h"
#include "rows.h"
#include "rules/all.h"

// Of the text the first line; of the JSON what stands between the severity and the sentence.
static const struct {
    const char *why;
    struct finding finding;
    const char *head, *json;
} written[] = {
    {"an entry of an array",
     {RULE_MAP_STRIDE_ALIGN, "globalStrides", 0, 0, 8200, 16, 8208},
     "  refused, rule MAP_STRIDE_ALIGN: globalStrides[0] is 8200, must be a multiple of 16, nearest legal value 8208\n",
     ",\"argument\":\"globalStrides\",\"index\":0,\"value\":8200,\"limit\":16,\"nearest\":8208,"},
    {"an address",
     {RULE_MAP_ADDRESS_ALIGN, "globalAddress", -1, 0, 0x1008, 16, 0x1010},
     "  refused, rule MAP_ADDRESS_ALIGN: globalAddress is 0x1008, must be a multiple of 0x10, nearest legal value "
     "0x1010\n",
     ",\"argument\":\"globalAddress\",\"value\":4104,\"limit\":16,\"nearest\":4112,"},
    {"a negative number",
     {RULE_MAP_CORNER_RANGE, "pixelBoxLowerCorner", 1, 1, (uint64_t)-129, (uint64_t)-128, (uint64_t)-128},
     "  refused, rule MAP_CORNER_RANGE: pixelBoxLowerCorner[1] is -129, must be at least -128\n",
     ",\"argument\":\"pixelBoxLowerCorner\",\"index\":1,\"value\":-129,\"limit\":-128,\"nearest\":-128,"},
    {"beyond what JSON readers have",
     {RULE_MAP_ADDRESS_LIMIT, "globalAddress", -1, 0, UINT64_MAX, 1, 0},
     "  refused, rule MAP_ADDRESS_LIMIT: globalAddress is 0xffffffffffffffff, must be at most 0x1, nearest legal value "
     "0x0\n",
     ",\"argument\":\"globalAddress\",\"value\":\"0xffffffffffffffff\",\"limit\":1,\"nearest\":0,"},
    {"no number",
     {RULE_MAP_NULL_POINTER, "globalDim", -1, 0, 0, 0, 0},
     "  refused, rule MAP_NULL_POINTER: globalDim is NULL\n",
     ",\"argument\":\"globalDim\","},
    {"neither argument nor number",
     {RULE_MBARRIER_NO_OBJECT, "", -1, 0, 1, 2, 3},
     "  warning, rule MBARRIER_NO_OBJECT\n",
     ",\"argument\":\"\","},
};
// What stands behind the value: what it must be, and the nearest legal value where the limit does not say it.
#define LIMITED "finding_values.tsv" // rule, argument, index, is_signed, value, limit, nearest, text

static struct line line;

LOOP_TEST(a_finding_is_written_with_the_numbers_it_has, 0, ROWS_OF(written))
{
    line_start(&line);
    finding_text(&written[_i].finding, &line);
    ck_assert_msg(strncmp(line.bytes, written[_i].head, strlen(written[_i].head)) == 0, "%s: %s", written[_i].why,
                  line.bytes);
    ck_assert_ptr_nonnull(strstr(line.bytes, rule_row(written[_i].finding.rule)->sentence));
    line_start(&line);
    finding_json(&written[_i].finding, &line);
    ck_assert_msg(strstr(line.bytes, written[_i].json) != NULL, "%s: %s", written[_i].why, line.bytes);
    ck_assert_int_eq(line.bytes[line.used - 1], '}');
}

LOOP_TEST(a_finding_says_what_the_value_must_be, 0, rows_count(LIMITED, NULL))
{
    const struct row *row = rows_at(LIMITED, NULL, _i);
    const struct finding finding = {rule_find(row->field[0]), row->field[1],      (int)row_number(row, 2),
                                    (int)row_number(row, 3),  row_number(row, 4), row_number(row, 5),
                                    row_number(row, 6)};
    ck_assert_msg(finding.rule != RULE_NONE, "%s: there is no rule %s", row->where, row->field[0]);
    line_start(&line);
    finding_value(&finding, true, &line);
    ck_assert_msg(strcmp(line.bytes, row->field[7]) == 0, "%s: '%s', not '%s'", row->where, line.bytes, row->field[7]);
}

// The numbers that calls take as int: -1 is no 18446744073709551615.
TEST(a_number_below_zero_is_written_as_one)
{
    const struct memory shared = {0};
    const uint32_t rows[MATRIX_LANES] = {0};
    struct findings findings;
    ck_assert_int_eq(matrix_check(&shared, rows, -1, &findings), RULE_INSTRUCTION_FORM);
    line_start(&line);
    finding_value(&findings.item[0], true, &line);
    ck_assert_str_eq(line.bytes, ".num is -1");
    const struct tensormap map = {
        .rank = 2, .dim = {16, 16}, .stride = {1, 16}, .box = {16, 16}, .estride = {1, 1}, .mode = TENSORMAP_TILED};
    const int32_t origin[2] = {0};
    tile_prefetch_check(&map, -1, origin, &findings);
    line_start(&line);
    finding_value(findings_of_rule(&findings, RULE_LOAD_RANK), true, &line);
    ck_assert_str_eq(line.bytes, "dim is -1, must be 2");
    ck_assert_int_eq(finding_of_form(&findings, "new_val", UINT64_C(1) << 63), RULE_INSTRUCTION_FORM);
    ck_assert_int_eq(findings.item[findings.count - 1].is_signed, 0);
}

TEST(every_severity_has_its_word)
{
    ck_assert_str_eq(finding_severity(RULE_MAP_WIDE_SM90), "warning");
    ck_assert_str_eq(finding_severity(RULE_MAP_NULL_CORNER), "crash");
    ck_assert_str_eq(finding_severity(RULE_MAP_STRIDE_ALIGN), "refused");
    ck_assert_str_eq(finding_severity(RULE_GLOBAL_ACCESS_UNMAPPED), "fault");
    ck_assert_str_eq(finding_severity(RULE_MAP_BITS_RESERVED), "odd");
}

// A list of findings holds FINDINGS_MAX; more are counted.
TEST(findings_that_have_no_room_are_counted)
{
    struct findings findings = {0};
    for (int i = 0; i < FINDINGS_MAX + 3; i++) finding_add(&findings, written[0].finding);
    line_start(&line);
    findings_text(&findings, &line);
    ck_assert_ptr_nonnull(strstr(line.bytes, "  and 3 more\n"));
    findings.count = 2;
    line_start(&line);
    findings_text(&findings, &line);
    ck_assert_ptr_null(strstr(line.bytes, " more\n"));
    line_start(&line);
    findings_json(&findings, &line);
    ck_assert_int_eq(strncmp(line.bytes, "[{\"rule\"", 8), 0);
    ck_assert_ptr_nonnull(strstr(line.bytes, "},{\"rule\""));
    ck_assert_str_eq(line.bytes + line.used - 2, "}]");
}

TEST(a_line_escapes_what_json_has_to)
{
    line_start(&line);
    line_add_json(&line, "a \"b\" \\ \n\x01 c");
    ck_assert_str_eq(line.bytes, "\"a \\\"b\\\" \\\\ \\u000a\\u0001 c\"");
    line_start(&line);
    line_add_json(&line, NULL);
    ck_assert_str_eq(line.bytes, "null");
}

TEST(a_line_drops_what_does_not_fit)
{
    line_start(&line);
    while (line.used < TEXT_LINE_BYTES - 1) line_add(&line, "%s", "0123456789abcdef");
    line_add(&line, "more");
    ck_assert_uint_eq(line.used, TEXT_LINE_BYTES - 1);
    ck_assert_uint_eq(strlen(line.bytes), TEXT_LINE_BYTES - 1);
}

TEST(a_line_is_written_whole_or_says_that_it_is_not)
{
    int ends[2];
    char read_back[16];
    ck_assert_int_eq(pipe(ends), 0);
    line_start(&line);
    line_add(&line, "%d bytes", 7);
    ck_assert_int_eq(line_write(&line, ends[1]), 0);
    ck_assert_int_eq((int)read(ends[0], read_back, sizeof read_back), 7);
    ck_assert_int_eq(strncmp(read_back, "7 bytes", 7), 0);
    close(ends[0]);
    close(ends[1]);
    ck_assert_int_eq(line_write(&line, ends[1]), -1);
    ck_assert_int_eq(errno, EBADF);
    line_start(&line);
    ck_assert_int_eq(line_write(&line, -1), 0); // nothing to write
}
