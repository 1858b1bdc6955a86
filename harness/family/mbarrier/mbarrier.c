// SPDX-License-Identifier: MIT
// The family "mbarrier": programs of up to sixteen barrier operations. A result has the window "log", one struct
// mbarrier_record per step, and "final", the four words at the end; a program that faults has a status and no windows,
// because a GPU that faulted cannot be read. What the steps do is in mbarrier_step.h.
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "../../kernels/mbarrier_program.h"
#include "field.h"
#include "gpu.h"
#include "mbarrier_case.h"
#include "rules/mbarrier.h"

_Static_assert(sizeof(struct mbarrier_record) == 144, "a log record has no padding");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "windows are little-endian, as the GPU writes them");

static void mbarrier_windows(const void *test_case, struct result *result)
{
    const struct mbarrier_case *program = test_case;
    result_window(result, "log", 0, (uint32_t)program->count * (uint32_t)sizeof(struct mbarrier_record));
    result_window(result, "final", 0, MBARRIER_SLOTS * sizeof(uint64_t));
}

// --- The fields ----------------------------------------------------------------------------------------------------

static int takes(const void *op)
{
    return 1 << mbarrier_step_row(((const struct mbarrier_op *)op)->opcode)->operand;
}

static const char *opcode_name(uint32_t opcode)
{
    return mbarrier_step_row(opcode)->name;
}

static void start_plain(void *op)
{
    *(struct mbarrier_op *)op = mbarrier_op_plain(0);
}

static const char *op_illegal(const void *program, uint32_t i)
{
    return mbarrier_op_illegal(((const struct mbarrier_case *)program)->op, (int)i);
}

#define CASE struct mbarrier_op
static const struct field op_field[] = {
    FIELD_NAMED("op", opcode, opcode_name, MBARRIER_STEP_OPS - 1, "the instruction, without \"mbarrier.\""),
    FIELD_NUMBER("barrier", barrier, 0, UINT32_MAX, "which barrier, 0 to 3", .missing = FIELD_LEFT_OUT),
    FIELD_NAMED("issuer", issuer, mbarrier_issuer_name, MBARRIER_ISSUERS - 1, "who executes it, and by which address",
                .missing = FIELD_LEFT_OUT, .absent = MBARRIER_ISSUER_CTA),
    FIELD_NUMBER("lanes", lanes, 0, UINT32_MAX, "a bit for each lane that executes it; left out: lane 0",
                 .missing = FIELD_LEFT_OUT, .absent = 1),
    FIELD_NUMBER("operand", operand, 0, UINT32_MAX, "operand of lane 0", .missing = FIELD_LEFT_OUT, .is_there = takes,
                 .only = ~(1 << MBARRIER_TAKES_WORD | 1 << MBARRIER_TAKES_NOTHING),
                 .where = "an instruction with an operand"),
    FIELD_NUMBER("step", step, 0, UINT32_MAX, "added to the operand from lane to lane", .missing = FIELD_LEFT_OUT,
                 .is_there = takes, .only = ~(1 << MBARRIER_TAKES_WORD | 1 << MBARRIER_TAKES_NOTHING),
                 .where = "an instruction with an operand"),
    FIELD_NUMBER("token", token, 0, UINT32_MAX, "the earlier step whose token it takes; left out: the operand",
                 .missing = FIELD_LEFT_OUT, .absent = MBARRIER_TOKEN_OPERAND, .is_there = takes,
                 .only = 1 << MBARRIER_TAKES_TOKEN, .where = "an instruction with a token"),
    FIELD_NUMBER("offset", offset_bytes, 0, UINT32_MAX, "bytes added to the barrier's address, 0 to 7",
                 .missing = FIELD_LEFT_OUT),
    FIELD_NUMBER("spread", spread, 0, UINT64_MAX, "lane l is on barrier + bits 2 l and 2 l + 1, mod 4",
                 .missing = FIELD_LEFT_OUT, .hex_digits = 16),
    FIELD_NUMBER("word", word, 0, UINT64_MAX, "the word", .hex_digits = 16, .is_there = takes,
                 .only = 1 << MBARRIER_TAKES_WORD, .where = "the step word"),
    FIELD_END,
};
#undef CASE

static const struct fields op_fields = {
    .name = "a step", .field = op_field, .bytes = sizeof(struct mbarrier_op), .start = start_plain};

