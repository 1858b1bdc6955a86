// SPDX-License-Identifier: MIT
// A handler may do next to nothing: it wakes a thread, which waits for that, and may do all.
#define _GNU_SOURCE 1
#include "signals.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static const int ending[] = {SIGINT, SIGTERM, SIGALRM};
static const int faulting[] = {SIGSEGV, SIGBUS};
enum { ENDINGS = sizeof ending / sizeof ending[0], FAULTINGS = sizeof faulting / sizeof faulting[0] };

static int came; // atomic
static int wake[2];
static pid_t owner;
static bool has_thread;
static struct sigaction before[FAULTINGS];

const int *signals_stop(void)
{
    return &came;
}

int signals_number(void)
{
    return __atomic_load_n(&came, __ATOMIC_RELAXED);
}

int signals_threads(void)
{
    return has_thread && getpid() == owner;
}

// --- Signals that end the program ------------------------------------------------------------------------------------

static void die(int number)
{
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, number);
    signal(number, SIG_DFL);
    pthread_sigmask(SIG_UNBLOCK, &one, NULL);
    raise(number);
}

// A second one ends the program at once; so does one of a child of fork(), which has no thread for it.
static void on_ending(int number)
{
    const int error = errno;
    if (getpid() != owner || __atomic_exchange_n(&came, number, __ATOMIC_RELAXED) != 0) die(number);
    if (write(wake[1], "", 1) != 1) die(number);
    errno = error;
}

static void *wait_for_signal(void *context)
{
    void (*close)(void) = *(void (**)(void))context;
    char byte;
    while (read(wake[0], &byte, 1) < 0 && errno == EINTR) {
    }
    close();
    die(signals_number());
    return NULL;
}

static bool start_thread(void (*close)(void))
{
    static void (*closes)(void);
    sigset_t all, kept;
    pthread_t thread;
    if (pipe(wake) != 0) return false;
    closes = close;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &kept);
    has_thread = pthread_create(&thread, NULL, wait_for_signal, &closes) == 0;
    pthread_sigmask(SIG_SETMASK, &kept, NULL);
    if (has_thread) pthread_detach(thread);
    return has_thread;
}

void signals_wait_for_end(void)
{
    enum { MOST_SECONDS = 10 };
    nanosleep(&(struct timespec){.tv_sec = MOST_SECONDS}, NULL);
    die(signals_number());
}

// --- Faults of pointers that were passed -----------------------------------------------------------------------------

static uintptr_t pc_of(const void *context)
{
    const ucontext_t *at = context;
#if defined __x86_64__
    return (uintptr_t)at->uc_mcontext.gregs[REG_RIP];
#elif defined __aarch64__
    return (uintptr_t)at->uc_mcontext.pc;
#else
    (void)at;
    return 0;
#endif
}

// Is it of libcuda (which this is) or libcudart? Of both the entries alone have names.
static bool is_ours(void *pc, Dl_info *found)
{
    Dl_info self;
    if (dladdr(pc, found) == 0 || dladdr(&owner, &self) == 0) return false;
    return found->dli_fbase == self.dli_fbase ||
           (found->dli_fname != NULL && strstr(found->dli_fname, "/libcudart.so") != NULL);
}

// The call of the program in which the fault is: our library itself, or some functions of the C library that it
// calls. NULL if the fault is the program's own.
static const char *call_at(uintptr_t pc)
{
    enum { MOST = 64, MOST_OF_C = 8 };
    void *frame[MOST];
    const char *call = NULL;
    Dl_info found;
    const int frames = backtrace(frame, MOST);
    int first = 0;
    while (first < frames && (uintptr_t)frame[first] != pc) first++;
    for (int skipped = 0; first < frames && skipped < MOST_OF_C && !is_ours(frame[first], &found); skipped++) {
        if (found.dli_fname == NULL || strstr(found.dli_fname, "/libc.so") == NULL) return NULL;
        first++;
    }
    for (; first < frames && is_ours(frame[first], &found); first++) {
        if (found.dli_sname != NULL) call = found.dli_sname;
        if (call == NULL) call = "a call of the driver API"; // of which only a part without a name is left on the stack
    }
    return call;
}

// Was it a write? Elsewhere nobody says: a read.
static bool is_write(const void *context)
{
#if defined __x86_64__
    return (int)(((const ucontext_t *)context)->uc_mcontext.gregs[REG_ERR] >> 1 & true);
#else
    (void)context;
    return 0;
#endif
}

static int (*known)(uint64_t address, int writes, uintptr_t place);

void signals_faults(int (*mine)(uint64_t address, int writes, uintptr_t place))
{
    known = mine;
}

static void on_fault(int number, siginfo_t *info, void *context)
{
    char text[512];
    const char *call = call_at(pc_of(context));
    if (number == SIGSEGV && info->si_code == SEGV_ACCERR && known != NULL &&
        known((uint64_t)(uintptr_t)info->si_addr, is_write(context), call == NULL ? pc_of(context) : 0))
        return;
    const int length = call == NULL ? 0
                                    : snprintf(text, sizeof text,
                                               "tmaref: %s: %s at address %p, which is no memory of the host that the "
                                               "call may use: an argument is a wrong pointer, or its memory was freed, "
                                               "or it is too small\n",
                                               call, number == SIGSEGV ? "SIGSEGV" : "SIGBUS", info->si_addr);
    if (length > 0 && write(STDERR_FILENO, text, (size_t)length) < 0) errno = 0;
    for (int i = 0; i < FAULTINGS; i++)
        if (faulting[i] == number)
            sigaction(number, &before[i], NULL); // the same instruction faults again, for that one
    if (info->si_code <= 0) raise(number);       // nobody's instruction: raise() or kill(), which come once
}

// --- The beginning ---------------------------------------------------------------------------------------------------

static bool is_default(int number)
{
    struct sigaction now;
    return sigaction(number, NULL, &now) == 0 && !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL;
}

void signals_begin(void (*close)(void))
{
    struct sigaction action = {.sa_handler = on_ending, .sa_flags = SA_RESTART};
    struct sigaction fault = {.sa_sigaction = on_fault, .sa_flags = (int)(SA_SIGINFO | SA_NODEFER)};
    void *first[1];
    owner = getpid();
    backtrace(first, 1); // which loads what it needs, now
    for (int i = 0; i < FAULTINGS; i++) sigaction(faulting[i], &fault, &before[i]);
    if (!start_thread(close)) return;
    for (int i = 0; i < ENDINGS; i++)
        if (is_default(ending[i])) sigaction(ending[i], &action, NULL);
}
