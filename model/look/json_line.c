// SPDX-License-Identifier: MIT
#define _GNU_SOURCE 1
#include "json_line.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

bool json_line_begin(struct json_line *line, const struct json_lines *to)
{
    *line = (struct json_line){.text = NULL};
    if (!to->is_json && to->findings[0] == '\0') return false;
    line->out = open_memstream(&line->text, &line->bytes);
    return line->out != NULL;
}

// One write: the processes of a run have one file.
static void add(const char *path, const char *text, size_t bytes)
{
    const int file = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (file < 0) return;
    if (write(file, text, bytes) != (ssize_t)bytes) perror("tmaref: the findings of the run");
    close(file);
}

void json_line_tell(struct json_line *line, const struct json_lines *to)
{
    fputc('\n', line->out);
    if (fclose(line->out) == 0 && line->text != NULL) {
        if (to->is_json) fwrite(line->text, 1, line->bytes, stderr);
        if (to->findings[0] != '\0') add(to->findings, line->text, line->bytes);
    }
    free(line->text);
}
