// SPDX-License-Identifier: MIT
#include "field.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the low bytes of a number come first");

enum { MOST_NAMES = 128, MOST_OF_ROW = 2 };

bool field_is_there(const struct field *field, const void *of, const void *whole)
{
    if (field->is_there == NULL) return true;
    int bits = field->is_there(field->asks_whole ? whole : of);
    return field->only != 0 ? (bits & field->only) != 0 : bits;
}

static bool is_array(const struct field *field)
{
    return field->count > 0 || field->count_of != NULL || field->count_at > 0;
}

static uint64_t number_at(const struct field *field, const void *of, uint32_t i)
{
    uint64_t number = 0;
    if (field->rows != NULL) {
        memcpy(&number, (const char *)of + field->at, field->bytes);
        return field->rows->key((uint32_t)number, field->row_key + i);
    }
    memcpy(&number, (const char *)of + field->at + i * field->bytes, field->bytes);
    return number & ~field->flag;
}

static void set_number(const struct field *field, void *of, uint64_t number)
{
    number |= field->flag;
    memcpy((char *)of + field->at, &number, field->bytes);
}

static uint32_t word_at(const void *of, size_t at)
{
    uint32_t word;
    return memcpy(&word, (const char *)of + at, sizeof word), word;
}

static uint32_t count_of(const struct field *field, const void *of, const void *whole)
{
    const void *asked = field->asks_whole ? whole : of;
    if (field->count_of != NULL) return field->count_of(asked);
    return field->count_at > 0 ? word_at(asked, field->count_at) - field->count_less : field->count;
}

uint32_t field_values(const struct field *field, const void *of, const void *whole)
{
    return is_array(field) ? count_of(field, of, whole) : 1;
}

static void set_word(void *of, size_t at, uint32_t word)
{
    memcpy((char *)of + at, &word, sizeof word);
}

static uint32_t presence_of(const struct field *field)
{
    return field->presence > 0 ? field->presence : 1;
}

static const char *const *names_of(const struct field *field, const char **room)
{
    if (field->name_of == NULL) return field->names;
    assert(field->most < MOST_NAMES);
    for (uint32_t i = 0; i <= field->most; i++) room[i] = field->name_of(i);
    room[field->most + 1] = NULL;
    return room;
}

static const char *name_of(const struct field *field, uint64_t number)
{
    return field->name_of != NULL ? field->name_of((uint32_t)number) : field->names[number];
}

// The struct that an element left out is like; NULL for that struct itself.
static const void *like_of(const struct field *field, const void *of, const void *whole)
{
    const char *like = (const char *)whole + field->like_at;
    return field->may_be_like && like != (const char *)of + field->at ? like : NULL;
}

// --- Writing ---------------------------------------------------------------------------------------------------------

static json_t *write_object(const struct fields *fields, const void *of, const void *whole);

static json_t *write_number(const struct field *field, const void *of, uint32_t i)
{
    uint64_t number = number_at(field, of, i);
    if (field->kind == FIELD_NAME) return json_string(name_of(field, number));
    if (field->hex_digits > 0) return json_sprintf("0x%0*llx", field->hex_digits, (unsigned long long)number);
    return field->kind == FIELD_SIGNED ? json_integer((int32_t)number) : json_u64(number);
}

static json_t *write_array(const struct field *field, const void *of, uint32_t count)
{
    json_t *array = json_array();
    for (uint32_t i = 0; i < count; i++) json_array_append_new(array, write_number(field, of, i));
    return array;
}

static json_t *write_list(const struct field *field, const void *of, const void *whole)
{
    json_t *list = json_array();
    const char *element = (const char *)of + field->at;
    for (uint32_t i = 0; i < word_at(of, field->count_at); i++, element += field->each_bytes)
        json_array_append_new(list, write_object(field->each, element, whole));
    return list;
}

static json_t *write_value(const struct field *field, const void *of, const void *whole)
{
    const void *member = (const char *)of + field->at;
    if (field->kind == FIELD_HEX) return json_hex(member, field->bytes);
    if (field->kind == FIELD_OBJECT) return write_object(field->each, member, whole);
    if (field->kind == FIELD_LIST) return write_list(field, of, whole);
    return is_array(field) ? write_array(field, of, count_of(field, of, whole)) : write_number(field, of, 0);
}

// Does the member have the bit that goes with the key?
static bool has_flag(const struct field *field, const void *of)
{
    uint64_t number = 0;
    if (field->flag == 0) return true;
    memcpy(&number, (const char *)of + field->at, field->bytes);
    return (number & field->flag) != 0;
}

// Is the key left out of the object?
static bool is_left_out(const struct field *field, const void *of, const void *whole)
{
    if (!field_is_there(field, of, whole) || !has_flag(field, of)) return true;
    if (field->presence_at > 0 && word_at(of, field->presence_at) != presence_of(field)) return true;
    if (field->missing == FIELD_LEFT_OUT && number_at(field, of, 0) == field->absent) return true;
    const void *like = like_of(field, of, whole);
    return like != NULL && memcmp(like, (const char *)of + field->at, field->bytes) == 0;
}

