// SPDX-License-Identifier: MIT
#include "crew.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

// work: NULL while it has none. next: in the list it is in.
struct crew_member {
    pthread_cond_t called, done;
    void (*work)(void *);
    void *context;
    struct crew_member *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct crew_member *idle, *lost;
static int members;

// A new process has one thread: those that were free are none of its own.
static void forget(void)
{
    pthread_mutex_init(&lock, NULL);
    members = 0;
    while (idle != NULL) {
        struct crew_member *member = idle;
        idle = member->next;
        member->next = lost;
        lost = member;
    }
}

static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, forget);
}

static void *serve(void *context)
{
    struct crew_member *member = context;
    pthread_mutex_lock(&lock);
    for (;;) {
        while (member->work == NULL) pthread_cond_wait(&member->called, &lock);
        pthread_mutex_unlock(&lock);
        member->work(member->context);
        pthread_mutex_lock(&lock);
        member->work = NULL;
        pthread_cond_signal(&member->done);
    }
    return NULL;
}

// All but what an instruction of the thread itself raises: memory that is watched is told of by such a one.
static void block_signals(sigset_t *before)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
    sigset_t others;
    sigfillset(&others);
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) sigdelset(&others, own[i]);
    pthread_sigmask(SIG_BLOCK, &others, before);
}

static bool start(struct crew_member *member)
{
    pthread_attr_t detached;
    pthread_t thread;
    sigset_t before;
    if (pthread_attr_init(&detached) != 0) return false;
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    block_signals(&before);
    const int error = pthread_create(&thread, &detached, serve, member);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&detached);
    return error == 0;
}

static struct crew_member *new_member(void (*work)(void *), void *context)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    struct crew_member *member = calloc(1, sizeof *member);
    if (member == NULL) return NULL;
    pthread_once(&once, watch_forks);
    pthread_cond_init(&member->called, NULL);
    pthread_cond_init(&member->done, NULL);
    member->work = work;
    member->context = context;
    __atomic_add_fetch(&members, 1, __ATOMIC_RELAXED); // before others can count the thread
    if (start(member)) return member;
    __atomic_sub_fetch(&members, 1, __ATOMIC_RELAXED);
    pthread_cond_destroy(&member->called);
    pthread_cond_destroy(&member->done);
    free(member);
    return NULL;
}

struct crew_member *crew_call(void (*work)(void *), void *context)
{
    pthread_mutex_lock(&lock);
    struct crew_member *member = idle;
    if (member != NULL) {
        idle = member->next;
        member->context = context;
        member->work = work;
        pthread_cond_signal(&member->called);
    }
    pthread_mutex_unlock(&lock);
    return member != NULL ? member : new_member(work, context);
}

void crew_wait(struct crew_member *member)
{
    pthread_mutex_lock(&lock);
    while (member->work != NULL) pthread_cond_wait(&member->done, &lock);
    member->next = idle;
    idle = member;
    pthread_mutex_unlock(&lock);
}

int crew_threads(void)
{
    return __atomic_load_n(&members, __ATOMIC_RELAXED);
}
