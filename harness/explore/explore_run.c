// SPDX-License-Identifier: MIT
#include "explore_run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

#include "exit_status.h"
#include "progress.h"
#include "text.h"

// Of a program that ends with 0 though something was reported. Other programs may end so too: the report tells.
enum { REPORTED = 86, SIGNAL_STATUS = 128, MOST_WORDS = 24, NUMBER_BYTES = 24 };

const char *const explore_schedule_name[EXPLORE_SCHEDULES + 1] = {"default", "late",  "early", "shuffled",
                                                                  "pct",     "delay", NULL};

static volatile sig_atomic_t running, stopped; // the group of the run, 0: none; a signal has come

int explore_is_stopped(void)
{
    return stopped;
}

static void stop(int number)
{
    stopped = number;
    if (running != 0) kill(-(pid_t)running, SIGKILL);
}

// The words of the options, each in `room` or constant.
struct words {
    const char *word[MOST_WORDS];
    int count;
    char seed[NUMBER_BYTES], depth[NUMBER_BYTES], steps[NUMBER_BYTES];
};

static void add(struct words *words, const char *word)
{
    words->word[words->count++] = word;
}

static void add_number(struct words *words, const char *option, uint64_t number, char room[NUMBER_BYTES])
{
    snprintf(room, NUMBER_BYTES, "%llu", (unsigned long long)number);
    add(words, option);
    add(words, room);
}

// The options that choose the schedule, and the checks.
static void add_options(struct words *words, const struct explore_program *program, const struct explore_how *how)
{
    if (program->checks != NULL) add(words, program->checks);
    add(words, "--schedule");
    add(words, explore_schedule_name[how->schedule]);
    if (how->schedule == EXPLORE_SHUFFLED || how->schedule == EXPLORE_PCT)
        add_number(words, "--seed", how->seed, words->seed);
    if (how->schedule == EXPLORE_PCT && how->depth > 0) add_number(words, "--depth", how->depth, words->depth);
    if (how->schedule == EXPLORE_PCT && how->steps > 0) add_number(words, "--steps", how->steps, words->steps);
    if (how->schedule == EXPLORE_DELAY) {
        add(words, "--delays");
        add(words, how->delays);
    }
}

// The new process: never returns.
static void become(const struct explore_program *program, const struct explore_how *how, int out, int error)
{
    struct words words = {.count = 0};
    int arguments = 0;
    const int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
    while (program->program[arguments] != NULL) arguments++;
    add(&words, "tmaref");
    add(&words, "exec");
    add(&words, "--error-exitcode");
    add(&words, "86");
    add_options(&words, program, how);
    if (how->write_delays != NULL) {
        add(&words, "--write-delays");
        add(&words, how->write_delays);
    }
    if (how->write_sync != NULL) {
        add(&words, "--write-sync");
        add(&words, how->write_sync);
    }
    add(&words, "--");
    char **line = calloc((size_t)(words.count + arguments + 1), sizeof *line);
    if (line == NULL || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(error, 2) < 0) _exit(127);
    memcpy(line, words.word, (size_t)words.count * sizeof *line);
    memcpy(line + words.count, program->program, (size_t)arguments * sizeof *line);
    setpgid(0, 0);
    if (how->is_fixed) personality(ADDR_NO_RANDOMIZE);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    execv("/proc/self/exe", line);
    _exit(127);
}

// Waits for the process; 0 if it lasts too long, and is killed with all that it has started.
static bool wait_for(pid_t child, double seconds, int *status)
{
    const double until = seconds_now() + seconds;
    const int of_child = (int)syscall(SYS_pidfd_open, child, 0);
    bool is_over = false;
    while (!is_over && !stopped) {
        const double left = until - seconds_now();
        if (left <= 0) break;
        struct pollfd of = {.fd = of_child, .events = POLLIN};
        if (of_child >= 0)
            poll(&of, 1, left < 1 ? (int)(left * 1000) + 1 : 1000);
        else
            poll(NULL, 0, 2);
        is_over = waitpid(child, status, WNOHANG) == child;
    }
    if (of_child >= 0) close(of_child);
    kill(-child, SIGKILL); // what it has left behind
    while (!is_over && waitpid(child, status, 0) < 0 && errno == EINTR) continue;
    return is_over;
}

