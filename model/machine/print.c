// SPDX-License-Identifier: MIT
// CUDA's printf: the conversions of C without %n and %m; each argument lies at a multiple of its size of 4 or 8.
#include "print.h"

#include <stdio.h>
#include <string.h>

enum { MOST_STRING = 1 << 15 }; // more than a text may have: what is cut is cut there

struct text {
    char *at;
    size_t used, room;
    int is_cut;
};

static void put(struct text *text, const char *from, size_t length)
{
    size_t left = text->room - 1 - text->used;
    text->is_cut |= length > left;
    if (length > left) length = left;
    memcpy(text->at + text->used, from, length);
    text->used += length;
}

// One conversion, into what room there is. It writes nothing where snprintf cannot, as of a width of 2^31.
#define PUT_FORMATTED(text, spec, value)                                                                               \
    put_formatted(text, snprintf((text)->at + (text)->used, (text)->room - (text)->used, spec, value))
static void put_formatted(struct text *text, int length)
{
    size_t left = text->room - 1 - text->used, wanted = length < 0 ? 0 : (size_t)length;
    text->is_cut |= wanted > left;
    text->used += wanted > left ? left : wanted;
}

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
    int is_wide, kind;
};

static uint64_t take(const struct print_source *source, uint64_t *offset, size_t bytes, int *is_there)
{
    uint64_t value = 0;
    *offset = (*offset + bytes - 1) / bytes * bytes;
    *is_there = source->argument(source->context, *offset, &value, bytes);
    *offset += bytes;
    return value;
}

// Reads the conversion at `format`, which is behind a %; a * takes an argument. 0 if it is none.
static int read_conversion(const char *format, const struct print_source *source, uint64_t *offset,
                           struct conversion *conversion)
{
    const char *at = format;
    int is_there = 1;
    *conversion = (struct conversion){.spec = "%", .length = 1};
    for (; *at != '\0' && strchr("-+ #0123456789.*", *at) != NULL && is_there; at++) {
        if (conversion->length > 16) return 0;
        if (*at == '*')
            conversion->length += (size_t)sprintf(conversion->spec + conversion->length, "%d",
                                                  (int)(int16_t)take(source, offset, 4, &is_there));
        else
            conversion->spec[conversion->length++] = *at;
    }
    for (; *at != '\0' && strchr("hlLqjzt", *at) != NULL; at++) conversion->is_wide |= strchr("lqjzt", *at) != NULL;
    conversion->kind = *at;
    conversion->used = (size_t)(at - format) + (*at != '\0');
    return is_there && *at != '\0' && strchr("diouxXcsfFeEgGaAp%", *at) != NULL;
}

static void put_integer(struct text *text, struct conversion *conversion, uint64_t value)
{
    int is_signed = conversion->kind == 'd' || conversion->kind == 'i';
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
    char string[MOST_STRING];
    if (!source->string(source->context, address, string, sizeof string)) strcpy(string, "(null)");
    sprintf(conversion->spec + conversion->length, "s");
    PUT_FORMATTED(text, conversion->spec, string);
}

static int put_conversion(struct text *text, const struct print_source *source, struct conversion *conversion,
                          uint64_t *offset)
{
    int is_there = 1;
    if (conversion->kind == '%') {
        put(text, "%", 1);
        return 1;
    }
    int is_integer = strchr("diouxX", conversion->kind) != NULL, is_short = is_integer || conversion->kind == 'c';
    uint64_t value = take(source, offset, is_short && !conversion->is_wide ? 4 : 8, &is_there);
    if (!is_there) return 0;
    if (conversion->kind == 's')
        put_string(text, source, conversion, value);
    else if (is_integer)
        put_integer(text, conversion, value);
    else
        put_other(text, conversion, value);
    return 1;
}

size_t machine_print(const char *format, const struct print_source *source, char *to, size_t room, int *conversions)
{
    struct text text = {to, 0, room, 0};
    uint64_t offset = 0;
    *conversions = 0;
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
    to[text.used] = '\0';
    return text.used;
}
