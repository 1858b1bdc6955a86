// SPDX-License-Identifier: MIT
// The one struct driver, entering and leaving it, and the calls about the driver itself.
#include "driver.h"

#include <malloc.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "budget.h"
#include "demangle.h"
#include "device.h"
#include "host_watch.h"
#include "logs.h"
#include "look.h"
#include "note.h"
#include "plain.h"
#include "sanitize_order.h"
#include "signals.h"
#include "who.h"
#include "work.h"

static struct driver the_driver = {.lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP,
                                   .ended = PTHREAD_COND_INITIALIZER,
                                   .coredump = {.is_on = {[CORE_TRIGGER_HOST] = 1}}};
static _Thread_local int times_held; // the lock, by this thread
static _Thread_local struct CUctx_st *current[DRIVER_CURRENT_MOST];
static _Thread_local int currents;
static pid_t look_owner; // the process that opened the look

static _Thread_local bool is_in_callback;
static int callbacks; // atomic: of all threads

void driver_callback(bool begins)
{
    is_in_callback = begins;
    __atomic_fetch_add(&callbacks, begins ? 1 : -1, __ATOMIC_RELAXED);
}

// Once for each callback.
static void note_callback(void)
{
    is_in_callback = false;
    if (the_driver.options.quiet) return;
    plain_printf(
        stderr,
        "tmaref: %s: a host function of a stream (cudaLaunchHostFunc, cudaStreamAddCallback) calls CUDA, which "
        "CUDA does not allow. On a GPU the call may fail (800) or wait for ever\n",
        who_call());
}

struct driver *driver_enter(void)
{
    if (is_in_callback) note_callback();
    driver_retake(&the_driver, times_held + 1);
    return &the_driver;
}

void driver_leave(struct driver **driver)
{
    times_held--;
    pthread_mutex_unlock(&(*driver)->lock);
}

int driver_release(struct driver *driver)
{
    const int held = times_held;
    for (; times_held > 0; times_held--) pthread_mutex_unlock(&driver->lock);
    return held;
}

void driver_retake(struct driver *driver, int held)
{
    for (; times_held < held; times_held++) {
        if (pthread_mutex_trylock(&driver->lock) == 0) continue;
        atomic_fetch_add(&driver->waiting, 1);
        pthread_mutex_lock(&driver->lock);
        atomic_fetch_sub(&driver->waiting, 1);
    }
}

void driver_wait(struct driver *driver)
{
    const int held = times_held;
    for (; times_held > 1; times_held--) pthread_mutex_unlock(&driver->lock);
    const uint64_t ended = driver->turns_ended;
    driver->sleeping++;
    while (driver->turns_ended == ended) pthread_cond_wait(&driver->ended, &driver->lock);
    atomic_fetch_sub(&driver->waiting, 1); // turn_end() has counted it
    driver_retake(driver, held);
}

void driver_wait_for_end(struct driver *driver)
{
    driver_release(driver);
    signals_wait_for_end();
}

struct CUctx_st *driver_current(void)
{
    return currents > 0 && object_is(current[currents - 1], OBJECT_CONTEXT) ? current[currents - 1] : NULL;
}

struct CUctx_st *driver_context(void)
{
    struct CUctx_st *context = driver_current();
    return context != NULL && context->base != NULL ? context->base : context;
}

void driver_set_context(struct CUctx_st *context)
{
    if (currents == 0) currents = 1;
    current[currents - 1] = context;
}

void driver_leave_context(const struct CUctx_st *context)
{
    if (currents > 0 && current[currents - 1] == context) currents--;
}

enum cuda_result driver_push_context(struct CUctx_st *context)
{
    if (currents == DRIVER_CURRENT_MOST) return CUDA_ERROR_OUT_OF_MEMORY;
    current[currents++] = context;
    return CUDA_SUCCESS;
}

enum cuda_result driver_usable(struct driver *driver)
{
    if (!driver->is_initialized) return CUDA_ERROR_NOT_INITIALIZED;
    if (driver_context() != NULL && (driver_context() != driver->primary || !driver->is_primary_gone))
        return driver->error;
    return currents > 0 && current[currents - 1] != NULL ? CUDA_ERROR_CONTEXT_IS_DESTROYED : CUDA_ERROR_INVALID_CONTEXT;
}

