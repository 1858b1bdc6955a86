// SPDX-License-Identifier: MIT
// A process that owns the device for its parent and runs ranges of a batch that both share. A sticky CUDA error, a
// crash inside the driver or a hang ends that process alone.
#ifndef TMAREF_GPU_CHILD_H
#define TMAREF_GPU_CHILD_H

#include <sys/types.h>

#include "executor.h"
#include "result.h"

// What a child is told to run. The batch is at the same address in both processes: the child was forked after it was
// made. `pair`: under which schedule and seed, where it is simulated (schedule_pair()). `is_fatal`: it is predicted to
// kill the process. A simulated device then runs it in a copy of the child, and the child goes on.
struct gpu_order {
    struct batch *batch;
    int first, count, pair;
    bool is_fatal;
};

struct gpu_child {
    pid_t pid;  // 0: no child
    int socket; // readable when the child has something to say
};

// A child's first words: ready or not, and why; the device.
struct gpu_greeting {
    bool ready;
    char description[256];
    struct text why;
};

// What came of waiting for a message.
enum gpu_came { GPU_CAME_LATE = -1, GPU_CAME_END = 0, GPU_CAME_MESSAGE = 1 };

// Starts a child, which opens the device and then greets. Returns at once; 0 with `why` if there can be no process.
// `core`: NULL, or where the driver writes a dump when a case faults. Such a child runs one range, and its answer is
// how many results the dump gave a status.
int gpu_child_start(struct gpu_child *child, const char *core, struct text *why);

// Waits at most `seconds` for the greeting; 1 if the child is ready, else 0 with `why`, and the child is ended.
bool gpu_child_greets(struct gpu_child *child, int seconds, struct gpu_greeting *greeting, struct text *why);

// Hands over a range; 0 if the child is dead.
bool gpu_child_order(const struct gpu_child *child, const struct gpu_order *order);

// Waits at most `seconds` for the outcome of the range: 0, or the CUDA error after which the child ends.
enum gpu_came gpu_child_answers(const struct gpu_child *child, int seconds, int *error);

// Ends the child, if there is one: by force, or by its own will now that nobody speaks to it. Returns minus the signal
// that killed it, or 0.
int gpu_child_end(struct gpu_child *child, bool force);

// Before the driver is started: it will tell of launches in JSON.
void sim_told_ask(void);

// Once it has started: from now on its standard error is kept, and nobody else hears it. 0 if that cannot be.
bool sim_told_listen(void);

// Forgets what was kept.
void sim_told_clear(void);

// Sets the rule of `result` and what was told, if a launch has failed since.
void sim_told(struct result *result);

#endif
