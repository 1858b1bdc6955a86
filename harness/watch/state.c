// SPDX-License-Identifier: MIT
// Where the watched process finds the options, counts its calls and writes its reports. Set up on first use, because
// a program's own constructors may call the driver before ours run.
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "watch.h"

enum { OUTPUT_FD_MIN = 200 }; // out of the way of programs that expect small numbers

static struct watch_shared own_state = {.bytes = sizeof(struct watch_shared)};
static struct watch_shared *state = &own_state;
static int output_fd = -1;
static struct stat output_stat;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void map_state(void)
{
    const char *path = getenv(WATCH_STATE_VARIABLE);
    int fd = path == NULL ? -1 : open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0) return;
    void *memory = mmap(NULL, sizeof *state, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (memory == MAP_FAILED) return;
    state = memory;
    if (state->bytes != sizeof *state) state = &own_state;
}

// A descriptor of our own, so that a program that closes or redirects its standard error keeps its reports. `fd` is
// closed if it was opened for this.
static void keep_output(int fd, bool is_opened)
{
    output_fd = fcntl(fd, F_DUPFD_CLOEXEC, OUTPUT_FD_MIN);
    if (output_fd < 0) output_fd = fd;
    if (is_opened && fd >= 0 && fd != output_fd) close(fd);
    if (output_fd >= 0 && fstat(output_fd, &output_stat) != 0) output_fd = -1;
}

static void open_output(void)
{
    if (state->output[0] == '\0')
        keep_output(STDERR_FILENO, false);
    else
        keep_output(open(state->output, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666), true);
}

static void set_up(void)
{
    map_state();
    open_output();
}

struct watch_shared *watch_state(void)
{
    pthread_once(&once, set_up);
    return state;
}

// A program may close every descriptor it does not know, and the number may be another file's by now.
static bool output_is_ours(void)
{
    struct stat now;
    return output_fd >= 0 && fstat(output_fd, &now) == 0 && now.st_dev == output_stat.st_dev &&
           now.st_ino == output_stat.st_ino;
}

// After such a program: the file again, or what the command has as standard error.
static void reopen_output(void)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", state->command, STDERR_FILENO);
    keep_output(open(state->output[0] != '\0' ? state->output : path, O_WRONLY | O_APPEND | O_CLOEXEC), true);
}

void watch_write(const struct line *line)
{
    watch_state();
    int saved_errno = errno;
    if (!output_is_ours() && state != &own_state) reopen_output();
    if (output_is_ours()) line_write(line, output_fd);
    errno = saved_errno;
}

__attribute__((constructor)) static void watch_loaded(void)
{
    watch_state()->processes++;
}

// Without the command (the library preloaded by hand) nobody else prints the summary.
__attribute__((destructor)) static void watch_unloaded(void)
{
    if (watch_state() != &own_state || own_state.begun == 0) return;
    static struct line line;
    line_start(&line);
    watch_summary(&own_state, &line);
    watch_write(&line);
}
