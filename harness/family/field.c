// SPDX-License-Identifier: MIT
#include "field.h"

#include <inttypes.h>
#include <string.h>

#include "map_args.h"

static int is_there(const struct field *field, const void *of)
{
    return field->is_there == NULL || field->is_there(of);
}

static uint32_t count_of(const struct field *field, const void *of)
{
    return field->count_of != NULL ? field->count_of(of) : field->count;
}

static int is_array(const struct field *field)
{
    return field->count > 0 || field->count_of != NULL;
}

static uint64_t number_at(const struct field *field, const void *of, uint32_t i)
{
    const char *at = (const char *)of + field->at + i * field->bytes;
    uint32_t narrow;
    uint64_t wide;
    if (field->bytes == sizeof wide) return memcpy(&wide, at, sizeof wide), wide;
    return memcpy(&narrow, at, sizeof narrow), narrow;
}

static void set_number(const struct field *field, void *of, uint64_t number)
{
    char *at = (char *)of + field->at;
    const uint32_t narrow = (uint32_t)number;
    if (field->bytes == sizeof number)
        memcpy(at, &number, sizeof number);
    else
        memcpy(at, &narrow, sizeof narrow);
}

static uint32_t *word_at(void *of, size_t at)
{
    return (uint32_t *)(void *)((char *)of + at);
}

// --- Writing ---------------------------------------------------------------------------------------------------------

static json_t *write_number(const struct field *field, const void *of, uint32_t i)
{
    uint64_t number = number_at(field, of, i);
    if (field->kind == FIELD_NAME) return json_string(field->names[number]);
    return field->kind == FIELD_SIGNED ? json_integer((int32_t)number) : json_u64(number);
}

static json_t *write_array(const struct field *field, const void *of)
{
    json_t *array = json_array();
    uint32_t count = count_of(field, of);
    for (uint32_t i = 0; i < count; i++) json_array_append_new(array, write_number(field, of, i));
    return array;
}

static json_t *write_list(const struct field *field, const void *of)
{
    json_t *list = json_array();
    uint32_t count;
    memcpy(&count, (const char *)of + field->count_at, sizeof count);
    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(list, fields_write(field->each, (const char *)of + field->at + i * field->each_bytes));
    return list;
}

static json_t *write_value(const struct field *field, const void *of)
{
    if (field->kind == FIELD_MAP) return map_args_write((const void *)((const char *)of + field->at));
    if (field->kind == FIELD_LIST) return write_list(field, of);
    return is_array(field) ? write_array(field, of) : write_number(field, of, 0);
}

// Is the key left out of the object?
static int is_left_out(const struct field *field, const void *of)
{
    uint32_t presence = 1;
    if (!is_there(field, of)) return 1;
    if (field->presence_at > 0) memcpy(&presence, (const char *)of + field->presence_at, sizeof presence);
    return !presence || (field->is_optional && number_at(field, of, 0) == 0);
}

json_t *fields_write(const struct fields *fields, const void *of)
{
    json_t *json = json_object();
    for (const struct field *field = fields->field; field->key != NULL; field++) {
        if (is_left_out(field, of)) continue;
        if (field->kind == FIELD_SPECIAL)
            field->write(of, json);
        else
            json_object_set_new(json, field->key, write_value(field, of));
    }
    return json;
}

// --- Reading ---------------------------------------------------------------------------------------------------------

static void read_array(const struct field *field, struct json_reader *reader, void *of)
{
    uint32_t count = count_of(field, of);
    if (field->kind == FIELD_SIGNED)
        json_read_i32s(reader, field->key, (int)count, (int32_t *)(void *)word_at(of, field->at));
    else
        json_read_numbers(reader, field->key, (int)count, field->least, field->most, (char *)of + field->at,
                          field->bytes);
}

static void read_number(const struct field *field, struct json_reader *reader, void *of)
{
    if (field->kind == FIELD_NAME)
        set_number(field, of, (uint64_t)json_read_name(reader, field->key, field->names));
    else
        set_number(field, of, json_read_between(reader, field->key, field->least, field->most));
}

static int read_map(const struct field *field, const char *name, struct json_reader *reader, void *of, struct text *why)
{
    struct text where;
    const json_t *map = json_read_object(reader, field->key);
    text_set(&where, "%s: %s", name, field->key);
    return reader->ok && map_args_read(map, where.at, (struct map_args *)(void *)((char *)of + field->at), why);
}

static int read_list(const struct field *field, const char *name, struct json_reader *reader, void *of,
                     struct text *why)
{
    const json_t *list = json_read_any(reader, field->key);
    uint32_t *count = word_at(of, field->count_at);
    size_t size = json_array_size(list);
    if (!reader->ok) return 0;
    if (size < field->least || size > field->count) {
        text_set(why, "%s: \"%s\" is an array of %" PRIu64 " to %u", name, field->key, field->least, field->count);
        return 0;
    }
    for (*count = 0; *count < size; ++*count)
        if (!fields_read(field->each, json_array_get(list, *count), (char *)of + field->at + *count * field->each_bytes,
                         why))
            return 0;
    return 1;
}

static int read_field(const struct field *field, const char *name, struct json_reader *reader, void *of,
                      struct text *why)
{
    if (field->kind == FIELD_SPECIAL) return field->read(reader, of, why);
    if (field->kind == FIELD_MAP) return read_map(field, name, reader, of, why);
    if (field->kind == FIELD_LIST) return read_list(field, name, reader, of, why);
    if (is_array(field))
        read_array(field, reader, of);
    else
        read_number(field, reader, of);
    return reader->ok;
}

static int is_legal(const char *(*illegal)(const void *of), const char *name, const void *of, struct text *why)
{
    const char *what = illegal != NULL ? illegal(of) : NULL;
    if (what != NULL) text_set(why, "%s: %s", name, what);
    return what == NULL;
}

int fields_read(const struct fields *fields, const json_t *json, void *of, struct text *why)
{
    struct json_reader reader = json_reader_open(json, fields->name, why);
    memset(of, 0, fields->bytes);
    if (fields->start != NULL) fields->start(of);
    for (const struct field *field = fields->field; reader.ok && field->key != NULL; field++) {
        int has_key = json_has(&reader, field->key), may_lack = field->is_optional || field->presence_at > 0;
        if (!is_there(field, of)) continue;
        if (field->presence_at > 0) *word_at(of, field->presence_at) = (uint32_t)has_key;
        if (may_lack && !has_key) continue;
        if (!read_field(field, fields->name, &reader, of, why) || !is_legal(field->illegal, fields->name, of, why))
            return 0;
    }
    return json_reader_close(&reader) && is_legal(fields->illegal, fields->name, of, why);
}