enum cuda_result driver_usable_bare(struct driver *driver)
{
    const enum cuda_result error = driver_usable(driver);
    return error == CUDA_ERROR_INVALID_CONTEXT && driver_context() == NULL ? CUDA_SUCCESS : error;
}

enum cuda_result driver_forgive(const struct driver *driver, enum cuda_result error)
{
    return error == driver->error ? CUDA_SUCCESS : error;
}

static _Thread_local const char *spoken_call;

void driver_speak_of(const char *call)
{
    spoken_call = call;
}

// With the names of kernels as the source has them, and at once: other processes may write to the same place.
__attribute__((format(printf, 2, 0))) static void print_spoken(const char *call, const char *format, va_list arguments)
{
    enum { LONGER = 4 };
    char *text;
    const int length = vasprintf(&text, format, arguments);
    const size_t room = length < 0 ? 0 : (size_t)length * LONGER + DEMANGLED_BYTES;
    char *spoken = length < 0 ? NULL : malloc(room);
    if (spoken != NULL) {
        const size_t bytes = demangle_line(text, (size_t)length, spoken, room);
        plain_printf(stderr, "tmaref: %s: %.*s\n", call, (int)bytes, spoken);
    }
    free(spoken);
    if (length >= 0) free(text);
}

static void say(struct driver *driver, const char *call, const char *format, va_list arguments)
{
    if (driver->options.quiet) return;
    fflush(stdout);
    flockfile(stderr); // a report of one thread is not torn by another
    print_spoken(call, format, arguments);
    funlockfile(stderr);
}

// Its first sentence, which has a second line where the first one announces it; say() has told the rest.
static void cut_to_sentence(char *why)
{
    char *end = strchr(why, '\n');
    if (end != NULL && end > why && end[-1] == ':') {
        const size_t blanks = strspn(end, "\n ");
        memmove(end + 1, end + blanks, strlen(end + blanks) + 1);
        *end = ' ';
        end = strchr(end, '\n');
    }
    if (end != NULL) *end = '\0';
}

__attribute__((format(printf, 4, 0))) static void note_refused(struct driver *driver, enum cuda_result error,
                                                               const char *call, const char *format, va_list arguments)
{
    char why[800], spoken[800];
    if (error == CUDA_SUCCESS || driver->has_refused++) return;
    vsnprintf(why, sizeof why, format, arguments);
    cut_to_sentence(why);
    demangle_line(why, strlen(why), spoken, sizeof spoken);
    note_add(driver->options.notes, NOTE_REFUSED " %d %s: %s", (int)error, call, spoken);
}

enum cuda_result driver_refuse(struct driver *driver, enum cuda_result error, const char *call, const char *format, ...)
{
    va_list arguments, again, noted;
    if (spoken_call != NULL && strncmp(call, "cu", 2) == 0) call = spoken_call; // "a kernel" stays
    va_start(arguments, format);
    va_copy(again, arguments);
    va_copy(noted, arguments);
    note_refused(driver, error, call, format, noted);
    va_end(noted);
    say(driver, call, format, arguments);
    if (times_held > 0)
        logs_add(driver, call, format, again);
    else
        logs_defer(call, format, again);
    va_end(again);
    va_end(arguments);
    return error;
}

// A kernel that waits may be about to end: it gets a second. So does one that another thread runs, which has the lock.
static bool lock_to_close(void)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    const double since = seconds_of_clock();
    for (;;) {
        struct timespec end;
        clock_gettime(CLOCK_REALTIME, &end);
        end.tv_sec += 1;
        if (pthread_mutex_timedlock(&the_driver.lock, &end) != 0) return false;
        if (!look_is_under_way(the_driver.look) || seconds_of_clock() - since >= 1) return true;
        pthread_mutex_unlock(&the_driver.lock);
        nanosleep(&moment, NULL);
    }
}

// A child of fork() has nothing to tell.
static void close_look(void)
{
    char why[512];
    if (getpid() != look_owner) return;
    if (!lock_to_close()) {
        fprintf(stderr, "tmaref: the program ends while a kernel runs: statistics and coverage are left out, and the "
                        "trace is not whole\n");
        return;
    }
    if (look_is_under_way(the_driver.look))
        fprintf(stderr, "tmaref: the program ends while a kernel waits: statistics, coverage and the trace tell of it "
                        "as far as it ran\n");
    the_driver.history = NULL;
    host_watch_drop();
    if (!look_close(the_driver.look, why, sizeof why)) fprintf(stderr, "tmaref: %s\n", why);
    the_driver.look = NULL;
    pthread_mutex_unlock(&the_driver.lock);
}

