// SPDX-License-Identifier: MIT
// What the program's processes noted (model/core/note.h).
#ifndef TMAREF_EXEC_NOTES_H
#define TMAREF_EXEC_NOTES_H

//   refused  the first call that was refused, and why; "" if none was
struct exec_notes {
    int has_error, has_run, error;
    char refused[1000];
};

// Makes the file of the notes, and its variable. 0 with errno if it cannot be written: then nothing is noted.
int exec_notes_open(void);

// Where it is made.
const char *exec_notes_folder(void);

// Reads it and takes it away.
struct exec_notes exec_notes_close(void);

// Says on standard error that no kernel ran, where one was refused.
void exec_notes_tell(const struct exec_notes *notes);

#endif
