// SPDX-License-Identifier: MIT
// Random cases by the table of fields: field after field, each by what its row says of the draw.
#include <assert.h>
#include <string.h>

#include "field.h"

enum { MOST_TRIES = 10000 };

static uint64_t names_of(const struct field *field)
{
    uint64_t count = 0;
    if (field->names == NULL) return field->most + 1;
    while (field->names[count] != NULL) count++;
    return count;
}

// One value: by rows, or any that is legal.
static uint64_t draw_value(struct random *random, const struct field *field)
{
    const uint64_t unit = field->multiple > 0 ? field->multiple : 1;
    if (field->draws != NULL) return (uint64_t)draw_number(random, field->draws) / unit * unit;
    if (field->rows != NULL) return random_below(random, field->rows->count);
    if (field->kind == FIELD_NAME) return random_below(random, names_of(field));
    return unit *
           (uint64_t)random_range(random, (int64_t)((field->least + unit - 1) / unit), (int64_t)(field->most / unit));
}

// Fields that name a row of a table together are drawn by the first of them.
static void draw_field(struct random *random, const struct field *field, void *of)
{
    const uint32_t values = field->draw == NULL ? field_values(field, of, of) : 0;
    if (field->draw != NULL) field->draw(random, of);
    if (field->rows != NULL && field->row_key > 0) return;
    for (uint32_t i = 0; i < values; i++) {
        const uint64_t value = draw_value(random, field);
        memcpy((char *)of + field->at + i * field->bytes, &value, field->bytes);
    }
}

static bool is_legal(const struct fields *fields, const void *of)
{
    for (const struct field *field = fields->field; field->key != NULL; field++)
        if (field->illegal != NULL && field_is_there(field, of, of) && field->illegal(of) != NULL) return false;
    struct text why;
    return (fields->illegal == NULL || fields->illegal(of) == NULL) &&
           (fields->check == NULL || fields->check(of, &why));
}

void fields_draw(struct random *random, const struct fields *fields, void *of)
{
    int tries = 0;
    do {
        tries++;
        memset(of, 0, fields->bytes);
        if (fields->start != NULL) fields->start(of);
        for (const struct field *field = fields->field; field->key != NULL; field++)
            if (field_is_there(field, of, of)) draw_field(random, field, of);
        assert(tries < MOST_TRIES);
    } while (!is_legal(fields, of));
}
