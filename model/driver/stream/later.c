// SPDX-License-Identifier: MIT
#include "later.h"

#include <dirent.h>
#include <stdlib.h>
#include <time.h>

#include "capture.h"
#include "crew.h"
#include "sanitize_order.h"
#include "signals.h"

enum { SHORT_REST = 20000, LONG_REST = 1000000 };

//   after        the turn whose event it waits for; 0: none
//   staged       bytes of the program's, as they were when they were to be copied
//   ends_stream  the stream was destroyed when this was added
struct later {
    struct turn turn; // the first: it is in the driver's list
    struct work work;
    struct work_state state;
    uint64_t after;
    void *staged;
    int ends_stream;
};

// --- What is left for later ------------------------------------------------------------------------------------------

static uint64_t event_turn(const struct driver *driver, const struct work *work)
{
    if (work->type != NODE_WAIT_EVENT || !object_is(work->of.event, OBJECT_EVENT)) return 0;
    return turn_of(driver, work->of.event->turn) != NULL ? work->of.event->turn : 0;
}

// The program may use pageable memory again when the call returns.
static bool stage(struct driver *driver, struct later *later)
{
    struct work_copy *copy = &later->work.of.copy;
    if (later->work.type != NODE_MEMCPY || !copy_is_pageable(driver, copy->from, copy->from_type)) return true;
    struct work_copy packed = *copy;
    packed.to_pitch = copy->width;
    packed.to_slice = copy->width * copy->height;
    later->staged = malloc(packed.to_slice * copy->depth + 1);
    if (later->staged == NULL) return false;
    packed.to = (uint64_t)(uintptr_t)later->staged;
    copy_run(&packed);
    copy->from = packed.to;
    copy->from_pitch = packed.to_pitch;
    copy->from_slice = packed.to_slice;
    return true;
}

static void later_free(struct driver *driver, struct later *later)
{
    kernel_drop(&later->state);
    if (later->ends_stream) stream_destroy(driver, (struct CUstream_st *)(uintptr_t)later->turn.stream);
    work_release(driver, &later->work);
    free(later->staged);
    free(later);
}

static void later_end(struct driver *driver, struct later *later)
{
    turn_end(driver, &later->turn);
    later_free(driver, later);
}

static void *work_on(void *context);

// Its thread lives as long as there is something to do.
static bool start_thread(struct driver *driver)
{
    pthread_t thread;
    if (driver->has_later_thread) return true;
    if (pthread_create(&thread, NULL, work_on, driver) != 0) return false;
    pthread_detach(thread);
    driver->has_later_thread = true;
    return true;
}

static struct later *later_new(struct driver *driver, const struct turn *turn, const struct work *work)
{
    struct later *later = calloc(1, sizeof *later);
    if (later == NULL) return NULL;
    later->turn = (struct turn){.stream = turn->stream, .exec = turn->exec, .thread = NO_THREAD, .work = turn->work};
    if (!work_duplicate(driver, &later->work, work)) {
        free(later);
        return NULL;
    }
    if (stage(driver, later) && start_thread(driver)) return later;
    later_free(driver, later);
    return NULL;
}

