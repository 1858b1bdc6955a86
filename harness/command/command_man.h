// SPDX-License-Identifier: MIT
// Manual pages (man(7)), made of the tables and texts that --help prints.
#ifndef TMAREF_COMMAND_MAN_H
#define TMAREF_COMMAND_MAN_H

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
void man_see(const char *command, int goes_on);

#endif
