// SPDX-License-Identifier: MIT
// Both ends of the socket between a process and the child that drives the device for it.
#include "gpu_child.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "arena.h"
#include "gpu_core.h"
#include "gpu_jobs.h"
#include "schedules.h"
#include "workers.h"

_Static_assert((int)BATCH_CASES <= (int)GPU_MOST_JOBS, "a batch's jobs are known by number");

enum { FOREVER = -1, FIRST_FILE = STDERR_FILENO + 1 };

static bool send_all(int socket, const void *bytes, size_t size_bytes)
{
    return send(socket, bytes, size_bytes, MSG_NOSIGNAL) == (ssize_t)size_bytes;
}

static enum gpu_came receive(int socket, void *bytes, size_t size_bytes, int seconds)
{
    struct pollfd ready = {.fd = socket, .events = POLLIN};
    int polled;
    do polled = poll(&ready, 1, seconds == FOREVER ? FOREVER : seconds * 1000);
    while (polled < 0 && errno == EINTR);
    if (polled == 0) return GPU_CAME_LATE;
    return recv(socket, bytes, size_bytes, 0) == (ssize_t)size_bytes ? GPU_CAME_MESSAGE : GPU_CAME_END;
}

// The CUDA error of a range, or how many cases the dump tells of.
static int run_range(struct gpu *gpu, const struct gpu_order *order)
{
    const struct family *family = order->batch->family;
    const void *cases = batch_case(order->batch, order->first);
    struct result *results = order->batch->results + order->first;
    if (cuda_is_simulated()) sim_told_clear();
    for (int i = 0; i < order->count; i++) {
        gpu->case_of_job[i] = i;
        family_open(family, batch_case(order->batch, order->first + i), &results[i]);
    }
    int error = family->run_gpu != NULL ? family->run_gpu(gpu, cases, order->count, results)
                : family->start != NULL
                    ? gpu_run_each(gpu, cases, family->case_bytes, order->count, results, family->start)
                    : gpu_run_jobs(gpu, family->jobs, cases, order->count, results);
    if (error != CUDA_SUCCESS && cuda_is_simulated()) sim_told(results);
    for (int i = 0; i < order->count; i++)
        if (results[i].status != 0) result_close(&results[i]);
    return gpu->core != NULL ? gpu_told(gpu, order->count, results) : error;
}

// What a copy of the child leaves: the outcome of its range, and what it has loaded.
struct copy {
    int error;
    struct gpu gpu;
};

// Runs a range in a copy of this process. What the last one had loaded is loaded here first: so it is done once. A copy
// that ends early, by a signal or by itself, has this process end as it did.
static int run_in_copy(struct gpu *gpu, const struct gpu_order *order)
{
    static struct copy *copy;
    int status = 0;
    if (copy == NULL) copy = shared_memory(sizeof *copy);
    if (copy == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
    gpu_load_as(gpu, &copy->gpu);
    pid_t pid = _Fork(); // a child of fork() has no driver
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        copy->error = run_range(gpu, order);
        copy->gpu = *gpu;
        _exit(0);
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    if (pid > 0 && WIFSIGNALED(status)) raise(WTERMSIG(status));
    if (pid > 0 && status != 0) _exit(WEXITSTATUS(status));
    return pid < 0 ? CUDA_ERROR_OUT_OF_MEMORY : copy->error;
}

// The child's whole life. Whoever handles signals in this program, a crash of the driver must be seen as one.
static void serve(int socket, const char *core)
{
    static struct gpu gpu;
    struct gpu_greeting greeting = {false};
    signal(SIGSEGV, SIG_DFL);
    signal(SIGBUS, SIG_DFL);
    signal(SIGABRT, SIG_DFL);
    if (cuda_is_simulated()) prctl(PR_SET_PDEATHSIG, SIGKILL); // a launch may take an hour, and nobody waits for it
    if (core != NULL) gpu_core_ask(core);
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "1", 0); // a context is made and ended in half the time
    if (core != NULL && freopen("/dev/null", "w", stderr) == NULL) return; // the driver tells of each dump
    if (cuda_is_simulated()) sim_told_ask();
    gpu.core = core;
    greeting.ready = gpu_init(&gpu, &greeting.why);
    if (cuda_is_simulated() && !sim_told_listen()) return; // what it says of the environment as it begins is heard
    memcpy(greeting.description, gpu.description, sizeof greeting.description);
    if (!send_all(socket, &greeting, sizeof greeting) || !greeting.ready) return;
    for (struct gpu_order order; receive(socket, &order, sizeof order, FOREVER) == GPU_CAME_MESSAGE;) {
        if (order.pair != SCHEDULE_NONE) schedule_set(order.pair);
        const bool is_copied = order.is_fatal && cuda_is_simulated();
        int error = is_copied ? run_in_copy(&gpu, &order) : run_range(&gpu, &order);
        if (!send_all(socket, &error, sizeof error) || (error != CUDA_SUCCESS && !is_copied)) return;
    }
}

// Closes all files but the three that every program has and `socket`. A child that held the sockets of its brothers
// would keep them from hearing that nobody speaks to them any more.
static void keep_only(int socket)
{
    if (socket > FIRST_FILE) close_range(FIRST_FILE, (unsigned)socket - 1, 0);
    close_range((unsigned)socket + 1, ~0u, 0);
}

int gpu_child_start(struct gpu_child *child, const char *core, struct text *why)
{
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets) != 0)
        return text_fail(why, "cannot make a socket pair: %s", strerror(errno));
    arena_share(); // filled once, not again in every child
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        keep_only(sockets[1]);
        serve(sockets[1], core);
        _exit(0);
    }
    close(sockets[1]);
    if (pid < 0) {
        close(sockets[0]);
        return text_fail(why, "cannot start a process: %s", strerror(errno));
    }
    *child = (struct gpu_child){.pid = pid, .socket = sockets[0]};
    return 1;
}

bool gpu_child_greets(struct gpu_child *child, int seconds, struct gpu_greeting *greeting, struct text *why)
{
    enum gpu_came came = receive(child->socket, greeting, sizeof *greeting, seconds);
    if (came == GPU_CAME_MESSAGE && greeting->ready) return true;
    if (came == GPU_CAME_MESSAGE)
        *why = greeting->why;
    else
        text_set(why, "the CUDA driver did not start within %d s, or its process died", seconds);
    gpu_child_end(child, came == GPU_CAME_LATE);
    return false;
}

bool gpu_child_order(const struct gpu_child *child, const struct gpu_order *order)
{
    return send_all(child->socket, order, sizeof *order);
}

enum gpu_came gpu_child_answers(const struct gpu_child *child, int seconds, int *error)
{
    return receive(child->socket, error, sizeof *error, seconds);
}

int gpu_child_end(struct gpu_child *child, bool force)
{
    int status = 0;
    if (child->pid == 0) return 0;
    if (force) kill(child->pid, SIGKILL);
    close(child->socket);
    while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR) continue;
    child->pid = 0;
    return WIFSIGNALED(status) && !force ? -WTERMSIG(status) : 0;
}
