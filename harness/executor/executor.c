// SPDX-License-Identifier: MIT
// The list of executors, the batch, and the model's executor, which is a loop.
#include "executor.h"

#include <string.h>
#include <sys/mman.h>

const struct executor *const executors[] = {&executor_model, &executor_gpu, NULL};

const struct executor *executor_find(const char *name)
{
    for (int i = 0; executors[i] != NULL; i++)
        if (strcmp(executors[i]->name, name) == 0) return executors[i];
    return NULL;
}

static void *shared_memory(size_t size_bytes)
{
    void *memory = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

int batch_open(struct batch *batch, const struct family *family)
{
    *batch = (struct batch){.family = family};
    batch->cases = shared_memory(BATCH_CASES * family->case_bytes);
    batch->results = shared_memory(BATCH_CASES * sizeof *batch->results);
    batch->bytes = shared_memory(BATCH_BYTES);
    if (batch->cases != NULL && batch->results != NULL && batch->bytes != NULL) return 1;
    batch_close(batch);
    return 0;
}

void batch_close(struct batch *batch)
{
    if (batch->cases != NULL) munmap(batch->cases, BATCH_CASES * batch->family->case_bytes);
    if (batch->results != NULL) munmap(batch->results, BATCH_CASES * sizeof *batch->results);
    if (batch->bytes != NULL) munmap(batch->bytes, BATCH_BYTES);
    *batch = (struct batch){0};
}

int batch_prepare(struct batch *batch, int count)
{
    size_t used = 0;
    int fit = 0;
    for (; fit < count; fit++) {
        size_t needed = batch->family->result_bytes(batch_case(batch, fit));
        if (fit > 0 && used + needed > BATCH_BYTES) break;
        batch->results[fit] = result_at(batch->bytes + used);
        used += (needed + 15) / 16 * 16;
    }
    return fit;
}

static int model_open(struct batch *batch, struct text *why)
{
    (void)batch, (void)why;
    return 1;
}

static int model_run(struct batch *batch, int first, int count, struct text *why)
{
    (void)why;
    for (int i = first; i < first + count; i++) batch->family->run_model(batch_case(batch, i), &batch->results[i]);
    return 1;
}

static void model_close(void)
{
}

static const char *model_describe(void)
{
    return "tmaref model of sm_90a";
}

const struct executor executor_model = {
    "model", "the C reference model, on this CPU", model_open, model_run, model_close, model_describe,
};