#define CASE struct mbarrier_case
static const struct field field[] = {
    FIELD_LIST_OF("ops", op, count, &op_fields, 1, MBARRIER_MAX_OPS, "the steps in order", .illegal_each = op_illegal),
    FIELD_END,
};
#undef CASE

// --- Running ------------------------------------------------------------------------------------------------------

// The misaligned operation that ends the program may also break a rule of the barrier that its address lies in. An H200
// then says 719 in place of 716 while it has the word in the barrier unit of the SM (hardware.md), which no model
// knows.
static bool may_break_barrier(const struct mbarrier_machine *machine, const struct mbarrier_op *misaligned)
{
    struct mbarrier_machine copy = *machine;
    struct mbarrier_op aligned = *misaligned;
    aligned.offset_bytes = 0;
    return mbarrier_step(&copy, &aligned, NULL) != RULE_OK;
}

static enum rule mbarrier_run_model(const void *test_case, struct result *result)
{
    const struct mbarrier_case *program = test_case;
    uint8_t *log = result->window[0].bytes;
    struct mbarrier_machine machine;
    mbarrier_machine_start(&machine);
    for (int i = 0; i < program->count; i++) {
        const struct mbarrier_op *op = &program->op[i];
        const bool may_break = op->offset_bytes != 0 && may_break_barrier(&machine, op);
        enum rule rule = mbarrier_step(&machine, op, NULL);
        if (rule == RULE_MBARRIER_ADDRESS_ALIGN && may_break) result->or_status = CUDA_ERROR_LAUNCH_FAILED;
        if (rule != RULE_OK) return rule;
    }
    for (int i = 0; i < program->count; i++) {
        const struct mbarrier_event *event = &machine.event[i];
        struct mbarrier_record record = {.word = event->word, .ballot = event->ballot, .active = event->op.lanes};
        memcpy(record.lane, event->lane, sizeof record.lane);
        memcpy(log + (size_t)i * sizeof record, &record, sizeof record);
    }
    memcpy(result->window[1].bytes, machine.word[0], result->window[1].size_bytes);
    return RULE_OK;
}

static void pack_programs(const struct mbarrier_case *cases, int count, struct mbarrier_program *programs)
{
    for (int i = 0; i < count; i++) {
        programs[i].count = (uint32_t)cases[i].count;
        memcpy(programs[i].op, cases[i].op, sizeof programs[i].op);
        for (int j = 0; j < cases[i].count; j++)
            if (cases[i].op[j].issuer == MBARRIER_ISSUER_REMOTE) programs[i].remote = 1;
    }
}

static void unpack_log(const struct mbarrier_log *log, const struct result *result)
{
    memcpy(result->window[0].bytes, log->record, result->window[0].size_bytes);
    memcpy(result->window[1].bytes, log->last, result->window[1].size_bytes);
}

// One launch: clusters of two CTAs of one warp, striding over the programs. Logs are zeroed first, so that a kernel
// which writes nothing cannot pass on the logs of the launch before it.
static int launch_programs(struct gpu *gpu, const struct mbarrier_program *programs, struct mbarrier_log *logs,
                           int count)
{
    enum { MOST_CLUSTERS = 2048 };
    const struct cuda_driver *driver = &gpu->driver;
    size_t programs_bytes = (size_t)count * sizeof *programs, logs_bytes = (size_t)count * sizeof *logs;
    unsigned long long device_programs = gpu_buffer(gpu, 0, programs_bytes);
    unsigned long long device_logs = gpu_buffer(gpu, 1, logs_bytes);
    if (device_programs == 0 || device_logs == 0) return CUDA_ERROR_OUT_OF_MEMORY;
    int jobs[2] = {count, 0}; // eight bytes, as of the other arguments
    void *arguments[] = {&device_programs, &device_logs, jobs, NULL};
    struct gpu_launch launch = {.module = "mbarrier",
                                .kernel = "mbarrier_programs",
                                .grid = 2 * (unsigned)(count < MOST_CLUSTERS ? count : MOST_CLUSTERS),
                                .block = MBARRIER_LANES,
                                .cluster = 2,
                                .jobs = jobs,
                                .arguments = arguments};
    int error = (int)driver->cuMemcpyHtoD_v2(device_programs, programs, programs_bytes);
    if (error == 0) error = (int)driver->cuMemcpyHtoD_v2(device_logs, logs, logs_bytes);
    if (error == 0) error = gpu_launch(gpu, &launch);
    if (error == 0) error = (int)driver->cuMemcpyDtoH_v2(logs, device_logs, logs_bytes);
    return error;
}