static json_t *write_object(const struct fields *fields, const void *of, const void *whole)
{
    json_t *json = json_object();
    for (const struct field *field = fields->field; field->key != NULL; field++)
        if (!is_left_out(field, of, whole)) json_object_set_new(json, field->key, write_value(field, of, whole));
    return json;
}

json_t *fields_write(const struct fields *fields, const void *of)
{
    return write_object(fields, of, of);
}

// --- Reading ---------------------------------------------------------------------------------------------------------

// An object that is being read: its name in sentences, and the case that it is or belongs to.
struct object {
    const char *name;
    void *of;
    const void *whole;
    struct json_reader reader;
    struct text *why;
};

static int read_object(const struct fields *fields, const char *name, const json_t *json, void *of, const void *whole,
                       struct text *why);

static bool is_like(const struct field *field, uint32_t row, uint32_t other, const uint64_t *value, uint32_t values)
{
    for (uint32_t key = 0; key < field->row_key; key++)
        if (field->rows->key(row, key) != field->rows->key(other, key)) return false;
    for (uint32_t i = 0; i < values; i++)
        if (field->rows->key(row, field->row_key + i) != value[i]) return false;
    return true;
}

// "128x64" or a name.
static void add_row(const struct field *field, uint32_t row, uint32_t values, struct text *list)
{
    for (uint32_t i = 0; i < values; i++) {
        size_t used = strlen(list->at);
        uint64_t value = field->rows->key(row, field->row_key + i);
        const char *lead = i > 0 ? "x" : used > 0 ? ", " : "";
        if (field->kind == FIELD_NAME)
            snprintf(list->at + used, sizeof list->at - used, "%s%s", lead, name_of(field, value));
        else
            snprintf(list->at + used, sizeof list->at - used, "%s%" PRIu64, lead, value);
    }
}

// Says what there is instead, beside the keys before.
static void refuse_row(const struct field *field, struct object *object, uint32_t row, uint32_t values)
{
    struct text list = {""};
    uint64_t value[MOST_OF_ROW];
    for (uint32_t i = 0; i < field->rows->count; i++) {
        uint32_t first = 0;
        for (uint32_t j = 0; j < values; j++) value[j] = field->rows->key(i, field->row_key + j);
        while (first < i && !is_like(field, first, i, value, values)) first++;
        if (first == i && is_like(field, i, row, NULL, 0)) add_row(field, i, values, &list);
    }
    text_set(object->why, "%s: \"%s\" is none of %.300s (what is compiled with the keys before it)", object->name,
             field->key, list.at);
}

static void set_row(const struct field *field, struct object *object, const uint64_t *value)
{
    uint32_t row = 0, current = word_at(object->of, field->at), values = field->count > 0 ? field->count : 1;
    if (!object->reader.ok) return;
    while (row < field->rows->count && (!is_like(field, row, current, value, values))) row++;
    object->reader.ok = row < field->rows->count;
    if (object->reader.ok)
        set_word(object->of, field->at, row);
    else
        refuse_row(field, object, current, values);
}

static void read_array(const struct field *field, struct object *object)
{
    uint32_t count = count_of(field, object->of, object->whole);
    uint64_t value[MOST_OF_ROW];
    char *at = (char *)object->of + field->at;
    if (field->rows != NULL) {
        json_read_numbers(&object->reader, field->key, (int)count, 0, UINT32_MAX, value, sizeof value[0]);
        set_row(field, object, value);
    } else if (field->kind == FIELD_SIGNED)
        json_read_i32s(&object->reader, field->key, (int)count, (int32_t *)(void *)at);
    else
        json_read_numbers(&object->reader, field->key, (int)count, field->least, field->most, at, field->bytes);
}

// A number that may be a name.
static uint64_t read_found(const struct field *field, struct json_reader *reader)
{
    uint64_t number;
    const char *name = json_string_value(json_object_get(reader->object, field->key));
    if (name == NULL || !field->find(name, &number))
        return json_read_between(reader, field->key, field->least, field->most);
    json_read_any(reader, field->key);
    return number;
}

static void read_number(const struct field *field, struct object *object)
{
    struct json_reader *reader = &object->reader;
    const char *room[MOST_NAMES + 1];
    uint64_t number;
    if (field->kind == FIELD_NAME)
        number = (uint64_t)json_read_name(reader, field->key, names_of(field, room));
    else if (field->kind == FIELD_SIGNED)
        number = (uint64_t)json_read_i64(reader, field->key, INT32_MIN, INT32_MAX);
    else if (field->find != NULL)
        number = read_found(field, reader);
    else
        number = json_read_between(reader, field->key, field->least, field->rows != NULL ? UINT32_MAX : field->most);
    if (field->rows != NULL)
        set_row(field, object, &number);
    else
        set_number(field, object->of, number);
}

static int read_member(const struct field *field, struct object *object)
{
    struct text name;
    const json_t *json = json_read_object(&object->reader, field->key);
    text_set(&name, "%s: %s", object->name, field->key);
    return object->reader.ok &&
           read_object(field->each, name.at, json, (char *)object->of + field->at, object->whole, object->why);
}

