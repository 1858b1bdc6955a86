// SPDX-License-Identifier: MIT
// What the processes of a run note for `tmaref exec`, a line each in one file: it reads them when the program has
// ended. All here is inline, as libcuda and libcudart each need a copy.
#ifndef TMAREF_NOTE_H
#define TMAREF_NOTE_H

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOTE_VARIABLE "TMAREF_NOTES" // names the file
#define NOTE_ERROR    "error"        // a kernel failed, or --check or --sanitize found something
#define NOTE_RAN      "ran"          // a kernel ran, or what stands for one
#define NOTE_TOLD     "told"         // --why was answered
#define NOTE_NOWHERE  "nowhere"      // the place of --why was nowhere in a process
#define NOTE_REFUSED  "refused"      // then the error, the call and why it was refused

// The file of this run; "" if there is none.
static inline const char *note_path(void)
{
    const char *path = getenv(NOTE_VARIABLE);
    return path == NULL ? "" : path;
}

// Adds a line to a file that is there; "" is none. What does not fit is cut, and several lines become one.
__attribute__((format(printf, 2, 3))) static inline void note_add(const char *path, const char *format, ...)
{
    char line[1000];
    va_list arguments;
    const int file = path[0] != '\0' ? open(path, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
    if (file < 0) return;
    va_start(arguments, format);
    vsnprintf(line, sizeof line - 1, format, arguments);
    va_end(arguments);
    for (char *end = strchr(line, '\n'); end != NULL; end = strchr(end, '\n')) *end = ' ';
    const size_t length = strlen(line);
    line[length] = '\n';
    if (write(file, line, length + 1) < 0) perror("tmaref: the notes of the run");
    close(file);
}

#endif
