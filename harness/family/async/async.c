// SPDX-License-Identifier: MIT
// Family "async": programs of cp.async, bulk stores and reductions, the commits and waits of their groups, and
// cp.async.mbarrier.arrive, by one or two threads. The result is the barrier's word, what each wait saw, the copies'
// slots and the destinations in global memory.
//
// A wait looks at the destinations of those operations alone that the model says must be complete: the bit of each in
// the window "waits" says that it was. What may be complete or not is not looked at, so it cannot fail; at the end of
// a program everything has been waited for, and is compared byte by byte.
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "async_case.h"
#include "family.h"
#include "gpu.h"
#include "json.h"
#include "mbarrier.h"

enum { SCRATCH_BUFFER = 2, WORD_BYTES = 16, ARENA_MARGIN_BYTES = 1 << 30, MOST_ADDRESS = 1 << 26 };

const char *const async_thread_names[] = {"one", "same_warp", "other_warp", NULL};
const char *const async_promise_names[] = {"ptx", "sm_90a", NULL};
static const char *const form_names[] = {"whole", "src_size", "ignore_src", NULL};
const char *const async_op_names[] = {"cp.async.ca",
                                      "cp.async.cg",
                                      "cp.async.bulk",
                                      "cp.reduce.async.bulk.add.u32",
                                      "cp.async.bulk.prefetch",
                                      "cp.async.commit_group",
                                      "cp.async.wait_group",
                                      "cp.async.wait_all",
                                      "cp.async.bulk.commit_group",
                                      "cp.async.bulk.wait_group",
                                      "cp.async.bulk.wait_group.read",
                                      "overwrite",
                                      "cp.async.mbarrier.arrive",
                                      "cp.async.mbarrier.arrive.noinc",
                                      "mbarrier.arrive",
                                      "mbarrier.expect_tx",
                                      "mbarrier.complete_tx",
                                      "mbarrier.wait",
                                      "settle",
                                      NULL};

// --- JSON ------------------------------------------------------------------------------------------------------------

static int has_size(uint32_t opcode)
{
    return opcode == ASYNC_OP_COPY_CA || async_is_bulk(opcode) || opcode == ASYNC_OP_PREFETCH;
}

// What the number of an operation is called, or NULL where it has none.
static const char *number_key(const struct async_op *op)
{
    if (async_is_group_wait(op->opcode)) return "n";
    if (async_is_copy(op->opcode)) return op->form == CP_ASYNC_WHOLE ? NULL : form_names[op->form];
    switch (op->opcode) {
    case ASYNC_OP_OVERWRITE:
        return "step";
    case ASYNC_OP_ARRIVE:
        return "count";
    case ASYNC_OP_EXPECT_TX:
    case ASYNC_OP_COMPLETE_TX:
        return "bytes";
    case ASYNC_OP_BARRIER_WAIT:
        return "parity";
    default:
        return NULL;
    }
}

static json_t *write_op(const struct async_op *op)
{
    json_t *json = json_object();
    const char *number = number_key(op);
    json_object_set_new(json, "op", json_string(async_op_names[op->opcode]));
    if (op->slow != 0) json_object_set_new(json, "slow", json_u64(op->slow));
    if (op->thread != 0) json_object_set_new(json, "thread", json_u64(op->thread));
    if (has_size(op->opcode)) json_object_set_new(json, "size", json_u64(op->size_bytes));
    if (async_is_copy(op->opcode)) {
        json_object_set_new(json, "from", json_u64(op->from));
        json_object_set_new(json, "to", json_u64(op->to));
    }
    if (number != NULL) json_object_set_new(json, number, json_u64(op->number));
    return json;
}

static json_t *async_write(const void *test_case)
{
    const struct async_case *c = test_case;
    json_t *json = json_object(), *ops = json_array();
    json_object_set_new(json, "threads", json_string(async_thread_names[c->threads]));
    json_object_set_new(json, "promise", json_string(async_promise_names[c->promise]));
    json_object_set_new(json, "init", json_u64(c->init));
    json_object_set_new(json, "seed", json_u64(c->seed));
    for (uint32_t i = 0; i < c->count; i++) json_array_append_new(ops, write_op(&c->op[i]));
    json_object_set_new(json, "ops", ops);
    return json;
}

