// SPDX-License-Identifier: MIT
// CUDA's printf: the conversions of C without %n and %m; each argument lies at a multiple of its size of 4 or 8.
#include "print.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct text {
    char *at;
    size_t used, room;
    bool is_cut;
};

// How much of `length` more bytes fits, after the text has grown as far as it may.
static size_t fit(struct text *text, size_t length)
{
    const size_t wanted = text->used + length + 1;
    size_t room = text->room;
    while (room < wanted && room < PRINT_MOST_BYTES) room *= 2;
    char *more = room > text->room ? realloc(text->at, room) : text->at;
    if (more != NULL) {
        text->at = more;
        text->room = room;
    }
    const size_t left = text->room - 1 - text->used;
    text->is_cut |= length > left;
    return length > left ? left : length;
}

static void put(struct text *text, const char *from, size_t length)
{
    length = fit(text, length);
    memcpy(text->at + text->used, from, length);
    text->used += length;
}

// One conversion, formatted once where it fits. It writes nothing where snprintf cannot, as of a width of 2^31. A text
// that is full takes no more: its other conversions are only counted.
#define PUT_FORMATTED(text, spec, value)                                                                               \
    do {                                                                                                               \
        const size_t room = (text)->room - (text)->used;                                                               \
        const int length = (text)->is_cut ? 0 : snprintf((text)->at + (text)->used, room, spec, value);                \
        const size_t fits = length > 0 ? fit(text, (size_t)length) : 0;                                                \
        if (length > 0 && (size_t)length >= room) snprintf((text)->at + (text)->used, fits + 1, spec, value);          \
        (text)->used += fits;                                                                                          \
    } while (0)

// A text that is not whole says so at its end.
static void mark_cut(struct text *text)
{
    static const char mark[] = "[cut]\n";
    size_t length = sizeof mark - 1;
    if (text->is_cut && text->used >= length) memcpy(text->at + text->used - length, mark, length);
}

// One conversion: %-8.3lld. `spec` has it without the length: flags, width, precision.
struct conversion {
    char spec[32];
    size_t length, used; // of spec; of the format
    bool is_wide;
    int kind;
};

static uint64_t take(const struct print_source *source, uint64_t *offset, size_t bytes, int *is_there)
{
    uint64_t value = 0;
    *offset = (*offset + bytes - 1) / bytes * bytes;
    *is_there = source->argument(source->context, *offset, &value, bytes);
    *offset += bytes;
    return value;
}

// A width or precision: its digits from `at` on, which it leaves; no text is longer than the most.
static uint64_t read_count(const char **at)
{
    char *end;
    const uint64_t count = strtoull(*at, &end, 10);
    *at = end;
    return count;
}

// Bounds the width and the precision by what any text holds: formatting costs what they are, not what is left of it.
// The blanks before the digits stay as many as a text can show. What nobody can write (2^31 and more) stays.
static void bound(struct conversion *conversion)
{
    const char *at = conversion->spec + 1 + strspn(conversion->spec + 1, "-+ #0");
    const int flags = (int)(at - conversion->spec);
    char text[sizeof conversion->spec];
    uint64_t width = isdigit((unsigned char)*at) ? read_count(&at) : 0, precision = 0;
    const bool is_precise = *at == '.';
    if (is_precise && isdigit((unsigned char)*++at)) precision = read_count(&at);
    if (*at != '\0' || width > INT_MAX || precision > INT_MAX) return;
    if (width <= PRINT_MOST_BYTES && precision <= PRINT_MOST_BYTES) return;
    const uint64_t blanks = width > precision ? width - precision : 0;
    if (precision > PRINT_MOST_BYTES) precision = PRINT_MOST_BYTES;
    if (blanks > 0) width = precision + (blanks < PRINT_MOST_BYTES ? blanks : PRINT_MOST_BYTES);
    if (width > 2 * PRINT_MOST_BYTES) width = PRINT_MOST_BYTES;
    const int length =
        is_precise ? snprintf(text, sizeof text, "%.*s%" PRIu64 ".%" PRIu64, flags, conversion->spec, width, precision)
                   : snprintf(text, sizeof text, "%.*s%" PRIu64, flags, conversion->spec, width);
    memcpy(conversion->spec, text, sizeof text);
    conversion->length = (size_t)length;
}

