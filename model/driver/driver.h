// SPDX-License-Identifier: MIT
// What the files of this folder share: the one struct driver, how a call enters it, and how it tells what is wrong.
// Read docs/exec.md first. The calls themselves are declared by CUDA's documents; each file of calls defines some.
#ifndef TMAREF_DRIVER_H
#define TMAREF_DRIVER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "allocations.h"
#include "cuda_abi.h"
#include "cuda_types.h"
#include "device.h"
#include "objects.h"
#include "options.h"

#define DRIVER_VISIBLE __attribute__((visibility("default")))

enum { DRIVER_CURRENT_MOST = 64 };

struct device_facts;
struct look;
struct turn;

// A launch: its number (0: none), on which stream, what it has written (NULL: nobody knows), and how the allocations
// were then.
struct machine_written;
struct driver_primary {
    uint64_t number;
    const struct CUstream_st *stream;
    struct machine_written *written;
    uint64_t regions;
};

struct driver {
    pthread_mutex_t lock;              // recursive: a call may be made of others
    atomic_int waiting;                // threads that want the lock
    struct turn *turns;                // what is under way on streams (turns.h)
    pthread_cond_t ended;              // one of these has ended
    uint64_t turns_begun, turns_ended; // how many have
    int sleeping;                      // threads that wait for that: with it they want the lock
    uint64_t later_thread;             // that of later.c, when it runs
    bool has_later_thread;
    bool is_initialized, is_child; // is_child: of a process that was, and has no driver
    bool has_programmatic;         // a launch that may begin before the one in front of it has ended
    int has_run, has_refused;      // a kernel, and a call: each is noted once (note.h)
    struct driver_options options;
    const struct device_facts *device;
    struct allocations allocations;
    struct objects objects;
    enum cuda_result error; // sticky: what a kernel did, in whatever context
    bool is_of_gpu;         // a fault or a trap, which no reset mends; else what tmaref alone ends
    struct CUctx_st *primary;
    bool is_primary_gone;                           // reset or released, and not retained again
    struct CUmemPoolHandle_st *default_pool, *pool; // pool: of cuDeviceSetMemPool, NULL: the default
    struct coredump coredump;                       // of the process, and what a context has that nobody has asked yet
    struct look *look;                              // what of the kernels is told; NULL: nothing
    struct history *history;                        // of works of streams (sanitize_order.h); NULL: nobody asks
    uint32_t work_now;                              // that is done, as the history numbers it
    struct driver_primary last_launch;              // the launch that ran last, if nothing came behind it
    uint64_t launches, captures, graph_most_bytes;  // the last: most that nodes of graphs have had
};

// The driver, locked. Give it back with driver_leave().
struct driver *driver_enter(void);
void driver_leave(struct driver **driver);

// A function of the program is called in this thread, in the order of a stream; it must not call the driver.
void driver_callback(bool begins);

// Gives up the lock, however often this thread has taken it, and takes it again as often. driver_wait() does both, and
// waits in between until a turn has ended.
int driver_release(struct driver *driver);
void driver_retake(struct driver *driver, int held);
void driver_wait(struct driver *driver);

// Gives up the lock for good: a signal ends the process.
void driver_wait_for_end(struct driver *driver);

// CUDA_SUCCESS if cuInit was called, a context is current and no kernel has failed in it.
enum cuda_result driver_usable(struct driver *driver);

// The same, but CUDA_SUCCESS where no context is current.
enum cuda_result driver_usable_bare(struct driver *driver);

// The error of the other two, but CUDA_SUCCESS where it is only that a kernel has failed.
enum cuda_result driver_forgive(const struct driver *driver, enum cuda_result error);

// The first line of a call that needs neither cuInit nor a context.
#define DRIVER_ENTER(driver) struct driver *driver __attribute__((cleanup(driver_leave), unused)) = driver_enter()

// The first line of a call that needs cuInit alone.
#define DRIVER_BEGUN_OR_RETURN(driver)                                                                                 \
    DRIVER_ENTER(driver);                                                                                              \
    if (!driver->is_initialized) return CUDA_ERROR_NOT_INITIALIZED

// The first line of a call that needs both.
#define DRIVER_USE_OR_RETURN(driver)                                                                                   \
    DRIVER_ENTER(driver);                                                                                              \
    if (driver_usable(driver) != CUDA_SUCCESS) return driver_usable(driver)

// The first line of a call that is given a stream: it works in the stream's context where none is current.
#define DRIVER_USE_OF_OR_RETURN(driver, stream)                                                                        \
    DRIVER_ENTER(driver);                                                                                              \
    struct CUctx_st *lent __attribute__((cleanup(driver_end_loan), unused)) = driver_lend(driver, stream);             \
    if (driver_usable(driver) != CUDA_SUCCESS) return driver_usable(driver)

