// SPDX-License-Identifier: MIT
#include "curand.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "note.h"

enum { SUCCESS = 0, ALLOCATION_FAILED = 102, LAUNCH_FAILURE = 201, INITIALIZATION_FAILED = 203 }; // curandStatus_t

// --- The rows --------------------------------------------------------------------------------------------------------

#define CURAND_SYMBOL(name, parameters) ROW_##name,
enum { CURAND_ROWS(CURAND_SYMBOL) SYMBOLS };
#undef CURAND_SYMBOL

static _Atomic(void *) home; // generators are known to the copy of cuRAND that made them
#define ROW(symbol, parameters) [ROW_##symbol] = {.name = #symbol, .wrapper = (void *)symbol, .home = &home},
static struct interposed symbols[SYMBOLS] = {CURAND_ROWS(ROW)};
#undef ROW
#define REAL(name) ((name##_fn)interpose_real(&symbols[ROW_##name]))

struct interposed *curand_find(const char *name)
{
    for (int i = 0; i < SYMBOLS; i++)
        if (strcmp(symbols[i].name, name) == 0) return &symbols[i];
    return NULL;
}

__attribute__((format(printf, 3, 4))) static int refuse(const char *call, int status, const char *format, ...)
{
    char why[300];
    va_list arguments;
    const char *quiet = getenv("TMAREF_QUIET");
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    if (quiet == NULL || quiet[0] != '1') fprintf(stderr, "tmaref: %s: %s\n", call, why);
    note_add(note_path(), NOTE_REFUSED " %d %s: %s", status, call, why);
    return status;
}

// --- The driver, which a program of cuRAND has loaded or will load ----------------------------------------------------

