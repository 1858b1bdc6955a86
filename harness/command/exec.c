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
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "command_option.h"
#include "common_program.h"
#include "exec_expect.h"
#include "exec_findings.h"
#include "exec_inputs.h"
#include "exec_needs.h"
#include "exec_notes.h"
#include "look.h"
#include "options.h"

// Statuses: of a program for which the loader does not find a library; of a test that is skipped, as automake, ctest
// (SKIP_RETURN_CODE) and Meson know it.
enum { NOT_LOADED = 127, SKIPPED = 77 };

struct exec_options {
    char **program;       // ends with NULL; NULL if none was given
    const char *at_break; // an option that was given and means nothing without --break, or NULL
    const char *sarif;
    struct exec_expectation expectation;
};

// The variables that carry options, and what they may be.
static const struct row {
    const char *variable, *words; // words: NULL for a number or a text
    uint64_t least, most;         // most 0: a text
} rows[] = {
#define NUMBER_ROW(member, variable, least, most) {variable, NULL, least, most},
#define WORD_ROW(member, variable, words)         {variable, words, 0, 0},
#define TEXT_ROW(member, variable)                {variable, NULL, 0, 0},
    DRIVER_NUMBER_ROWS(NUMBER_ROW) DRIVER_WORD_ROWS(WORD_ROW) DRIVER_TEXT_ROWS(TEXT_ROW)
#undef NUMBER_ROW
#undef WORD_ROW
#undef TEXT_ROW
};

// Their places in `rows`.
enum {
#define PLACE(member, ...) ROW_##member,
    DRIVER_NUMBER_ROWS(PLACE) DRIVER_WORD_ROWS(PLACE) DRIVER_TEXT_ROWS(PLACE)
#undef PLACE
};

// A file that the program's kernels write. It is there before the program starts; what stood in it stays until then.
struct output {
    const char *variable;
    bool is_ours; // it was not there before
    struct stat status;
};

// Can the file of a variable be written? The program may change its folder: it is given the whole path.
static int open_output(struct output *output)
{
    const char *path = getenv(output->variable);
    if (path == NULL || path[0] == '\0') return EXIT_AGREE;
    struct stat *status = &output->status;
    const bool is_new = access(path, F_OK) != 0;
    const int file = open(path, O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0666);
    const bool is_there = file >= 0 ? fstat(file, status) == 0 : errno == ENXIO && stat(path, status) == 0;
    const int error = errno;
    char *whole = is_there ? realpath(path, NULL) : NULL;
    if (file >= 0) close(file);
    if (is_there && !S_ISREG(status->st_mode)) {
        free(whole);
        return command_usage("exec", "cannot write %s: it is not a regular file", path);
    }
    if (whole == NULL) return command_usage("exec", "cannot write %s: %s", path, strerror(error));
    output->is_ours = is_new;
    const bool is_set = setenv(output->variable, whole, 1) == 0;
    free(whole);
    return is_set ? EXIT_AGREE : command_usage("exec", "%s: %s", output->variable, strerror(errno));
}

enum { COVERAGE, TRACE, WRITE_SYNC, OUTPUTS };

static int open_outputs(struct output output[OUTPUTS])
{
    for (int i = 0; i < OUTPUTS; i++)
        if (open_output(&output[i]) != EXIT_AGREE) return EXIT_USAGE;
    const struct stat *coverage = &output[COVERAGE].status, *trace = &output[TRACE].status;
    if (coverage->st_ino != 0 && coverage->st_ino == trace->st_ino && coverage->st_dev == trace->st_dev)
        return command_usage("exec", "--trace and --coverage name one file");
    return EXIT_AGREE;
}

// The program did not start.
static void remove_outputs(const struct output output[OUTPUTS])
{
    for (int i = 0; i < OUTPUTS; i++)
        if (output[i].is_ours) unlink(getenv(output[i].variable));
}

