// SPDX-License-Identifier: MIT
// The suite `json`: every reader of the strict JSON reader, and every complaint, word for word.
#include <string.h>

#include "json.h"
#include "rows.h"

enum read {
    READ_U64,
    READ_U64_OR,
    READ_I64,
    READ_U64S,
    READ_U32S,
    READ_I32S,
    READ_NAME,
    READ_HEX,
    READ_OBJECT,
    READ_TEXT,
    READINGS
};
static const char *const reading_names[READINGS] = {"U64",  "U64_OR", "I64", "U64S",   "U32S",
                                                    "I32S", "NAME",   "HEX", "OBJECT", "TEXT"};

static uint64_t read_key(struct json_reader *reader, enum read how)
{
    static const char *const names[] = {"zero", "one", NULL};
    uint64_t u64s[2] = {0};
    uint32_t u32s[2] = {0};
    int32_t i32s[2] = {0};
    uint8_t bytes[2] = {0};
    char text[4];
    switch (how) {
    case READ_U64:
        return json_read_u64(reader, "k", 100);
    case READ_U64_OR:
        return json_read_u64_or(reader, "k", UINT64_MAX, 7);
    case READ_I64:
        return (uint64_t)json_read_i64(reader, "k", -5, 5);
    case READ_U64S:
        json_read_numbers(reader, "k", 2, 0, UINT64_MAX, u64s, sizeof u64s[0]);
        return u64s[1];
    case READ_U32S:
        json_read_numbers(reader, "k", 2, 0, UINT32_MAX, u32s, sizeof u32s[0]);
        return u32s[1];
    case READ_I32S:
        json_read_i32s(reader, "k", 2, i32s);
        return (uint64_t)i32s[1];
    case READ_NAME:
        return (uint64_t)json_read_name(reader, "k", names);
    case READ_HEX:
        json_read_hex(reader, "k", bytes, 2);
        return bytes[1];
    case READ_OBJECT:
        return json_read_object(reader, "k") != NULL;
    default:
        json_read_text(reader, "k", text, sizeof text);
        return strlen(text);
    }
}

static enum read reading_of(const struct row *row)
{
    int how = 0;
    while (how < READINGS && strcmp(reading_names[how], row->field[0]) != 0) how++;
    ck_assert_msg(how < READINGS, "%s: no reader %s", row->where, row->field[0]);
    return (enum read)how;
}

#define ROWS "json_readings.tsv" // reader, text, `is` and the value or `why` and the complaint

LOOP_TEST(json_reading_or_its_complaint, 0, rows_count(ROWS, NULL))
{
    const struct row *row = rows_at(ROWS, NULL, _i);
    const bool is_read = strcmp(row->field[2], "is") == 0;
    struct text why = {""};
    json_t *json = json_loads(row->field[1], 0, NULL);
    struct json_reader reader = json_reader_open(json, "it", &why);
    uint64_t value = read_key(&reader, reading_of(row));
    ck_assert_msg(json_reader_close(&reader) == is_read, "%s: %s: %s", row->where, row->field[1], why.at);
    if (is_read)
        ck_assert_msg(value == row_number(row, 3), "%s: %llx", row->where, (unsigned long long)value);
    else
        ck_assert_msg(strcmp(why.at, row->field[3]) == 0, "%s: %s", row->where, why.at);
    json_decref(json);
}

TEST(json_first_complaint_stays)
{
    struct text why = {""};
    json_t *json = json_loads("{\"a\":-1,\"b\":-1,\"c\":1}", 0, NULL);
    struct json_reader reader = json_reader_open(json, "it", &why);
    json_read_u64(&reader, "a", 1);
    json_read_u64(&reader, "b", 1);
    ck_assert(!json_reader_close(&reader));
    ck_assert_str_eq(why.at, "it: \"a\" is not in 0 .. 1");
    json_decref(json);
}

TEST(json_numbers_survive)
{
    static const uint64_t values[] = {0, 1, INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX};
    uint64_t read[5];
    struct text why = {""};
    json_t *json = json_object();
    json_object_set_new(json, "k", json_array());
    for (int i = 0; i < 5; i++) json_array_append_new(json_object_get(json, "k"), json_u64(values[i]));
    struct json_reader reader = json_reader_open(json, "it", &why);
    json_read_numbers(&reader, "k", 5, 0, UINT64_MAX, read, sizeof read[0]);
    ck_assert_msg(json_reader_close(&reader), "%s", why.at);
    ck_assert_mem_eq(values, read, sizeof read);
    json_decref(json);
}