static int read_element(const struct field *field, struct object *object, const json_t *json, uint32_t i)
{
    struct text name;
    char *element = (char *)object->of + field->at + i * field->each_bytes;
    text_set(&name, "%s: %s[%u]", object->name, field->key, i);
    return read_object(field->each, name.at, json, element, object->whole, object->why);
}

static int read_list(const struct field *field, struct object *object)
{
    const json_t *list = json_read_any(&object->reader, field->key);
    size_t size = json_array_size(list);
    if (!object->reader.ok) return 0;
    if (!json_is_array(list) || size < field->least || size > field->count)
        return text_fail(object->why, "%s: \"%s\" is an array of %" PRIu64 " to %u objects", object->name, field->key,
                         field->least, field->count);
    for (uint32_t i = 0; i < size; i++)
        if (!read_element(field, object, json_array_get(list, i), i)) return 0;
    set_word(object->of, field->count_at, (uint32_t)size);
    for (uint32_t i = 0; i < size && field->illegal_each != NULL; i++) {
        const char *what = field->illegal_each(object->of, i);
        if (what != NULL) text_set(object->why, "%s: %s[%u]: %s", object->name, field->key, i, what);
        if (what != NULL) return 0;
    }
    return 1;
}

static bool are_multiples(const struct field *field, struct object *object)
{
    for (uint32_t i = 0; i < field_values(field, object->of, object->whole) && object->reader.ok; i++) {
        object->reader.ok = field->multiple == 0 || number_at(field, object->of, i) % field->multiple == 0;
        if (!object->reader.ok)
            text_set(object->why, "%s: \"%s\" is a multiple of %u", object->name, field->key, field->multiple);
    }
    return object->reader.ok;
}

static int read_value(const struct field *field, struct object *object)
{
    if (field->kind == FIELD_OBJECT) return read_member(field, object);
    if (field->kind == FIELD_LIST) return read_list(field, object);
    if (field->kind == FIELD_HEX)
        json_read_hex(&object->reader, field->key, (uint8_t *)object->of + field->at, field->bytes);
    else if (is_array(field))
        read_array(field, object);
    else
        read_number(field, object);
    return object->reader.ok && are_multiples(field, object);
}

// A key that is not there and need not be.
static bool is_missing(const struct field *field, struct object *object)
{
    const void *like = like_of(field, object->of, object->whole);
    if (field->presence_at > 0) return word_at(object->of, field->presence_at) != presence_of(field);
    if ((field->missing == FIELD_NEEDED && like == NULL && field->flag == 0) || json_has(&object->reader, field->key))
        return false;
    if (like != NULL)
        memcpy((char *)object->of + field->at, like, field->bytes);
    else if (field->supply != NULL)
        field->supply(object->of);
    else if (field->rows == NULL && field->flag == 0)
        set_number(field, object->of, field->absent);
    return true;
}

static bool is_legal(const char *(*illegal)(const void *of), const struct object *object)
{
    const char *what = illegal != NULL ? illegal(object->of) : NULL;
    if (what != NULL) text_set(object->why, "%s: %s", object->name, what);
    return what == NULL;
}

static bool read_field(const struct field *field, struct object *object)
{
    if (!field_is_there(field, object->of, object->whole) || is_missing(field, object)) return true;
    return read_value(field, object) && is_legal(field->illegal, object);
}

// A key that is in no row is a slip: it is named first, for what it should have been is missing.
static bool are_known(const struct fields *fields, const struct object *object)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)object->reader.object, key, value)
    {
        const struct field *field = fields->field;
        while (field->key != NULL && strcmp(field->key, key) != 0) field++;
        if (field->key != NULL) continue;
        return text_fail(object->why, "%s: there is no key \"%.100s\" here", object->name, key);
    }
    return true;
}

static int read_object(const struct fields *fields, const char *name, const json_t *json, void *of, const void *whole,
                       struct text *why)
{
    struct object object = {name, of, whole, json_reader_open(json, name, why), why};
    memset(of, 0, fields->bytes);
    if (!object.reader.ok || !are_known(fields, &object)) return 0;
    if (fields->start != NULL) fields->start(of);
    for (const struct field *field = fields->field; field->key != NULL; field++)
        if (field->presence_at > 0 && json_has(&object.reader, field->key))
            set_word(of, field->presence_at, presence_of(field));
    for (const struct field *field = fields->field; object.reader.ok && field->key != NULL; field++)
        if (!read_field(field, &object)) return 0;
    if (fields->finish != NULL && object.reader.ok) fields->finish(of);
    return json_reader_close(&object.reader) && is_legal(fields->illegal, &object) &&
           (fields->check == NULL || fields->check(of, why));
}

int fields_read_as(const struct fields *fields, const char *name, const json_t *json, void *of, struct text *why)
{
    return read_object(fields, name, json, of, of, why);
}

int fields_read(const struct fields *fields, const json_t *json, void *of, struct text *why)
{
    return fields_read_as(fields, fields->name, json, of, why);
}