// The program ended: says of each file that nothing was written to it. 0 if one is gone: its library has told that it
// could not be written.
static bool tell_outputs(const struct output output[OUTPUTS])
{
    bool are_there = true;
    for (int i = 0; i < OUTPUTS; i++) {
        const struct stat *before = &output[i].status;
        const char *path = getenv(output[i].variable);
        struct stat now;
        if (before->st_ino == 0) continue;
        if (stat(path, &now) != 0) {
            are_there = false;
            continue;
        }
        const bool is_same = now.st_ino == before->st_ino && now.st_size == before->st_size &&
                             now.st_mtim.tv_sec == before->st_mtim.tv_sec &&
                             now.st_mtim.tv_nsec == before->st_mtim.tv_nsec;
        if (now.st_size == 0 || is_same)
            fprintf(stderr, "tmaref exec: no kernel was recorded: %s is %s\n", path,
                    now.st_size == 0 ? "empty" : "as it was");
    }
    return are_there;
}

static bool is_place(const char *text)
{
    size_t length;
    uint32_t line;
    return look_break_read(text, &length, &line);
}

static bool is_triple(const char *text)
{
    struct look_triple triple;
    return look_triple_read(text, &triple);
}

static bool is_what(const char *text)
{
    unsigned what;
    return look_what_read(text, &what);
}

// What is neither a number nor a word: how it is written.
static const char *wanted_form(size_t row, const char *value)
{
    switch (row) {
    case ROW_break_at:
        return is_place(value) ? NULL : "FILE:LINE or KERNEL:LINE";
    case ROW_cta:
    case ROW_thread:
        return is_triple(value) ? NULL : "numbers X,Y,Z";
    case ROW_why:
        return look_why_check(value) ? NULL
                                     : "NAME+OFFSET@CTA, KERNEL#LAUNCH:NAME+OFFSET@CTA, alloc:N+OFFSET or "
                                       "global:ADDRESS, with :BYTES (1, 2, 4, 8, 16) behind it";
    case ROW_dump:
        return is_what(value) ? NULL : "a list of: registers warp shared barriers all";
    default:
        return NULL;
    }
}

// The words of a row, one after the other. It holds until the next one is asked for.
static const char *word_at(const char *words, int i)
{
    static char word[32];
    for (; i > 0 && *words != '\0'; i--) words += strcspn(words, " "), words += *words == ' ';
    snprintf(word, sizeof word, "%.*s", (int)strcspn(words, " "), words);
    return word[0] == '\0' ? NULL : word;
}

static void check_word(const struct command_option *option, const char *words, const char *text,
                       struct argp_state *state)
{
    struct text list = {""};
    int count = 0;
    if (driver_option_word(words, text) >= 0) return;
    while (word_at(words, count) != NULL) count++;
    for (int i = 0; i < count; i++) text_add_name(&list, word_at(words, i), i, count);
    argp_error(state, "--%s is %s, not '%s'", option->name, list.at, text);
}

// 64M and the like, in bytes.
static const char *read_size(const char *name, const char *text, char *decimal, size_t bytes, struct argp_state *state)
{
    static const char units[] = "KMGT";
    char *end;
    errno = 0;
    const unsigned long long number = strtoull(text, &end, 10);
    const char *unit = *end != '\0' && end[1] == '\0' ? strchr(units, *end) : NULL;
    const int shift = unit == NULL ? 0 : 10 * (int)(unit - units + 1);
    if (*text < '0' || *text > '9' || errno != 0 || (*end != '\0' && unit == NULL) || number == 0 ||
        number > UINT64_MAX >> shift)
        argp_error(state, "--%s takes a size such as 500M or 2G, not '%s'", name, text);
    snprintf(decimal, bytes, "%llu", number << shift);
    return decimal;
}

