// SPDX-License-Identifier: MIT
#define _GNU_SOURCE 1
#include "rows.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Read once, and kept to the end.
struct file {
    const char *name;
    struct row *row;
    int count;
};
enum { MOST_FILES = 64 };
static struct file files[MOST_FILES];

// Files are read while tests are counted too, where Check's assertions have no test that could fail.
static void require(bool holds, const char *where, const char *what)
{
    if (holds) return;
    fprintf(stderr, "%s: %s\n", where, what);
    exit(EXIT_FAILURE);
}

static void unescape(char *text)
{
    char *to = text;
    for (const char *from = text; *from != '\0'; from++) {
        const bool is_end = from[0] == '\\' && from[1] == 'n';
        *to++ = is_end ? '\n' : *from;
        from += is_end;
    }
    *to = '\0';
}

static void add_row(struct file *file, char *text, int line)
{
    struct row *row;
    file->row = realloc(file->row, (size_t)(file->count + 1) * sizeof *file->row);
    require(file->row != NULL, file->name, "memory is missing");
    row = &file->row[file->count++];
    snprintf(row->where, sizeof row->where, "%s:%d", file->name, line);
    for (int i = 0; i < ROW_FIELDS; i++) {
        row->field[i] = text == NULL ? strdup("") : strdup(strsep(&text, "\t"));
        unescape(row->field[i]);
    }
    require(text == NULL, row->where, "too many fields");
}

static void read_file(struct file *file)
{
    char path[512], *line = NULL;
    size_t room = 0;
    snprintf(path, sizeof path, "%s/%s", TMAREF_UNIT, file->name);
    FILE *in = fopen(path, "r");
    require(in != NULL, path, "cannot be read");
    for (int number = 1; getline(&line, &room, in) > 0; number++) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] != '#' && line[0] != '\0') add_row(file, line, number);
    }
    free(line);
    fclose(in);
}

static const struct file *file_of(const char *name)
{
    struct file *file = files;
    while (file < files + MOST_FILES && file->name != NULL && strcmp(file->name, name) != 0) file++;
    require(file < files + MOST_FILES, name, "is one file too many");
    if (file->name == NULL) {
        file->name = name;
        read_file(file);
    }
    return file;
}

static bool is_of(const struct row *row, const char *kind)
{
    return kind == NULL || strcmp(row->field[0], kind) == 0;
}

int rows_count(const char *name, const char *kind)
{
    const struct file *file = file_of(name);
    int count = 0;
    for (int i = 0; i < file->count; i++) count += is_of(&file->row[i], kind);
    require(count > 0, name, "has no such row");
    return count;
}

const struct row *rows_at(const char *name, const char *kind, int i)
{
    const struct file *file = file_of(name);
    const struct row *row = file->row, *end = row + file->count;
    while (row < end && !(is_of(row, kind) && i-- == 0)) row++;
    require(row < end, name, "has fewer rows");
    return row;
}

int row_numbers(const struct row *row, int field, uint64_t *numbers, int most)
{
    char *at = row->field[field];
    int count = 0;
    memset(numbers, 0, (size_t)most * sizeof *numbers);
    for (char *end; *at != '\0'; at = *end == ' ' ? end + 1 : end) {
        require(count < most, row->where, "has a number too many");
        numbers[count++] = strtoull(at, &end, 0);
        require(end != at && (*end == '\0' || *end == ' '), row->where, "has no number where one is wanted");
    }
    return count;
}

uint64_t row_number(const struct row *row, int field)
{
    uint64_t number;
    require(row_numbers(row, field, &number, 1) == 1, row->where, "has no number where one is wanted");
    return number;
}
