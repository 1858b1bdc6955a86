// SPDX-License-Identifier: MIT
// What every command needs: usage errors, numbers, whole files.
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"

int command_usage(const char *name, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "tmaref %s: ", name);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\nTry 'tmaref %s --help'.\n", name);
    va_end(arguments);
    return EXIT_USAGE;
}

int parse_u64(const char *text, uint64_t max, uint64_t *value)
{
    if (text[0] < '0' || text[0] > '9') return 0;
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, strncasecmp(text, "0x", 2) == 0 ? 16 : 10);
    if (errno != 0 || *end != '\0' || end == text || number > max) return 0;
    *value = number;
    return 1;
}

int parse_i64(const char *text, int64_t min, int64_t max, int64_t *value)
{
    uint64_t magnitude;
    int negative = text[0] == '-';
    if (!parse_u64(text + negative, (uint64_t)INT64_MAX + (uint64_t)negative, &magnitude)) return 0;
    int64_t number = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
    if (number < min || number > max) return 0;
    *value = number;
    return 1;
}

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