// Makes the context of a stream current until driver_end_loan(), if no other is. What was lent, or NULL.
struct CUctx_st *driver_lend(struct driver *driver, const struct CUstream_st *stream);
void driver_end_loan(struct CUctx_st **lent);

// The first line of a call that needs no context.
#define DRIVER_USE_BARE_OR_RETURN(driver)                                                                              \
    DRIVER_ENTER(driver);                                                                                              \
    if (driver_usable_bare(driver) != CUDA_SUCCESS) return driver_usable_bare(driver)

// The same for calls that work also after a kernel has failed.
#define DRIVER_USE_FAILED_OR_RETURN(driver)                                                                            \
    DRIVER_ENTER(driver);                                                                                              \
    if (driver_forgive(driver, driver_usable(driver)) != CUDA_SUCCESS) return driver_usable(driver)
#define DRIVER_USE_BARE_FAILED_OR_RETURN(driver)                                                                       \
    DRIVER_ENTER(driver);                                                                                              \
    if (driver_forgive(driver, driver_usable_bare(driver)) != CUDA_SUCCESS) return driver_usable_bare(driver)

// A call that is one expression: it goes on to another call, or to a function of its file.
#define DRIVER_CALL(name, parameters, call)                                                                            \
    DRIVER_VISIBLE enum cuda_result name parameters                                                                    \
    {                                                                                                                  \
        return call;                                                                                                   \
    }

// The same behind DRIVER_ENTER, DRIVER_USE_OR_RETURN or DRIVER_USE_BARE_OR_RETURN; `call` may use the `driver`.
#define DRIVER_ENTER_CALL(name, parameters, call)                                                                      \
    DRIVER_VISIBLE enum cuda_result name parameters                                                                    \
    {                                                                                                                  \
        DRIVER_ENTER(driver);                                                                                          \
        return call;                                                                                                   \
    }
#define DRIVER_USE_CALL(name, parameters, call)                                                                        \
    DRIVER_VISIBLE enum cuda_result name parameters                                                                    \
    {                                                                                                                  \
        DRIVER_USE_OR_RETURN(driver);                                                                                  \
        return call;                                                                                                   \
    }
#define DRIVER_USE_BARE_CALL(name, parameters, call)                                                                   \
    DRIVER_VISIBLE enum cuda_result name parameters                                                                    \
    {                                                                                                                  \
        DRIVER_USE_BARE_OR_RETURN(driver);                                                                             \
        return call;                                                                                                   \
    }

// The context that is current on this thread, or NULL; what is made belongs to driver_context(): of a green context the
// primary one.
struct CUctx_st *driver_current(void);
struct CUctx_st *driver_context(void);
void driver_set_context(struct CUctx_st *context);
void driver_leave_context(const struct CUctx_st *context); // if it is the current one, what was before it is again
enum cuda_result driver_push_context(struct CUctx_st *context);

// A stream with its capture, and an event with what it holds of one.
enum { EVENT_INTERPROCESS = 4 };
void stream_destroy(struct driver *driver, struct CUstream_st *stream);
void event_destroy(struct driver *driver, struct CUevent_st *event);

enum { LOCATION_HOST = 2, LOCATION_HOST_NUMA_CURRENT = 4 };

// A location: device 0, the host, or a node of the host.
enum cuda_result location_check(struct cuda_mem_location location);

// The same for what is to be made there; handle_types: by which other processes are to have it.
enum cuda_result location_check_new(struct cuda_mem_location location, uint32_t handle_types, int *is_on_host);

// What programs make current of a green context; NULL if there is no memory.
struct CUctx_st *context_of_green(struct driver *driver, struct CUgreenCtx_st *green);

// Memory of cuMemMap that goes with a context: what is mapped is unmapped.
void virtual_unmap_all(struct driver *driver, const struct CUctx_st *context);

// The heap of malloc() in kernels; NULL if there is no memory. Closes all modules of a context.
struct machine_heap *context_heap(struct CUctx_st *context);
void loaded_close_all(struct driver *driver, const struct CUctx_st *context);

// The call of the runtime that the program made in this thread (speaking.h); NULL: none. It stands for that of the
// driver in what driver_refuse() says.
void driver_speak_of(const char *call);

// Says on standard error why a call failed, and returns `error`. For what a user could not guess from the error alone.
enum cuda_result driver_refuse(struct driver *driver, enum cuda_result error, const char *call, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

// Reads the options if cuInit has not yet. Says so if one of them is not what it may be.
enum cuda_result driver_read_options(struct driver *driver);

// The answer of a call that this driver has not: says so once, and why (refusals.h), and is CUDA_ERROR_NOT_SUPPORTED.
int driver_missing(const char *name, const char *why, int *was_told);

// The call that programs built for `version` mean by `symbol`, NULL if there is none; *exists: a later one may.
typedef int driver_call(void);
driver_call *driver_find(const char *symbol, int version, int *exists);

// The name of an error, NULL if there is none of that number.
const char *driver_error_name(int error);

#endif
