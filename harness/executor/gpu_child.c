// SPDX-License-Identifier: MIT
// The gpu executor: a child process owns the device, and this process only tells it which cases of the shared batch to
// run. A sticky CUDA error, a crash inside the driver or a hang ends that child; the cases are then halved until the
// guilty one stands alone, and a new child takes over.
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "executor.h"
#include "gpu.h"

enum { START_SECONDS = 60, RUN_SECONDS = 120, FOREVER = -1 };

struct order {
    int first, count;
};

// The child's first words: ready or not, and why.
struct greeting {
    int ready;
    char description[256];
    struct text why;
};

static struct {
    struct batch *batch;
    pid_t pid; // 0: no child
    int socket;
    char description[256];
} child;

static int send_all(int socket, const void *bytes, size_t size_bytes)
{
    return send(socket, bytes, size_bytes, MSG_NOSIGNAL) == (ssize_t)size_bytes;
}

// Waits for one message; 1 if it came, 0 at end of file, -1 when the time is up.
static int receive(int socket, void *bytes, size_t size_bytes, int seconds)
{
    struct pollfd ready = {.fd = socket, .events = POLLIN};
    int polled;
    do polled = poll(&ready, 1, seconds == FOREVER ? FOREVER : seconds * 1000);
    while (polled < 0 && errno == EINTR);
    if (polled == 0) return -1;
    return recv(socket, bytes, size_bytes, 0) == (ssize_t)size_bytes;
}

// The child's whole life.
static void serve(struct batch *batch, int socket)
{
    static struct gpu gpu;
    struct greeting greeting = {0};
    greeting.ready = gpu_init(&gpu, &greeting.why);
    memcpy(greeting.description, gpu.description, sizeof greeting.description);
    if (!send_all(socket, &greeting, sizeof greeting) || !greeting.ready) return;
    for (struct order order; receive(socket, &order, sizeof order, FOREVER) == 1;) {
        int error =
            batch->family->run_gpu(&gpu, batch_case(batch, order.first), order.count, batch->results + order.first);
        if (!send_all(socket, &error, sizeof error) || error != CUDA_SUCCESS) return;
    }
}

// Ends the child and returns minus the signal that killed it, or 0.
static int reap(int force)
{
    int status = 0;
    if (child.pid == 0) return 0;
    if (force) kill(child.pid, SIGKILL);
    close(child.socket);
    while (waitpid(child.pid, &status, 0) < 0 && errno == EINTR) continue;
    child.pid = 0;
    return WIFSIGNALED(status) && !force ? -WTERMSIG(status) : 0;
}

static int start(struct text *why)
{
    int sockets[2];
    struct greeting greeting;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets) != 0) {
        text_set(why, "cannot make a socket pair: %s", strerror(errno));
        return 0;
    }
    fflush(NULL);
    child.pid = fork();
    if (child.pid == 0) {
        close(sockets[0]);
        serve(child.batch, sockets[1]);
        _exit(0);
    }
    close(sockets[1]);
    child.socket = sockets[0];
    if (child.pid < 0) {
        child.pid = 0;
        close(sockets[0]);
        text_set(why, "cannot start a process: %s", strerror(errno));
        return 0;
    }
    int came = receive(child.socket, &greeting, sizeof greeting, START_SECONDS);
    if (came == 1 && greeting.ready) {
        memcpy(child.description, greeting.description, sizeof child.description);
        return 1;
    }
    if (came == 1)
        *why = greeting.why;
    else
        text_set(why, "the CUDA driver did not start within %d s, or its process died", START_SECONDS);
    reap(came < 0);
    return 0;
}

static int gpu_open(struct batch *batch, struct text *why)
{
    child.batch = batch;
    return child.pid != 0 || start(why);
}

// Hands the child one range; returns 0, or what ended the child.
static int run_range(int first, int count)
{
    struct order order = {first, count};
    int error = 0;
    if (!send_all(child.socket, &order, sizeof order)) return reap(1) != 0 ? CUDA_ERROR_LAUNCH_TIMEOUT : -SIGPIPE;
    int came = receive(child.socket, &error, sizeof error, RUN_SECONDS);
    if (came == 1 && error == CUDA_SUCCESS) return 0;
    int killed = reap(came < 0);
    if (came < 0) return CUDA_ERROR_LAUNCH_TIMEOUT;
    return came == 1 ? error : killed != 0 ? killed : -SIGKILL;
}

static int gpu_run(struct batch *batch, int first, int count, struct text *why)
{
    if (child.pid == 0 && !start(why)) return 0;
    int error = run_range(first, count);
    if (error == 0) return 1;
    for (int i = first; i < first + count; i++)
        batch->results[i] =
            (struct result){.free_bytes = batch->results[i].windows > 0 ? batch->results[i].window[0].bytes
                                                                        : batch->results[i].free_bytes};
    if (count == 1) {
        batch->results[first].status = error;
        return 1;
    }
    return gpu_run(batch, first, count / 2, why) && gpu_run(batch, first + count / 2, count - count / 2, why);
}

static void gpu_close(void)
{
    reap(0);
    child.batch = NULL;
}

static const char *gpu_describe(void)
{
    return child.description;
}

const struct executor executor_gpu = {
    "gpu", "a real H100 or H200, through libcuda.so.1", gpu_open, gpu_run, gpu_close, gpu_describe,
};
