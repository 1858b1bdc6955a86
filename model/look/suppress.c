// SPDX-License-Identifier: MIT
#include "suppress.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "demangle.h"
#include "sanitize_found.h"

enum { WORD_BYTES = 256 };

// line 0: of a kernel, or of everything ("*")
struct suppression {
    char rule[WORD_BYTES], place[WORD_BYTES];
    uint32_t line;
};

struct suppressions {
    struct suppression *item;
    uint32_t count;
};

static const char kernel_mark[] = "kernel:";

// --- The file --------------------------------------------------------------------------------------------------------

static bool is_rule(const char *rule)
{
    return strcmp(rule, "*") == 0 || sanitize_has_rule(rule);
}

// "tile.cu:12" into its parts; "kernel:f" and "*" stay.
static bool read_place(struct suppression *one)
{
    char *end, *colon = strrchr(one->place, ':');
    if (strcmp(one->place, "*") == 0) return true;
    if (strncmp(one->place, kernel_mark, sizeof kernel_mark - 1) == 0)
        return one->place[sizeof kernel_mark - 1] != '\0';
    if (colon == NULL || colon == one->place) return false;
    one->line = (uint32_t)strtoul(colon + 1, &end, 10);
    const bool is_number = end != colon + 1 && *end == '\0' && one->line > 0;
    *colon = '\0';
    return is_number;
}

// 1: a suppression; 0: an empty line; -1: neither.
static int read_line(char *text, struct suppression *one, const char **wrong)
{
    char more[2];
    text[strcspn(text, "#\n")] = '\0';
    memset(one, 0, sizeof *one);
    const int words = sscanf(text, "%255s %255s %1s", one->rule, one->place, more);
    if (words <= 0) return 0;
    *wrong = words != 2            ? "a line is RULE FILE:LINE, RULE kernel:NAME or RULE *"
             : !is_rule(one->rule) ? "there is no such rule"
             : !read_place(one)    ? "the place is none: FILE:LINE, kernel:NAME or *"
                                   : NULL;
    return *wrong == NULL ? 1 : -1;
}

static bool read_file(struct suppressions *list, FILE *file, const char *path, char *why, size_t why_bytes)
{
    char text[4 * WORD_BYTES];
    struct suppression one;
    const char *wrong = NULL;
    for (uint32_t line = 1; fgets(text, sizeof text, file) != NULL; line++) {
        const int is_one = read_line(text, &one, &wrong);
        if (is_one > 0 && !ARRAY_ADD(list->item, list->count, one)) wrong = "there is no memory";
        if (is_one < 0 || wrong != NULL) {
            snprintf(why, why_bytes, "%s:%u: %s", path, line, wrong);
            return false;
        }
    }
    return true;
}

struct suppressions *suppressions_open(const char *path, char *why, size_t why_bytes)
{
    struct suppressions *list = calloc(1, sizeof *list);
    why[0] = '\0';
    FILE *file = path[0] != '\0' ? fopen(path, "re") : NULL;
    bool ok = list != NULL && (file != NULL || path[0] == '\0');
    if (!ok) snprintf(why, why_bytes, "cannot read %s: %s", path, strerror(errno));
    if (ok && file != NULL) ok = read_file(list, file, path, why, why_bytes);
    if (file != NULL) fclose(file);
    if (ok) return list;
    suppressions_close(list);
    return NULL;
}

void suppressions_close(struct suppressions *suppressions)
{
    if (suppressions != NULL) free(suppressions->item);
    free(suppressions);
}

// --- A finding -------------------------------------------------------------------------------------------------------

// Is `name` the whole path, or its end behind a folder?
static bool is_file(const char *name, const struct machine_caller *at)
{
    const size_t length = strlen(name);
    if (at->file.length < length || memcmp(at->file.at + at->file.length - length, name, length) != 0) return false;
    return at->file.length == length || at->file.at[at->file.length - length - 1] == '/';
}

static bool is_at(const struct suppression *one, const struct machine_where *where)
{
    const struct machine_caller own = {where->source_file, where->source_line};
    if (own.line != 0 && own.line == one->line && is_file(one->place, &own)) return true;
    for (uint32_t i = 0; i < where->callers; i++)
        if (where->caller[i].line == one->line && is_file(one->place, &where->caller[i])) return true;
    return false;
}

// "f" of f, f(int) and f<1>(int)
static bool is_kernel(const char *name, const char *kernel)
{
    char demangled[DEMANGLED_BYTES];
    const size_t length = strlen(name);
    if (strcmp(name, kernel) == 0) return true;
    demangle_function(kernel, strlen(kernel), demangled, sizeof demangled);
    const char *at = demangled;
    if (strncmp(at, "void ", 5) == 0) at += 5;
    return strncmp(at, name, length) == 0 && (at[length] == '\0' || at[length] == '(' || at[length] == '<');
}

bool suppressions_have(const struct suppressions *suppressions, const char *rule, const char *kernel,
                       const struct machine_where *const place[2])
{
    for (uint32_t i = 0; suppressions != NULL && i < suppressions->count; i++) {
        const struct suppression *one = &suppressions->item[i];
        if (strcmp(one->rule, "*") != 0 && strcmp(one->rule, rule) != 0) continue;
        const bool is_of_kernel = strncmp(one->place, kernel_mark, sizeof kernel_mark - 1) == 0;
        if (one->line == 0 && !is_of_kernel) return true;
        if (is_of_kernel ? is_kernel(one->place + sizeof kernel_mark - 1, kernel)
                         : is_at(one, place[0]) || is_at(one, place[1]))
            return true;
    }
    return false;
}