static uint64_t digest(int file)
{
    char piece[65536];
    XXH64_state_t *state = XXH64_createState();
    if (state == NULL) return 0;
    XXH64_reset(state, 0);
    lseek(file, 0, SEEK_SET);
    for (ssize_t bytes; (bytes = read(file, piece, sizeof piece)) > 0;) XXH64_update(state, piece, (size_t)bytes);
    const uint64_t result = XXH64_digest(state);
    XXH64_freeState(state);
    return result;
}

// The first line of the report among what came on standard error: "file.cu:8: error: ...", or of a hang. `report`: from
// there on.
static void find_report(int file, struct explore_end *end)
{
    static char text[1 << 20];
    const ssize_t bytes = pread(file, text, sizeof text - 1, 0);
    text[bytes > 0 ? bytes : 0] = '\0';
    const char *at = strstr(text, ": error: ");
    while (at != NULL && at > text && at[-1] != '\n') at--;
    if (at == NULL) at = text;
    snprintf(end->report, sizeof end->report, "%.*s", (int)sizeof end->report - 1, at);
    snprintf(end->first, sizeof end->first, "%.*s", (int)strcspn(end->report, "\n"), end->report);
    end->has_report |= strstr(text, ": error: ") != NULL;
    end->is_unstarted = end->status == EXIT_USAGE && strncmp(text, "tmaref exec: ", strlen("tmaref exec: ")) == 0;
}

int explore_scratch(const char *name, char *path, size_t bytes)
{
    const char *folder = getenv("TMPDIR");
    if (folder == NULL || folder[0] == '\0') folder = "/tmp";
    const int length = snprintf(path, bytes, "%s/%s_XXXXXX", folder, name);
    return length < (int)bytes ? mkstemp(path) : -1;
}

int explore_run(const struct explore_program *program, const struct explore_how *how, struct explore_end *end,
                struct text *why)
{
    int status = 0;
    *end = (struct explore_end){.status = 0};
    const int out = memfd_create("output", MFD_CLOEXEC), error = memfd_create("errors", MFD_CLOEXEC);
    if (out < 0 || error < 0) return text_fail(why, "no memory for what the program prints: %s", strerror(errno));
    signal(SIGINT, stop);
    signal(SIGTERM, stop);
    const pid_t child = fork();
    if (child == 0) become(program, how, out, error);
    if (child > 0) setpgid(child, child);
    running = child > 0 ? child : 0;
    if (child > 0) end->is_cut = !wait_for(child, program->seconds, &status);
    running = 0;
    end->status = WIFSIGNALED(status) ? SIGNAL_STATUS + WTERMSIG(status) : WEXITSTATUS(status);
    end->has_report = end->status == REPORTED;
    end->output = digest(out);
    find_report(error, end);
    close(out);
    close(error);
    return child > 0 || text_fail(why, "no process can be made: %s", strerror(errno));
}

// --- The command line ------------------------------------------------------------------------------------------------

// A word as a shell takes it.
static void add_quoted(char text[EXPLORE_COMMAND_BYTES], const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
    const bool is_plain = word[0] != '\0' && word[strspn(word, plain)] == '\0';
    size_t used = strlen(text);
#define PUT(...)                                                                                                       \
    used += used < EXPLORE_COMMAND_BYTES ? (size_t)snprintf(text + used, EXPLORE_COMMAND_BYTES - used, __VA_ARGS__) : 0
    if (used > 0) PUT(" ");
    if (is_plain) {
        PUT("%s", word);
        return;
    }
    PUT("'");
    for (; *word != '\0'; word++) {
        if (*word == '\'')
            PUT("'\\''");
        else
            PUT("%c", *word);
    }
    PUT("'");
#undef PUT
}

const char *explore_command(const struct explore_program *program, const struct explore_how *how,
                            char text[EXPLORE_COMMAND_BYTES])
{
    struct words words = {.count = 0};
    text[0] = '\0';
    add(&words, "tmaref");
    add(&words, "exec");
    add_options(&words, program, how);
    add(&words, "--");
    for (int i = 0; i < words.count; i++) add_quoted(text, words.word[i]);
    for (char **word = program->program; *word != NULL; word++) add_quoted(text, *word);
    return text;
}
