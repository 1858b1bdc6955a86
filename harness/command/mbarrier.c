// SPDX-License-Identifier: MIT
// `tmaref mbarrier`: reads a barrier's 64-bit word (or a token), or steps a program of barrier operations on the model
// and says after each what the word is, what came back, and which rules were bent or broken.
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "command.h"
#include "command_option.h"
#include "each.h"
#include "finding_text.h"
#include "json.h"
#include "map_text.h"
#include "mbarrier_case.h"
#include "mbarrier_reading.h"
#include "rule_most.h"

enum { MOST_PROGRAM_BYTES = 1 << 20 };

struct options {
    int token, json;
    const char *program;
    int arguments;
    char **argument;
};

static const char help[] =
    "Read a barrier's 64-bit word, or step a barrier program on the model.\n\n"
    "  tmaref mbarrier 0x7ffff000001ffffc\n"
    "  tmaref mbarrier 'init 2' 'arrive.expect_tx 4096' 'complete_tx 4096' 'test_wait.parity 0'\n"
    "\v"
    "An OPERATION is a name of PTX without 'mbarrier.', its operand, and any of barrier=0..3, lanes=MASK (default 1), "
    "step=N (added per lane), token=INDEX (of an earlier operation), issuer=cta|self|remote, offset=BYTES, "
    "spread=MASK (lane l is on barrier + bits 2 l and 2 l + 1, mod 4):\n"
    "@\n"
    "Exit status: 0; 1 when the program ends in a fault; 2 usage error.";

// Puts the names of the table where the help has its @. argp frees what is returned.
static char *filter_help(int key, const char *text, void *input)
{
    (void)input;
    const char *at = key == ARGP_KEY_HELP_POST_DOC && text != NULL ? strchr(text, '@') : NULL;
    char *filled = at == NULL ? NULL : malloc(strlen(text) + MBARRIER_STEP_OPS * 32);
    if (filled == NULL) return (char *)text;
    char *end = filled + sprintf(filled, "%.*s", (int)(at - text), text);
    for (uint32_t i = 0; i < MBARRIER_STEP_OPS; i++)
        end += sprintf(end, "%s%.28s", i > 0 ? ", " : "", mbarrier_step_row(i)->name);
    strcpy(end, at + 1);
    return filled;
}

static const char *operation_at(int i)
{
    return (uint32_t)i < MBARRIER_STEP_OPS ? mbarrier_step_row((uint32_t)i)->name : NULL;
}

static void take_arguments(void *line, char *argument, struct argp_state *state)
{
    struct options *to = line;
    (void)argument;
    to->argument = state->argv + state->next - 1;
    to->arguments = state->argc - state->next + 1;
    state->next = state->argc;
}

#define TO struct options
static const struct command_option option_rows[] = {
    OPTION_FLAG('t', "token", token, "the numbers are state tokens, not words"),
    OPTION_TEXT('p', "program", "FILE", program, "step the JSON program in FILE (- is standard input)"),
    OPTION_FLAG('j', "json", json, "print JSON"),
    OPTION_END,
};

// --- Words and tokens ------------------------------------------------------------------------------------------------

static const char *word_reading(const struct mbarrier_fields *fields)
{
    static struct line line;
    line_start(&line);
    mbarrier_reading(fields, &line);
    return line.bytes;
}

static json_t *hex_json(uint64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "0x%016" PRIx64, value);
    return json_string(text);
}

static json_t *word_json(uint64_t word)
{
    struct mbarrier_fields fields = mbarrier_unpack(word);
    return json_pack("{s:o, s:i, s:i, s:i, s:i, s:b, s:i, s:s}", "word", hex_json(word), "phase", fields.phase,
                     "pending", (int)fields.pending, "expected", (int)fields.expected, "tx", (int)fields.tx, "error",
                     fields.error, "unused", fields.unused, "reading", word_reading(&fields));
}