// Reads the conversion at `format`, which is behind a %; a * takes an argument. 0 if it is none.
static bool read_conversion(const char *format, const struct print_source *source, uint64_t *offset,
                            struct conversion *conversion)
{
    const char *at = format;
    int is_there = 1;
    *conversion = (struct conversion){.spec = "%", .length = 1};
    for (; *at != '\0' && strchr("-+ #0123456789.*", *at) != NULL && is_there; at++) {
        if (conversion->length > 16) return false;
        if (*at == '*')
            conversion->length += (size_t)sprintf(conversion->spec + conversion->length, "%d",
                                                  (int)(int16_t)take(source, offset, 4, &is_there));
        else
            conversion->spec[conversion->length++] = *at;
    }
    for (; *at != '\0' && strchr("hlLqjzt", *at) != NULL; at++) conversion->is_wide |= strchr("lqjzt", *at) != NULL;
    conversion->kind = *at;
    conversion->used = (size_t)(at - format) + (*at != '\0');
    bound(conversion);
    return is_there && *at != '\0' && strchr("diouxXcsfFeEgGaAp%", *at) != NULL;
}

static void put_integer(struct text *text, struct conversion *conversion, uint64_t value)
{
    bool is_signed = conversion->kind == 'd' || conversion->kind == 'i';
    if (!conversion->is_wide) value = is_signed ? (uint64_t)(int64_t)(int32_t)value : (uint32_t)value;
    sprintf(conversion->spec + conversion->length, "ll%c", conversion->kind);
    PUT_FORMATTED(text, conversion->spec, (long long)value);
}

static void put_other(struct text *text, struct conversion *conversion, uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    sprintf(conversion->spec + conversion->length, "%c", conversion->kind);
    if (conversion->kind == 'c')
        PUT_FORMATTED(text, conversion->spec, (int)(uint8_t)bits);
    else if (conversion->kind == 'p')
        PUT_FORMATTED(text, conversion->spec, (void *)(uintptr_t)bits);
    else
        PUT_FORMATTED(text, conversion->spec, value);
}

static void put_string(struct text *text, const struct print_source *source, struct conversion *conversion,
                       uint64_t address)
{
    char *string = text->is_cut ? NULL : source->string(source->context, address);
    sprintf(conversion->spec + conversion->length, "s");
    PUT_FORMATTED(text, conversion->spec, string == NULL ? "(null)" : string);
    free(string);
}

static bool put_conversion(struct text *text, const struct print_source *source, struct conversion *conversion,
                           uint64_t *offset)
{
    int is_there = 1;
    if (conversion->kind == '%') {
        put(text, "%", 1);
        return true;
    }
    bool is_integer = strchr("diouxX", conversion->kind) != NULL, is_short = is_integer || conversion->kind == 'c';
    uint64_t value = take(source, offset, is_short && !conversion->is_wide ? 4 : 8, &is_there);
    if (!is_there) return false;
    if (conversion->kind == 's')
        put_string(text, source, conversion, value);
    else if (is_integer)
        put_integer(text, conversion, value);
    else
        put_other(text, conversion, value);
    return true;
}

char *machine_print(const char *format, const struct print_source *source, size_t *bytes, int *conversions)
{
    enum { FIRST_BYTES = 256 };
    struct text text = {malloc(FIRST_BYTES), 0, FIRST_BYTES, false};
    uint64_t offset = 0;
    *conversions = 0;
    if (text.at == NULL) return NULL;
    while (*format != '\0') {
        size_t plain = strcspn(format, "%");
        struct conversion conversion;
        put(&text, format, plain);
        format += plain;
        if (*format == '\0') break;
        if (!read_conversion(format + 1, source, &offset, &conversion) ||
            !put_conversion(&text, source, &conversion, &offset)) {
            put(&text, format, strlen(format));
            break;
        }
        *conversions += conversion.kind != '%';
        format += 1 + conversion.used;
    }
    mark_cut(&text);
    text.at[text.used] = '\0';
    *bytes = text.used;
    return text.at;
}
