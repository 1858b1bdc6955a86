// SPDX-License-Identifier: MIT
#include "command_help.h"

#include <stdio.h>
#include <string.h>

#include "command.h"

// The arguments that the tables name so are names of files.
static const char *const file_words[] = {"FILE", "FOLDER", "TRACE", "MAP"};

static void print_files(void)
{
    printf(":files\n");
}

void command_complete_word(const char *typed, const char *before, const char *candidate, const char *help)
{
    if (strncmp(typed, candidate, strlen(typed)) != 0) return;
    printf("%s%s%s%.*s\n", before, candidate, help == NULL ? "" : "\t", help == NULL ? 0 : (int)strcspn(help, "\n"),
           help == NULL ? "" : help);
}

static void print_values(const char *typed, const char *before, const char *const *words,
                         const char *(*value_at)(int i))
{
    for (int i = 0; words != NULL && words[i] != NULL; i++) command_complete_word(typed, before, words[i], NULL);
    for (int i = 0; value_at != NULL && value_at(i) != NULL; i++)
        command_complete_word(typed, before, value_at(i), NULL);
}

// The option of that name or letter, itself and not its alias; NULL if the table has none.
static const struct command_option *find_in(const struct command_line *line, const char *name, size_t length,
                                            char letter)
{
    const struct command_option *owner = NULL;
    for (const struct command_option *row = line->options; !command_option_is_end(row); row++) {
        if (!row->is_alias) owner = row;
        if (row->name == NULL) continue;
        if (letter != 0 ? row->letter == letter : strlen(row->name) == length && memcmp(row->name, name, length) == 0)
            return owner;
    }
    return line->part == NULL ? NULL : find_in(line->part, name, length, letter);
}

// The option that `word` is, --name, --name=... or -n; NULL if it is none.
static const struct command_option *find_option(const struct command_line *line, const char *word)
{
    if (strncmp(word, "--", 2) == 0) return find_in(line, word + 2, strcspn(word + 2, "="), 0);
    if (word[0] == '-' && word[1] != '\0' && word[2] == '\0') return find_in(line, "", 0, word[1]);
    return NULL;
}

// Is it an option whose value is the next word?
static const struct command_option *find_waiting(const struct command_line *line, const char *word)
{
    const struct command_option *option = strchr(word, '=') == NULL ? find_option(line, word) : NULL;
    return option != NULL && option->argument != NULL ? option : NULL;
}

static void print_option_values(const struct command_option *option, const char *typed, const char *before)
{
    print_values(typed, before, option->words, option->value_at);
    for (size_t i = 0; i < sizeof file_words / sizeof file_words[0]; i++)
        if (option->argument != NULL && strcmp(option->argument, file_words[i]) == 0) print_files();
}

static void print_options(const struct command_line *line, const char *typed)
{
    const struct command_option *owner = NULL;
    for (const struct command_option *row = line->options; !command_option_is_end(row); row++) {
        char name[64];
        if (!row->is_alias) owner = row;
        if (row->name == NULL || owner == NULL) continue;
        snprintf(name, sizeof name, "--%s%s", row->name, owner->argument != NULL ? "=" : "");
        command_complete_word(typed, "", name, command_option_help(line, owner).at);
    }
    if (line->part != NULL) print_options(line->part, typed);
}

// Has the line of a command that runs a program come to the program? Then all else is the program's.
static bool is_past_program(const struct command_line *line, int words, char *const *word)
{
    for (int i = 0; line->is_program && i + 1 < words; i++) {
        if (strcmp(word[i], "--") == 0 || word[i][0] != '-') return true;
        if (find_waiting(line, word[i]) != NULL) i++;
    }
    return false;
}

void command_complete(const struct command_line *line, int words, char *const *word)
{
    const char *typed = word[words - 1], *equals = strchr(typed, '=');
    const struct command_option *option = words > 1 ? find_waiting(line, word[words - 2]) : NULL;
    char before[64];
    if (is_past_program(line, words, word)) {
        print_files();
    } else if (option != NULL) {
        print_option_values(option, typed, "");
    } else if (strncmp(typed, "--", 2) == 0 && equals != NULL) {
        option = find_option(line, typed);
        snprintf(before, sizeof before, "%.*s", (int)(equals + 1 - typed), typed);
        if (option != NULL) print_option_values(option, equals + 1, before);
    } else if (typed[0] == '-') {
        print_options(line, typed);
        command_complete_word(typed, "", "--help", "show the options");
    } else {
        print_values(typed, "", line->words, line->value_at);
        if ((line->argument != NULL || line->twice != NULL) && line->words == NULL && line->value_at == NULL)
            print_files();
    }
}
