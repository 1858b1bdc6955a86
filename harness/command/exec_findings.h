// SPDX-License-Identifier: MIT
// What the processes of a run find, as SARIF: they add lines of JSON to a file, which is read when the program has
// ended.
#ifndef TMAREF_EXEC_FINDINGS_H
#define TMAREF_EXEC_FINDINGS_H

#include "text.h"

// Writes a log of nothing to `path`, and makes the file for the lines: its name is in the environment. 0 with `why`.
bool exec_findings_open(const char *path, struct text *why);

// Writes the log of what was found, and removes the file of the lines. 0 with `why`.
int exec_findings_close(const char *path, struct text *why);

#endif
