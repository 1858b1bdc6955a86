// SPDX-License-Identifier: MIT
// What can stand next on the line of a command, from its table: for the completion of shells.
#ifndef TMAREF_COMMAND_COMPLETE_H
#define TMAREF_COMMAND_COMPLETE_H

#include "command_option.h"

// The line of a shell that asks for it: `tmaref --complete COMMAND WORD... CURRENT`.
#define COMMAND_COMPLETE "--complete"

// Prints the words that begin as the last of `word` (there is one at least), the one that is being typed, one a line;
// after a tab what --help says of it. An option that takes a value ends with `=`. The line `:files` says that names of
// files go there.
void command_complete(const struct command_line *line, int words, char *const *word);

// Prints one such line, if `candidate` begins as `typed`. `before` is put in front of it; `help` may be NULL.
void command_complete_word(const char *typed, const char *before, const char *candidate, const char *help);

#endif