static int mbarrier_run_gpu(struct gpu *gpu, const void *cases, int count, struct result *results)
{
    const struct mbarrier_case *test_cases = cases;
    struct mbarrier_program *programs = calloc((size_t)count, sizeof *programs);
    struct mbarrier_log *logs = calloc((size_t)count, sizeof *logs);
    int error = CUDA_ERROR_OUT_OF_MEMORY;
    if (programs != NULL && logs != NULL) {
        pack_programs(test_cases, count, programs);
        error = launch_programs(gpu, programs, logs, count);
    }
    for (int i = 0; i < count && error == 0; i++) unpack_log(&logs[i], &results[i]);
    free(programs);
    free(logs);
    return error;
}

// --- Speaking -----------------------------------------------------------------------------------------------------

static void print_word(const char *who, uint64_t word, FILE *out)
{
    struct mbarrier_fields fields = mbarrier_unpack(word);
    fprintf(out, "  %-9s0x%016llx  phase %d, pending %u, expected %u, tx %d%s%s\n", who, (unsigned long long)word,
            fields.phase, fields.pending, fields.expected, fields.tx, fields.error ? ", error" : "",
            fields.unused ? ", bit 0" : "");
}

static const struct mbarrier_op *print_step(const struct mbarrier_case *program, int index, FILE *out)
{
    const struct mbarrier_op *op = &program->op[index];
    const struct mbarrier_op_row *row = mbarrier_step_row(op->opcode);
    fprintf(out, "ops[%d]: %s on barrier %u, lanes 0x%08x, operand %u", index,
            op->issuer == MBARRIER_ISSUER_CTA ? row->ptx : row->ptx_cluster, op->barrier, op->lanes, op->operand);
    if (op->step != 0) fprintf(out, " + lane * %u", op->step);
    if (op->spread != 0) fprintf(out, ", spread 0x%016llx", (unsigned long long)op->spread);
    fprintf(out, ", issuer %s\n", mbarrier_issuer_name(op->issuer));
    return op;
}

static void explain_record(const struct mbarrier_record *expected, const struct mbarrier_record *found, FILE *out)
{
    if (expected->word != found->word) {
        print_word("expected", expected->word, out);
        print_word("found", found->word, out);
    }
    if (expected->ballot != found->ballot)
        fprintf(out, "  lanes that saw the phase complete: expected 0x%08x, found 0x%08x\n", expected->ballot,
                found->ballot);
    if (expected->active != found->active)
        fprintf(out,
                "  lanes together at the instruction: expected 0x%08x, found 0x%08x (the warp was not converged)\n",
                expected->active, found->active);
    for (int lane = 0; lane < MBARRIER_LANES; lane++) {
        if (expected->lane[lane] == found->lane[lane]) continue;
        fprintf(out, "  lane %d got: expected 0x%08x, found 0x%08x\n", lane, expected->lane[lane], found->lane[lane]);
        return;
    }
}