// A kernel that waits for the program ends first: later.c sees the signal. A function of the host, such as a product of
// a library, may take long, and is not waited for.
static void close_by_signal(void)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    enum { MOMENTS = 10000 };
    for (int i = 0; i < MOMENTS; i++) {
        if (pthread_mutex_trylock(&the_driver.lock) == 0) {
            const bool is_idle = the_driver.turns == NULL || the_driver.error != CUDA_SUCCESS ||
                                 __atomic_load_n(&callbacks, __ATOMIC_RELAXED) > 0;
            pthread_mutex_unlock(&the_driver.lock);
            if (is_idle) break;
        }
        nanosleep(&moment, NULL);
    }
    close_look();
}

// What the options ask to be told of kernels, until the program exits.
static bool open_look(struct driver *driver, char *why, size_t why_bytes)
{
    const struct look_options asked = {.stats = driver->options.stats != 0,
                                       .check = driver->options.check != 0,
                                       .sanitize = driver->options.sanitize != 0 || driver->options.remedies != 0 ||
                                                   driver->options.lint_sync != 0,
                                       .lint_sync = driver->options.lint_sync != 0,
                                       .lines = {driver->options.json != 0, driver->options.findings},
                                       .hit = driver->options.hit,
                                       .why = driver->options.why,
                                       .why_writes = driver->options.why_writes,
                                       .break_at = driver->options.break_at,
                                       .cta = driver->options.cta,
                                       .thread = driver->options.thread,
                                       .dump = driver->options.dump,
                                       .trace = driver->options.trace,
                                       .write_sync = driver->options.write_sync,
                                       .coverage = driver->options.coverage,
                                       .run = driver->options.run,
                                       .suppressions = driver->options.suppressions,
                                       .notes = driver->options.notes};
    if (driver->look != NULL) return true;
    driver->look = look_open(&asked, why, why_bytes);
    look_owner = getpid();
    driver->history = sanitize_order_open(driver);
    if (driver->history != NULL) signals_faults(host_watch_fault);
    if (driver->look != NULL) atexit(close_look);
    return why[0] == '\0';
}

static void tell_budget(const char *text)
{
    fflush(stdout);
    plain_printf(stderr, "tmaref: --limit-memory: %s\n", text);
}

enum cuda_result driver_read_options(struct driver *driver)
{
    static char told[256];
    char why[sizeof told];
    if (driver->is_initialized) return CUDA_SUCCESS;
    if (driver_options_read(&driver->options, why, sizeof why) && open_look(driver, why, sizeof why)) {
        budget_set(driver->options.limit_memory, tell_budget);
        driver->allocations.are_pages_whole = driver->options.bounds;
        return CUDA_SUCCESS;
    }
    driver->options.quiet = 0;
    if (strcmp(why, told) == 0) return CUDA_ERROR_INVALID_VALUE;
    snprintf(told, sizeof told, "%s", why);
    return driver_refuse(driver, CUDA_ERROR_INVALID_VALUE, "the environment", "%s", why);
}

int driver_missing(const char *name, const char *why, int *was_told)
{
    DRIVER_ENTER(driver);
    driver_read_options(driver);
    if (*was_told) return CUDA_ERROR_NOT_SUPPORTED;
    *was_told = 1;
    return (int)driver_refuse(driver, CUDA_ERROR_NOT_SUPPORTED, name,
                              "tmaref exec does not have this call; it returns 801%s", why);
}

// The lock of the parent may have been any thread's: the child, which has one, gets a new one.
static void begin_child(void)
{
    pthread_mutexattr_t recursive;
    the_driver.is_initialized = false;
    the_driver.is_child = true;
    host_watch_drop();
    the_driver.turns = NULL;
    times_held = 0;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&the_driver.lock, &recursive);
    pthread_mutexattr_destroy(&recursive);
}

// The machine makes and drops the memory of a cluster for each cluster: what is dropped is kept for the next one.
// glibc takes 32 MiB at most for the first. Other C libraries have no mallopt(); there it takes longer.
static void keep_memory(void)
{
#ifdef __GLIBC__
    enum { LARGEST_BYTES = 32 << 20, KEPT_BYTES = 1 << 30 };
    mallopt(M_MMAP_THRESHOLD, LARGEST_BYTES);
    mallopt(M_TRIM_THRESHOLD, KEPT_BYTES);
#endif
}

