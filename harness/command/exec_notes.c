// SPDX-License-Identifier: MIT
#include "exec_notes.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "note.h"

static char path[PATH_MAX];

const char *exec_notes_folder(void)
{
    const char *folder = getenv("TMPDIR");
    return folder != NULL ? folder : "/tmp";
}

int exec_notes_open(void)
{
    snprintf(path, sizeof path, "%s/tmaref-notes-XXXXXX", exec_notes_folder());
    const int file = mkstemp(path);
    if (file < 0) path[0] = '\0';
    if (file >= 0) close(file);
    return setenv(NOTE_VARIABLE, path, 1) == 0 && file >= 0;
}

static void read_line(const char *line, struct exec_notes *notes)
{
    int error, at;
    if (strcmp(line, NOTE_ERROR "\n") == 0) notes->has_error = 1;
    if (strcmp(line, NOTE_RAN "\n") == 0) notes->has_run = 1;
    if (notes->refused[0] != '\0' || sscanf(line, NOTE_REFUSED " %d %n", &error, &at) != 1) return;
    notes->error = error;
    snprintf(notes->refused, sizeof notes->refused, "%.*s", (int)strcspn(line + at, "\n"), line + at);
}

struct exec_notes exec_notes_close(void)
{
    struct exec_notes notes = {0};
    char line[sizeof notes.refused + 32];
    FILE *file = fopen(path, "r");
    if (file == NULL) return notes;
    while (fgets(line, sizeof line, file) != NULL) read_line(line, &notes);
    fclose(file);
    unlink(path);
    return notes;
}

// What helps where a call returned this error.
static const char *advice(int error)
{
    switch (error) {
    case 1:
        return "the message of that call, above, says which argument to correct";
    case 209:
        return "type: nvcc -arch=sm_90a -lineinfo, so that the program holds its PTX";
    case 218:
        return "type: cuobjdump -ptx PROGRAM >p.ptx; tmaref ptx p.ptx, which lists every line that is refused";
    case 801:
        return "docs/calls.md lists the calls that there are";
    default:
        return "docs/exec.md says what runs";
    }
}

void exec_notes_tell(const struct exec_notes *notes)
{
    if (notes->has_run || notes->refused[0] == '\0') return;
    fprintf(stderr, "tmaref exec: no kernel ran; the first refusal was %s\n    %s\n", notes->refused,
            advice(notes->error));
}