// What a step breaks by the model, or else what decides what it leaves.
static enum rule rule_of_step(const struct mbarrier_case *program, int step)
{
    static const enum rule rules[MBARRIER_STEP_OPS] = {
        [MBARRIER_OP_WORD] = RULE_MBARRIER_LAYOUT,
        [MBARRIER_OP_INIT] = RULE_MBARRIER_INIT,
        [MBARRIER_OP_INVAL] = RULE_MBARRIER_INVAL,
        [MBARRIER_OP_ARRIVE_NO_COMPLETE] = RULE_MBARRIER_NOCOMPLETE_TOKEN,
        [MBARRIER_OP_ARRIVE_DROP] = RULE_MBARRIER_DROP,
        [MBARRIER_OP_ARRIVE_DROP_NO_COMPLETE] = RULE_MBARRIER_DROP,
        [MBARRIER_OP_ARRIVE_DROP_EXPECT_TX] = RULE_MBARRIER_DROP,
        [MBARRIER_OP_TEST_WAIT] = RULE_MBARRIER_WAIT_PHASE,
        [MBARRIER_OP_TEST_WAIT_PARITY] = RULE_MBARRIER_WAIT_PARITY,
        [MBARRIER_OP_TRY_WAIT] = RULE_MBARRIER_TRY_WAIT,
        [MBARRIER_OP_TRY_WAIT_PARITY] = RULE_MBARRIER_TRY_WAIT,
        [MBARRIER_OP_PENDING_COUNT] = RULE_MBARRIER_PENDING_COUNT,
    };
    const uint32_t opcode = program->op[step].opcode;
    struct mbarrier_machine machine;
    struct findings findings = {0};
    mbarrier_machine_start(&machine);
    for (int i = 0; i <= step; i++) {
        enum rule rule = mbarrier_step(&machine, &program->op[i], i == step ? &findings : NULL);
        if (rule != RULE_OK) return rule;
    }
    if (findings.count > 0) return findings.item[0].rule;
    return rules[opcode] != RULE_OK ? rules[opcode] : RULE_MBARRIER_PHASE;
}

enum rule mbarrier_explain(const void *test_case, const struct difference *difference, FILE *out)
{
    const struct mbarrier_case *program = test_case;
    struct mbarrier_record records[2];
    if (difference->window == 1) {
        struct difference_units words = difference_units(difference, 8);
        fprintf(out, "the word of barrier %d at the end of the program\n", (int)difference->at / 8);
        print_word("expected", words.expected, out);
        print_word("found", words.found, out);
        return RULE_MBARRIER_PHASE;
    }
    int step = (int)(difference->at / sizeof records[0]);
    memcpy(&records[0], difference->expected->bytes + (size_t)step * sizeof records[0], sizeof records[0]);
    memcpy(&records[1], difference->found->bytes + (size_t)step * sizeof records[1], sizeof records[1]);
    print_step(program, step, out);
    explain_record(&records[0], &records[1], out);
    return rule_of_step(program, step);
}

// The fields of a log record from byte `first` to before `end` of it.
static void print_record_part(const uint8_t *bytes, size_t first, size_t end, FILE *out)
{
    struct mbarrier_record record;
    memcpy(&record, bytes, sizeof record);
    if (first < offsetof(struct mbarrier_record, ballot)) print_word("found", record.word, out);
    if (first < offsetof(struct mbarrier_record, lane) && end > offsetof(struct mbarrier_record, ballot))
        fprintf(out, "  found    true in lanes 0x%08x, active lanes 0x%08x\n", record.ballot, record.active);
    if (end > offsetof(struct mbarrier_record, lane)) {
        size_t from = first < offsetof(struct mbarrier_record, lane) ? offsetof(struct mbarrier_record, lane) : first;
        fprintf(out, "  what lanes %zu to %zu got (a token's high half, or a count)\n",
                (from - offsetof(struct mbarrier_record, lane)) / 4,
                (end - 1 - offsetof(struct mbarrier_record, lane)) / 4);
    }
}

static enum rule mbarrier_explain_place(const void *test_case, const struct place *place, FILE *out)
{
    const struct mbarrier_case *program = test_case;
    const size_t size = sizeof(struct mbarrier_record), end = place->address + place->size_bytes;
    for (size_t i = place->address / size; i < (size_t)program->count && i * size < end; i++) {
        size_t first = place->address > i * size ? place->address - i * size : 0;
        size_t last = end < (i + 1) * size ? end - i * size : size;
        print_step(program, (int)i, out);
        print_record_part(place->found - (place->address - i * size), first, last, out);
    }
    const int step = (int)(place->address / size);
    return strcmp(place->window, "log") == 0 && step < program->count ? rule_of_step(program, step)
                                                                      : RULE_MBARRIER_PHASE;
}

const struct family family_mbarrier = {
    FAMILY_CASES("mbarrier", struct mbarrier_case, field),
    .summary = "programs of mbarrier operations: words, tokens, waits and faults",
    .generate = mbarrier_generate,
    .windows = mbarrier_windows,
    .run_model = mbarrier_run_model,
    .run_gpu = mbarrier_run_gpu,
    .kernels = "mbarrier",
    .explain = mbarrier_explain,
    .explain_place = mbarrier_explain_place,
};
