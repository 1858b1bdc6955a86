// SPDX-License-Identifier: MIT
// Which litmus tests a command line names: files, folders of them, and a list with expected verdicts.
#ifndef TMAREF_LITMUS_FILES_H
#define TMAREF_LITMUS_FILES_H

#include "text.h"

// A test, and what is expected of it: that its claim holds (1), that it does not (0), or what the test itself says
// (-1).
struct litmus_file {
    char *path;
    int expected;
};

struct litmus_files {
    struct litmus_file *file;
    int count;
};

// Adds the file, or all files *.litmus in the folder and its folders, by name. 0 with a reason in `why`.
int litmus_files_add(struct litmus_files *files, const char *path, struct text *why);

// Adds the files that a list of lines "PATH,1" or "PATH,0" names; a path stands below `folder`.
int litmus_files_add_list(struct litmus_files *files, const char *list, const char *folder, struct text *why);

void litmus_files_free(struct litmus_files *files);

#endif