#define DRIVER(name, parameters)                                                                                       \
    static int name parameters;                                                                                        \
    typedef int(*name##_fn) parameters;
DRIVER(cuInit, (unsigned flags))
DRIVER(cuCtxGetCurrent, (void **context))
DRIVER(cuDevicePrimaryCtxRetain, (void **context, int device))
DRIVER(cuCtxSetCurrent, (void *context))
DRIVER(cuStreamIsCapturing, (struct CUstream_st * stream, int *status))
DRIVER(cuStreamSynchronize, (struct CUstream_st * stream))
DRIVER(cuLaunchHostFunc, (struct CUstream_st * stream, void (*run)(void *), void *user))
DRIVER(cuMemGetAddressRange_v2, (void *base, size_t *bytes, unsigned long long at))

static void *driver_function(const char *name)
{
    void *library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
    return library == NULL ? NULL : dlsym(library, name);
}

#define CALL(name, parameters, arguments)                                                                              \
    static int name parameters                                                                                         \
    {                                                                                                                  \
        static _Atomic(void *) found;                                                                                  \
        if (found == NULL) found = driver_function(#name);                                                             \
        return found == NULL ? INITIALIZATION_FAILED : ((name##_fn)found)arguments;                                    \
    }
CALL(cuInit, (unsigned flags), (flags))
CALL(cuCtxGetCurrent, (void **context), (context))
CALL(cuDevicePrimaryCtxRetain, (void **context, int device), (context, device))
CALL(cuCtxSetCurrent, (void *context), (context))
CALL(cuStreamIsCapturing, (struct CUstream_st * stream, int *status), (stream, status))
CALL(cuStreamSynchronize, (struct CUstream_st * stream), (stream))
CALL(cuLaunchHostFunc, (struct CUstream_st * stream, void (*run)(void *), void *user), (stream, run, user))
CALL(cuMemGetAddressRange_v2, (void *base, size_t *bytes, unsigned long long at), (base, bytes, at))

// The primary context, unless the thread has one.
static bool make_ready(void)
{
    void *context = NULL;
    if (cuInit(0) != 0) return false;
    if (cuCtxGetCurrent(&context) == 0 && context != NULL) return true;
    return cuDevicePrimaryCtxRetain(&context, 0) == 0 && cuCtxSetCurrent(context) == 0;
}

// --- Generators for the device ---------------------------------------------------------------------------------------

struct generator {
    struct generator *next;
    void *real;
    struct CUstream_st *stream;
    bool is_in_graph; // which may run again at any time, so the generator is kept
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct generator *generators;

// NULL for one that the program made for the host.
static struct generator *find(void *real)
{
    pthread_mutex_lock(&lock);
    struct generator *one = generators;
    while (one != NULL && one->real != real) one = one->next;
    pthread_mutex_unlock(&lock);
    return one;
}

static void forget(const struct generator *one)
{
    struct generator **at = &generators;
    pthread_mutex_lock(&lock);
    while (*at != one) at = &(*at)->next;
    *at = one->next;
    pthread_mutex_unlock(&lock);
}

int curandCreateGenerator(void **generator, int type)
{
    const curandCreateGenerator_fn real = REAL(curandCreateGenerator);
    const curandCreateGenerator_fn host =
        (curandCreateGenerator_fn)interpose_beside((void *)real, "curandCreateGeneratorHost");
    if (host == NULL || !make_ready())
        return refuse(__func__, INITIALIZATION_FAILED, "%s",
                      host == NULL ? "this libcurand has no curandCreateGeneratorHost" : "there is no device");
    struct generator *one = calloc(1, sizeof *one);
    const int status = one == NULL ? ALLOCATION_FAILED : host(generator, type);
    if (status != SUCCESS) {
        free(one);
        return status;
    }
    one->real = *generator;
    pthread_mutex_lock(&lock);
    one->next = generators;
    generators = one;
    pthread_mutex_unlock(&lock);
    return SUCCESS;
}

int curandDestroyGenerator(void *generator)
{
    struct generator *one = find(generator);
    int capture = 0;
    if (one == NULL) return REAL(curandDestroyGenerator)(generator);
    if (cuStreamIsCapturing(one->stream, &capture) == 0 && capture == 0) cuStreamSynchronize(one->stream);
    forget(one);
    const int status = one->is_in_graph ? SUCCESS : REAL(curandDestroyGenerator)(generator);
    free(one);
    return status;
}

int curandSetStream(void *generator, struct CUstream_st *stream)
{
    struct generator *one = find(generator);
    if (one == NULL) return REAL(curandSetStream)(generator, stream);
    one->stream = stream;
    return SUCCESS;
}

// --- Numbers ---------------------------------------------------------------------------------------------------------

// A call that waits for its turn in the stream. The caller and the stream each hold it. A job in a graph is never
// freed, because the graph may run it again.
struct job {
    atomic_int holders, status;
    bool is_in_graph;
    int call; // its row
    void *generator, *to;
    size_t n;
    double first, second;
};

static void let_go(struct job *job)
{
    if (!job->is_in_graph && atomic_fetch_sub(&job->holders, 1) == 1) free(job);
}

static int run_real(const struct job *job)
{
    void *g = job->generator, *to = job->to;
    const size_t n = job->n;
    const double a = job->first, b = job->second;
    switch (job->call) {
    case ROW_curandGenerate:
        return REAL(curandGenerate)(g, to, n);
    case ROW_curandGenerateLongLong:
        return REAL(curandGenerateLongLong)(g, to, n);
    case ROW_curandGenerateUniform:
        return REAL(curandGenerateUniform)(g, to, n);
    case ROW_curandGenerateUniformDouble:
        return REAL(curandGenerateUniformDouble)(g, to, n);
    case ROW_curandGenerateNormal:
        return REAL(curandGenerateNormal)(g, to, n, (float)a, (float)b);
    case ROW_curandGenerateNormalDouble:
        return REAL(curandGenerateNormalDouble)(g, to, n, a, b);
    case ROW_curandGenerateLogNormal:
        return REAL(curandGenerateLogNormal)(g, to, n, (float)a, (float)b);
    case ROW_curandGenerateLogNormalDouble:
        return REAL(curandGenerateLogNormalDouble)(g, to, n, a, b);
    default:
        return REAL(curandGeneratePoisson)(g, to, n, a);
    }
}

static void run(void *user)
{
    static atomic_int ran;
    struct job *job = user;
    job->status = run_real(job);
    if (!ran++) note_add(note_path(), NOTE_RAN);
    let_go(job);
}

static bool is_device_memory(const void *at)
{
    return cuMemGetAddressRange_v2(NULL, NULL, (unsigned long long)(uintptr_t)at) == 0;
}

static int check_memory(const char *call, const uint8_t *to, size_t bytes)
{
    if (bytes == 0 || (is_device_memory(to) && is_device_memory(to + bytes - 1))) return SUCCESS;
    if (!is_device_memory(to))
        return refuse(call, LAUNCH_FAILURE, "the output is at %p, which is no memory of the device", (const void *)to);
    return refuse(call, LAUNCH_FAILURE, "the output takes %zu bytes from %p on, and the allocation ends before", bytes,
                  (const void *)to);
}

static int submit(struct generator *one, const struct job *wanted, size_t element_bytes)
{
    int capture = 0;
    const char *call = symbols[wanted->call].name;
    cuStreamIsCapturing(one->stream, &capture);
    const int error = capture ? SUCCESS : check_memory(call, wanted->to, wanted->n * element_bytes);
    if (error != SUCCESS) return error;
    struct job *job = malloc(sizeof *job);
    if (job == NULL) return ALLOCATION_FAILED;
    *job = *wanted;
    job->holders = 2;
    job->is_in_graph = capture != 0;
    one->is_in_graph |= job->is_in_graph;
    const int refused = cuLaunchHostFunc(one->stream, run, job);
    const int status = refused ? LAUNCH_FAILURE : job->status;
    if (refused) free(job);
    if (refused) return refuse(call, status, "the stream refuses work: CUDA error %d", refused);
    let_go(job);
    return status;
}

#define GENERATE(name, parameters, arguments, type, a, b)                                                              \
    int name parameters                                                                                                \
    {                                                                                                                  \
        struct generator *one = find(generator);                                                                       \
        const struct job job = {                                                                                       \
            .call = ROW_##name, .generator = generator, .to = to, .n = n, .first = a, .second = b};                    \
        return one == NULL ? REAL(name) arguments : submit(one, &job, sizeof(type));                                   \
    }
#define PLAIN(name, type) GENERATE(name, (void *generator, type *to, size_t n), (generator, to, n), type, 0, 0)
#define SHAPED(name, type)                                                                                             \
    GENERATE(name, (void *generator, type *to, size_t n, type mean, type deviation),                                   \
             (generator, to, n, mean, deviation), type, (double)mean, (double)deviation)
PLAIN(curandGenerate, uint32_t)
PLAIN(curandGenerateLongLong, uint64_t)
PLAIN(curandGenerateUniform, float)
PLAIN(curandGenerateUniformDouble, double)
SHAPED(curandGenerateNormal, float)
SHAPED(curandGenerateNormalDouble, double)
SHAPED(curandGenerateLogNormal, float)
SHAPED(curandGenerateLogNormalDouble, double)
GENERATE(curandGeneratePoisson, (void *generator, uint32_t *to, size_t n, double lambda), (generator, to, n, lambda),
         uint32_t, lambda, 0)