static struct async_op read_op(struct json_reader *reader)
{
    struct async_op op = {0};
    op.opcode = (uint32_t)json_read_name(reader, "op", async_op_names);
    op.thread = (uint16_t)json_read_u64_or(reader, "thread", 1, 0);
    op.slow = (uint16_t)json_read_u64_or(reader, "slow", 1, 0);
    if (has_size(op.opcode)) op.size_bytes = (uint32_t)json_read_u64(reader, "size", ASYNC_GLOBAL_MOST);
    if (op.opcode == ASYNC_OP_COPY_CG) op.size_bytes = 16;
    if (async_is_copy(op.opcode)) {
        op.from = json_read_u64(reader, "from", UINT64_MAX);
        op.to = (uint32_t)json_read_u64(reader, "to", MOST_ADDRESS);
        if (json_has(reader, form_names[CP_ASYNC_SRC_SIZE])) op.form = CP_ASYNC_SRC_SIZE;
        if (json_has(reader, form_names[CP_ASYNC_IGNORE_SRC])) op.form = CP_ASYNC_IGNORE_SRC;
    }
    const char *number = number_key(&op);
    if (number != NULL) op.number = (uint32_t)json_read_u64(reader, number, UINT32_MAX);
    return op;
}

static const char *copy_illegal(const struct async_op *op, int step)
{
    uint64_t end = ARENA_BASE + ARENA_BYTES;
    uint32_t slot = async_slot(step);
    if (op->size_bytes != 4 && op->size_bytes != 8 && op->size_bytes != 16) return "size is 4, 8 or 16";
    if (op->from < ARENA_BASE - ARENA_MARGIN_BYTES || op->from > end + ARENA_MARGIN_BYTES)
        return "from is within 2^30 bytes of the arena (2^44 to 2^44 + 2^25)";
    if (op->to < ASYNC_SHARED_END && (op->to < slot || op->to + op->size_bytes > slot + ASYNC_SLOT_BYTES))
        return "to is in the slot of its step (1152 + 48 * step, 48 bytes), or past the shared memory (35840)";
    return op->form == CP_ASYNC_IGNORE_SRC && op->number > 1 ? "ignore_src is 0 or 1" : NULL;
}

static int is_wait_number(uint32_t number)
{
#define IS(n)                                                                                                          \
    if (number == n) return 1;
    ASYNC_WAIT_NUMBERS(IS)
#undef IS
    return 0;
}

// NULL, or what makes step `step` illegal.
static const char *op_illegal(const struct async_case *c, int step)
{
    const struct async_op *op = &c->op[step];
    if (c->threads == ASYNC_ONE_THREAD && op->thread != 0) return "thread is 0: threads is \"one\"";
    if (op->slow && !async_may_be_slow(op)) return "slow is for bulk operations, and copies from the arena";
    if (async_is_copy(op->opcode)) return copy_illegal(op, step);
    if (has_size(op->opcode) && (op->size_bytes % 16 != 0 || op->size_bytes == 0))
        return "size is a multiple of 16 and not 0";
    if (has_size(op->opcode) && op->size_bytes > async_source_most(step))
        return "size is at most 2048 * (16 - step), where the sources end";
    if (async_is_group_wait(op->opcode) && !is_wait_number(op->number)) return "n is 0 to 8, 16, 62 to 65 or 1000";
    if (op->opcode == ASYNC_OP_BARRIER_WAIT && op->number > 1) return "parity is 0 or 1";
    if (op->opcode == ASYNC_OP_OVERWRITE && async_has_long_source(c))
        return "no source is overwritten where one is longer than 2048";
    if (op->opcode == ASYNC_OP_OVERWRITE && (op->number >= (uint32_t)step || !async_may_overwrite(c, op->number)))
        return "step is that of an earlier bulk operation, below 8";
    return NULL;
}

