// SPDX-License-Identifier: MIT
// An executor turns cases into results: `model` here and now, `gpu` in a child process that drives a real device,
// `sim` in one that drives the simulated device of `tmaref exec`.
// A range that takes the gpu longer than two minutes (or TMAREF_GPU_SECONDS of the environment) counts as hung.
// (What was recorded is a file, not an executor: see trace.h.) A batch holds many cases and their results.
#ifndef TMAREF_EXECUTOR_H
#define TMAREF_EXECUTOR_H

#include "family.h"

// Cases and results of one family, in memory that child processes share. It is full with BATCH_CASES cases, or when
// their results need BATCH_BYTES; no single result may need more, and there is room for a last one behind the others.
struct batch {
    const struct family *family;
    int count; // cases in it
    void *cases;
    struct result *results;
    uint8_t *bytes;    // what the results' windows hold
    size_t used_bytes; // of them
    bool has_run;      // the model has left its results, each case's behind that of the case taken in before it
    int jobs;          // on so many threads it runs; 0: on one
    enum rule *rule;   // the first rule that a case breaks, by the model, where is_judged[] is 1: batch_rule()
    uint8_t *is_judged;
};

enum { BATCH_CASES = 4096 };
#define BATCH_BYTES ((size_t)256 << 20)
#define BATCH_ROOM  (2 * BATCH_BYTES)

// How cases that are predicted to kill their process are run. `together`: many in one process where the machine can
// tell their faults apart, else each in one of its own. `alone`: how many more may be run in one of their own; counted
// down. `end`: the seconds_now() after which no more is begun, 0: none.
struct apart {
    bool together;
    uint64_t alone;
    double end;
};

// Is it too late to begin, or was the command interrupted?
bool apart_is_over(const struct apart *apart);

struct executor {
    const char *name, *summary;

    // Gets ready to run `batch` again and again; 0 with a sentence in `why` if this machine cannot.
    int (*open)(struct batch *batch, struct text *why);

    // Runs cases first .. first + count - 1 of the batch; batch_prepare() was called. A case that kills the device gets
    // a status; 0 with `why` only when the executor is of no more use.
    int (*run)(struct batch *batch, int first, int count, struct text *why);

    // As run(), for cases that are predicted to kill their process. Those that may not be run any more are left open.
    int (*run_apart)(struct batch *batch, int first, int count, struct apart *apart, struct text *why);

    void (*close)(void);

    // What ran the cases, for reports and trace headers: "NVIDIA H200, driver 580.159.04, CUDA 13.0".
    const char *(*describe)(void);
};

// All executors; NULL ends them.
extern const struct executor *const executors[];
extern const struct executor executor_model, executor_gpu, executor_sim, executor_command;

// The executor of that name; `command:PROGRAM` names the program too. NULL if there is none.
const struct executor *executor_find(const char *name);

// The executor command with that program; NULL for none, and for a second one: a process asks one program.
const struct executor *executor_command_for(const char *program);

// Its name for people: of the executor command the program.
const char *executor_title(const struct executor *executor);

// What the executor command is asked for a case: the line as JSON.
json_t *executor_request(const struct family *family, uint64_t index, const void *test_case);

// How a case that ends with `status` elsewhere ends on `executor`: the simulated driver refuses the calls in which
// NVIDIA's driver dies.
int executor_status(const struct executor *executor, int status);

// Does what a case leaves that ends well rest on more than `executor` has, under the schedule that is set (struct
// family, ground)? Then its status is compared, and of its windows those that do not rest on that.
bool executor_lacks(const struct executor *executor, const struct family *family, const void *test_case);

int batch_open(struct batch *batch, const struct family *family);
void batch_close(struct batch *batch);

static inline void *batch_case(const struct batch *batch, int i)
{
    return (char *)batch->cases + (size_t)i * batch->family->case_bytes;
}

// The first rule that case `i` breaks, by the model. The model runs only where it has not run yet.
enum rule batch_rule(struct batch *batch, int i);

// Two cases trade places, with their results; `scratch` has room for a case.
void batch_swap(struct batch *batch, int i, int j, void *scratch);

// Takes all cases out.
void batch_clear(struct batch *batch);

// Is there no place for another case?
bool batch_is_full(const struct batch *batch);

// Counts in the case that was written behind the last one, which is at batch_case(batch, batch->count) and has place.
// Its result gets its place. Returns 0 with a sentence in `why`, and leaves the case out, if that needs more than
// BATCH_BYTES.
int batch_add(struct batch *batch, struct text *why);

// Makes `to` hold the cases of `from`, of the same family.
void batch_copy(struct batch *to, const struct batch *from);

// Clears the results and deals out their bytes: all that batch_add() counted in have room.
void batch_prepare(struct batch *batch);

// The same for an executor that runs them next: of the model, what it has left is not cleared and not run again.
void batch_prepare_for(struct batch *batch, const struct executor *executor);

// Runs cases that batch_add() took in on the model, each into its place, and keeps the rules.
void batch_run(struct batch *batch, int first, int count);

#endif
