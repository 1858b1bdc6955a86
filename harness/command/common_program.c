// SPDX-License-Identifier: MIT
#define _GNU_SOURCE 1
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"
#include "common_program.h"
#include "plain.h"

enum { SIGNAL_STATUS = 128 };

void take_program(void *line, char *argument, struct argp_state *state)
{
    char ***program = line;
    (void)argument;
    *program = state->argv + state->next - 1;
    state->next = state->argc;
}

pid_t program_start(char **program, void (*prepare)(const void *context), const void *context)
{
    int report[2], failure = 0;
    if (pipe2(report, O_CLOEXEC) != 0) return -1;
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); // a time limit may kill this command alone
        prepare(context);
        execvp(program[0], program);
        failure = errno;
        ssize_t ignored = write(report[1], &failure, sizeof failure);
        _exit(ignored > 0 ? EXIT_USAGE : EXIT_FAILURE);
    }
    if (child < 0) failure = errno;
    close(report[1]);
    if (child > 0 && read(report[0], &failure, sizeof failure) > 0) waitpid(child, NULL, 0);
    close(report[0]);
    errno = failure;
    return failure == 0 ? child : -1;
}

static bool ends_in(const char *name, const char *end)
{
    const size_t length = strlen(name), tail = strlen(end);
    return length > tail && strcmp(name + length - tail, end) == 0;
}

int program_not_started(const char *command, const char *program, int error)
{
    const char *why = strerror(error);
    if (ends_in(program, ".cu"))
        return command_usage(
            command, "%s is a source: compile it (nvcc -arch=sm_90a -lineinfo %s -o x), and type: tmaref %s -- ./x",
            program, program, command);
    if (ends_in(program, ".py"))
        return command_usage(command, "cannot start the program %s: %s; type: tmaref %s -- python3 %s", program, why,
                             command, program);
    if (strchr(program, '/') == NULL && access(program, X_OK) == 0)
        return command_usage(command, "cannot start the program %s: it is not in PATH; did you mean ./%s?", program,
                             program);
    return command_usage(command, "cannot start the program %s: %s", program, why);
}

// Puts `first` before what a variable has, with a colon between.
static int put_before(const char *variable, const char *first)
{
    const char *rest = getenv(variable);
    char *value = NULL;
    const int length = asprintf(&value, "%s%s%s", first, rest == NULL ? "" : ":", rest == NULL ? "" : rest);
    const int result = length < 0 ? -1 : setenv(variable, value, 1);
    if (length >= 0) free(value);
    return result;
}

bool program_can_preload(const char *library)
{
    return strpbrk(library, " :") == NULL;
}

// A program built with a shared address sanitizer refuses any library that comes before the sanitizer's.
int program_preload(const char *library)
{
    return put_before("LD_PRELOAD", library) == 0 ? put_before("ASAN_OPTIONS", "verify_asan_link_order=0") : -1;
}

static volatile sig_atomic_t started; // for the handler: the process to pass a signal on to

static void pass_on(int number)
{
    kill((pid_t)started, number);
}

// The program decides what an interrupt means. The terminal sends it to both; a termination comes to us alone.
static void leave_signals_to(pid_t child)
{
    started = (sig_atomic_t)child;
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    signal(SIGTERM, pass_on);
    signal(SIGHUP, pass_on);
}

int program_wait(pid_t child)
{
    int status = 0;
    leave_signals_to(child);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFSIGNALED(status) ? SIGNAL_STATUS + WTERMSIG(status) : WEXITSTATUS(status);
}

int command_usage(const char *name, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "tmaref %s: ", name);
    plain_vprintf(stderr, format, arguments);
    fprintf(stderr, "\nTry 'tmaref %s --help'.\n", name);
    va_end(arguments);
    return EXIT_USAGE;
}
