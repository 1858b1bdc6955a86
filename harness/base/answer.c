// SPDX-License-Identifier: MIT
#include "answer.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "plain.h"

enum { KEY_BYTES = 64, FORMAT_BYTES = 24, VALUE_BYTES = 256 };

// Where keys are looked for: an entry, and what is around it.
struct scope {
    const json_t *value;
    const char *key; // of the entry; NULL: it has a number
    size_t number;
    const struct scope *around;
};

// A field from behind its brace to the brace that closes it. `word` is NULL where there is no `=`; `action` is the
// letter that says what `rest` is, or 0.
struct field {
    const char *path, *word, *rest, *end;
    size_t path_bytes, word_bytes;
    char action;
};

static void print(const char *text, const char *end, const struct scope *scope, FILE *out);

// The first of the bytes `wanted` that is in no field; `end` if there is none.
static const char *find_outside(const char *text, const char *end, char wanted)
{
    int depth = 0;
    for (; text < end && (depth > 0 || *text != wanted); text++) {
        if (text[0] == '{' && text[1] == '{')
            text++;
        else
            depth += (*text == '{') - (*text == '}');
    }
    return text;
}

static struct field read_field(const char *text, const char *end)
{
    struct field field = {.path = text, .end = find_outside(text, end, '}')};
    text += field.path_bytes = strcspn(text, ":=?!*}");
    if (*text == '=') {
        field.word = ++text;
        text += field.word_bytes = strcspn(text, "?!}");
    }
    if (text < field.end) field.action = *text++;
    field.rest = text;
    return field;
}

// The value of one key, or number, in a value.
static const json_t *member(const json_t *value, const char *key, size_t bytes)
{
    char name[KEY_BYTES];
    snprintf(name, sizeof name, "%.*s", (int)bytes, key);
    if (json_is_array(value) && isdigit((unsigned char)name[0])) return json_array_get(value, strtoul(name, NULL, 10));
    return json_object_get(value, name);
}

// The value that a path leads to from another on; `number` is what it calls @.
static const json_t *find(const json_t *value, const char *path, const char *end, size_t number)
{
    while (path < end && value != NULL) {
        const size_t bytes = strcspn(path, ".#:=?!*}");
        value = *path == '@' ? json_array_get(value, number) : member(value, path, bytes);
        path += bytes + (path[bytes] == '.');
    }
    return value;
}

static size_t entries(const json_t *value)
{
    return json_array_size(value) + json_object_size(value);
}

// The caller drops it.
static json_t *value_of(const struct field *field, const struct scope *scope)
{
    const char *path = field->path, *end = path + field->path_bytes;
    const size_t number = scope->number;
    for (; *path == '^' && scope->around != NULL; path++) scope = scope->around;
    if (*path == '@') return scope->key != NULL ? json_string(scope->key) : json_integer((json_int_t)scope->number);
    if (path < end && end[-1] == '#')
        return json_integer((json_int_t)entries(find(scope->value, path, end - 1, number)));
    return json_incref((json_t *)find(scope->value, path, end, number));
}

static bool is_something(const json_t *value)
{
    if (json_is_string(value)) return json_string_value(value)[0] != '\0';
    if (json_is_number(value)) return json_number_value(value) != 0;
    return json_is_true(value) || entries(value) > 0;
}

// The value as `format`, of `bytes` bytes, has it. Its letter counts where it is x of a number, or f of one with a
// point.
static void print_value(const json_t *value, const char *format, size_t bytes, FILE *out)
{
    char full[FORMAT_BYTES];
    const char letter = bytes > 0 ? format[bytes - 1] : '\0';
    const size_t given = strspn(format, "-0123456789.");
    const int shown = (int)(given < bytes ? given : bytes);
    const bool is_hex = letter == 'x';
    if (json_is_integer(value) || (json_is_string(value) && is_hex)) { // json_u64() makes strings of large ones
        snprintf(full, sizeof full, "%%%.*sll%c", shown, format, is_hex ? 'x' : 'd');
        plain_printf(out, full,
                     json_is_integer(value) ? (unsigned long long)json_integer_value(value)
                                            : strtoull(json_string_value(value), NULL, 16));
    } else if (json_is_real(value)) {
        snprintf(full, sizeof full, "%%%.*s%c", shown, format, letter == 'f' ? 'f' : 'g');
        plain_printf(out, full, json_real_value(value));
    } else {
        snprintf(full, sizeof full, "%%%.*ss", shown, format);
        plain_printf(out, full,
                     json_is_string(value) ? json_string_value(value)
                     : json_is_true(value) ? "true"
                                           : "false");
    }
}

static bool fits(const json_t *value, const struct field *field)
{
    char text[VALUE_BYTES] = "";
    if (field->word == NULL || value == NULL) return is_something(value);
    if (field->word_bytes == 1 && *field->word == '*') return !json_is_null(value);
    FILE *out = fmemopen(text, sizeof text, "w");
    if (out == NULL) return false;
    print_value(value, "", 0, out);
    fclose(out);
    return strlen(text) == field->word_bytes && memcmp(text, field->word, field->word_bytes) == 0;
}

static void print_each(const json_t *value, const struct field *field, const struct scope *around, FILE *out)
{
    const char *end = find_outside(field->rest, field->end, '|');
    void *entry = json_object_iter((json_t *)value);
    for (size_t i = 0; i < entries(value); i++, entry = json_object_iter_next((json_t *)value, entry)) {
        const struct scope scope = {.value = entry != NULL ? json_object_iter_value(entry) : json_array_get(value, i),
                                    .key = entry != NULL ? json_object_iter_key(entry) : NULL,
                                    .number = i,
                                    .around = around};
        if (i > 0 && end < field->end) print(end + 1, field->end, around, out);
        print(field->rest, end, &scope, out);
    }
}

static void print_field(const struct field *field, const struct scope *scope, FILE *out)
{
    json_t *value = value_of(field, scope);
    if (field->action == '*')
        print_each(value, field, scope, out);
    else if (field->action == '?' || field->action == '!')
        fits(value, field) == (field->action == '?') ? print(field->rest, field->end, scope, out) : (void)0;
    else if (value != NULL)
        print_value(value, field->rest, (size_t)(field->end - field->rest), out);
    else
        fprintf(out, "{%.*s}", (int)(field->end - field->path), field->path);
    json_decref(value);
}

static void print(const char *text, const char *end, const struct scope *scope, FILE *out)
{
    while (text < end) {
        if (*text != '{' || text[1] == '{') {
            fputc(*text, out);
            text += text[0] == '{' ? 2 : 1;
            continue;
        }
        const struct field field = read_field(text + 1, end);
        print_field(&field, scope, out);
        text = field.end + 1;
    }
}

void answer_text(const json_t *tree, const char *text, FILE *out)
{
    const struct scope scope = {.value = tree};
    print(text, text + strlen(text), &scope, out);
}

void answer_print(json_t *tree, const char *text, size_t flags)
{
    if (text == NULL) {
        json_print(tree, flags);
        return;
    }
    answer_text(tree, text, stdout);
    json_decref(tree);
}
