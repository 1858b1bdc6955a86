// SPDX-License-Identifier: MIT
// What is made of the tables and texts that --help prints: manual pages (man(7)), and for the completion of shells what
// can stand next on the line of a command.
#ifndef TMAREF_COMMAND_HELP_H
#define TMAREF_COMMAND_HELP_H

#include "command_option.h"

// What prints one: `tmaref --man`, or `tmaref --man COMMAND`.
#define COMMAND_MAN "--man"

// The page of a command. `name` is "tmaref encode", `summary` what `tmaref --help` says of it.
void command_man(const struct command_line *line, const char *name, const char *summary);

// The parts of a page: its head; a section; text as argp takes it (lines that begin with a blank stay as they are); a
// term in bold letters and what it means.
void man_head(const char *name, const char *summary);
void man_section(const char *title);
void man_text(const char *text);
void man_term(const char *term, const char *meaning);

// The page of one of the commands, in a list that goes on or ends there.
void man_see(const char *command, bool goes_on);

// The line of a shell that asks for it: `tmaref --complete COMMAND WORD... CURRENT`.
#define COMMAND_COMPLETE "--complete"

// Prints the words that begin as the last of `word` (there is one at least), the one that is being typed, one a line;
// after a tab what --help says of it. An option that takes a value ends with `=`. The line `:files` says that names of
// files go there.
void command_complete(const struct command_line *line, int words, char *const *word);

// Prints one such line, if `candidate` begins as `typed`. `before` is put in front of it; `help` may be NULL.
void command_complete_word(const char *typed, const char *before, const char *candidate, const char *help);

#endif
