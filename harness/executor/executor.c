// SPDX-License-Identifier: MIT
// The list of executors, the batch, and the model's executor, which is a loop.
#include "executor.h"

#include <signal.h>
#include <string.h>

#include "cuda_abi.h"
#include "progress.h"
#include "schedules.h"
#include "workers.h"

const struct executor *const executors[] = {&executor_model, &executor_gpu, &executor_sim, &executor_command, NULL};

const struct executor *executor_find(const char *name)
{
    static const char with_program[] = "command:";
    if (strncmp(name, with_program, sizeof with_program - 1) == 0)
        return executor_command_for(name + sizeof with_program - 1);
    for (int i = 0; executors[i] != NULL; i++)
        if (strcmp(executors[i]->name, name) == 0) return executors[i];
    return NULL;
}

const char *executor_title(const struct executor *executor)
{
    return executor == &executor_command ? executor->describe() : executor->name;
}

int executor_status(const struct executor *executor, int status)
{
    return executor == &executor_sim && status == -SIGSEGV ? CUDA_ERROR_INVALID_VALUE : status;
}

bool executor_lacks(const struct executor *executor, const struct family *family, const void *test_case)
{
    return executor == &executor_sim && family->ground != NULL && !schedule_has(family->ground(test_case));
}

int batch_open(struct batch *batch, const struct family *family)
{
    *batch = (struct batch){.family = family};
    batch->cases = shared_memory(BATCH_CASES * family->case_bytes);
    batch->results = shared_memory(BATCH_CASES * sizeof *batch->results);
    batch->bytes = shared_memory(BATCH_ROOM);
    batch->rule = shared_memory(BATCH_CASES * sizeof *batch->rule);
    batch->is_judged = shared_memory(BATCH_CASES);
    if (batch->cases != NULL && batch->results != NULL && batch->bytes != NULL && batch->rule != NULL &&
        batch->is_judged != NULL)
        return 1;
    batch_close(batch);
    return 0;
}

void batch_close(struct batch *batch)
{
    shared_memory_free(batch->cases, BATCH_CASES * batch->family->case_bytes);
    shared_memory_free(batch->results, BATCH_CASES * sizeof *batch->results);
    shared_memory_free(batch->bytes, BATCH_ROOM);
    shared_memory_free(batch->rule, BATCH_CASES * sizeof *batch->rule);
    shared_memory_free(batch->is_judged, BATCH_CASES);
    *batch = (struct batch){0};
}

// Bytes that the result of case `i` takes from the batch.
static size_t bytes_of(const struct batch *batch, int i)
{
    size_t bytes = family_result_bytes(batch->family, batch_case(batch, i));
    return (bytes + RESULT_ALIGNMENT - 1) / RESULT_ALIGNMENT * RESULT_ALIGNMENT;
}

void batch_clear(struct batch *batch)
{
    batch->count = 0;
    batch->has_run = false;
    batch->used_bytes = 0;
    memset(batch->is_judged, 0, BATCH_CASES);
}

enum rule batch_rule(struct batch *batch, int i)
{
    if (!batch->is_judged[i]) batch->rule[i] = family_rule(batch->family, batch_case(batch, i));
    batch->is_judged[i] = 1;
    return batch->rule[i];
}

void batch_swap(struct batch *batch, int i, int j, void *scratch)
{
    if (i == j) return;
    memcpy(scratch, batch_case(batch, i), batch->family->case_bytes);
    memcpy(batch_case(batch, i), batch_case(batch, j), batch->family->case_bytes);
    memcpy(batch_case(batch, j), scratch, batch->family->case_bytes);
    struct result result = batch->results[i];
    batch->results[i] = batch->results[j];
    batch->results[j] = result;
    enum rule rule = batch->rule[i];
    uint8_t is_judged = batch->is_judged[i];
    batch->rule[i] = batch->rule[j];
    batch->is_judged[i] = batch->is_judged[j];
    batch->rule[j] = rule;
    batch->is_judged[j] = is_judged;
}

bool batch_is_full(const struct batch *batch)
{
    return batch->count == BATCH_CASES || batch->used_bytes >= BATCH_BYTES;
}

int batch_add(struct batch *batch, struct text *why)
{
    size_t needed = bytes_of(batch, batch->count);
    if (needed > BATCH_BYTES)
        return text_fail(why, "the result of this case needs %zu bytes: at most %zu fit", needed, BATCH_BYTES);
    batch->results[batch->count++] = result_at(batch->bytes + batch->used_bytes);
    batch->used_bytes += needed;
    return 1;
}

void batch_copy(struct batch *to, const struct batch *from)
{
    memcpy(to->cases, from->cases, (size_t)from->count * from->family->case_bytes);
    memcpy(to->rule, from->rule, (size_t)from->count * sizeof *to->rule);
    memcpy(to->is_judged, from->is_judged, (size_t)from->count);
    to->count = from->count;
    to->used_bytes = from->used_bytes;
    to->has_run = false;
}

void batch_prepare(struct batch *batch)
{
    size_t used = 0;
    batch->has_run = false;
    for (int i = 0; i < batch->count; i++) {
        batch->results[i] = result_at(batch->bytes + used);
        used += bytes_of(batch, i);
    }
}

void batch_prepare_for(struct batch *batch, const struct executor *executor)
{
    if (executor != &executor_model || !batch->has_run) batch_prepare(batch);
}

static void run_case(int i, void *of)
{
    struct batch *batch = of;
    family_run_model(batch->family, batch_case(batch, i), &batch->results[i]);
    batch->rule[i] = batch->results[i].rule;
    batch->is_judged[i] = 1;
}

void batch_run(struct batch *batch, int first, int count)
{
    threads_run(batch->jobs, first, first + count, run_case, batch);
}

static int model_open(struct batch *batch, struct text *why)
{
    (void)batch, (void)why;
    return 1;
}

static int model_run(struct batch *batch, int first, int count, struct text *why)
{
    (void)why;
    if (!batch->has_run) batch_run(batch, first, count);
    return 1;
}

bool apart_is_over(const struct apart *apart)
{
    return interrupted() || (apart->end > 0 && seconds_now() >= apart->end);
}

static int model_run_apart(struct batch *batch, int first, int count, struct apart *apart, struct text *why)
{
    (void)apart;
    return model_run(batch, first, count, why);
}

static void model_close(void)
{
}

static const char *model_describe(void)
{
    return "tmaref model of sm_90a";
}

const struct executor executor_model = {
    "model", "the C reference model, on this CPU", model_open, model_run, model_run_apart, model_close, model_describe,
};
