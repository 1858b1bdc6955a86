// SPDX-License-Identifier: MIT
// Text in a fixed buffer: see line.h.
#include "line.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

void line_start(struct line *line)
{
    line->used = 0;
    line->bytes[0] = '\0';
}

void line_add(struct line *line, const char *format, ...)
{
    size_t room = TEXT_LINE_BYTES - line->used;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line->bytes + line->used, room, format, arguments);
    va_end(arguments);
    if (length > 0) line->used += (size_t)length < room ? (size_t)length : room - 1;
}

void line_add_json(struct line *line, const char *text)
{
    if (text == NULL) {
        line_add(line, "null");
        return;
    }
    line_add(line, "\"");
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\')
            line_add(line, "\\%c", *c);
        else if ((unsigned char)*c < 0x20)
            line_add(line, "\\u%04x", (unsigned)*c);
        else
            line_add(line, "%c", *c);
    }
    line_add(line, "\"");
}

int line_write(const struct line *line, int fd)
{
    for (size_t done = 0; done < line->used;) {
        ssize_t count = write(fd, line->bytes + done, line->used - done);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return -1;
        done += (size_t)count;
    }
    return 0;
}
