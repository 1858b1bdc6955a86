// SPDX-License-Identifier: MIT
// Jobs that need not know of each other, done by as many processes, or threads, as this machine has processors. What a
// job finds it leaves in shared memory; what a process prints comes out in the order of the jobs, whichever ends first.
#ifndef TMAREF_WORKERS_H
#define TMAREF_WORKERS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct jobs {
    int count;
    const uint64_t *cost;                           // of each job: the dearest begin first; NULL: in their order
    void (*run)(int job, void *context, FILE *out); // one job; what it changes in `context` must be shared memory
    void *context;
    // What becomes of `size_bytes` that a job has printed; asked in the order of the jobs. NULL: they come out.
    void (*print)(int job, void *context, const char *text, size_t size_bytes, FILE *out);
    const char *label; // of the progress bar,
    uint64_t total;    // and what the jobs together count to with workers_progress()
};

enum workers_end {
    WORKERS_DONE,
    WORKERS_INTERRUPTED, // by Ctrl-C: some jobs were not done
    WORKERS_DIED,        // a job killed its process, or no process could be made
};

// Runs the jobs in `processes` processes (1: in this one; 0: as many as there are processors) and copies to `out` what
// they print.
enum workers_end workers_run(const struct jobs *jobs, int processes, FILE *out);

// For a job: `count` more of the total are done.
void workers_progress(uint64_t count);

// Zeroed memory that processes forked from now on share with this one; NULL if there is none.
void *shared_memory(size_t size_bytes);
void shared_memory_free(void *memory, size_t size_bytes);

// How many run side by side: as many as asked for, or 0: as many as this machine has processors; never more than 64.
enum { MOST_SIDE_BY_SIDE = 64 };
int side_by_side(int asked);

// Calls run(i, context) for each i from `first` to `end` - 1, on `threads` threads (0 and 1: on this one). Returns when
// all have returned.
void threads_run(int threads, int first, int end, void (*run)(int i, void *context), void *context);

#endif
