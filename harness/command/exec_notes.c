// SPDX-License-Identifier: MIT
#define _GNU_SOURCE 1
#include "exec_notes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "note.h"

static int notes_file = -1;

int exec_memory_file(const char *variable)
{
    char path[64];
    const int file = memfd_create(variable, MFD_CLOEXEC);
    if (file < 0) return -1;
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)getpid(), file);
    if (setenv(variable, path, 1) == 0) return file;
    close(file);
    return -1;
}

bool exec_notes_open(void)
{
    return (notes_file = exec_memory_file(NOTE_VARIABLE)) >= 0;
}

static void read_line(const char *line, struct exec_notes *notes)
{
    int error, at;
    if (strcmp(line, NOTE_ERROR "\n") == 0) notes->has_error = true;
    if (strcmp(line, NOTE_RAN "\n") == 0) notes->has_run = true;
    if (strcmp(line, NOTE_TOLD "\n") == 0) notes->has_told = true;
    if (strcmp(line, NOTE_NOWHERE "\n") == 0) notes->is_nowhere = true;
    if (notes->refused[0] != '\0' || sscanf(line, NOTE_REFUSED " %d %n", &error, &at) != 1) return;
    notes->error = error;
    snprintf(notes->refused, sizeof notes->refused, "%.*s", (int)strcspn(line + at, "\n"), line + at);
}

struct exec_notes exec_notes_close(void)
{
    struct exec_notes notes = {false};
    char line[sizeof notes.refused + 32];
    FILE *file = notes_file < 0 ? NULL : fdopen(notes_file, "r");
    if (file == NULL) return notes;
    rewind(file);
    while (fgets(line, sizeof line, file) != NULL) read_line(line, &notes);
    fclose(file);
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

bool exec_notes_answer(const struct exec_notes *notes, const char *why)
{
    if (why == NULL || why[0] == '\0' || notes->has_told) return true;
    if (!notes->is_nowhere) fprintf(stderr, "tmaref exec: --why: the program did not use CUDA\n");
    return false;
}
