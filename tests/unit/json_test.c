// SPDX-License-Identifier: MIT
// The suite `json`: every reader of the strict JSON reader, and every complaint, word for word.
#include <check.h>
#include <string.h>

#include "json.h"

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
    READ_TEXT
};

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

static const struct {
    const char *json;
    enum read how;
    const char *complaint; // NULL: read, with this value
    uint64_t value;
} readings[] = {
    {"{\"k\":100}", READ_U64, NULL, 100},
    {"{\"k\":\"100\"}", READ_U64, NULL, 100},
    {"{\"k\":\"0x64\"}", READ_U64, NULL, 100},
    {"{\"k\":\"-0\"}", READ_U64, NULL, 0},
    {"{\"k\":101}", READ_U64, "it: \"k\" is not in 0 .. 100", 0},
    {"{\"k\":-1}", READ_U64, "it: \"k\" is not in 0 .. 100", 0},
    {"{\"k\":1.0}", READ_U64, "it: \"k\" is not a whole number", 0},
    {"{\"k\":true}", READ_U64, "it: \"k\" is not a whole number", 0},
    {"{\"k\":null}", READ_U64, "it: \"k\" is not a whole number", 0},
    {"{\"k\":\"\"}", READ_U64, "it: \"k\" is not a whole number", 0},
    {"{\"k\":\"0x\"}", READ_U64, "it: \"k\" is not a whole number", 0},
    {"{\"k\":\" 1\"}", READ_U64, "it: \"k\" is not a whole number", 0},
    {"{\"k\":\"1 \"}", READ_U64, "it: \"k\" is not a whole number", 0},
    {"{\"k\":\"--1\"}", READ_U64, "it: \"k\" is not a whole number", 0},
    {"{\"k\":\"0x10000000000000000\"}", READ_U64, "it: \"k\" is not a whole number", 0},
    {"{}", READ_U64, "it: \"k\" is missing", 0},
    {"{\"k\":1,\"K\":2}", READ_U64, "it: there is no key \"K\" here", 0},
    {"{\"other\":1}", READ_U64_OR, "it: there is no key \"other\" here", 0},
    {"[]", READ_U64, "it is not a JSON object", 0},
    {"{}", READ_U64_OR, NULL, 7},
    {"{\"k\":\"0xffffffffffffffff\"}", READ_U64_OR, NULL, UINT64_MAX},
    {"{\"k\":\"x\"}", READ_U64_OR, "it: \"k\" is not a whole number", 0},
    {"{\"k\":-5}", READ_I64, NULL, (uint64_t)-5},
    {"{\"k\":\"-0x5\"}", READ_I64, NULL, (uint64_t)-5},
    {"{\"k\":-6}", READ_I64, "it: \"k\" is not in -5 .. 5", 0},
    {"{\"k\":\"0xffffffffffffffff\"}", READ_I64, "it: \"k\" is not in -5 .. 5", 0},
    {"{\"k\":\"-9223372036854775808\"}", READ_I64, "it: \"k\" is not in -5 .. 5", 0},
    {"{\"k\":\"five\"}", READ_I64, "it: \"k\" is not a whole number", 0},
    {"{\"k\":[1,2]}", READ_U64S, NULL, 2},
    {"{\"k\":[1]}", READ_U64S, "it: \"k\" is not an array of 2 numbers", 0},
    {"{\"k\":{}}", READ_U64S, "it: \"k\" is not an array of 2 numbers", 0},
    {"{\"k\":[1,[]]}", READ_U64S, "it: \"k\" is not a whole number", 0},
    {"{\"k\":[1,4294967295]}", READ_U32S, NULL, 0xffffffff},
    {"{\"k\":[1,4294967296]}", READ_U32S, "it: \"k\" is not in 0 .. 4294967295", 0},
    {"{\"k\":[0,-2147483648]}", READ_I32S, NULL, (uint64_t)INT32_MIN},
    {"{\"k\":[0,2147483648]}", READ_I32S, "it: \"k\" is not in -2147483648 .. 2147483647", 0},
    {"{\"k\":\"one\"}", READ_NAME, NULL, 1},
    {"{\"k\":\"two\"}", READ_NAME, "it: \"k\" is none of \"zero\", \"one\"", 0},
    {"{\"k\":1}", READ_NAME, "it: \"k\" is none of \"zero\", \"one\"", 0},
    {"{\"k\":\"00Ff\"}", READ_HEX, NULL, 0xff},
    {"{\"k\":\"00f\"}", READ_HEX, "it: \"k\" is not 4 hex digits", 0},
    {"{\"k\":\"00fg\"}", READ_HEX, "it: \"k\" is not 4 hex digits", 0},
    {"{\"k\":0}", READ_HEX, "it: \"k\" is not 4 hex digits", 0},
    {"{\"k\":{}}", READ_OBJECT, NULL, 1},
    {"{\"k\":[]}", READ_OBJECT, "it: \"k\" is not an object", 0},
    {"{\"k\":\"abc\"}", READ_TEXT, NULL, 3},
    {"{}", READ_TEXT, NULL, 0},
    {"{\"k\":\"abcd\"}", READ_TEXT, "it: \"k\" is not a string of less than 4 bytes", 0},
    {"{\"k\":3}", READ_TEXT, "it: \"k\" is not a string of less than 4 bytes", 0},
};
enum { READINGS = sizeof readings / sizeof readings[0] };

LOOP_TEST(json_reading_or_its_complaint, 0, READINGS)
{
    struct text why = {""};
    json_t *json = json_loads(readings[_i].json, 0, NULL);
    struct json_reader reader = json_reader_open(json, "it", &why);
    uint64_t value = read_key(&reader, readings[_i].how);
    int ok = json_reader_close(&reader);
    ck_assert_msg(ok == (readings[_i].complaint == NULL), "%s: %s", readings[_i].json, why.at);
    if (ok)
        ck_assert_uint_eq(value, readings[_i].value);
    else
        ck_assert_str_eq(why.at, readings[_i].complaint);
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
