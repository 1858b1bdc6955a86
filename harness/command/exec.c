// SPDX-License-Identifier: MIT
// `tmaref exec`: runs a CUDA program on the simulated GPU. The program finds our libcuda.so.1 and libcudart.so.13
// (model/driver, model/runtime) before any other; the options travel in its environment (model/driver/options.h).
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "common_program.h"
#include "look.h"
#include "options.h"

enum {
    OPTION_LIMIT_INSTRUCTIONS = 0x100,
    OPTION_LIMIT_SECONDS,
    OPTION_DEVICE,
    OPTION_COVERAGE,
    OPTION_TRACE,
    OPTION_STATS,
    OPTION_BREAK,
    OPTION_HIT,
    OPTION_CTA,
    OPTION_THREAD,
    OPTION_DUMP
};

static const struct argp_option option_rows[] = {
    {"seed", 's', "N", 0, "pick the interleaving of warps and of asynchronous operations by this seed (default 0)", 0},
    {"schedule", 'S', "WHEN", 0,
     "when asynchronous operations happen: default, late (as late as is legal), early, shuffled (by the seed)", 0},
    {"threads", 't', "N", 0, "run clusters on N threads of this machine, at most 64 (default 1)", 0},
    {"device", OPTION_DEVICE, "NAME", 0, "what GPU to be: h200 (default) or h100", 0},
    {"limit-instructions", OPTION_LIMIT_INSTRUCTIONS, "N", 0, "stop a kernel after N instructions of warps", 0},
    {"limit-seconds", OPTION_LIMIT_SECONDS, "N", 0, "stop a kernel after N seconds", 0},
    {"trace", OPTION_TRACE, "FILE", 0,
     "write a timeline for Perfetto: CTAs, warps, copies and products under way, phases of mbarriers", 0},
    {"coverage", OPTION_COVERAGE, "FILE", 0,
     "write which lines of kernels ran, in the format of lcov (genhtml makes pages of it)", 0},
    {"break", OPTION_BREAK, "PLACE", 0,
     "show what --dump says when a thread comes to PLACE: FILE:LINE of the source, or KERNEL:LINE of its PTX", 0},
    {"hit", OPTION_HIT, "N", 0, "with --break: show the N-th warp that comes there (default 1)", 0},
    {"cta", OPTION_CTA, "X,Y,Z", 0, "with --break: threads of this CTA alone", 0},
    {"thread", OPTION_THREAD, "X,Y,Z", 0, "with --break: this thread of a CTA alone", 0},
    {"dump", OPTION_DUMP, "WHAT", 0,
     "what to show at --break (default registers,barriers), and where a kernel fails: registers, warp (registers of "
     "all lanes), shared, barriers, or all, with commas between",
     0},
    {"stats", OPTION_STATS, NULL, 0,
     "tell of each kernel which instructions ran, the bytes that they moved, and the bank conflicts of each line", 0},
    {"json", 'j', NULL, 0, "report a kernel that fails, and statistics, as one line of JSON", 0},
    {"quiet", 'q', NULL, 0, "do not say why calls are refused", 0},
    {0}};

struct exec_options {
    char **program; // ends with NULL; NULL if none was given
};

// The variables that carry options, and what they may be.
static const struct row {
    const char *variable, *words; // words: NULL for a number or a text
    uint64_t most;                // 0: a text
} rows[] = {
#define NUMBER_ROW(member, variable, most) {variable, NULL, most},
#define WORD_ROW(member, variable, words)  {variable, words, 0},
#define TEXT_ROW(member, variable)         {variable, NULL, 0},
    DRIVER_NUMBER_ROWS(NUMBER_ROW) DRIVER_WORD_ROWS(WORD_ROW) DRIVER_TEXT_ROWS(TEXT_ROW)
#undef NUMBER_ROW
#undef WORD_ROW
#undef TEXT_ROW
};

static const struct {
    int key;
    const char *variable;
} keys[] = {
    {'s', "TMAREF_SEED"},
    {'t', "TMAREF_THREADS"},
    {OPTION_LIMIT_INSTRUCTIONS, "TMAREF_LIMIT_INSTRUCTIONS"},
    {OPTION_LIMIT_SECONDS, "TMAREF_LIMIT_SECONDS"},
    {'S', "TMAREF_SCHEDULE"},
    {OPTION_DEVICE, "TMAREF_DEVICE"},
    {OPTION_COVERAGE, "TMAREF_COVERAGE"},
    {OPTION_BREAK, "TMAREF_BREAK"},
    {OPTION_HIT, "TMAREF_BREAK_HIT"},
    {OPTION_CTA, "TMAREF_BREAK_CTA"},
    {OPTION_THREAD, "TMAREF_BREAK_THREAD"},
    {OPTION_DUMP, "TMAREF_DUMP"},
    {OPTION_TRACE, "TMAREF_TRACE"},
};

static const struct row *row_of(int key)
{
    const char *variable = "";
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (keys[i].key == key) variable = keys[i].variable;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].variable, variable) == 0) return &rows[i];
    return NULL;
}

// Can the file of a variable be written? Its content stays, should the program never start. The program may change its
// folder: it is given the whole path.
static int set_file(const char *variable)
{
    const char *path = getenv(variable);
    struct stat status;
    if (path == NULL || path[0] == '\0') return EXIT_AGREE;
    const int file = open(path, O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0666);
    const int is_there = file >= 0 ? fstat(file, &status) == 0 : errno == ENXIO && stat(path, &status) == 0;
    const int error = errno;
    char *whole = is_there ? realpath(path, NULL) : NULL;
    if (file >= 0) close(file);
    if (is_there && !S_ISREG(status.st_mode)) {
        free(whole);
        return command_usage("exec", "cannot write %s: it is no regular file", path);
    }
    if (whole == NULL) return command_usage("exec", "cannot write %s: %s", path, strerror(error));
    const int is_set = setenv(variable, whole, 1) == 0;
    free(whole);
    return is_set ? EXIT_AGREE : command_usage("exec", "%s: %s", variable, strerror(errno));
}

