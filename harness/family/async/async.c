// SPDX-License-Identifier: MIT
// Family "async": programs of cp.async, bulk stores and reductions, the commits and waits of their groups, and
// cp.async.mbarrier.arrive, by one or two threads. The result is the barrier's word, what each wait saw, the copies'
// slots and the destinations in global memory.
//
// A wait looks at the destinations of those operations alone that the model says must be complete: the bit of each in
// the window "waits" says that it was. What may be complete or not is not looked at, so it cannot fail; at the end of
// a program everything has been waited for, and is compared byte by byte.
#include <inttypes.h>
#include <string.h>

#include "arena.h"
#include "async_case.h"
#include "family.h"
#include "field.h"
#include "gpu_jobs.h"
#include "mbarrier.h"
#include "rules/async.h"
#include "rules/bulk.h"
#include "rules/cp.h"
#include "rules/mbarrier.h"
#include "rules/reduce.h"

enum { SCRATCH_BUFFER = 2, WORD_BYTES = 16, ARENA_MARGIN_BYTES = 1 << 30, MOST_ADDRESS = 1 << 26 };

const char *const async_thread_names[] = {"one", "same_warp", "other_warp", NULL};
const char *const async_promise_names[] = {"ptx", "sm_90a", NULL};
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

static int opcode_of(const void *op)
{
    return 1 << ((const struct async_op *)op)->opcode;
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

static bool is_wait_number(uint32_t number)
{
#define IS(n)                                                                                                          \
    if (number == n) return 1;
    ASYNC_WAIT_NUMBERS(IS)
#undef IS
    return false;
}

// NULL, or what makes step `step` illegal.
static const char *op_illegal(const void *test_case, uint32_t i)
{
    const struct async_case *c = test_case;
    const struct async_op *op = &c->op[i];
    int step = (int)i;
    bool is_sized = async_is(op->opcode, ASYNC_SIZED);
    if (c->threads == ASYNC_ONE_THREAD && op->thread != 0) return "thread is 0: threads is \"one\"";
    if (op->slow && !async_may_be_slow(op)) return "slow is for bulk operations, and copies from the arena";
    if (async_is(op->opcode, ASYNC_COPIES)) return copy_illegal(op, step);
    if (is_sized && (op->size_bytes % 16 != 0 || op->size_bytes == 0)) return "size is a multiple of 16 and not 0";
    if (is_sized && op->size_bytes > async_source_most(step))
        return "size is at most 2048 * (16 - step), where the sources end";
    if (async_is(op->opcode, ASYNC_GROUP_WAITS) && !is_wait_number(op->number))
        return "n is 0 to 8, 16, 62 to 65 or 1000";
    if (op->opcode == ASYNC_OP_BARRIER_WAIT && op->number > 1) return "parity is 0 or 1";
    if (op->opcode == ASYNC_OP_OVERWRITE && async_has_long_source(c))
        return "no source is overwritten where one is longer than 2048";
    if (op->opcode == ASYNC_OP_OVERWRITE && (op->number >= (uint32_t)step || !async_may_overwrite(c, op->number)))
        return "step is that of an earlier bulk operation, below 8";
    return NULL;
}

static const char *illegal(const void *test_case)
{
    return async_global_bytes(test_case, NULL) > ASYNC_GLOBAL_MOST
               ? "sizes of bulk operations add up to less than 98304"
               : NULL;
}

#define CASE             struct async_op
#define OF(opcodes, ...) .is_there = opcode_of, .only = opcodes, .where = __VA_ARGS__
#define NUMBER_OF(json_key, opcodes, which, ...)                                                                       \
    FIELD_NUMBER(json_key, number, 0, UINT32_MAX, __VA_ARGS__, OF(opcodes, which))
static const struct field op_field[] = {
    FIELD_ONE_OF("op", opcode, async_op_names, "what is done"),
    FIELD_NUMBER("slow", slow, 0, 1, "1: it takes long", .missing = FIELD_LEFT_OUT),
    FIELD_NUMBER("thread", thread, 0, 1, "the thread that does it", .missing = FIELD_LEFT_OUT),
    FIELD_NUMBER("size", size_bytes, 0, ASYNC_GLOBAL_MOST, "bytes", OF(ASYNC_SIZED, "cp.async.ca and bulk operations")),
    FIELD_NUMBER("from", from, 0, UINT64_MAX, "address of the source", OF(ASYNC_COPIES, "cp.async")),
    FIELD_NUMBER("to", to, 0, MOST_ADDRESS, "address of the destination", OF(ASYNC_COPIES, "cp.async")),
    NUMBER_OF("src_size", ASYNC_COPIES, "cp.async", "bytes that are read", .presence_at = offsetof(CASE, form),
              .presence = CP_ASYNC_SRC_SIZE),
    NUMBER_OF("ignore_src", ASYNC_COPIES, "cp.async", "1: nothing is read", .presence_at = offsetof(CASE, form),
              .presence = CP_ASYNC_IGNORE_SRC),
    NUMBER_OF("n", ASYNC_GROUP_WAITS, "waits for groups", "groups that may be left"),
    NUMBER_OF("step", 1 << ASYNC_OP_OVERWRITE, "overwrite", "the operation whose source is overwritten"),
    NUMBER_OF("count", 1 << ASYNC_OP_ARRIVE, "mbarrier.arrive", "arrivals"),
    NUMBER_OF("bytes", ASYNC_TRANSACTIONS, "mbarrier.expect_tx and complete_tx", "bytes"),
    NUMBER_OF("parity", 1 << ASYNC_OP_BARRIER_WAIT, "mbarrier.wait", "parity of the phase that is waited for"),
    FIELD_END,
};
#undef NUMBER_OF
#undef OF
#undef CASE

static void finish_op(void *of)
{
    struct async_op *op = of;
    if (op->opcode == ASYNC_OP_COPY_CG) op->size_bytes = 16;
}

static const struct fields op_fields = {
    .name = "a step", .field = op_field, .bytes = sizeof(struct async_op), .finish = finish_op};

#define CASE struct async_case
static const struct field field[] = {
    FIELD_ONE_OF("threads", threads, async_thread_names, "one thread, or where the second one is"),
    FIELD_ONE_OF("promise", promise, async_promise_names, "who promises what the result tells"),
    FIELD_NUMBER("init", init, 0, MBARRIER_COUNT_MAX, "arrivals that the barrier expects"),
    FIELD_SEED,
    FIELD_LIST_OF("ops", op, count, &op_fields, 1, ASYNC_MAX_OPS, "the steps in order", .illegal_each = op_illegal),
    FIELD_END,
};
#undef CASE

static const char *async_undecided(const void *test_case)
{
    struct async_outcome outcome;
    return async_run(test_case, &outcome);
}

// --- Results ---------------------------------------------------------------------------------------------------------

enum { WORD, WAITS, LOOKS, SLOTS, GLOBAL };

static void async_windows(const void *test_case, struct result *result)
{
    const struct async_case *c = test_case;
    result_window(result, "mbarrier", ASYNC_BARRIER, 8);
    result->free_bytes += WORD_BYTES - 8;
    result_window(result, "waits", 0, 4 * c->count);
    result->free_bytes += async_waits_bytes(c->count) - 4 * c->count;
    result_open_window(result, "looks", 0, (uint32_t)sizeof(struct async_look) * c->count);
    result->free_bytes += async_looks_bytes(c->count) - sizeof(struct async_look) * c->count;
    result_window(result, "shared", ASYNC_SLOTS, ASYNC_SLOT_BYTES * c->count);
    result_window(result, "global", 0, async_global_bytes(c, NULL));
}

static enum family_ground async_ground(const void *test_case)
{
    return ((const struct async_case *)test_case)->promise == ASYNC_SM_90A ? GROUND_H200 : GROUND_PTX;
}

static enum rule async_run_model(const void *test_case, struct result *result)
{
    struct async_outcome outcome;
    const struct window *w = result->window;
    async_run(test_case, &outcome);
    if (outcome.rule != RULE_OK) return outcome.rule;
    memcpy(w[WORD].bytes, &outcome.word, 8);
    memcpy(w[WAITS].bytes, outcome.waits, w[WAITS].size_bytes);
    memset(w[LOOKS].bytes, 0, w[LOOKS].size_bytes);
    memcpy(w[SLOTS].bytes, outcome.slots, w[SLOTS].size_bytes);
    memcpy(w[GLOBAL].bytes, outcome.global, w[GLOBAL].size_bytes);
    return RULE_OK;
}

// --- The GPU ---------------------------------------------------------------------------------------------------------

// What step `step` leaves at its samples.
static void expect(const struct async_case *c, int step, const struct async_outcome *outcome, struct async_job *job)
{
    const struct async_op *op = &c->op[step];
    const uint8_t *left = outcome->global + job->global[step];
    if (async_is(op->opcode, ASYNC_COPIES) && op->to < ASYNC_SHARED_END) left = outcome->slots + (op->to - ASYNC_SLOTS);
    for (uint32_t i = 0; i < ASYNC_SAMPLES && (async_is(op->opcode, ASYNC_COPIES) || async_is(op->opcode, ASYNC_BULKS));
         i++)
        memcpy(&job->expected[step][i], left + async_sample(op->size_bytes, i), 4);
}

static int make_job(const struct gpu_place *place, void *to)
{
    const struct async_case *c = place->test_case;
    struct async_job *job = to;
    struct async_outcome outcome;
    async_run(c, &outcome);
    *job = (struct async_job){.output = place->offset,
                              .global_bytes = async_global_bytes(c, NULL),
                              .threads = c->threads,
                              .init = c->init,
                              .seed = c->seed,
                              .count = c->count};
    async_global_bytes(c, job->global);
    for (int i = 0; i < (int)c->count; i++) {
        job->op[i] = c->op[i];
        job->op[i].from += (c->op[i].slow ? gpu_far_arena(place->gpu) : gpu_arena(place->gpu)) - ARENA_BASE;
        job->must[i] = outcome.waits[i] & (ASYNC_ANSWER_BIT - 1);
        expect(c, i, &outcome, job);
    }
    return CUDA_SUCCESS;
}

static int async_run_gpu(struct gpu *gpu, const void *cases, int count, struct result *results)
{
    const struct gpu_jobs jobs = {
        GPU_JOBS_OF("async", struct async_case, struct async_job),
        .block = ASYNC_THREADS,
        .shared_bytes = ASYNC_SHARED_BYTES,
        .make = make_job,
        .more = gpu_buffer(gpu, SCRATCH_BUFFER, (size_t)gpu->processors * ASYNC_BALLAST_BYTES), // a CTA has its own
    };
    if (jobs.more == 0 || gpu_far_arena(gpu) == 0) return CUDA_ERROR_OUT_OF_MEMORY;
    return gpu_run_jobs(gpu, &jobs, cases, count, results);
}

// --- In words --------------------------------------------------------------------------------------------------------

static void print_op(const struct async_case *c, uint32_t step, FILE *out)
{
    const struct async_op *op = &c->op[step];
    fprintf(out, "ops[%" PRIu32 "] %s", step, async_op_names[op->opcode]);
    if (async_is(op->opcode, ASYNC_GROUP_WAITS)) fprintf(out, " %" PRIu32, op->number);
    if (op->size_bytes > 0) fprintf(out, " of %" PRIu32 " bytes", op->size_bytes);
    if (c->threads != ASYNC_ONE_THREAD)
        fprintf(out, " by thread %" PRIu32 " (%s)", op->thread, async_thread_names[c->threads]);
}

// The rule that decides what a step of this kind leaves.
static enum rule rule_of(uint32_t opcode)
{
    static const enum rule rules[ASYNC_OPS] = {
        [ASYNC_OP_COPY_CA] = RULE_CP_ASYNC_SRC_SIZE,
        [ASYNC_OP_COPY_CG] = RULE_CP_ASYNC_SRC_SIZE,
        [ASYNC_OP_STORE] = RULE_BULK_SIZE,
        [ASYNC_OP_REDUCE] = RULE_REDUCE_INTEGER,
        [ASYNC_OP_WAIT_ALL] = RULE_ASYNC_WAIT_ALL,
        [ASYNC_OP_BULK_WAIT_READ] = RULE_ASYNC_GROUP_READ,
        [ASYNC_OP_COPIES_ARRIVE] = RULE_CP_ASYNC_MBARRIER_ARRIVE,
        [ASYNC_OP_COPIES_ARRIVE_NOINC] = RULE_CP_ASYNC_MBARRIER_NOINC,
        [ASYNC_OP_BARRIER_WAIT] = RULE_MBARRIER_WAIT_PARITY,
    };
    return rules[opcode] != RULE_OK ? rules[opcode] : RULE_ASYNC_GROUP_ORDER;
}

// What a step's wait, whose 32 bits differ, should have waited for.
static enum rule explain_wait(const struct async_case *c, uint32_t step, const struct difference *difference, FILE *out)
{
    struct difference_units waits = difference_units(difference, 4);
    uint32_t want = (uint32_t)waits.expected, got = (uint32_t)waits.found;
    uint32_t missing = want & ~got & (ASYNC_ANSWER_BIT - 1);
    fprintf(out, "    ");
    print_op(c, step, out);
    if (missing == 0) {
        fprintf(out, ": 0x%05" PRIx32 " expected, 0x%05" PRIx32 " found\n", want, got);
        return rule_of(c->op[step].opcode);
    }
    fprintf(out, ": complete by now should be ");
    print_op(c, (uint32_t)__builtin_ctz(missing), out);
    fprintf(out, ", and is not (promise %s)\n", async_promise_names[c->promise]);
    return rule_of(c->op[step].opcode);
}

// The step whose slot, or whose destination with its guards, holds byte `at` of a window.
static uint32_t step_of(const struct async_case *c, bool is_global, uint32_t at)
{
    uint32_t offsets[ASYNC_MAX_OPS], step = 0;
    if (!is_global) return at / ASYNC_SLOT_BYTES;
    async_global_bytes(c, offsets);
    for (uint32_t i = 0; i < c->count; i++)
        if (async_is(c->op[i].opcode, ASYNC_BULKS) && at + ASYNC_GUARD_BYTES >= offsets[i]) step = i;
    return step;
}

// How a copy arrives at the barrier, if one does.
static enum rule rule_of_barrier(const struct async_case *c)
{
    for (uint32_t i = 0; i < c->count; i++)
        if (c->op[i].opcode == ASYNC_OP_COPIES_ARRIVE || c->op[i].opcode == ASYNC_OP_COPIES_ARRIVE_NOINC)
            return rule_of(c->op[i].opcode);
    return RULE_MBARRIER_PHASE;
}

enum rule async_explain(const void *test_case, const struct difference *difference, FILE *out)
{
    const struct async_case *c = test_case;
    const char *window = difference->expected->name;
    if (strcmp(window, "mbarrier") == 0) return difference_explain_barrier(difference, rule_of_barrier(c), out);
    if (strcmp(window, "waits") == 0) return explain_wait(c, difference->at / 4, difference, out);
    const uint32_t step = step_of(c, strcmp(window, "global") == 0, difference->at);
    fprintf(out, "    written by ");
    print_op(c, step, out);
    fprintf(out, "\n");
    return rule_of(c->op[step].opcode);
}

const struct family family_async = {
    FAMILY_CASES("async", struct async_case, field, .illegal = illegal),
    .summary = "programs of cp.async and bulk stores: groups, waits, cp.async.mbarrier.arrive",
    .generate = async_generate,
    .undecided = async_undecided,
    .windows = async_windows,
    .run_model = async_run_model,
    .run_gpu = async_run_gpu,
    .kernels = "async",
    .ground = async_ground,
    .explain = async_explain,
};
