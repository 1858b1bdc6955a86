// SPDX-License-Identifier: MIT
#include "workers.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files.h"
#include "progress.h"

enum { REDRAW_MILLISECONDS = 100 };

// What all processes see: the next job to begin, as a place in the order of costs, and how much is done.
struct board {
    atomic_int next;
    atomic_uint_fast64_t done;
};

static struct board *board;  // of the run that is under way
static struct progress *bar; // of a run without other processes

// What a job has printed; NULL until it has ended.
struct printed {
    char *text;
    size_t size_bytes;
};

struct run {
    const struct jobs *jobs;
    int *order;
    struct printed *by; // each job
    int printed;        // jobs whose text came out
    FILE *out;
    struct progress progress;
};

struct report {
    int job;
    size_t text_bytes;
};

void *shared_memory(size_t size_bytes)
{
    void *memory = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void shared_memory_free(void *memory, size_t size_bytes)
{
    if (memory != NULL) munmap(memory, size_bytes);
}

void workers_progress(uint64_t count)
{
    if (board != NULL) atomic_fetch_add(&board->done, count);
    if (bar != NULL) progress_add(bar, count);
}

static const uint64_t *cost_of_all;

static int by_cost(const void *a, const void *b)
{
    int first = *(const int *)a, second = *(const int *)b;
    uint64_t x = cost_of_all[first], y = cost_of_all[second];
    return x != y ? (x < y) - (x > y) : first - second;
}

static bool read_all(int file, void *bytes, size_t size_bytes)
{
    for (char *at = bytes; size_bytes > 0;) {
        ssize_t got = read(file, at, size_bytes);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        at += got;
        size_bytes -= (size_t)got;
    }
    return true;
}

// A process's whole life: the next job, again and again.
static void work(const struct run *run, int file)
{
    const struct jobs *jobs = run->jobs;
    for (int next; (next = atomic_fetch_add(&board->next, 1)) < jobs->count;) {
        char *text = NULL;
        struct report report = {.job = run->order[next]};
        FILE *out = open_memstream(&text, &report.text_bytes);
        if (out == NULL) return;
        jobs->run(report.job, jobs->context, out);
        fclose(out);
        if (!write_all(file, &report, sizeof report) || !write_all(file, text, report.text_bytes)) return;
        free(text);
    }
}

// Starts a process; returns the end of the pipe that its reports come from, or -1.
static int begin(const struct run *run, pid_t *pid)
{
    int ends[2];
    if (pipe(ends) != 0) return -1;
    fflush(NULL);
    *pid = fork();
    if (*pid == 0) {
        signal(SIGINT, SIG_DFL);
        close(ends[0]);
        work(run, ends[1]);
        exit(EXIT_SUCCESS); // not _exit(): a measurement of coverage is written now
    }
    close(ends[1]);
    if (*pid > 0) return ends[0];
    close(ends[0]);
    return -1;
}

static void print(struct run *run, int job, const struct printed *what)
{
    const struct jobs *jobs = run->jobs;
    if (what->size_bytes > 0) progress_end(&run->progress);
    if (jobs->print != NULL)
        jobs->print(job, jobs->context, what->text, what->size_bytes, run->out);
    else
        fwrite(what->text, 1, what->size_bytes, run->out);
}

static void print_ready(struct run *run)
{
    for (; run->printed < run->jobs->count && run->by[run->printed].text != NULL; run->printed++)
        print(run, run->printed, &run->by[run->printed]);
}

// Takes one report; 0 when there will be no more.
static bool take(struct run *run, int file)
{
    struct report report;
    if (!read_all(file, &report, sizeof report)) return false;
    char *text = calloc(1, report.text_bytes + 1);
    if (text == NULL || !read_all(file, text, report.text_bytes)) {
        free(text);
        return false;
    }
    run->by[report.job] = (struct printed){text, report.text_bytes};
    print_ready(run);
    return true;
}

static void listen_to(struct run *run, struct pollfd *file, int count)
{
    for (int open = count; open > 0 && !interrupted();) {
        int ready = poll(file, (nfds_t)count, REDRAW_MILLISECONDS);
        for (int i = 0; i < count && ready > 0; i++) {
            if (file[i].revents == 0 || take(run, file[i].fd)) continue;
            close(file[i].fd);
            file[i].fd = -1;
            open--;
        }
        progress_add(&run->progress, atomic_load(&board->done) - run->progress.done);
    }
}

// Ends what still runs, and says whether all of it had ended well.
static bool end(struct pollfd *file, const pid_t *pid, int count)
{
    bool well = true;
    for (int i = 0; i < count; i++) {
        int status = 0;
        if (interrupted()) kill(pid[i], SIGKILL);
        if (file[i].fd >= 0) close(file[i].fd);
        while (waitpid(pid[i], &status, 0) < 0 && errno == EINTR) continue;
        well &= WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
    return well;
}

static enum workers_end run_apart(struct run *run, int processes)
{
    struct pollfd file[MOST_SIDE_BY_SIDE];
    pid_t pid[MOST_SIDE_BY_SIDE];
    int count = 0;
    interrupt_catch();
    while (count < processes && (file[count].fd = begin(run, &pid[count])) >= 0) file[count++].events = POLLIN;
    listen_to(run, file, count);
    bool well = end(file, pid, count);
    interrupt_release();
    if (interrupted()) return WORKERS_INTERRUPTED;
    return well && run->printed == run->jobs->count ? WORKERS_DONE : WORKERS_DIED;
}

static void run_here(struct run *run)
{
    bar = &run->progress;
    for (int i = 0; i < run->jobs->count; i++) run->jobs->run(i, run->jobs->context, run->out);
    bar = NULL;
}

static void forget(struct run *run)
{
    for (int i = 0; run->by != NULL && i < run->jobs->count; i++) free(run->by[i].text);
    free(run->by);
    free(run->order);
    shared_memory_free(board, sizeof *board);
    board = NULL;
}

enum workers_end workers_run(const struct jobs *jobs, int processes, FILE *out)
{
    struct run run = {.jobs = jobs, .out = out, .progress = progress_start(jobs->label, jobs->total)};
    enum workers_end result = WORKERS_DONE;
    processes = side_by_side(processes);
    if (processes > jobs->count) processes = jobs->count;
    if (processes <= 1 && jobs->print == NULL) {
        run_here(&run);
        progress_end(&run.progress);
        return WORKERS_DONE;
    }
    board = shared_memory(sizeof *board);
    run.order = calloc((size_t)jobs->count, sizeof *run.order);
    run.by = calloc((size_t)jobs->count, sizeof *run.by);
    if (board != NULL && run.order != NULL && run.by != NULL) {
        for (int i = 0; i < jobs->count; i++) run.order[i] = i;
        cost_of_all = jobs->cost;
        if (jobs->cost != NULL) qsort(run.order, (size_t)jobs->count, sizeof *run.order, by_cost);
        result = run_apart(&run, processes);
    } else
        result = WORKERS_DIED;
    progress_end(&run.progress);
    forget(&run);
    return result;
}

// --- Threads ---------------------------------------------------------------------------------------------------------

struct round {
    atomic_int next;
    int end;
    void (*run)(int i, void *context);
    void *context;
};

int side_by_side(int asked)
{
    long processors = asked > 0 ? asked : sysconf(_SC_NPROCESSORS_ONLN);
    if (processors < 1) return 1;
    return processors < MOST_SIDE_BY_SIDE ? (int)processors : MOST_SIDE_BY_SIDE;
}

static void *take_turns(void *round_of_all)
{
    struct round *round = round_of_all;
    for (int i; (i = atomic_fetch_add(&round->next, 1)) < round->end;) round->run(i, round->context);
    return NULL;
}

void threads_run(int threads, int first, int end, void (*run)(int i, void *context), void *context)
{
    struct round round = {.end = end, .run = run, .context = context};
    pthread_t thread[MOST_SIDE_BY_SIDE];
    int others = 0;
    atomic_init(&round.next, first);
    if (threads > end - first) threads = end - first;
    while (others + 1 < threads && pthread_create(&thread[others], NULL, take_turns, &round) == 0) others++;
    take_turns(&round);
    for (int i = 0; i < others; i++) pthread_join(thread[i], NULL);
}