static int is_place(const char *text)
{
    size_t length;
    uint32_t line;
    return look_break_read(text, &length, &line);
}

static int is_triple(const char *text)
{
    struct look_triple triple;
    return look_triple_read(text, &triple);
}

static int is_what(const char *text)
{
    unsigned what;
    return look_what_read(text, &what);
}

// What is neither a number nor a word: how it is written.
static error_t set_text(const struct row *row, int key, const char *argument, struct argp_state *state)
{
    static const struct {
        int key;
        int (*is_good)(const char *text);
        const char *want;
    } forms[] = {{OPTION_BREAK, is_place, "FILE:LINE or KERNEL:LINE"},
                 {OPTION_CTA, is_triple, "numbers X,Y,Z"},
                 {OPTION_THREAD, is_triple, "numbers X,Y,Z"},
                 {OPTION_DUMP, is_what, "a list of: registers warp shared barriers all"}};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (forms[i].key != key || forms[i].is_good(argument)) continue;
        argp_error(state, "'%s' is not %s", argument, forms[i].want);
        return EINVAL;
    }
    return setenv(row->variable, argument, 1) == 0 ? 0 : errno;
}

static error_t set_option(const struct row *row, int key, const char *argument, struct argp_state *state)
{
    uint64_t value;
    char number[24];
    if (row->words == NULL && row->most == 0) return set_text(row, key, argument, state);
    if (row->words != NULL && driver_option_word(row->words, argument) < 0) {
        argp_error(state, "'%s' is not one of: %s", argument, row->words);
        return EINVAL;
    }
    if (row->words == NULL && !parse_u64(argument, row->most, &value)) {
        argp_error(state, "'%s' is not a whole number from 0 to %llu", argument, (unsigned long long)row->most);
        return EINVAL;
    }
    if (row->words == NULL) {
        snprintf(number, sizeof number, "%llu", (unsigned long long)value);
        argument = number;
    }
    return setenv(row->variable, argument, 1) == 0 ? 0 : errno;
}

static error_t set_flag(const char *variable)
{
    return setenv(variable, "1", 1) == 0 ? 0 : errno;
}

static error_t parse_option(int key, char *argument, struct argp_state *state)
{
    struct exec_options *options = state->input;
    const struct row *row = row_of(key);
    if (row != NULL) return set_option(row, key, argument, state);
    switch (key) {
    case 'j':
        return set_flag("TMAREF_JSON");
    case 'q':
        return set_flag("TMAREF_QUIET");
    case OPTION_STATS:
        return set_flag("TMAREF_STATS");
    case ARGP_KEY_ARG:
        options->program = state->argv + state->next - 1;
        state->next = state->argc;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static void set_or_exit(const char *variable, const char *format, const char *folder, const char *rest, int replaces)
{
    char *value;
    if (asprintf(&value, format, folder, rest) < 0 || setenv(variable, value, replaces) != 0) {
        perror("tmaref exec: the environment");
        _exit(EXIT_USAGE);
    }
    free(value);
}

// Our folder comes first, whatever the user's has. Triton finds there a ptxas that gives PTX on as it is.
static void set_environment(const void *context)
{
    const char *folder = context, *path = getenv("LD_LIBRARY_PATH");
    set_or_exit("LD_LIBRARY_PATH", path == NULL ? "%s" : "%s:%s", folder, path, 1);
    set_or_exit("TRITON_LIBCUDA_PATH", "%s", folder, NULL, 1);
    set_or_exit("TRITON_PTXAS_PATH", "%s/ptxas", folder, NULL, 0);
    set_or_exit("TRITON_PTXAS_BLACKWELL_PATH", "%s/ptxas", folder, NULL, 0); // what newer ones ask for every GPU
}

int command_exec(int argc, char **argv)
{
    static const struct argp argp = {
        .options = option_rows,
        .parser = parse_option,
        .args_doc = "[--] PROGRAM [ARGUMENT...]",
        .doc = "Run PROGRAM, which was linked with nvcc -cudart shared (or uses the driver API), without a GPU: its "
               "kernels run on the simulated H200. A kernel that fails is reported with the rule it broke, the line of "
               "its source, the thread and the instruction.\vThe program needs PTX for sm_90a or an older GPU inside "
               "(nvcc -arch=sm_90a puts it there); -lineinfo adds the lines of the source to reports. docs/exec.md "
               "says what runs.\n\nThe exit status is the program's; 128 + N if signal N killed it; 2 if it could not "
               "be started."};
    struct exec_options options = {0};
    char folder[PATH_MAX];
    argp_err_exit_status = EXIT_USAGE;
    if (argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &options) != 0) return EXIT_USAGE;
    if (options.program == NULL)
        return command_usage("exec", "no program given; write: tmaref exec [OPTION...] -- PROGRAM [ARGUMENT...]");
    if (program_part("exec", folder, sizeof folder) != 0)
        return command_usage("exec", "the folder exec with libcuda.so.1 is neither beside the tmaref command nor in "
                                     "its lib folder");
    const int status = set_file("TMAREF_COVERAGE") != EXIT_AGREE ? EXIT_USAGE : set_file("TMAREF_TRACE");
    if (status != EXIT_AGREE) return status;
    const pid_t child = program_start(options.program, set_environment, folder);
    if (child < 0) return command_usage("exec", "cannot start the program %s: %s", options.program[0], strerror(errno));
    return program_wait(child);
}
