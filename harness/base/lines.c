// SPDX-License-Identifier: MIT
#include "lines.h"

#include <stdlib.h>
#include <string.h>

#include "unpack.h"

int lines_parse(const char *bytes, size_t size_bytes, size_t most_bytes, const char *what, struct lines *lines,
                struct text *why)
{
    size_t text_bytes = size_bytes;
    *lines = (struct lines){NULL, NULL, 0};
    if (unpack_is_zstd(bytes, size_bytes))
        lines->text = unpack_zstd(bytes, size_bytes, most_bytes, &text_bytes, why);
    else if ((lines->text = malloc(size_bytes + 1)) != NULL) {
        memcpy(lines->text, bytes, size_bytes);
        lines->text[size_bytes] = '\0';
    } else
        text_set(why, "not enough memory");
    lines->next = lines->text;
    if (lines->text == NULL || strlen(lines->text) == text_bytes) return lines->text != NULL;
    lines_close(lines);
    return text_fail(why, "not %s: it holds a NUL byte", what);
}

char *lines_next(struct lines *lines)
{
    if (lines->next == NULL || *lines->next == '\0') return NULL;
    char *line = lines->next, *end = strchr(line, '\n');
    lines->next = end == NULL ? line + strlen(line) : end + 1;
    if (end != NULL) *end = '\0';
    lines->number++;
    return line;
}

void lines_close(struct lines *lines)
{
    free(lines->text);
    *lines = (struct lines){NULL, NULL, 0};
}