DRIVER_VISIBLE enum cuda_result cuInit(unsigned flags)
{
    DRIVER_ENTER(driver);
    if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
    if (driver->is_initialized) return CUDA_SUCCESS;
    if (driver->is_child)
        return driver_refuse(driver, CUDA_ERROR_NOT_INITIALIZED, "cuInit",
                             "this process is the child of one that has called cuInit before fork(): fork first, or "
                             "start another program (Python: multiprocessing with the method spawn)");
    const enum cuda_result error = driver_read_options(driver);
    if (error != CUDA_SUCCESS) return error;
    driver->device = device_of_option(driver->options.device);
    driver->is_initialized = true;
    keep_memory();
    signals_begin(close_by_signal);
    pthread_atfork(NULL, NULL, begin_child);
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuDriverGetVersion(int *version)
{
    if (version == NULL) return CUDA_ERROR_INVALID_VALUE;
    *version = driver_options_cuda();
    return CUDA_SUCCESS;
}

// Of a profiler that CUDA had before version 12. Since then it always answers this.
DRIVER_VISIBLE enum cuda_result cuProfilerInitialize(const char *config, const char *output, uint32_t mode)
{
    (void)config, (void)output, (void)mode;
    return CUDA_ERROR_NOT_SUPPORTED;
}

DRIVER_USE_CALL(cuProfilerStart, (void), CUDA_SUCCESS)
DRIVER_USE_CALL(cuProfilerStop, (void), CUDA_SUCCESS)

// --- The stack of contexts of a thread -------------------------------------------------------------------------------

// One that was destroyed may be made current too: the calls after that say that it is.
static bool is_known(const struct driver *driver, const struct CUctx_st *context)
{
    return object_is(context, OBJECT_CONTEXT) || object_was(&driver->objects, context, OBJECT_CONTEXT);
}

DRIVER_VISIBLE enum cuda_result cuCtxSetCurrent(struct CUctx_st *context)
{
    DRIVER_BEGUN_OR_RETURN(driver);
    if (context != NULL && !is_known(driver, context)) return CUDA_ERROR_INVALID_CONTEXT;
    driver_set_context(context);
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuCtxGetCurrent(struct CUctx_st **context)
{
    DRIVER_BEGUN_OR_RETURN(driver);
    if (context == NULL) return CUDA_ERROR_INVALID_VALUE;
    *context = driver_current();
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuCtxPushCurrent_v2(struct CUctx_st *context)
{
    DRIVER_BEGUN_OR_RETURN(driver);
    return is_known(driver, context) ? driver_push_context(context) : CUDA_ERROR_INVALID_CONTEXT;
}

DRIVER_VISIBLE enum cuda_result cuCtxPopCurrent_v2(struct CUctx_st **context)
{
    DRIVER_BEGUN_OR_RETURN(driver);
    if (currents == 0) return CUDA_ERROR_INVALID_CONTEXT;
    currents--;
    if (context != NULL) *context = current[currents];
    return CUDA_SUCCESS;
}

// --- Names of errors -------------------------------------------------------------------------------------------------

const char *driver_error_name(int error)
{
    switch (error) {
#define CUDA_ERROR_ROW(number, driver, runtime, text)                                                                  \
    case number:                                                                                                       \
        return #driver;
#define DRIVER_ERROR_ROW(number, name, text)                                                                           \
    case number:                                                                                                       \
        return #name;
#include "errors.def"
    default:
        return NULL;
    }
}

static const char *error_text(int error)
{
    switch (error) {
#define CUDA_ERROR_ROW(number, driver, runtime, text)                                                                  \
    case number:                                                                                                       \
        return text;
#define DRIVER_ERROR_ROW(number, name, text)                                                                           \
    case number:                                                                                                       \
        return text;
#include "errors.def"
    default:
        return NULL;
    }
}

DRIVER_VISIBLE enum cuda_result cuGetErrorName(enum cuda_result error, const char **name)
{
    if (name == NULL) return CUDA_ERROR_INVALID_VALUE;
    *name = driver_error_name((int)error);
    return *name != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

DRIVER_VISIBLE enum cuda_result cuGetErrorString(enum cuda_result error, const char **text)
{
    if (text == NULL) return CUDA_ERROR_INVALID_VALUE;
    *text = error_text((int)error);
    return *text != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
