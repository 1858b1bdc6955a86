// SPDX-License-Identifier: MIT
// Strict reading of JSON objects: every key is asked for by name, wrong types and ranges give one sentence, and keys
// nobody asked for are an error. Numbers may also be strings ("0x1f"), as 64-bit unsigned values need them.
#ifndef TMAREF_JSON_H
#define TMAREF_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "rule.h"
#include "text.h"

// The most keys that one object may be asked for.
enum { JSON_MAX_KEYS = 32 };

// The longest text of one value. A value takes memory up to ninety times its text ("{},{},{}").
enum { JSON_MAX_BYTES = 1 << 20 };

// The value that a text holds, keys never twice; NULL with `error`.
json_t *json_parse(const char *text, size_t size_bytes, json_error_t *error);

// Reads one object. After the first complaint `ok` is 0, `why` says what is wrong and all readers return 0. Keys are
// kept by pointer: literals.
struct json_reader {
    const json_t *object;
    const char *where; // names the object in messages
    struct text *why;
    bool ok;
    int keys;
    const char *key[JSON_MAX_KEYS]; // asked for so far
};

struct json_reader json_reader_open(const json_t *object, const char *where, struct text *why);

// 1 if all went well; complains of the first key that nobody asked for.
int json_reader_close(struct json_reader *reader);

uint64_t json_read_u64(struct json_reader *reader, const char *key, uint64_t max);
uint64_t json_read_between(struct json_reader *reader, const char *key, uint64_t min, uint64_t max);
int64_t json_read_i64(struct json_reader *reader, const char *key, int64_t min, int64_t max);

// As above, with a value for an absent key.
uint64_t json_read_u64_or(struct json_reader *reader, const char *key, uint64_t max, uint64_t absent);

// Arrays of exactly `count` numbers.
void json_read_numbers(struct json_reader *reader, const char *key, int count, uint64_t min, uint64_t max, void *values,
                       size_t bytes); // `bytes` each: 1, 2, 4 or 8
void json_read_i32s(struct json_reader *reader, const char *key, int count, int32_t *values);

// The position of a string among `names` (NULL ends them).
int json_read_name(struct json_reader *reader, const char *key, const char *const *names);

// Exactly `count` bytes as hex digits.
void json_read_hex(struct json_reader *reader, const char *key, uint8_t *bytes, size_t count);

const json_t *json_read_object(struct json_reader *reader, const char *key);

// The value of any type, or NULL if the key is absent, which is no complaint.
const json_t *json_read_any(struct json_reader *reader, const char *key);

// A string of less than `to_bytes` bytes, copied to `to`; "" if the key is absent.
void json_read_text(struct json_reader *reader, const char *key, char *to, size_t to_bytes);

// 1 if the key is there; does not count as asking for it.
bool json_has(const struct json_reader *reader, const char *key);

// Numbers above INT64_MAX become "0x..." strings.
json_t *json_u64(uint64_t value);
json_t *json_numbers(struct numbers numbers); // an array; see text.h
json_t *json_hex(const uint8_t *bytes, size_t count);

// Prints the value and a line break to standard output, with jansson's `flags`, and drops it.
void json_print(json_t *json, size_t flags);

// A row of the table of rules, all its columns.
json_t *json_rule(const struct rule_row *row);

// Hex digits to exactly `count` bytes; 0 if the text is anything else.
bool hex_parse(const char *text, uint8_t *bytes, size_t count);

#endif
