// SPDX-License-Identifier: MIT
// The command `tmaref`: finds the subcommand and runs it.
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "command_help.h"
#include "near.h"
#include "plain.h"
#include "version_text.h"

static const struct command commands[] = {
#define COMMAND(name, summary) {#name, summary, command_##name},
#include "commands.def"
#undef COMMAND
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static const char *near_command(int i)
{
    return i < COMMANDS ? commands[i].name : NULL;
}

static const char about[] = "Reference model, simulator and conformance tests of NVIDIA Hopper (sm_90a).",
                  more[] = "'tmaref COMMAND --help' (or 'tmaref help COMMAND') shows the options of one command.\n"
                           "Exit status: 0 all agree, 1 a mismatch or a refusal, 2 usage or environment error.";

static void print_help(FILE *out)
{
    fprintf(out, "Usage: tmaref COMMAND [OPTION...]\n%s\n\n", about);
    for (int i = 0; i < COMMANDS; i++) fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].summary);
    fprintf(out, "\n%s\n", more);
}

static void print_man(void)
{
    man_head("tmaref", about);
    man_section("SYNOPSIS");
    man_text("tmaref COMMAND [OPTION...]");
    man_section("COMMANDS");
    for (int i = 0; i < COMMANDS; i++) man_term(commands[i].name, commands[i].summary);
    man_section("NOTES");
    man_text(more);
    man_section("SEE ALSO");
    for (int i = 0; i < COMMANDS; i++) man_see(commands[i].name, i + 1 < COMMANDS);
}

// argp knows -? and not -h. What follows `--`, or the program of `exec` and `watch`, is not ours.
static void name_help(const struct command *command, int argc, char **argv)
{
    static char help[] = "--help";
    for (int i = 2; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if ((command->run == command_watch || command->run == command_exec) && argv[i][0] != '-') return;
        if (strcmp(argv[i], "-h") == 0) argv[i] = help;
    }
}

static const struct command *find(const char *name)
{
    for (int i = 0; i < COMMANDS; i++)
        if (strcmp(name, commands[i].name) == 0) return &commands[i];
    return NULL;
}

// Runs the command on argv[2] and what follows. It takes argv[1] for its own name.
static int run_command(const struct command *command, int argc, char **argv)
{
    char name[32];
    snprintf(name, sizeof name, "tmaref %s", command->name);
    argv[1] = name;
    return command->run(argc - 1, argv + 1);
}

static int refuse_command(const char *name)
{
    plain_printf(stderr, "tmaref: there is no command '%s'%s\n", name, near_names(name, near_command).at);
    fprintf(stderr, "Try 'tmaref --help'.\n");
    return EXIT_USAGE;
}

static void complete_command(const char *typed)
{
    for (int i = 0; i < COMMANDS; i++) command_complete_word(typed, "", commands[i].name, commands[i].summary);
}

// The first word behind `tmaref`. Options come where one is begun.
static void complete_first(const char *typed)
{
    complete_command(typed);
    command_complete_word(typed, "", "help", "show the options of one command");
    if (typed[0] != '-') return;
    command_complete_word(typed, "", "--help", "list the commands");
    command_complete_word(typed, "", "--version", "print the version");
}

// `tmaref --complete COMMAND WORD... CURRENT`: the command is asked as if it had been given --complete and these words.
static int complete(int argc, char **argv)
{
    if (argc <= 3) {
        complete_first(argc == 3 ? argv[2] : "");
        return EXIT_AGREE;
    }
    if (strcmp(argv[2], "help") == 0) {
        if (argc == 4) complete_command(argv[3]);
        return EXIT_AGREE;
    }
    const struct command *command = find(argv[2]);
    if (command == NULL) return refuse_command(argv[2]);
    argv[2] = argv[1];
    return run_command(command, argc, argv);
}

// `tmaref --man [COMMAND]`
static int print_page(int argc, char **argv)
{
    const struct command *command = argc > 2 ? find(argv[2]) : NULL;
    if (argc > 2 && command == NULL) return refuse_command(argv[2]);
    if (command == NULL) {
        print_man();
        return EXIT_AGREE;
    }
    char *page[] = {argv[0], NULL, argv[1], (char *)command->summary, NULL};
    return run_command(command, 4, page);
}

// At every exit, that behind --help too: what could not be written is an error.
static void check_output(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) return;
    perror("tmaref: standard output");
    _exit(EXIT_USAGE);
}

const char *argp_program_version = "tmaref " TMAREF_VERSION_TEXT;

int main(int argc, char **argv)
{
    argp_err_exit_status = EXIT_USAGE;
    atexit(check_output);
    if (argc < 2) {
        print_help(stderr);
        return EXIT_USAGE;
    }
    char *help[] = {argv[0], argc > 2 ? argv[2] : NULL, "--help", NULL};
    if (strcmp(argv[1], "help") == 0 && argc > 2) argc = 3, argv = help;
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        print_help(stdout);
        return EXIT_AGREE;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        printf("%s\n", argp_program_version);
        return EXIT_AGREE;
    }
    if (strcmp(argv[1], COMMAND_COMPLETE) == 0) return complete(argc, argv);
    if (strcmp(argv[1], COMMAND_MAN) == 0) return print_page(argc, argv);
    const struct command *command = find(argv[1]);
    if (command != NULL) {
        name_help(command, argc, argv);
        return run_command(command, argc, argv);
    }
    return refuse_command(argv[1]);
}
