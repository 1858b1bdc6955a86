// SPDX-License-Identifier: MIT
#include "plain.h"

#include <stdbool.h>
#include <stdlib.h>

static bool is_control(unsigned char byte)
{
    return (byte < ' ' && byte != '\n' && byte != '\t') || byte == 0x7f;
}

// The bytes up to the first that is not printed as it is.
static size_t plain_length(const char *text, size_t length)
{
    size_t i = 0;
    while (i < length) {
        const unsigned char byte = (unsigned char)text[i], next = i + 1 < length ? (unsigned char)text[i + 1] : 0;
        if (is_control(byte) || (byte == 0xc2 && next >= 0x80 && next < 0xa0)) break;
        i++;
    }
    return i;
}

// At once as far as it is plain: others may write to the same place.
void plain_print(FILE *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        const size_t plain = plain_length(text + i, length - i);
        if (plain > 0) fwrite(text + i, 1, plain, out);
        i += plain;
        if (i == length) return;
        const unsigned char byte = (unsigned char)text[i];
        if (byte == 0xc2)
            fprintf(out, "\\u%04x", (unsigned char)text[++i]);
        else
            fprintf(out, "\\x%02x", byte);
    }
}

void plain_vprintf(FILE *out, const char *format, va_list arguments)
{
    char room[1024], *text = room;
    va_list again;
    va_copy(again, arguments);
    const int length = vsnprintf(room, sizeof room, format, arguments);
    if (length >= (int)sizeof room && (text = malloc((size_t)length + 1)) != NULL)
        vsnprintf(text, (size_t)length + 1, format, again);
    va_end(again);
    if (length > 0 && text != NULL) plain_print(out, text, (size_t)length);
    if (text != room) free(text);
}

void plain_printf(FILE *out, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    plain_vprintf(out, format, arguments);
    va_end(arguments);
}