static enum cuda_result later_add(struct driver *driver, const struct turn *turn, const struct work *work,
                                  const struct work_state *state)
{
    struct later *later = later_new(driver, turn, work);
    if (later == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
    later->after = event_turn(driver, work);
    later->state = *state;
    turn_add(driver, &later->turn);
    if (work->type == NODE_EVENT_RECORD) work->of.event->turn = later->turn.number;
    return CUDA_SUCCESS;
}

enum cuda_result later_run(struct driver *driver, struct turn *turn, const struct work *work)
{
    struct work_state state = {0};
    sanitize_order_submit(driver, turn, work);
    if (turns_are_later(driver, turn->stream, turn->exec) || event_turn(driver, work) != 0)
        return later_add(driver, turn, work, &state);
    sanitize_order_run(driver, turn, work);
    const enum cuda_result error = work_run(driver, work, &state);
    if (error != CUDA_ERROR_NOT_READY) sanitize_order_over(driver, turn, work);
    if (error != CUDA_ERROR_NOT_READY) return error;
    const enum cuda_result added = later_add(driver, turn, work, &state);
    if (added != CUDA_SUCCESS) kernel_drop(&state);
    return added;
}

enum cuda_result later_end_stream(struct driver *driver, struct CUstream_st *stream)
{
    struct later *later = later_new(driver, &(struct turn){.stream = stream}, &(struct work){.type = NODE_EMPTY});
    if (later == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
    later->ends_stream = stream->is_ending = true;
    turn_add(driver, &later->turn);
    return CUDA_SUCCESS;
}

// --- Doing it --------------------------------------------------------------------------------------------------------

// An event that was recorded again since, or destroyed, is not this turn's any more.
static bool is_void(const struct later *later)
{
    const struct work *work = &later->work;
    return work->type == NODE_EVENT_RECORD &&
           (!object_is(work->of.event, OBJECT_EVENT) || work->of.event->turn != later->turn.number);
}

// A kernel was checked when it was launched: what is set of its function since is for the launches after it.
static enum cuda_result check(struct driver *driver, const struct work *work)
{
    const bool is_launched = work->type == NODE_KERNEL && object_is(work->of.kernel.function, OBJECT_FUNCTION);
    return is_launched ? CUDA_SUCCESS : work_check(driver, "work of a stream", work);
}

static enum cuda_result run(struct driver *driver, struct later *later)
{
    driver_set_context(later->turn.stream->context);
    if (is_void(later)) return CUDA_SUCCESS;
    const enum cuda_result error = check(driver, &later->work);
    if (error != CUDA_SUCCESS) return CUDA_ERROR_ILLEGAL_ADDRESS;
    sanitize_order_run(driver, &later->turn, &later->work);
    const enum cuda_result ran = work_run(driver, &later->work, &later->state);
    if (ran != CUDA_ERROR_NOT_READY) sanitize_order_over(driver, &later->turn, &later->work);
    return ran;
}

// What came of a turn, or of all of them: whichever is the highest.
enum came { STUCK, STAYED, CHANGED };

static enum came run_turn(struct driver *driver, struct later *later, bool is_alone)
{
    later->state.is_alone = is_alone;
    const enum cuda_result error = run(driver, later);
    if (error == CUDA_ERROR_NOT_READY && later->state.has_changed) return CHANGED;
    if (error == CUDA_ERROR_NOT_READY) return later->state.is_stuck ? STUCK : STAYED;
    if (error != CUDA_SUCCESS && driver->error == CUDA_SUCCESS) driver->error = error;
    later_end(driver, later);
    return CHANGED;
}

static enum came run_all(struct driver *driver, bool is_alone)
{
    enum came all = STUCK;
    for (struct turn *turn = driver->turns, *next; turn != NULL && driver->error == CUDA_SUCCESS; turn = next) {
        struct later *later = (struct later *)turn;
        const bool is_ready = turn->thread == NO_THREAD && !turn_is_held_up(driver, turn) &&
                              (later->after == 0 || turn_of(driver, later->after) == NULL);
        const uint64_t number = turn->number;
        const enum came came = is_ready ? run_turn(driver, later, is_alone) : STUCK;
        if (came > all) all = came;
        for (next = driver->turns; next != NULL && next->number <= number;) next = next->next;
    }
    return all;
}

static struct later *first_later(const struct driver *driver)
{
    struct turn *turn = driver->turns;
    while (turn != NULL && turn->thread != NO_THREAD) turn = turn->next;
    return (struct later *)turn;
}

// After an error nothing is done any more; callbacks are told of it.
static void drop_all(struct driver *driver)
{
    for (struct later *later; (later = first_later(driver)) != NULL;) {
        const bool is_callback = later->work.type == NODE_HOST && later->work.of.host.callback != NULL;
        if (is_callback) work_run(driver, &later->work, &later->state);
        later_end(driver, later);
    }
}

// --- Hangs -----------------------------------------------------------------------------------------------------------

// Threads of this process, at least one.
static int threads_of_process(void)
{
    int threads = 0;
    DIR *tasks = opendir("/proc/self/task");
    if (tasks == NULL) return 1;
    for (const struct dirent *task; (task = readdir(tasks)) != NULL;) threads += task->d_name[0] != '.';
    closedir(tasks);
    return threads > 0 ? threads : 1;
}

// May other processes write what kernels see? The program's own memory, and what it mapped, may be shared; what cuIpc*
// hands on is.
enum reach { OWN, MAY_BE_SHARED, IS_SHARED };

static enum reach reach_of(const struct driver *driver)
{
    enum reach reach = OWN;
    for (uint32_t i = 0; i < driver->allocations.count; i++) {
        const struct allocation *item = &driver->allocations.item[i];
        if (item->kind == ALLOCATION_IPC || item->kind == ALLOCATION_POOL_IPC || item->shared_file != 0)
            return IS_SHARED;
        if (item->kind == ALLOCATION_REGISTERED || item->kind == ALLOCATION_MAPPED) reach = MAY_BE_SHARED;
    }
    return reach;
}

// Is nobody left that could write? All threads of the program wait for what is under way here, and it is alone.
static bool do_all_wait(const struct driver *driver)
{
    return driver->sleeping > 0 && driver->sleeping >= threads_of_process() - 1 - signals_threads() - crew_threads() &&
           reach_of(driver) == OWN;
}

static void end_as_hung(struct driver *driver, const char *why)
{
    for (struct turn *turn = driver->turns; turn != NULL; turn = turn->next) {
        struct later *later = (struct later *)turn;
        if (turn->thread == NO_THREAD) work_hang(driver, &later->work, &later->state, why);
    }
    driver->error = CUDA_ERROR_LAUNCH_TIMEOUT;
    driver->is_of_gpu = false;
}

static void rest(struct driver *driver, long nanoseconds)
{
    const int held = driver_release(driver);
    nanosleep(&(struct timespec){.tv_nsec = nanoseconds}, NULL);
    driver_retake(driver, held);
}

// Somebody is left that could write, or a kernel counts its tries. Another process may take its time: 0 is no limit.
static int patience(const struct driver *driver)
{
    const uint64_t limit = (uint64_t)driver->options.limit_seconds;
    if (reach_of(driver) == IS_SHARED) return (int)limit;
    return limit > 0 && limit < MACHINE_PATIENCE ? (int)limit : MACHINE_PATIENCE;
}

static bool is_patience_over(const struct driver *driver, double since)
{
    return patience(driver) > 0 && seconds_of_clock() - since > patience(driver);
}

static void end_as_impatient(struct driver *driver)
{
    char why[160];
    snprintf(why, sizeof why,
             "the kernel waits for memory that has not changed for %d seconds, while the program waits for the kernel",
             patience(driver));
    end_as_hung(driver, why);
}

// When something has changed last, what came of the last round, and how long to rest before the next.
struct pace {
    double changed;
    enum came came;
    long rest;
};

// One round of all. If all threads of the program waited before it, nobody else could write.
static void work_round(struct driver *driver, struct pace *pace)
{
    const bool is_alone = pace->came != CHANGED && do_all_wait(driver);
    pace->came = run_all(driver, is_alone);
    if (pace->came == CHANGED || driver->sleeping == 0) pace->changed = seconds_of_clock();
    if (pace->came == CHANGED)
        pace->rest = SHORT_REST;
    else if (is_alone && pace->came == STUCK && do_all_wait(driver))
        end_as_hung(driver,
                    "the kernel waits for memory that no thread will write: all threads of the program wait for "
                    "the kernel");
    else if (signals_number() != 0)
        end_as_hung(driver, "the program received a signal that ends it");
    else if (is_patience_over(driver, pace->changed))
        end_as_impatient(driver);
    else if (pace->rest < LONG_REST && !is_alone)
        pace->rest *= 2;
}

static void *work_on(void *context)
{
    struct driver *driver = context;
    struct pace pace = {seconds_of_clock(), CHANGED, SHORT_REST};
    driver_retake(driver, 1);
    driver->later_thread = stream_thread();
    while (first_later(driver) != NULL) {
        if (driver->error == CUDA_SUCCESS) work_round(driver, &pace);
        if (driver->error != CUDA_SUCCESS) drop_all(driver);
        rest(driver, pace.rest);
    }
    driver->later_thread = NO_THREAD;
    driver->has_later_thread = false;
    driver_release(driver);
    return NULL;
}
