// SPDX-License-Identifier: MIT
#include "read_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_stream(FILE *file, const char *path, size_t max_bytes, size_t *size_bytes, struct text *why)
{
    size_t capacity = 65536, size = 0;
    char *bytes = malloc(capacity + 1);
    int enough = bytes != NULL;
    while (enough && !feof(file) && !ferror(file) && size <= max_bytes) {
        if (size == capacity) {
            char *more = realloc(bytes, 2 * capacity + 1);
            enough = more != NULL;
            if (!enough) break;
            bytes = more;
            capacity *= 2;
        }
        size += fread(bytes + size, 1, capacity - size, file);
    }
    if (!enough || ferror(file) || size > max_bytes) {
        text_set(why, "%.300s: %s", path, size > max_bytes ? "too large" : strerror(errno));
        free(bytes);
        return NULL;
    }
    bytes[size] = '\0';
    *size_bytes = size;
    return bytes;
}

char *read_file(const char *path, size_t max_bytes, size_t *size_bytes, struct text *why)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    if (file == NULL) {
        text_set(why, "%.300s: %s", path, strerror(errno));
        return NULL;
    }
    char *bytes = read_stream(file, path, max_bytes, size_bytes, why);
    if (file != stdin) fclose(file);
    return bytes;
}