static int read_ops(const json_t *ops, struct async_case *c, struct text *why)
{
    if (!json_is_array(ops) || json_array_size(ops) < 1 || json_array_size(ops) > ASYNC_MAX_OPS) {
        text_set(why, "ops is an array of 1 to %d steps", ASYNC_MAX_OPS);
        return 0;
    }
    c->count = (uint32_t)json_array_size(ops);
    for (int i = 0; i < (int)c->count; i++) {
        char where[24];
        snprintf(where, sizeof where, "ops[%d]", i);
        struct json_reader reader = json_reader_open(json_array_get(ops, (size_t)i), where, why);
        c->op[i] = read_op(&reader);
        if (!json_reader_close(&reader)) return 0;
    }
    return 1;
}

static int async_read(const json_t *json, void *test_case, struct text *why)
{
    struct async_case *c = test_case;
    struct json_reader reader = json_reader_open(json, "async program", why);
    *c = (struct async_case){0};
    c->threads = (uint32_t)json_read_name(&reader, "threads", async_thread_names);
    c->promise = (uint32_t)json_read_name(&reader, "promise", async_promise_names);
    c->init = (uint32_t)json_read_u64(&reader, "init", MBARRIER_COUNT_MAX);
    c->seed = (uint32_t)json_read_u64(&reader, "seed", UINT32_MAX);
    const json_t *ops = json_read_any(&reader, "ops");
    if (!json_reader_close(&reader) || !read_ops(ops, c, why)) return 0;
    if (async_global_bytes(c, NULL) > ASYNC_GLOBAL_MOST) {
        text_set(why, "async program: sizes of bulk operations add up to less than %d", ASYNC_GLOBAL_MOST);
        return 0;
    }
    for (int i = 0; i < (int)c->count; i++) {
        const char *illegal = op_illegal(c, i);
        if (illegal != NULL) text_set(why, "ops[%d]: %s", i, illegal);
        if (illegal != NULL) return 0;
    }
    return 1;
}

static const char *async_undecided(const void *test_case)
{
    static struct async_outcome outcome;
    return async_run(test_case, &outcome);
}

// --- Results ---------------------------------------------------------------------------------------------------------

static size_t async_result_bytes(const void *test_case)
{
    const struct async_case *c = test_case;
    return async_windows_bytes(c->count) + async_global_bytes(c, NULL);
}

enum { WORD, WAITS, LOOKS, SLOTS, GLOBAL };

// The windows lie in the result as in the kernel's output.
static void lay_out(const struct async_case *c, struct result *result)
{
    result_window(result, "mbarrier", ASYNC_BARRIER, 8);
    result->free_bytes += WORD_BYTES - 8;
    result_window(result, "waits", 0, 4 * c->count);
    result->free_bytes += async_waits_bytes(c->count) - 4 * c->count;
    result_open_window(result, "looks", 0, (uint32_t)sizeof(struct async_look) * c->count);
    result->free_bytes += async_looks_bytes(c->count) - sizeof(struct async_look) * c->count;
    result_window(result, "shared", ASYNC_SLOTS, ASYNC_SLOT_BYTES * c->count);
    result_window(result, "global", 0, async_global_bytes(c, NULL));
}

static void async_run_model(const void *test_case, struct result *result)
{
    static struct async_outcome outcome;
    async_run(test_case, &outcome);
    result->rule = outcome.rule;
    result->status = rule_cuda_error(outcome.rule);
    if (result->status != 0) return;
    lay_out(test_case, result);
    memcpy(result->window[WORD].bytes, &outcome.word, 8);
    memcpy(result->window[WAITS].bytes, outcome.waits, result->window[WAITS].size_bytes);
    memset(result->window[LOOKS].bytes, 0, result->window[LOOKS].size_bytes);
    memcpy(result->window[SLOTS].bytes, outcome.slots, result->window[SLOTS].size_bytes);
    memcpy(result->window[GLOBAL].bytes, outcome.global, result->window[GLOBAL].size_bytes);
}

// --- The GPU ---------------------------------------------------------------------------------------------------------

