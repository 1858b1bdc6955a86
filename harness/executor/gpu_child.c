// SPDX-License-Identifier: MIT
// The gpu executor: a child process owns the device, and this process only tells it which cases of the shared batch to
// run. A sticky CUDA error, a crash inside the driver or a hang ends that child; the cases are then halved until the
// guilty one stands alone, and a new child takes over.
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"
#include "executor.h"
#include "gpu.h"

enum { START_SECONDS = 60, RUN_SECONDS = 120, FOREVER = -1 };

// The batch is at the same address in both processes: the child was forked after it was made.
struct order {
    struct batch *batch;
    int first, count;
};

// The child's first words: ready or not, and why.
struct greeting {
    int ready;
    char description[256];
    struct text why;
};

static struct {
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

// The child's whole life. Whoever handles signals in this program, a crash of the driver must be seen as one.
static void serve(int socket)
{
    static struct gpu gpu;
    struct greeting greeting = {0};
    signal(SIGSEGV, SIG_DFL);
    signal(SIGBUS, SIG_DFL);
    signal(SIGABRT, SIG_DFL);
    greeting.ready = gpu_init(&gpu, &greeting.why);
    memcpy(greeting.description, gpu.description, sizeof greeting.description);
    if (!send_all(socket, &greeting, sizeof greeting) || !greeting.ready) return;
    for (struct order order; receive(socket, &order, sizeof order, FOREVER) == 1;) {
        struct batch *batch = order.batch;
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
        serve(sockets[1]);
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

// A child knows the batches that were there when it started, so each batch gets a new one.
static int gpu_open(struct batch *batch, struct text *why)
{
    (void)batch;
    reap(0);
    return start(why);
}

// Seconds that one range may take: TMAREF_GPU_SECONDS, for tests of hangs, or a time that no range needs.
static int run_seconds(void)
{
    const char *text = getenv("TMAREF_GPU_SECONDS");
    uint64_t seconds = RUN_SECONDS;
    if (text != NULL) parse_u64(text, INT_MAX / 1000, &seconds);
    return (int)seconds;
}

// Tells a child what to run; a child that died in the meantime, of what no case did, is replaced.
static int hand_over(const struct order *order, struct text *why)
{
    for (int tries = 0; tries < 2; tries++) {
        if (child.pid == 0 && !start(why)) return 0;
        if (send_all(child.socket, order, sizeof *order)) return 1;
        reap(1);
    }
    text_set(why, "the process that drives the GPU dies before it runs a case");
    return 0;
}

// Waits for the child's answer; returns 0, or what ended the child.
static int outcome_of_range(void)
{
    int error = 0, came = receive(child.socket, &error, sizeof error, run_seconds());
    if (came == 1 && error == CUDA_SUCCESS) return 0;
    int killed = reap(came < 0);
    if (came < 0) return CUDA_ERROR_LAUNCH_TIMEOUT;
    return came == 1 ? error : killed != 0 ? killed : -SIGKILL;
}

// Errors that no case causes: the kernels are not there or not for this GPU, or its memory is taken.
static int is_of_machine(int error, struct text *why)
{
    if (error == CUDA_ERROR_FILE_NOT_FOUND)
        text_set(why, "the kernels are not built here (no nvcc?): ./setup.sh --with-cuda brings one");
    else if (error == CUDA_ERROR_OUT_OF_MEMORY || error == CUDA_ERROR_INVALID_IMAGE ||
             error == CUDA_ERROR_NO_BINARY_FOR_GPU || error == CUDA_ERROR_NOT_FOUND)
        text_set(why, "the GPU cannot run the kernels: CUDA error %d", error);
    else
        return 0;
    return 1;
}

static int gpu_run(struct batch *batch, int first, int count, struct text *why)
{
    struct order order = {batch, first, count};
    if (!hand_over(&order, why)) return 0;
    int error = outcome_of_range();
    if (error == 0) return 1;
    if (is_of_machine(error, why)) return 0;
    const struct late late = batch->results[first].late;
    for (int i = first; i < first + count; i++) batch->results[i] = result_at(batch->results[i].first_bytes);
    if (count == 1) {
        batch->results[first].status = error;
        batch->results[first].late = late;
        return 1;
    }
    return gpu_run(batch, first, count / 2, why) && gpu_run(batch, first + count / 2, count - count / 2, why);
}

static void gpu_close(void)
{
    reap(0);
}

static const char *gpu_describe(void)
{
    return child.description;
}

const struct executor executor_gpu = {
    "gpu", "a real H100 or H200, through libcuda.so.1", gpu_open, gpu_run, gpu_close, gpu_describe,
};
