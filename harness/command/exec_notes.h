// SPDX-License-Identifier: MIT
// What the program's processes noted (model/core/note.h).
#ifndef TMAREF_EXEC_NOTES_H
#define TMAREF_EXEC_NOTES_H

#include <stdbool.h>

//   has_told, is_nowhere  a process answered --why; one found the place nowhere
//   refused  the first call that was refused, and why; "" if none was
struct exec_notes {
    bool has_error, has_run, has_told, is_nowhere;
    int error;
    char refused[1000];
};

// Makes a file in memory that the program's processes add to, and a variable that names it. -1 with errno if it cannot.
// It has no place in a folder, so nothing is left of it if this process is killed.
int exec_memory_file(const char *variable);

// Makes the file of the notes. 0 with errno if it cannot: then nothing is noted.
bool exec_notes_open(void);

// Reads it and takes it away.
struct exec_notes exec_notes_close(void);

// Was --why answered, if `why` is not NULL or ""? A process that used no CUDA has said nothing: then it is told here.
bool exec_notes_answer(const struct exec_notes *notes, const char *why);

// Says on standard error that no kernel ran, where one was refused.
void exec_notes_tell(const struct exec_notes *notes);

#endif