// What step `step` leaves at its samples.
static void expect(const struct async_case *c, int step, const struct async_outcome *outcome, struct async_job *job)
{
    const struct async_op *op = &c->op[step];
    const uint8_t *left = outcome->global + job->global[step];
    if (async_is_copy(op->opcode) && op->to < ASYNC_SHARED_END) left = outcome->slots + (op->to - ASYNC_SLOTS);
    for (uint32_t i = 0; i < ASYNC_SAMPLES && (async_is_copy(op->opcode) || async_is_bulk(op->opcode)); i++)
        memcpy(&job->expected[step][i], left + async_sample(op->size_bytes, i), 4);
}

static void make_job(struct gpu *gpu, const struct async_case *c, uint64_t offset, struct async_job *job)
{
    static struct async_outcome outcome;
    async_run(c, &outcome);
    *job = (struct async_job){.output = offset,
                              .global_bytes = async_global_bytes(c, NULL),
                              .threads = c->threads,
                              .init = c->init,
                              .seed = c->seed,
                              .count = c->count};
    async_global_bytes(c, job->global);
    for (int i = 0; i < (int)c->count; i++) {
        job->op[i] = c->op[i];
        job->op[i].from += (c->op[i].slow ? gpu_far_arena(gpu) : gpu_arena(gpu)) - ARENA_BASE;
        job->must[i] = outcome.waits[i] & (ASYNC_ANSWER_BIT - 1);
        expect(c, i, &outcome, job);
    }
}

static int run_jobs(struct gpu *gpu, const struct async_job *jobs, int count, uint8_t *output, size_t output_bytes)
{
    size_t jobs_bytes = (size_t)count * sizeof *jobs;
    unsigned long long device_jobs = gpu_buffer(gpu, 0, jobs_bytes);
    unsigned long long device_output = gpu_buffer(gpu, 1, output_bytes);
    unsigned most = (unsigned)gpu->processors; // a CTA for each, see the kernel
    unsigned long long scratch = gpu_buffer(gpu, SCRATCH_BUFFER, (size_t)most * ASYNC_BALLAST_BYTES);
    if (device_jobs == 0 || device_output == 0 || scratch == 0) return CUDA_ERROR_OUT_OF_MEMORY;
    void *arguments[] = {&device_jobs, &count, &device_output, &scratch};
    struct gpu_launch launch = {.module = "async",
                                .kernel = "async_jobs",
                                .grid = (unsigned)count < most ? (unsigned)count : most,
                                .block = ASYNC_THREADS,
                                .shared_bytes = ASYNC_SHARED_BYTES,
                                .jobs = &count,
                                .arguments = arguments};
    int error = (int)gpu->driver.cuMemcpyHtoD_v2(device_jobs, jobs, jobs_bytes);
    if (error == CUDA_SUCCESS) error = gpu_launch(gpu, &launch);
    if (error == CUDA_SUCCESS) error = (int)gpu->driver.cuMemcpyDtoH_v2(output, device_output, output_bytes);
    return error;
}

static int async_run_gpu(struct gpu *gpu, const void *cases, int count, struct result *results)
{
    const struct async_case *c = cases;
    struct async_job *jobs = calloc((size_t)count, sizeof *jobs);
    if (jobs == NULL || gpu_arena(gpu) == 0 || gpu_far_arena(gpu) == 0) {
        free(jobs);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    for (int i = 0; i < count; i++) {
        make_job(gpu, &c[i], (uint64_t)(results[i].first_bytes - results[0].first_bytes), &jobs[i]);
        lay_out(&c[i], &results[i]);
    }
    size_t output_bytes = (size_t)(results[count - 1].free_bytes - results[0].first_bytes);
    int error = run_jobs(gpu, jobs, count, results[0].first_bytes, output_bytes);
    free(jobs);
    return error;
}

const struct family family_async = {
    .name = "async",
    .summary = "programs of cp.async and bulk stores: groups, waits, cp.async.mbarrier.arrive",
    .case_bytes = sizeof(struct async_case),
    .generate = async_generate,
    .write = async_write,
    .read = async_read,
    .undecided = async_undecided,
    .result_bytes = async_result_bytes,
    .run_model = async_run_model,
    .run_gpu = async_run_gpu,
    .kernels = "async",
    .explain = async_explain,
    .rule = RULE_ASYNC_GROUP_ORDER,
};