static const char text_of_words[] =
    "{*{word}\n  phase     {phase:-8} waits by parity: {phase?0 true, 1 false}{phase!1 true, 0 false}\n"
    "  pending   {pending:-8} arrivals missing in this phase\n"
    "  expected  {expected:-8} arrivals of the next phase\n"
    "  tx        {tx:-8} bytes expected minus bytes completed\n"
    "  error     {error?yes}{error!no}\n"
    "{unused?  bit 0     1        set by no operation: is this an mbarrier?\n}"
    "  {reading}\n}"
    "A word read by a plain load may be stale: the live word is in the barrier unit of the SM. After mbarrier.inval "
    "the "
    "load is true.\n";

static json_t *token_json(uint64_t token)
{
    return json_pack("{s:o, s:i, s:I, s:b}", "token", hex_json(token), "phase", (int)(token >> 63), "pending_count",
                     (json_int_t)mbarrier_pending_count(token), "error", (token & MBARRIER_ERROR_BIT) != 0);
}

static const char text_of_tokens[] =
    "{*{token}\n  phase          {phase}   of the arrive that returned it; a wait is true while the barrier's phase is "
    "{phase?0}{phase!1}\n"
    "  pending_count  {pending_count}   arrivals that were missing before it\n"
    "{error?  error bit set: no arrive returns this, it would have faulted\n}"
    "  The low 32 bits carry no state.\n}";

static int read_numbers(const struct options *options)
{
    json_t *list = json_array();
    for (int i = 0; i < options->arguments; i++) {
        uint64_t number;
        if (!parse_u64(options->argument[i], UINT64_MAX, &number)) {
            json_decref(list);
            return command_usage("mbarrier", "'%s' is not a 64-bit number (0x and hex digits, or decimal)",
                                 options->argument[i]);
        }
        json_array_append_new(list, options->token ? token_json(number) : word_json(number));
    }
    answer_print(list, options->json ? NULL : options->token ? text_of_tokens : text_of_words, JSON_INDENT(2));
    return EXIT_AGREE;
}

// --- Programs --------------------------------------------------------------------------------------------------------

static const char invalidated[] = "It is invalidated: no barrier any more, until the next init.";

static json_t *event_json(const struct mbarrier_event *event, json_t *op, const struct findings *findings)
{
    json_t *step = json_pack("{s:O, s:o}", "op", op, "findings", findings_array(findings));
    if (event->rule != RULE_OK) return step;
    json_t *after = word_json(event->word);
    if (event->op.opcode == MBARRIER_OP_INVAL) json_object_set_new(after, "reading", json_string(invalidated));
    json_object_set_new(step, "after", after);
    enum mbarrier_result result = mbarrier_step_row(event->op.opcode)->result;
    if (result == MBARRIER_GIVES_PREDICATE) json_object_set_new(step, "ballot", json_integer(event->ballot));
    json_t *lanes = json_array();
    for (int lane = 0; lane < MBARRIER_LANES; lane++)
        if (event->op.lanes >> lane & 1) json_array_append_new(lanes, json_integer(event->lane[lane]));
    if (result == MBARRIER_GIVES_TOKEN && event->op.issuer == MBARRIER_ISSUER_CTA)
        json_object_set(step, "token_high", lanes);
    if (result == MBARRIER_GIVES_COUNT) json_object_set(step, "pending_count", lanes);
    json_decref(lanes);
    return step;
}

// "token 0x7ffff000", "true in lanes 0x00000003", "count 5": of the lowest lane where lanes may differ.
static void print_answer(const struct mbarrier_event *event)
{
    int lane = __builtin_ctz(event->op.lanes);
    switch (mbarrier_step_row(event->op.opcode)->result) {
    case MBARRIER_GIVES_NOTHING:
        break;
    case MBARRIER_GIVES_TOKEN:
        if (event->op.issuer == MBARRIER_ISSUER_CTA) printf("  token 0x%08x", event->lane[lane]);
        break;
    case MBARRIER_GIVES_COUNT:
        printf("  count %u", event->lane[lane]);
        break;
    case MBARRIER_GIVES_PREDICATE:
        if (event->ballot == 0 || event->ballot == event->op.lanes)
            printf("  %s", event->ballot == 0 ? "false" : "true");
        else
            printf("  true in lanes 0x%08x", event->ballot);
    }
}

