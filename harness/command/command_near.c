// SPDX-License-Identifier: MIT
// A walk over the words of a command line as getopt takes them, as far as to tell options from their values.
#include "command_near.h"

#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "near.h"

enum { MOST_NAMES = 96, NAME_BYTES = 64 };

// The long names of a line and of its parts, and argp's own, each with its dashes. near_names() asks for them by
// number.
static char names[MOST_NAMES][NAME_BYTES];
static int count;

static const char *name_at(int i)
{
    return i < count ? names[i] : NULL;
}

static void add_name(const char *name)
{
    if (name != NULL && count < MOST_NAMES) snprintf(names[count++], NAME_BYTES, "--%s", name);
}

static void list_names(const struct command_line *line)
{
    for (count = 0; line != NULL; line = line->part)
        for (int i = 0; !command_option_is_end(&line->options[i]); i++) add_name(line->options[i].name);
    add_name("help");
    add_name("usage");
    add_name("version");
}

// Is this the option that `word` gives? `length`: of its name, which may be cut; 0 for "-x".
static bool is_given(const struct command_option *option, const char *word, size_t length)
{
    if (length == 0) return option->letter == word[1];
    return option->name != NULL && strncmp(option->name, word + 2, length - 2) == 0;
}

// Does the word behind `word` belong to it?
static int takes_next(const struct command_line *line, const char *word, size_t length)
{
    if (word[length == 0 ? 2 : length] != '\0') return 0; // it has its value
    for (; line != NULL; line = line->part)
        for (int i = 0; !command_option_is_end(&line->options[i]); i++)
            if (is_given(&line->options[i], word, length)) return line->options[i].argument != NULL;
    return 0;
}

static bool is_name(const char *word, size_t length)
{
    bool found = false;
    for (int i = 0; i < count; i++) found |= strncmp(names[i], word, length) == 0;
    return found;
}

int command_near_check(const struct command_line *line, const char *command, int argc, char **argv)
{
    list_names(line);
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        const char *word = argv[i];
        size_t length = strncmp(word, "--", 2) == 0 ? strcspn(word, "=") : 0;
        if (word[0] != '-' || word[1] == '\0') {
            if (line->is_program) return 0;
        } else if (length != 0 && !is_name(word, length)) {
            struct text given;
            text_set(&given, "%.*s", (int)length, word);
            return command_usage(command, "there is no option '%s'%s", given.at, near_names(given.at, name_at).at);
        } else
            i += takes_next(line, word, length);
    }
    return 0;
}
