// SPDX-License-Identifier: MIT
#include "json.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t *json_parse(const char *text, size_t size_bytes, json_error_t *error)
{
    if (size_bytes <= JSON_MAX_BYTES) return json_loadb(text, size_bytes, JSON_REJECT_DUPLICATES, error);
    *error = (json_error_t){.line = 1, .column = JSON_MAX_BYTES};
    snprintf(error->text, sizeof error->text, "more than %d bytes of JSON", JSON_MAX_BYTES);
    return NULL;
}

struct json_reader json_reader_open(const json_t *object, const char *where, struct text *why)
{
    struct json_reader reader = {.object = object, .where = where, .why = why, .ok = true};
    if (json_is_object(object)) return reader;
    reader.ok = false;
    text_set(why, "%s is not a JSON object", where);
    return reader;
}

static void complain(struct json_reader *reader, const char *key, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void complain(struct json_reader *reader, const char *key, const char *format, ...)
{
    if (!reader->ok) return;
    struct text detail;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(detail.at, sizeof detail.at, format, arguments);
    va_end(arguments);
    reader->ok = false;
    text_set(reader->why, "%s: \"%s\" %.400s", reader->where, key, detail.at);
}

const json_t *json_read_any(struct json_reader *reader, const char *key)
{
    if (!reader->ok) return NULL;
    assert(reader->keys < JSON_MAX_KEYS);
    reader->key[reader->keys++] = key;
    return json_object_get(reader->object, key);
}

// As above; an absent key is a complaint.
static const json_t *find(struct json_reader *reader, const char *key)
{
    const json_t *value = json_read_any(reader, key);
    if (value == NULL) complain(reader, key, "is missing");
    return value;
}

bool json_has(const struct json_reader *reader, const char *key)
{
    return reader->ok && json_object_get(reader->object, key) != NULL;
}

static bool is_known(const struct json_reader *reader, const char *key)
{
    for (int i = 0; i < reader->keys; i++)
        if (strcmp(reader->key[i], key) == 0) return true;
    return false;
}

int json_reader_close(struct json_reader *reader)
{
    const char *key;
    json_t *value;
    if (!reader->ok) return 0;
    json_object_foreach((json_t *)reader->object, key, value)
    {
        if (is_known(reader, key)) continue;
        text_set(reader->why, "%s: there is no key \"%.100s\" here", reader->where, key);
        reader->ok = false;
        return 0;
    }
    return 1;
}

// A number or a numeric string; 0 if it is neither, or does not fit 64 bits. `negative` tells the sign.
static bool number_of(const json_t *value, uint64_t *magnitude, int *negative)
{
    *negative = 0;
    if (json_is_integer(value)) {
        json_int_t number = json_integer_value(value);
        *negative = number < 0;
        *magnitude = *negative ? 0 - (uint64_t)number : (uint64_t)number;
        return true;
    }
    const char *text = json_string_value(value);
    if (text == NULL) return false;
    *negative = *text == '-';
    text += *negative;
    char *end;
    errno = 0;
    if (*text < '0' || *text > '9') return false;
    *magnitude = strtoull(text, &end, strncmp(text, "0x", 2) == 0 ? 16 : 10);
    return errno == 0 && *end == '\0';
}

static uint64_t u64_of(struct json_reader *reader, const char *key, const json_t *value, uint64_t min, uint64_t max)
{
    uint64_t magnitude = 0;
    int negative;
    if (value == NULL) return 0;
    if (!number_of(value, &magnitude, &negative))
        complain(reader, key, "is not a whole number");
    else if ((negative && magnitude != 0) || magnitude < min || magnitude > max)
        complain(reader, key, "is not in %" PRIu64 " .. %" PRIu64, min, max);
    return reader->ok ? magnitude : 0;
}

static int64_t i64_of(struct json_reader *reader, const char *key, const json_t *value, int64_t min, int64_t max)
{
    uint64_t magnitude = 0;
    int negative;
    if (value == NULL) return 0;
    if (!number_of(value, &magnitude, &negative)) {
        complain(reader, key, "is not a whole number");
        return 0;
    }
    int64_t number = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    if (magnitude > (uint64_t)INT64_MAX || number < min || number > max)
        complain(reader, key, "is not in %" PRId64 " .. %" PRId64, min, max);
    return reader->ok ? number : 0;
}

uint64_t json_read_u64(struct json_reader *reader, const char *key, uint64_t max)
{
    return u64_of(reader, key, find(reader, key), 0, max);
}

uint64_t json_read_between(struct json_reader *reader, const char *key, uint64_t min, uint64_t max)
{
    return u64_of(reader, key, find(reader, key), min, max);
}

uint64_t json_read_u64_or(struct json_reader *reader, const char *key, uint64_t max, uint64_t absent)
{
    const json_t *value = json_read_any(reader, key);
    return value != NULL ? u64_of(reader, key, value, 0, max) : absent;
}

int64_t json_read_i64(struct json_reader *reader, const char *key, int64_t min, int64_t max)
{
    return i64_of(reader, key, find(reader, key), min, max);
}

static const json_t *find_array(struct json_reader *reader, const char *key, int count)
{
    const json_t *array = find(reader, key);
    if (array == NULL) return NULL;
    if (json_is_array(array) && json_array_size(array) == (size_t)count) return array;
    complain(reader, key, "is not an array of %d numbers", count);
    return NULL;
}

void json_read_numbers(struct json_reader *reader, const char *key, int count, uint64_t min, uint64_t max, void *values,
                       size_t bytes)
{
    const json_t *array = find_array(reader, key, count);
    for (int i = 0; array != NULL && i < count; i++) {
        uint64_t wide = u64_of(reader, key, json_array_get(array, (size_t)i), min, max);
        memcpy((char *)values + (size_t)i * bytes, &wide, bytes); // the low bytes come first
    }
}

void json_read_i32s(struct json_reader *reader, const char *key, int count, int32_t *values)
{
    const json_t *array = find_array(reader, key, count);
    for (int i = 0; array != NULL && i < count; i++)
        values[i] = (int32_t)i64_of(reader, key, json_array_get(array, (size_t)i), INT32_MIN, INT32_MAX);
}

enum { MOST_LISTED_BYTES = 300 };

int json_read_name(struct json_reader *reader, const char *key, const char *const *names)
{
    const json_t *value = find(reader, key);
    if (value == NULL) return 0;
    const char *text = json_string_value(value);
    for (int i = 0; text != NULL && names[i] != NULL; i++)
        if (strcmp(names[i], text) == 0) return i;
    struct text legal = {""};
    for (int i = 0; names[i] != NULL; i++) {
        size_t used = strlen(legal.at);
        if (used > MOST_LISTED_BYTES) {
            strcpy(legal.at + used, ", ...");
            break;
        }
        snprintf(legal.at + used, sizeof legal.at - used, "%s\"%s\"", i > 0 ? ", " : "", names[i]);
    }
    complain(reader, key, "is none of %s", legal.at);
    return 0;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool hex_parse(const char *text, uint8_t *bytes, size_t count)
{
    if (strlen(text) != 2 * count) return false;
    for (size_t i = 0; i < count; i++) {
        int high = hex_digit(text[2 * i]), low = hex_digit(text[2 * i + 1]);
        if (high < 0 || low < 0) return false;
        bytes[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

void json_read_hex(struct json_reader *reader, const char *key, uint8_t *bytes, size_t count)
{
    const json_t *value = find(reader, key);
    if (value == NULL) return;
    const char *text = json_string_value(value);
    if (text == NULL || !hex_parse(text, bytes, count)) complain(reader, key, "is not %zu hex digits", 2 * count);
}

const json_t *json_read_object(struct json_reader *reader, const char *key)
{
    const json_t *value = find(reader, key);
    if (value == NULL || json_is_object(value)) return value;
    complain(reader, key, "is not an object");
    return NULL;
}

void json_read_text(struct json_reader *reader, const char *key, char *to, size_t to_bytes)
{
    const json_t *value = json_read_any(reader, key);
    const char *text = json_string_value(value);
    *to = '\0';
    if (value == NULL) return;
    if (text == NULL || strlen(text) >= to_bytes)
        complain(reader, key, "is not a string of less than %zu bytes", to_bytes);
    else
        strcpy(to, text);
}

json_t *json_u64(uint64_t value)
{
    if (value <= (uint64_t)INT64_MAX) return json_integer((json_int_t)value);
    return json_sprintf("0x%" PRIx64, value);
}

json_t *json_numbers(struct numbers numbers)
{
    json_t *array = json_array();
    for (int i = 0; i < numbers.count; i++) {
        const uint64_t number = numbers_at(numbers, i);
        json_array_append_new(array, numbers.is_signed ? json_integer((json_int_t)number) : json_u64(number));
    }
    return array;
}

json_t *json_hex(const uint8_t *bytes, size_t count)
{
    static const char digits[] = "0123456789abcdef";
    char *text = malloc(2 * count + 1);
    if (text == NULL) return NULL;
    for (size_t i = 0; i < count; i++) {
        text[2 * i] = digits[bytes[i] >> 4];
        text[2 * i + 1] = digits[bytes[i] & 15];
    }
    text[2 * count] = '\0';
    json_t *string = json_stringn(text, 2 * count);
    free(text);
    return string;
}

void json_print(json_t *json, size_t flags)
{
    json_dumpf(json, stdout, flags);
    putchar('\n');
    json_decref(json);
}

json_t *json_rule(const struct rule_row *row)
{
    return json_pack("{s:s, s:s, s:s, s:i, s:s, s:s, s:s, s:s, s:s}", "id", row->id, "documented",
                     outcome_name(row->documented), "sm_90a", outcome_name(row->sm_90a), "cuda_error", row->cuda_error,
                     "cuda_error_name", row->cuda_error != 0 ? cuda_error_name(row->cuda_error) : "", "sentence",
                     row->sentence, "advice", row->advice, "source", row->source, "evidence", row->evidence);
}
