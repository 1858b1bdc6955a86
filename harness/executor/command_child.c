// SPDX-License-Identifier: MIT
#include "command_child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "progress.h"

enum { LOOK_MILLISECONDS = 100, END_MILLISECONDS = 1000, STEP_MILLISECONDS = 5, FIRST_FILE = 3, FIRST_ROOM = 4096 };

// The child's side: a process group of its own, so that what it starts ends with it.
static void become(const char *command, int in, int out)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGINT, SIG_DFL);
    if (dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0) _exit(127);
    close_range(FIRST_FILE, ~0u, 0);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

int command_child_start(struct command_child *child, const char *command, struct text *why)
{
    int in[2], out[2];
    if (pipe2(in, O_CLOEXEC) != 0) return text_fail(why, "cannot make a pipe: %s", strerror(errno));
    if (pipe2(out, O_CLOEXEC) != 0) {
        close(in[0]), close(in[1]);
        return text_fail(why, "cannot make a pipe: %s", strerror(errno));
    }
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) become(command, in[0], out[1]);
    close(in[0]), close(out[1]);
    if (pid < 0) {
        close(in[1]), close(out[0]);
        return text_fail(why, "cannot start a process: %s", strerror(errno));
    }
    fcntl(in[1], F_SETFL, O_NONBLOCK);
    free(child->line);
    *child = (struct command_child){.pid = pid, .to = in[1], .from = out[0]};
    return 1;
}

// The next line that is not blank, cut out of what has come; NULL if it has not come whole.
static char *next_line(struct command_child *child)
{
    for (;;) {
        char *start = child->line + child->taken, *end;
        if (child->used == child->taken || (end = memchr(start, '\n', child->used - child->taken)) == NULL) return NULL;
        *end = '\0';
        child->taken = (size_t)(end + 1 - child->line);
        if (start[strspn(start, " \t\r")] != '\0') return start;
    }
}

// Forgets the lines that were taken, and makes room for more. 0 if the line is too long, or there is no memory.
static bool make_room(struct command_child *child, size_t most)
{
    if (child->taken > 0) memmove(child->line, child->line + child->taken, child->used - child->taken);
    child->used -= child->taken;
    child->taken = 0;
    if (child->used < child->room) return true;
    size_t room = child->room > 0 ? 2 * child->room : FIRST_ROOM;
    char *line = child->used > most ? NULL : realloc(child->line, room);
    if (line == NULL) return false;
    child->line = line;
    child->room = room;
    return true;
}

// Reads what is there; 0 at the end.
static bool take(struct command_child *child)
{
    ssize_t got = read(child->from, child->line + child->used, child->room - child->used);
    if (got > 0) child->used += (size_t)got;
    return got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN));
}

// Writes what goes; a child that reads no more is found by what it writes.
static void give(struct command_child *child, const char **request, size_t *bytes)
{
    void (*before)(int) = signal(SIGPIPE, SIG_IGN);
    ssize_t gone = write(child->to, *request, *bytes);
    signal(SIGPIPE, before);
    if (gone < 0 && errno != EINTR && errno != EAGAIN) *bytes = 0;
    if (gone <= 0) return;
    *request += gone;
    *bytes -= (size_t)gone;
}

enum command_came command_child_ask(struct command_child *child, const char *request, size_t bytes, double end,
                                    size_t most, const char **answer)
{
    if (request == NULL) bytes = 0;
    for (char *line;;) {
        struct pollfd file[2] = {{child->from, POLLIN, 0}, {bytes > 0 ? child->to : -1, POLLOUT, 0}};
        if (bytes == 0 && (line = next_line(child)) != NULL) {
            *answer = line;
            child->answers++;
            return COMMAND_CAME_LINE;
        }
        if (interrupted()) return COMMAND_CAME_CTRL_C;
        if (seconds_now() >= end) return COMMAND_CAME_LATE;
        if (!make_room(child, most)) return COMMAND_CAME_TOO_LONG;
        if (poll(file, 2, LOOK_MILLISECONDS) <= 0) continue;
        if (file[1].revents != 0) give(child, &request, &bytes);
        if (file[0].revents != 0 && !take(child)) return COMMAND_CAME_END;
    }
}

// Waits until it has ended, but does not take its status yet; 0 if it goes on.
static bool has_ended(const struct command_child *child)
{
    for (int waited = 0; waited < END_MILLISECONDS; waited += STEP_MILLISECONDS) {
        siginfo_t info = {0};
        if (waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOWAIT | WNOHANG) == 0 && info.si_pid != 0) return true;
        poll(NULL, 0, STEP_MILLISECONDS);
    }
    return false;
}

int command_child_end(struct command_child *child, bool force)
{
    int status = 0;
    if (child->pid == 0) return 0;
    close(child->to);
    close(child->from);
    if (!force) has_ended(child);
    kill(-child->pid, SIGKILL); // what it has started, too
    if (force) kill(child->pid, SIGKILL);
    while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR) continue;
    free(child->line);
    *child = (struct command_child){0};
    return status;
}
