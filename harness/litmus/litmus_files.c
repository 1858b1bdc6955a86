// SPDX-License-Identifier: MIT
// Litmus tests by file and folder (litmus_files.h).
#include "litmus_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "array.h"
#include "files.h"

enum { MAX_LIST_BYTES = 1 << 24, MAX_DEPTH = 16 };

static int add(struct litmus_files *files, const char *path, int expected, struct text *why)
{
    const struct litmus_file file = {.path = strdup(path), .expected = expected};
    if (file.path != NULL && ARRAY_ADD(files->file, files->count, file)) return 1;
    free(file.path);
    return text_fail(why, "out of memory");
}

static bool is_test(const char *name)
{
    size_t bytes = strlen(name);
    return bytes > 7 && strcmp(name + bytes - 7, ".litmus") == 0;
}

static bool is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static int add_folder(struct litmus_files *files, const char *folder, int depth, struct text *why)
{
    struct dirent **entries = NULL;
    int count = depth > MAX_DEPTH ? 0 : scandir(folder, &entries, NULL, alphasort);
    if (count < 0) return text_fail(why, "%s: %s", folder, strerror(errno));
    int done = 1;
    for (int i = 0; i < count; i++) {
        char path[4096];
        bool fits = snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name) < (int)sizeof path;
        if (done && fits && entries[i]->d_name[0] != '.') {
            if (is_folder(path))
                done = add_folder(files, path, depth + 1, why);
            else if (is_test(entries[i]->d_name))
                done = add(files, path, -1, why);
        }
        free(entries[i]);
    }
    free(entries);
    return done;
}

int litmus_files_add(struct litmus_files *files, const char *path, struct text *why)
{
    if (!is_folder(path)) return add(files, path, -1, why);
    int before = files->count;
    if (!add_folder(files, path, 0, why)) return 0;
    return files->count > before || text_fail(why, "%s: no file *.litmus is in this folder", path);
}

static int add_line(struct litmus_files *files, char *line, const char *folder, struct text *why)
{
    char *comma = strrchr(line, ',');
    if (comma == NULL || (comma[1] != '0' && comma[1] != '1'))
        return text_fail(why, "'%.100s' is no line of a list: PATH,1 or PATH,0", line);
    *comma = '\0';
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, line);
    return add(files, path, comma[1] - '0', why);
}

int litmus_files_add_list(struct litmus_files *files, const char *list, const char *folder, struct text *why)
{
    size_t bytes = 0;
    char *text = read_file(list, MAX_LIST_BYTES, &bytes, why), *rest = NULL;
    if (text == NULL) return 0;
    int done = 1;
    for (char *line = strtok_r(text, "\r\n", &rest); done && line != NULL; line = strtok_r(NULL, "\r\n", &rest))
        done = add_line(files, line, folder, why);
    free(text);
    return done;
}

void litmus_files_free(struct litmus_files *files)
{
    for (int i = 0; i < files->count; i++) free(files->file[i].path);
    free(files->file);
    *files = (struct litmus_files){0};
}
