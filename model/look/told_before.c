// SPDX-License-Identifier: MIT
#include "told_before.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"

// A finding as a text of its rule, its kernel and its places. Launches may end in several threads.
struct told_before {
    pthread_mutex_t lock;
    char **text;
    uint32_t count;
};

struct told_before *told_before_open(void)
{
    struct told_before *before = calloc(1, sizeof *before);
    if (before != NULL) pthread_mutex_init(&before->lock, NULL);
    return before;
}

void told_before_close(struct told_before *before)
{
    if (before == NULL) return;
    for (uint32_t i = 0; i < before->count; i++) free(before->text[i]);
    free(before->text);
    pthread_mutex_destroy(&before->lock);
    free(before);
}

static void write_line(FILE *to, const struct ptx_name *file, uint32_t line)
{
    fprintf(to, "|%.*s:%u", (int)file->length, file->at, line);
}

// Without a line of the source each line of the PTX is a place.
static void write_place(FILE *to, const struct machine_where *where)
{
    write_line(to, &where->source_file, where->source_line > 0 ? where->source_line : where->ptx_line);
    for (uint32_t i = 0; i < where->callers; i++) write_line(to, &where->caller[i].file, where->caller[i].line);
}

static char *text_of(const char *rule, const char *kernel, const struct machine_where *const place[2])
{
    char *text = NULL;
    size_t bytes;
    FILE *to = open_memstream(&text, &bytes);
    if (to == NULL) return NULL;
    fprintf(to, "%s|%s", rule, kernel);
    write_place(to, place[0]);
    write_place(to, place[1]);
    return fclose(to) == 0 ? text : NULL;
}

static bool is_there(const struct told_before *before, const char *text)
{
    for (uint32_t i = 0; i < before->count; i++)
        if (strcmp(before->text[i], text) == 0) return true;
    return false;
}

bool told_before_add(struct told_before *before, const char *rule, const char *kernel,
                     const struct machine_where *const place[2])
{
    char *text = before != NULL ? text_of(rule, kernel, place) : NULL;
    if (text == NULL) return false;
    pthread_mutex_lock(&before->lock);
    const bool was_told = is_there(before, text);
    if (was_told || !ARRAY_ADD(before->text, before->count, text)) free(text);
    pthread_mutex_unlock(&before->lock);
    return was_told;
}
