// SPDX-License-Identifier: MIT
#include "trace_paths.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int is_trace_name(const char *name)
{
    size_t length = strlen(name);
    return (length > 6 && strcmp(name + length - 6, ".jsonl") == 0) ||
           (length > 10 && strcmp(name + length - 10, ".jsonl.zst") == 0);
}

static int add_file(struct trace_paths *paths, const char *path, struct text *why)
{
    int fits = paths->count < TRACE_PATHS_MOST, is_short = strlen(path) < TRACE_PATH_BYTES;
    if (fits && is_short) strcpy(paths->path[paths->count++], path);
    if (!is_short) text_set(why, "%.300s: too long a path", path);
    if (!fits) text_set(why, "%.300s: tmaref takes at most %d traces at once", path, TRACE_PATHS_MOST);
    return fits && is_short;
}

int trace_paths_add(struct trace_paths *paths, const char *path, struct text *why)
{
    struct stat info;
    struct dirent **entries;
    int found = stat(path, &info), ok = 1;
    if (found == 0 && !S_ISDIR(info.st_mode)) return add_file(paths, path, why);
    if (found == 0) found = scandir(path, &entries, NULL, alphasort);
    if (found < 0) return text_fail(why, "%.400s: %s", path, strerror(errno));
    for (int i = 0; i < found; i++) {
        char child[TRACE_PATH_BYTES];
        snprintf(child, sizeof child, "%s/%s", path, entries[i]->d_name);
        int is_folder = stat(child, &info) == 0 && S_ISDIR(info.st_mode);
        if (ok && entries[i]->d_name[0] != '.' && (is_folder || is_trace_name(child)))
            ok = trace_paths_add(paths, child, why);
        free(entries[i]);
    }
    free(entries);
    return ok;
}
