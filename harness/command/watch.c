// SPDX-License-Identifier: MIT
// `tmaref watch`: runs a program with the real driver and reports its tensor map calls. The reporting is done inside
// that program by a preloaded library (harness/watch); this file starts the program, waits, and adds up.
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "command.h"
#include "command_option.h"
#include "common_program.h"
#include "files.h"
#include "shared.h"

struct watch_options {
    char **program; // NULL-terminated; NULL if none was given
    int json, only_refused, every;
    const char *output;
};

#define TO struct watch_options
static const struct command_option option_rows[] = {
    OPTION_TEXT('o', "output", "FILE", output, "write the reports to FILE instead of standard error"),
    OPTION_FLAG('j', "json", json, "one JSON object a line"),
    OPTION_FLAG('r', "only-refused", only_refused,
                "report only refused calls, and calls where model and driver differ"),
    OPTION_FLAG('e', "every", every,
                "report every call, also one that repeats another except for addresses (--json always does)"),
    OPTION_END,
};

// The shared block, and the descriptor that the watched processes open it by. NULL with errno on failure.
static struct watch_shared *share_state(int *fd)
{
    *fd = memfd_create("tmaref watch", MFD_CLOEXEC);
    if (*fd < 0 || ftruncate(*fd, sizeof(struct watch_shared)) != 0) return NULL;
    struct watch_shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
    if (shared == MAP_FAILED) return NULL;
    shared->bytes = sizeof *shared;
    shared->command = (int32_t)getpid();
    return shared;
}

// Opens the output once to empty it and to find out now whether it can be written. Returns 0 or an exit status.
static int prepare_output(const char *output, struct watch_shared *shared)
{
    if (output == NULL) return 0;
    int fd = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) return command_usage("watch", "--output %s cannot be written: %s", output, strerror(errno));
    close(fd);
    char *absolute = is_stream(output) ? strdup(output) : realpath(output, NULL);
    bool fits = absolute != NULL && strlen(absolute) < sizeof shared->output;
    if (fits) strcpy(shared->output, absolute);
    free(absolute);
    return fits ? 0 : command_usage("watch", "--output %s is too long a path", output);
}

struct surroundings {
    const char *library, *state_path;
};

// The environment of the watched program, in this process's own; called between fork and exec.
static void set_environment(const void *context)
{
    const struct surroundings *of = context;
    program_preload(of->library);
    setenv(WATCH_STATE_VARIABLE, of->state_path, 1);
}

static void print_summary(const struct watch_shared *shared)
{
    static struct line line;
    line_start(&line);
    watch_summary(shared, &line);
    int fd = shared->output[0] == '\0' ? STDERR_FILENO : open(shared->output, O_WRONLY | O_APPEND | O_CLOEXEC);
    lseek(fd, 0, SEEK_END); // others may have appended
    line_write(&line, fd);
    if (fd > STDERR_FILENO) close(fd);
}

static int watch(const struct watch_options *options, const char *library)
{
    int fd;
    struct watch_shared *shared = share_state(&fd);
    if (shared == NULL) return command_usage("watch", "no shared memory: %s", strerror(errno));
    shared->json = options->json;
    shared->only_refused = options->only_refused;
    shared->every = options->every;
    int status = prepare_output(options->output, shared);
    if (status != 0) return status;

    char state_path[64];
    snprintf(state_path, sizeof state_path, "/proc/%d/fd/%d", (int)getpid(), fd);
    const struct surroundings surroundings = {library, state_path};
    pid_t child = program_start(options->program, set_environment, &surroundings);
    if (child < 0) return program_not_started("watch", options->program[0], errno);
    status = program_wait(child);
    bool is_odd = shared->processes == 0 || (shared->begun == 0 && status != 0);
    shared->has_no_driver = is_odd && dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL) == NULL;
    print_summary(shared);
    return status;
}

int command_watch(int argc, char **argv)
{
    static const struct command_line line = {
        .usage = "[--] PROGRAM [ARGUMENT...]",
        .help =
            "Run PROGRAM with the real CUDA driver and report every tensor map it encodes: the arguments by name, the "
            "driver's answer, every rule that is broken with the nearest legal value, and whether the model of an "
            "H200 agrees."
            "\vThe exit status is the program's; 128 + N if signal N killed it; 2 if it could not be started.",
        .options = option_rows,
        .argument = take_program,
        .is_program = true,
    };
    struct watch_options options = {0};
    char library[WATCH_PATH_BYTES];
    command_line_read(&line, argc, argv, &options);
    if (options.program == NULL)
        return command_usage("watch", "no program given; write: tmaref watch [OPTION...] -- PROGRAM [ARGUMENT...]");
    if (program_part(WATCH_LIBRARY, library, sizeof library) != 0)
        return command_usage("watch", "%s is neither beside the tmaref command nor in its lib folder", WATCH_LIBRARY);
    if (!program_can_preload(library))
        return command_usage("watch", "%s: a library whose path has a blank or a colon cannot be preloaded", library);
    return watch(&options, library);
}
