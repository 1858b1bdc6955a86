// SPDX-License-Identifier: MIT
// Strings as JSON has them.
#ifndef TMAREF_LOOK_JSON_TEXT_H
#define TMAREF_LOOK_JSON_TEXT_H

#include <stdio.h>

// Prints `length` bytes in quotes. What is not ASCII stays as it is.
static inline void json_text(FILE *out, const char *text, size_t length)
{
    fputc('"', out);
    for (size_t i = 0; i < length; i++) {
        const unsigned char byte = (unsigned char)text[i];
        if (byte == '"' || byte == '\\')
            fprintf(out, "\\%c", byte);
        else if (byte < ' ')
            fprintf(out, "\\u%04x", byte);
        else
            fputc(byte, out);
    }
    fputc('"', out);
}

#endif