// The operation and what it was given.
static void write_operation(const struct mbarrier_op *op, char *text, size_t bytes)
{
    enum mbarrier_operand takes = mbarrier_step_row(op->opcode)->operand;
    int used = snprintf(text, bytes, "%s", mbarrier_step_row(op->opcode)->name);
    if (op->token != MBARRIER_TOKEN_OPERAND)
        used += snprintf(text + used, bytes - (size_t)used, " token=%u", op->token);
    else if (takes != MBARRIER_TAKES_NOTHING && takes != MBARRIER_TAKES_WORD)
        used +=
            snprintf(text + used, bytes - (size_t)used, takes == MBARRIER_TAKES_TOKEN ? " 0x%x" : " %u", op->operand);
    if (op->step != 0) used += snprintf(text + used, bytes - (size_t)used, "+%u", op->step);
    if (op->lanes != 1) used += snprintf(text + used, bytes - (size_t)used, " lanes=0x%x", op->lanes);
    if (op->spread != 0) used += snprintf(text + used, bytes - (size_t)used, " spread=0x%" PRIx64, op->spread);
    if (op->issuer != MBARRIER_ISSUER_CTA)
        snprintf(text + used, bytes - (size_t)used, " %s", mbarrier_issuer_name(op->issuer));
}

static void print_step(int index, const struct mbarrier_event *event)
{
    const struct mbarrier_op *op = &event->op;
    const struct mbarrier_fields after = mbarrier_unpack(event->word);
    char text[96];
    write_operation(op, text, sizeof text);
    printf("%2d  %-33s ", index, text);
    if (event->rule != RULE_OK) {
        printf("faults with %d\n", rule_cuda_error(event->rule));
        return;
    }
    if (op->opcode != MBARRIER_OP_PENDING_COUNT)
        printf("b%u 0x%016" PRIx64 "  phase %d  pending %u  expected %u  tx %d%s", op->barrier, event->word,
               after.phase, after.pending, after.expected, after.tx, after.error ? "  ERROR" : "");
    print_answer(event);
    putchar('\n');
}

static void print_findings(const struct findings *findings, unsigned char *explained)
{
    static struct line line;
    line_start(&line);
    for (int i = 0; i < findings->count && i < FINDINGS_MAX; i++) {
        enum rule rule = findings->item[i].rule;
        finding_head(&findings->item[i], &line);
        if (!explained[rule]) finding_advice(rule, &line);
        explained[rule] = 1;
    }
    fputs(line.bytes, stdout);
}

static bool has_barrier(const struct mbarrier_op *op, int barrier)
{
    bool used = op->barrier == (uint32_t)barrier;
    for (EACH_BIT(lane, op->lanes)) used |= mbarrier_lane_barrier(op, lane) == (uint32_t)barrier;
    return op->opcode != MBARRIER_OP_PENDING_COUNT && used;
}

// What has come in the phase that is not complete, by step: "step 1: 1 arrival, expects 1024 bytes".
static void print_ledger(const struct ledger *ledger)
{
    for (int i = 0; i < ledger->count; i++) {
        const struct ledger_entry *entry = &ledger->entry[i];
        const struct mbarrier_transaction *t = &entry->transaction;
        const char *comma = "";
        printf("  step %u:", entry->origin.line);
        if (t->arrivals > 0) printf(" %" PRIu64 " arrival%s", t->arrivals, t->arrivals == 1 ? "" : "s"), comma = ",";
        if (t->expect_bytes > 0) printf("%s expects %" PRIu64 " bytes", comma, t->expect_bytes), comma = ",";
        if (t->complete_bytes > 0) printf("%s completes %" PRIu64 " bytes", comma, t->complete_bytes);
        puts(entry->origin.rank == 0 ? "" : ", from the other CTA");
    }
}