// Puts the value of an option into its variable, row `at` of `rows`. An option without a value is 1.
static void set_option(const struct command_option *option, void *to, char *value, struct argp_state *state)
{
    const struct row *row = &rows[option->at];
    const char *text = value == NULL ? "1" : value, *form = wanted_form(option->at, text);
    char decimal[24];
    (void)to;
    if (row->words != NULL) check_word(option, row->words, text, state);
    if (form != NULL) argp_error(state, "--%s takes %s, not '%s'", option->name, form, text);
    if (option->at == ROW_limit_memory) {
        text = read_size(option->name, text, decimal, sizeof decimal, state);
    } else if (row->most != 0) {
        snprintf(decimal, sizeof decimal, "%llu",
                 (unsigned long long)command_option_number(option->name, row->least, row->most, text, state));
        text = decimal;
    }
    if (setenv(row->variable, text, 1) != 0) argp_failure(state, EXIT_USAGE, errno, "%s", row->variable);
}

static const char *schedule_at(int i)
{
    return word_at(rows[ROW_schedule].words, i);
}

static const char *device_at(int i)
{
    return word_at(rows[ROW_device].words, i);
}

static const char *bounds_at(int i)
{
    return word_at(rows[ROW_bounds].words, i);
}

static const char *eager_at(int i)
{
    return word_at(rows[ROW_eager].words, i);
}

// The place may also come from the environment.
static void check_line(const void *line, struct argp_state *state)
{
    const struct exec_options *options = line;
    const char *place = getenv(rows[ROW_break_at].variable);
    if (options->at_break != NULL && (place == NULL || place[0] == '\0'))
        argp_error(state, "--%s goes with --break", options->at_break);
}

