// SPDX-License-Identifier: MIT
// The options of a command, declared once: what --help says of each, and where in the command's struct its value goes.
// argp reads the line.
#ifndef TMAREF_COMMAND_OPTION_H
#define TMAREF_COMMAND_OPTION_H

#include <argp.h>
#include <stddef.h>
#include <stdint.h>

#include "text.h"

enum option_kind {
    OPTION_KIND_TAKEN,  // what take() makes of it
    OPTION_KIND_FLAG,   // an int, set to 1
    OPTION_KIND_TEXT,   // a const char *
    OPTION_KIND_NUMBER, // a whole number from `least` to `most`, of 4 or 8 bytes
    OPTION_KIND_REAL,   // the same, kept as a double
    OPTION_KIND_WORD,   // one of `words` (NULL ends them); an int holds its position
};

// A row of the table: an option, or a title above the ones that follow (no name). `letter` 0: it has no short form.
// `argument` NULL: it takes none. What it may be, as far as that is a list, has two forms: `words`, which NULL ends,
// and value_at(0), value_at(1), ... up to the first NULL.
struct command_option {
    char letter;
    const char *name, *argument, *help;
    enum option_kind kind;
    size_t at, bytes; // of the member
    uint64_t least, most;
    const char *const *words;
    const char *(*value_at)(int i);
    void (*take)(const struct command_option *option, void *to, char *value, struct argp_state *state);
    bool is_alias;     // another name of the row before
    int group;         // of --help; 0: that of the row before
    size_t counted_at; // an int that counts how often such options were given; 0: none
    size_t named_at;   // a const char * that gets the name of the last such option given; 0: none
};

// A command's line. `usage` and `help` are argp's: what stands behind the options, and what the command does.
//   argument    takes what is no option; or the one text that may stand there goes to the member at `argument_at`, and
//               `twice` says that there is a second one ('%s'). Both NULL: nothing else may stand there
//   end         complains of what does not go together
//   part        options shared with other commands, read into the member at `part_at`
//   start       sets what a part has before; NULL: the caller of command_line_read() does
//   filter      changes texts of the help, as argp has it
//   is_program  the first argument is a program's name, and all that follows is the program's
//   words, value_at  what `argument` takes, as of an option; without them it takes names of files
struct command_line {
    const char *usage, *help;
    const struct command_option *options;
    void (*argument)(void *to, char *argument, struct argp_state *state);
    const char *twice;
    size_t argument_at;
    void (*end)(const void *to, struct argp_state *state);
    const struct command_line *part;
    size_t part_at;
    void (*start)(void *to);
    char *(*filter)(int key, const char *text, void *input);
    bool is_program;
    const char *const *words;
    const char *(*value_at)(int i);
};

// Reads the line into the struct `to`. Exits, as argp does, after --help or a complaint; and after what a shell or the
// maker of manual pages asks of the tables (command_help.h).
void command_line_read(const struct command_line *line, int argc, char **argv, void *to);

// The whole number that is the value of option --NAME; exits with a complaint if it is none from `least` to `most`.
uint64_t command_option_number(const char *name, uint64_t least, uint64_t most, const char *value,
                               struct argp_state *state);

// Is this the row behind the last one?
bool command_option_is_end(const struct command_option *option);

// What --help says of an option of the line; the same of the command, before and after the options (NULL: nothing).
// command_help_close() gives the latter back.
struct text command_option_help(const struct command_line *line, const struct command_option *option);
struct command_help {
    char *before, *after;
};
struct command_help command_help_open(const struct command_line *line);
void command_help_close(struct command_help *help);

// The rows of a table. TO is the struct of the command, which the file defines; other members may follow the help.
#define OPTION_AT(member) .at = offsetof(TO, member), .bytes = sizeof(((TO *)0)->member)
#define OPTION_FLAG(short_form, long_form, member, ...)                                                                \
    {                                                                                                                  \
        .kind = OPTION_KIND_FLAG, .letter = short_form, .name = long_form, OPTION_AT(member), .help = __VA_ARGS__      \
    }
#define OPTION_TEXT(short_form, long_form, what, member, ...)                                                          \
    {                                                                                                                  \
        .kind = OPTION_KIND_TEXT, .letter = short_form, .name = long_form, .argument = what, OPTION_AT(member),        \
        .help = __VA_ARGS__                                                                                            \
    }
#define OPTION_NUMBER(short_form, long_form, what, member, least_number, most_number, ...)                             \
    {                                                                                                                  \
        .kind = OPTION_KIND_NUMBER, .letter = short_form, .name = long_form, .argument = what, OPTION_AT(member),      \
        .least = least_number, .most = most_number, .help = __VA_ARGS__                                                \
    }
#define OPTION_REAL(short_form, long_form, what, member, least_number, most_number, ...)                               \
    {                                                                                                                  \
        .kind = OPTION_KIND_REAL, .letter = short_form, .name = long_form, .argument = what, OPTION_AT(member),        \
        .least = least_number, .most = most_number, .help = __VA_ARGS__                                                \
    }
#define OPTION_WORD(short_form, long_form, what, member, all_words, ...)                                               \
    {                                                                                                                  \
        .kind = OPTION_KIND_WORD, .letter = short_form, .name = long_form, .argument = what, OPTION_AT(member),        \
        .words = all_words, .help = __VA_ARGS__                                                                        \
    }
// take(option, struct, value, state)
#define OPTION_TAKEN(short_form, long_form, what, function, ...)                                                       \
    {                                                                                                                  \
        .letter = short_form, .name = long_form, .argument = what, .take = function, .help = __VA_ARGS__               \
    }
#define OPTION_ALIAS_OF_IT(long_form)                                                                                  \
    {                                                                                                                  \
        .name = long_form, .is_alias = 1                                                                               \
    }
#define OPTION_TITLE(number, words_of_it)                                                                              \
    {                                                                                                                  \
        .group = number, .help = words_of_it                                                                           \
    }
#define OPTION_END                                                                                                     \
    {                                                                                                                  \
        .help = NULL                                                                                                   \
    }

#endif