static void print_end(const struct mbarrier_machine *machine)
{
    for (int i = 0; i < MBARRIER_SLOTS; i++) {
        bool used = false;
        for (int j = 0; j < machine->events; j++) used |= has_barrier(&machine->event[j].op, i);
        struct mbarrier_fields fields = mbarrier_unpack(machine->word[0][i]);
        const char *reading = word_reading(&fields);
        const struct ledger *page = mbarrier_machine_ledger(machine, (uint32_t)i);
        if (page != NULL && page->life == BARRIER_DROPPED) reading = invalidated;
        if (!used) continue;
        printf("barrier %d: %s\n", i, reading);
        if (page != NULL) print_ledger(page);
    }
}

// Steps the program; prints it, or JSON. The exit status says whether it faults.
static int step_program(const struct mbarrier_case *program, int json)
{
    struct mbarrier_machine machine;
    unsigned char explained[RULE_MOST] = {0};
    enum rule rule = RULE_OK;
    json_t *ops = family_write(&family_mbarrier, program), *steps = json_array();
    mbarrier_machine_start(&machine);
    for (int i = 0; i < program->count && rule == RULE_OK; i++) {
        struct findings findings = {0};
        rule = mbarrier_step(&machine, &program->op[i], &findings);
        for (int j = 0; j < findings.count && j < FINDINGS_MAX; j++)
            findings.item[j].index = -1; // the step, told anyway
        json_t *op = json_array_get(json_object_get(ops, "ops"), (size_t)i);
        json_array_append_new(steps, event_json(&machine.event[i], op, &findings));
        if (json) continue;
        print_step(i, &machine.event[i]);
        print_findings(&findings, explained);
    }
    json_t *all =
        json_pack("{s:o, s:i, s:s}", "steps", steps, "status", rule_cuda_error(rule), "rule", rule_row(rule)->id);
    if (json) json_print(json_incref(all), JSON_INDENT(2));
    if (!json && rule == RULE_OK) print_end(&machine);
    json_decref(all);
    json_decref(ops);
    return rule == RULE_OK ? EXIT_AGREE : EXIT_MISMATCH;
}

static int read_program(const char *path, struct mbarrier_case *program, struct text *why)
{
    size_t size_bytes;
    char *bytes = read_file(path, MOST_PROGRAM_BYTES, &size_bytes, why);
    if (bytes == NULL) return 0;
    json_error_t error;
    json_t *json = json_parse(bytes, size_bytes, &error);
    free(bytes);
    if (json == NULL) return text_fail(why, "%s:%d: %s", path, error.line, error.text);
    struct text reason;
    int ok = family_read(&family_mbarrier, json, program, &reason);
    if (!ok) text_set(why, "%.100s: %.400s", path, reason.at);
    json_decref(json);
    return ok;
}

int command_mbarrier(int argc, char **argv)
{
    static const struct command_line line = {
        .usage = "WORD...\nOPERATION...\n--program=FILE",
        .help = help,
        .options = option_rows,
        .argument = take_arguments,
        .filter = filter_help,
        .value_at = operation_at,
    };
    struct options options = {0};
    struct text why;
    struct mbarrier_case program = {0};
    command_line_read(&line, argc, argv, &options);
    if ((options.program != NULL) == (options.arguments > 0) || (options.program != NULL && options.token))
        return command_usage("mbarrier", "give words, or operations, or --program=FILE");
    if (options.program != NULL) {
        if (!read_program(options.program, &program, &why)) return command_usage("mbarrier", "%s", why.at);
        return step_program(&program, options.json);
    }
    char first = options.argument[0][0];
    if (options.token || (first >= '0' && first <= '9')) return read_numbers(&options);
    for (int i = 0; i < options.arguments; i++)
        if (!mbarrier_case_add_text(&program, options.argument[i], &why))
            return command_usage("mbarrier", "%s", why.at);
    return step_program(&program, options.json);
}