#define TO struct exec_options
#define SETTING(letter, name, what, member, ...)                                                                       \
    OPTION_TAKEN(letter, name, what, set_option, __VA_ARGS__, .at = ROW_##member)
#define SETTING_AT_BREAK(name, what, member, ...)                                                                      \
    SETTING(0, name, what, member, __VA_ARGS__, .named_at = offsetof(TO, at_break))
static const struct command_option option_rows[] = {
    SETTING('s', "seed", "N", seed, "seed that selects how warps and asynchronous operations interleave (default 0)"),
    SETTING(
        'S', "schedule", "WHEN", schedule,
        "when asynchronous operations take effect: default, late (as late as is legal), early, shuffled (by the seed), "
        "pct (warps and operations have priorities that the seed draws), delay (as --delays says)",
        .value_at = schedule_at),
    SETTING(0, "depth", "N", depth,
            "with pct: N - 1 warps of each cluster get the last place in a later moment (1 to 16, default 3)"),
    SETTING(0, "steps", "N", steps, "with pct: these moments come within N instructions of a warp (default 256)"),
    SETTING(0, "delays", "FILE", delays, "with delay: what is late, as --write-delays and tmaref explore write it"),
    SETTING(0, "write-delays", "FILE", write_delays, "with pct and delay: write what was late, where, and past what"),
    SETTING('t', "threads", "N", threads,
            "run clusters on N threads of this machine, 1 to 64; 0 (default): on all of its processors, where the "
            "order of clusters cannot change what a kernel computes"),
    SETTING(0, "device", "NAME", device, "GPU to report: h200 (default) or h100", .value_at = device_at),
    SETTING(
        0, "bounds", "WHERE", bounds,
        "where device memory ends for kernels: exact (default), at its last byte, or pages, as on a GPU, which maps "
        "whole pages of 2 MiB",
        .value_at = bounds_at),
    SETTING(0, "cuda", "VERSION", cuda,
            "version of CUDA that the driver says it has, as cuDriverGetVersion gives it: 13000 (default) is 13.0"),
    SETTING(0, "eager", "WHERE", eager, "where PyTorch's own operators run: cpu (default), or refuse (they return 209)",
            .value_at = eager_at),
    SETTING(0, "limit-instructions", "N", limit_instructions, "stop a kernel after N warp instructions"),
    SETTING(
        0, "limit-memory", "SIZE", limit_memory,
        "refuse what takes more than SIZE bytes in all (K, M, G: times 1024, ...): PTX, code, variables, registers, "
        "local and shared memory, allocations"),
    SETTING(0, "limit-seconds", "N", limit_seconds, "stop a kernel after N seconds"),
    SETTING(0, "trace", "FILE", trace,
            "write a timeline for Perfetto: CTAs, warps, copies and wgmma in flight, phases of mbarriers"),
    SETTING(0, "write-sync", "FILE", write_sync, "write what synchronises, step by step, as explore --paths reads it"),
    SETTING(0, "coverage", "FILE", coverage, "write the lines of kernels that ran, in lcov format (for genhtml)"),
    SETTING(
        0, "break", "PLACE", break_at,
        "show the state (see --dump) when a thread reaches PLACE: FILE:LINE of the source, or KERNEL:LINE of its PTX"),
    SETTING_AT_BREAK("hit", "N", hit, "with --break: show the N-th warp that reaches it (default 1)"),
    SETTING_AT_BREAK("cta", "X,Y,Z", cta, "with --break: only threads of this CTA"),
    SETTING_AT_BREAK("thread", "X,Y,Z", thread, "with --break: only this thread of a CTA"),
    SETTING(0, "dump", "WHAT", dump,
            "what to show at --break (default registers,barriers), and where a kernel fails: registers, warp "
            "(registers of all lanes), shared, barriers, or all, separated by commas"),
    SETTING(0, "why", "WHERE", why,
            "tell who wrote the value at WHERE, and from which bytes: NAME+OFFSET@CTA of a shared variable (also "
            "KERNEL#LAUNCH:NAME), NAME+OFFSET of a variable of the device, alloc:N+OFFSET, or global:ADDRESS; :BYTES "
            "behind it (default 4)"),
    SETTING(0, "why-writes", "N", why_writes, "with --why: tell the last N writes, 1 to 64 (default 4)"),
    SETTING(0, "stats", NULL, stats,
            "count for each kernel the instructions, the bytes that they moved, and the bank conflicts of each "
            "line"),
    SETTING(0, "check", NULL, check,
            "report missing waits, proxy fences and mbarrier inits on shared memory: the quick form of --sanitize"),
    SETTING(0, "sanitize", NULL, sanitize,
            "report accesses to shared memory that no synchronisation orders, whether they went wrong in this run or "
            "not, and give each launch a verdict"),
    SETTING(0, "remedies", NULL, remedies,
            "as --sanitize; and for each finding, try edits of one line of the PTX on a copy of the launch, and say "
            "which one mends it"),
    SETTING(
        0, "lint-sync", NULL, lint_sync,
        "as --remedies; and in launches in which nothing is found, leave out each fence, wait and barrier of the PTX "
        "by itself on a copy of the launch, and list those that no access needs"),
    SETTING(0, "suppressions", "FILE", suppressions,
            "do not tell the findings of --sanitize that FILE has: lines RULE FILE:LINE, RULE kernel:NAME or RULE *"),
    SETTING(0, "error-exitcode", "N", error_exitcode,
            "exit with status N (0 to 255) if the program ends with status 0, but a kernel failed, or --check or "
            "--sanitize found something"),
    OPTION_TEXT(0, "sarif", "FILE", sarif,
                "also write each failed kernel and each finding of --check and --sanitize as SARIF, which editors and "
                "code hosts show at its line"),
    OPTION_TEXT(
        'e', "expect", "FILE", expectation.file,
        "known failures: lines TEST VERDICT REASON, where VERDICT is fails (a failure is status 0, a success 1) or "
        "skip (the program is not run, status 77)"),
    OPTION_TEXT(0, "test", "NAME", expectation.test, "the TEST that this run is (default: the program's file name)"),
    SETTING('j', "json", NULL, json,
            "print each failed kernel, each finding of --check and --sanitize, and statistics, as one line of JSON"),
    SETTING('v', "verbose", NULL, verbose, "list every group of threads in the report of a hang"),
    SETTING('q', "quiet", NULL, quiet, "do not print why calls are refused"),
    OPTION_END,
};

static void fail_environment(void)
{
    perror("tmaref exec: the environment");
    _exit(EXIT_USAGE);
}

static void set_or_exit(const char *variable, const char *format, const char *folder, const char *rest, int replaces)
{
    char *value;
    if (asprintf(&value, format, folder, rest) < 0 || setenv(variable, value, replaces) != 0) fail_environment();
    free(value);
}

// The library that keeps the PTX of cubins (harness/exec/cubins). Sanitized builds have none: it could not be preloaded
// into other programs. What LD_PRELOAD cannot name by its path, the loader finds in our folder.
static void preload_cubins(const char *folder)
{
    static const char name[] = "libtmaref_cubins.so";
    char path[PATH_MAX + sizeof name];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (access(path, R_OK) == 0 && program_preload(program_can_preload(path) ? path : name) != 0) fail_environment();
}

// What does not begin with - is the name of a file with flags, and stays.
static void add_xla_flags(void)
{
    static const char ours[] = "--xla_gpu_generate_line_info=true --xla_gpu_autotune_level=0";
    const char *flags = getenv("XLA_FLAGS");
    if (flags == NULL || flags[0] == '\0' || flags[0] == '-')
        set_or_exit("XLA_FLAGS", flags == NULL ? "%s" : "%s %s", ours, flags, 1);
}

// Our folder comes first, whatever the user's has. Scripts find our nvidia-smi. Triton finds there a ptxas that gives
// PTX on as it is. A nvcc that the program runs keeps the PTX in machine code. CuPy compiles its reductions instead of
// calling CUB, of which it has machine code alone. PyTorch and JAX find harness/exec/eager. XLA has ptxas keep the PTX,
// and tries no variants of a kernel, for which it launches machine code of its own, and takes memory as it needs it.
// CuTe DSL keeps the PTX too. JAX does not ask NVIDIA's closed libraries for their versions: they would need a GPU for
// that. What the user sets comes last and wins.
static void set_environment(const void *context)
{
    const char *folder = context, *path = getenv("LD_LIBRARY_PATH"), *programs = getenv("PATH");
    const char *flags = getenv("NVCC_APPEND_FLAGS");
    set_or_exit("LD_LIBRARY_PATH", path == NULL ? "%s" : "%s:%s", folder, path, 1);
    set_or_exit("PATH", programs == NULL ? "%s/bin:/usr/bin:/bin" : "%s/bin:%s", folder, programs, 1);
    set_or_exit("NVCC_APPEND_FLAGS", flags == NULL ? "%s" : "%s %s", "-lineinfo", flags, 1);
    set_or_exit("CUPY_ACCELERATORS", "%s", "", NULL, 0);
    add_xla_flags();
    set_or_exit("XLA_PYTHON_CLIENT_PREALLOCATE", "%s", "false", NULL, 0);
    set_or_exit("CUTE_DSL_LINEINFO", "%s", "1", NULL, 0);
    set_or_exit("JAX_SKIP_CUDA_CONSTRAINTS_CHECK", "%s", "1", NULL, 0);
    const char *modules = getenv("PYTHONPATH");
    set_or_exit("PYTHONPATH", modules == NULL ? "%s/python" : "%s/python:%s", folder, modules, 1);
    set_or_exit("TRITON_LIBCUDA_PATH", "%s", folder, NULL, 1);
    set_or_exit("TRITON_PTXAS_PATH", "%s/ptxas", folder, NULL, 0);
    set_or_exit("TRITON_PTXAS_BLACKWELL_PATH", "%s/ptxas", folder, NULL, 0); // what newer ones ask for every GPU
    preload_cubins(folder);
}

// What the program's processes know each other by: no other run has it.
static void name_run(void)
{
    struct timespec now;
    char name[64];
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(name, sizeof name, "r%lx_%llx%08lx", (long)getpid(), (unsigned long long)now.tv_sec,
             (unsigned long)now.tv_nsec);
    if (setenv("TMAREF_RUN", name, 1) != 0) perror("tmaref exec: the environment");
}

// The status of a program that has ended with `status`: --error-exitcode asks for another where something was reported.
static int end_notes(int status)
{
    const char *wanted = getenv(rows[ROW_error_exitcode].variable), *quiet = getenv(rows[ROW_quiet].variable);
    const struct exec_notes notes = exec_notes_close();
    if (quiet == NULL || quiet[0] != '1') exec_notes_tell(&notes);
    if (!exec_notes_answer(&notes, getenv(rows[ROW_why].variable))) return status == 0 ? EXIT_MISMATCH : status;
    return notes.has_error && wanted != NULL && status == 0 ? atoi(wanted) : status;
}

// Runs the program. The files that were asked for are there before it starts, and are told of when it has ended.
static int run(const struct exec_options *options, const char *folder)
{
    struct text why;
    struct output output[OUTPUTS] = {
        {.variable = "TMAREF_COVERAGE"}, {.variable = "TMAREF_TRACE"}, {.variable = "TMAREF_WRITE_SYNC"}};
    if (exec_suppressions() != EXIT_AGREE ||
        exec_delays(rows[ROW_schedule].variable, rows[ROW_delays].variable, rows[ROW_write_delays].variable) !=
            EXIT_AGREE ||
        open_outputs(output) != EXIT_AGREE) {
        remove_outputs(output);
        return EXIT_USAGE;
    }
    if (!exec_notes_open() && getenv(rows[ROW_error_exitcode].variable) != NULL) {
        remove_outputs(output);
        return command_usage("exec", "--error-exitcode: cannot make a file in memory: %s", strerror(errno));
    }
    if (options->sarif != NULL && !exec_findings_open(options->sarif, &why)) {
        remove_outputs(output);
        exec_notes_close();
        return command_usage("exec", "--sarif: %s", why.at);
    }
    name_run();
    const pid_t child = program_start(options->program, set_environment, folder);
    if (child < 0) {
        const int error = errno;
        remove_outputs(output);
        exec_notes_close();
        if (options->sarif != NULL) exec_findings_close(options->sarif, &why);
        return program_not_started("exec", options->program[0], error);
    }
    const int status = program_wait(child);
    if (status == NOT_LOADED) exec_tell_needs(options->program[0], folder);
    bool are_written = tell_outputs(output);
    if (options->sarif != NULL && !exec_findings_close(options->sarif, &why)) {
        fprintf(stderr, "tmaref exec: --sarif: %s\n", why.at);
        are_written = false;
    }
    const int ended = exec_expected_status(&options->expectation, end_notes(status));
    return ended == 0 && !are_written ? EXIT_MISMATCH : ended;
}

int command_exec(int argc, char **argv)
{
    static const struct command_line line = {
        .usage = "[--] PROGRAM [ARGUMENT...]",
        .options = option_rows,
        .argument = take_program,
        .end = check_line,
        .is_program = true,
        .help =
            "Run PROGRAM, a CUDA program, without a GPU: its kernels run on the simulated H200. A kernel that fails is "
            "reported with the rule it broke, the line of "
            "its source, the thread and the instruction.\vThe program needs PTX for sm_90a or an older GPU inside "
            "(nvcc -arch=sm_90a embeds it). -lineinfo adds source lines to reports. docs/exec.md "
            "lists what runs.\n\nThe exit status is the program's; 128 + N if signal N killed it; 2 if it could not "
            "be started. --error-exitcode changes a status of 0. It is 1 where the program's is 0 and the file of "
            "--trace, --coverage or --sarif could not be written.",
    };
    struct exec_options options = {0};
    char folder[PATH_MAX];
    command_line_read(&line, argc, argv, &options);
    if (options.program == NULL)
        return command_usage("exec", "no program given; write: tmaref exec [OPTION...] -- PROGRAM [ARGUMENT...]");
    if (program_part("exec", folder, sizeof folder) != 0)
        return command_usage("exec", "the folder exec with libcuda.so.1 is neither beside the tmaref command nor in "
                                     "its lib folder");
    struct text why;
    if (!exec_expect(&options.expectation, options.program[0], &why)) return command_usage("exec", "%s", why.at);
    if (options.expectation.verdict == EXEC_SKIPPED) {
        fprintf(stderr, "tmaref exec: %s is skipped: %s\n", options.expectation.test, options.expectation.reason.at);
        return SKIPPED;
    }
    return run(&options, folder);
}
