// SPDX-License-Identifier: MIT
// Strings as JSON has them.
#ifndef TMAREF_LOOK_JSON_TEXT_H
#define TMAREF_LOOK_JSON_TEXT_H

#include <stdio.h>

// How many bytes a character of UTF-8 has; 0: it is none, or a control character of 2 bytes.
static inline size_t json_character(const char *text, size_t length)
{
    const unsigned char first = (unsigned char)text[0];
    const size_t bytes = first < 0x80   ? 1
                         : first < 0xc2 ? 0
                         : first < 0xe0 ? 2
                         : first < 0xf0 ? 3
                         : first < 0xf5 ? 4
                                        : 0;
    for (size_t i = 1; i < bytes; i++)
        if (i >= length || ((unsigned char)text[i] & 0xc0) != 0x80) return 0;
    if (first == 0xc2 && (unsigned char)text[1] < 0xa0) return 0;
    return bytes;
}

// Prints `length` bytes in quotes. UTF-8 stays as it is, but for control characters; other bytes are the characters of
// their number.
static inline void json_text(FILE *out, const char *text, size_t length)
{
    fputc('"', out);
    for (size_t i = 0; i < length; i++) {
        const unsigned char byte = (unsigned char)text[i];
        const size_t bytes = json_character(&text[i], length - i);
        if (byte == '"' || byte == '\\')
            fprintf(out, "\\%c", byte);
        else if (byte == 0xc2 && bytes == 0 && i + 1 < length && ((unsigned char)text[i + 1] & 0xe0) == 0x80)
            fprintf(out, "\\u%04x", (unsigned char)text[++i]);
        else if (byte < ' ' || byte == 0x7f || bytes == 0)
            fprintf(out, "\\u%04x", byte);
        else
            i += fwrite(&text[i], 1, bytes, out) - 1;
    }
    fputc('"', out);
}

#endif
