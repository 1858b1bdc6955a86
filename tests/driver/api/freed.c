// SPDX-License-Identifier: MIT
// What a thread does to another one's work meanwhile. Turns of threads are in turns.calls, but this one asks whether a
// thread sleeps: it may wait for nothing but its stream.
#include "api.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static struct CUctx_st *context;
static struct CUstream_st *stream[2];
static atomic_int is_called, may_return, filler; // the thread that fills, once only the fill is left to wait for

static void rest(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
}

static void wait_in_callback(struct CUstream_st *on, enum cuda_result error, void *user)
{
    REQUIRE(on == stream[0] && error == CUDA_SUCCESS && user == &context);
    atomic_store(&is_called, 1);
    while (atomic_load(&may_return) == 0) rest();
}

static void *add_callback(void *nothing)
{
    WORKS(cuCtxSetCurrent(context));
    WORKS(cuStreamAddCallback(stream[0], wait_in_callback, &context, 0));
    return nothing;
}

static bool is_asleep(int thread)
{
    char path[64], state = 0;
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
    FILE *file = fopen(path, "r");
    REQUIRE(file != NULL && fscanf(file, "%*d (%*[^)]) %c", &state) == 1);
    fclose(file);
    return state == 'S';
}

static void *fill_freed(void *memory)
{
    WORKS(cuCtxSetCurrent(context));
    atomic_store(&filler, (int)syscall(SYS_gettid));
    REFUSES(ERROR_INVALID_VALUE, cuMemsetD8Async((uintptr_t)memory, 5, 4, stream[0]));
    return NULL;
}

// The memory of work that waits for its turn is freed.
SECTION(freed_meanwhile)
{
    pthread_t calling, filling;
    context = api_ready();
    for (int i = 0; i < 2; i++) WORKS(cuStreamCreate(&stream[i], CU_STREAM_NON_BLOCKING));
    const unsigned long long memory = api_memory(1 << 20, 0);
    REQUIRE(pthread_create(&calling, NULL, add_callback, NULL) == 0);
    while (atomic_load(&is_called) == 0) rest();
    REQUIRE(pthread_create(&filling, NULL, fill_freed, (void *)(uintptr_t)memory) == 0);
    while (atomic_load(&filler) == 0 || !is_asleep(atomic_load(&filler))) rest();
    WORKS(cuMemFreeAsync(memory, stream[1]));
    atomic_store(&may_return, 1);
    REQUIRE(pthread_join(calling, NULL) == 0 && pthread_join(filling, NULL) == 0);
    SAYS("waited for its stream");
}
