// SPDX-License-Identifier: MIT
// `tmaref demo`: three mistakes that people make with TMA, each with the report that finds it, without nvcc and without
// a GPU. The program and its PTX are in harness/demo.
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "command_option.h"
#include "common_program.h"
#include "near.h"

enum { MOST_WORDS = 20, WORDS_BYTES = 200 };

// A demonstration: what is wrong, and what to type next. `shown`: the words of
// `tmaref diagnose` before the file; NULL where the program's own report finds the cause.
static const struct demo {
    const char *name, *what, *shown, *next;
} demos[] = {
    {"hang", "A consumer forgets one arrive on an mbarrier, and the kernel hangs.", NULL,
     "Your own kernel: nvcc -arch=sm_90a -lineinfo x.cu -o x && tmaref exec -- ./x\n"
     "The kernel: docs/examples/cuda/ring.cu. Its other mistakes: docs/tutorial.md."},
    {"tile", "A kernel loads a tile with the 128B swizzle, and reads it as if there were none.",
     "--dtype u16 --dim 128,32 --box 64,32 --coord 0,0 --shared 0x400 --fill iota --dump",
     "Where each 16 bytes land: tmaref swizzle 128B\n"
     "The kernel: docs/examples/cuda/tile.cu. Other causes, and dumps of your own tiles: docs/diagnose.md."},
    {"map", "A program asks for a tensor map whose box is wider than its swizzle, and the driver says only 1.", NULL,
     "The same question without a program: tmaref encode --dtype u16 --dim 128,32 --box 128,32 --swizzle 128B\n"
     "Your own program on a GPU: tmaref watch -- ./x"},
};
enum { DEMOS = sizeof demos / sizeof demos[0] };

struct options {
    const char *name;
};

#define TO struct options
static const struct command_option option_rows[] = {OPTION_END};

static const char *name_at(int i)
{
    return i < DEMOS ? demos[i].name : NULL;
}

static void take_name(void *line, char *argument, struct argp_state *state)
{
    struct options *options = line;
    if (options->name != NULL) argp_error(state, "one demonstration at a time, not also '%s'", argument);
    options->name = argument;
}

static int list_all(void)
{
    for (int i = 0; i < DEMOS; i++) printf("tmaref demo %-6s%s\n", demos[i].name, demos[i].what);
    return EXIT_AGREE;
}

// A command of this program, by its words.
static int run(int (*command)(int argc, char **argv), char **words)
{
    int count = 0;
    while (words[count] != NULL) count++;
    fflush(stdout);
    return command(count, words);
}

static int run_program(const struct demo *demo, char *folder, char *tile)
{
    char program[PATH_MAX + 8];
    snprintf(program, sizeof program, "%s/demo", folder);
    return run(command_exec, (char *[]){"tmaref exec", "--", program, (char *)demo->name, folder, tile, NULL});
}

static int run_shown(const struct demo *demo, char *tile)
{
    char text[WORDS_BYTES], *words[MOST_WORDS] = {"tmaref diagnose"};
    int count = 1;
    snprintf(text, sizeof text, "%s", demo->shown);
    for (char *rest, *word = strtok_r(text, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest))
        words[count++] = word;
    words[count] = tile;
    printf("\n$ tmaref diagnose %s tile.bin\n", demo->shown);
    return run(command_diagnose, words);
}

// The program's mistake makes it end with 1, and so does the cause that is found.
static int show(const struct demo *demo, char *folder, char *tile)
{
    printf("%s\n\n", demo->what);
    int status = run_program(demo, folder, tile);
    if (status == EXIT_MISMATCH && demo->shown != NULL) status = run_shown(demo, tile);
    if (status != EXIT_MISMATCH) return status == EXIT_AGREE ? EXIT_MISMATCH : status;
    printf("\n%s\n", demo->next);
    return EXIT_AGREE;
}

// The tile goes into a file of its own, which is gone at the end.
static int show_with_tile(const struct demo *demo, char *folder)
{
    const char *scratch = getenv("TMPDIR");
    char tile[PATH_MAX];
    snprintf(tile, sizeof tile, "%s/tmaref-demo-XXXXXX", scratch != NULL ? scratch : "/tmp");
    const int file = mkstemp(tile);
    if (file < 0) return command_usage("demo", "cannot write %s: %s", tile, strerror(errno));
    close(file);
    const int status = show(demo, folder, tile);
    unlink(tile);
    return status;
}

int command_demo(int argc, char **argv)
{
    static const struct command_line line = {
        .usage = "[NAME]",
        .options = option_rows,
        .argument = take_name,
        .help = "Show a mistake that people make with TMA, and the report that finds it. No nvcc and no GPU is needed."
                "\vWithout NAME the mistakes are listed: hang, tile, map.\n\nExit status: 0; 1 if the mistake was not "
                "found; 2 usage error.",
    };
    struct options options = {NULL};
    char folder[PATH_MAX];
    int at = 0;
    command_line_read(&line, argc, argv, &options);
    if (options.name == NULL) return list_all();
    while (at < DEMOS && strcmp(demos[at].name, options.name) != 0) at++;
    if (at == DEMOS)
        return command_usage("demo", "there is no demonstration '%s'%s (there are %s)", options.name,
                             near_names(options.name, name_at).at, near_all(name_at).at);
    if (program_part("exec/demo", folder, sizeof folder) != 0)
        return command_usage("demo", "the folder exec/demo is neither beside the tmaref command nor in its lib folder");
    return show_with_tile(&demos[at], folder);
}
