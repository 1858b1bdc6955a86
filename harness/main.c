// SPDX-License-Identifier: MIT
// The command `tmaref`: finds the subcommand and runs it. One row per subcommand, in the order of --help.
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "near.h"
#include "version.h"

static const struct command commands[] = {
    {"replay", "compare the model (or a GPU) with recorded traces", command_replay},
    {"diff", "run random or given cases on two executors and compare", command_diff},
    {"run", "run cases on one executor and print the results", command_run},
    {"record", "write a trace of what a GPU does", command_record},
    {"bench", "time our kernels against the best opponents on a GPU", command_bench},
    {"coverage", "say which formats, operations and rules the traces and generators reach", command_coverage},
    {"list", "list families, executors and rules", command_list},
    {"encode", "make the 128 bytes of a tensor map, or say every reason why not", command_encode},
    {"decode", "name the fields of 128 bytes", command_decode},
    {"explain", "say which element lies where, or what a rule or a CUDA error means", command_explain},
    {"diagnose", "say what explains a tile that is wrong in shared memory", command_diagnose},
    {"compare", "say where two dumps or buffers of one program differ", command_compare},
    {"swizzle", "draw where each 16-byte chunk and bank lands", command_swizzle},
    {"mbarrier", "decode a barrier word, or step a barrier program", command_mbarrier},
    {"ptx", "check PTX, and say what is in it", command_ptx},
    {"exec", "run a CUDA program without a GPU", command_exec},
    {"watch", "run a program and report its cuTensorMapEncode* calls", command_watch},
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static const char *near_command(int i)
{
    return i < COMMANDS ? commands[i].name : NULL;
}

static void print_help(FILE *out)
{
    fprintf(out, "Usage: tmaref COMMAND [OPTION...]\n"
                 "Reference model, simulator and conformance tests of NVIDIA Hopper (sm_90a).\n\n");
    for (int i = 0; i < COMMANDS; i++) fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].summary);
    fprintf(out, "\n'tmaref COMMAND --help' (or 'tmaref help COMMAND') tells the options of one command.\n"
                 "Exit status: 0 all agree, 1 a mismatch or a refusal, 2 usage or environment error.\n");
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

// Runs the command named argv[1] on what follows.
static int run_command(const struct command *command, int argc, char **argv)
{
    char name[32];
    name_help(command, argc, argv);
    snprintf(name, sizeof name, "tmaref %s", command->name);
    argv[1] = name;
    return command->run(argc - 1, argv + 1);
}

// At every exit, that behind --help too: what could not be written is an error.
static void check_output(void)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) return;
    perror("tmaref: standard output");
    _exit(EXIT_USAGE);
}

const char *argp_program_version = "tmaref " TMAREF_VERSION;

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
    for (int i = 0; i < COMMANDS; i++) {
        if (strcmp(argv[1], commands[i].name) != 0) continue;
        return run_command(&commands[i], argc, argv);
    }
    fprintf(stderr, "tmaref: there is no command '%s'%s\n", argv[1], near_names(argv[1], near_command).at);
    fprintf(stderr, "Try 'tmaref --help'.\n");
    return EXIT_USAGE;
}
