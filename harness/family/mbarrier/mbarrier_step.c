// SPDX-License-Identifier: MIT
// Steps as instructions of the model. What the language knows and an instruction does not: which step a token is of,
// and when a plain store hits a barrier.
#include "mbarrier_step.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "rules/mbarrier.h"

static const struct mbarrier_op_row word_row = {
    .name = "word", .ptx = "mbarrier.inval, then st.shared.b64", .operand = MBARRIER_TAKES_WORD};

static const char *const issuers[MBARRIER_ISSUERS] = {
    [MBARRIER_ISSUER_CTA] = "cta",
    [MBARRIER_ISSUER_SELF] = "self",
    [MBARRIER_ISSUER_REMOTE] = "remote",
};

const struct mbarrier_op_row *mbarrier_step_row(uint32_t opcode)
{
    assert(opcode < MBARRIER_STEP_OPS);
    return opcode == MBARRIER_OP_WORD ? &word_row : mbarrier_op_row(opcode);
}

uint32_t mbarrier_step_find(const char *name)
{
    if (strcasecmp(name, word_row.name) == 0 || strcasecmp(name, "mbarrier.word") == 0) return MBARRIER_OP_WORD;
    uint32_t opcode = mbarrier_op_find(name);
    return opcode < MBARRIER_STEP_OPS ? opcode : MBARRIER_STEP_OPS;
}

const char *mbarrier_issuer_name(uint32_t issuer)
{
    assert(issuer < MBARRIER_ISSUERS);
    return issuers[issuer];
}

uint32_t mbarrier_issuer_find(const char *name)
{
    uint32_t issuer = 0;
    while (issuer < MBARRIER_ISSUERS && strcmp(issuers[issuer], name) != 0) issuer++;
    return issuer;
}

static const char *token_illegal(const struct mbarrier_op *program, int index)
{
    const struct mbarrier_op *op = &program[index];
    if (op->token == MBARRIER_TOKEN_OPERAND) return NULL;
    if (op->operand != 0 || op->step != 0) return "operand and step are absent when token names an op";
    if (op->token >= (uint32_t)index) return "token is the index of an earlier op";
    const struct mbarrier_op *source = &program[op->token];
    if (mbarrier_step_row(source->opcode)->result != MBARRIER_GIVES_TOKEN)
        return "token names an op that returns no token";
    if (source->issuer != MBARRIER_ISSUER_CTA)
        return "token names an op through shared::cluster, which returns no token";
    return NULL;
}

const char *mbarrier_op_illegal(const struct mbarrier_op *program, int index)
{
    const struct mbarrier_op *op = &program[index];
    if (op->opcode >= MBARRIER_STEP_OPS) return "op is not the name of an mbarrier operation";
    const struct mbarrier_op_row *row = mbarrier_step_row(op->opcode);
    if (op->barrier >= MBARRIER_SLOTS) return "barrier is 0 to 3";
    if (op->issuer >= MBARRIER_ISSUERS) return "issuer is cta, self or remote";
    if (op->issuer != MBARRIER_ISSUER_CTA && row->ptx_cluster == NULL)
        return "issuer is cta for this op: it has no shared::cluster form";
    if (op->lanes == 0) return "lanes is a mask of the warp's lanes, not 0";
    if (op->offset_bytes > 7) return "offset is 0 to 7 bytes";
    if (op->opcode == MBARRIER_OP_WORD || op->opcode == MBARRIER_OP_PENDING_COUNT) {
        if (op->offset_bytes != 0) return "offset is 0 for this op";
        if (op->spread != 0) return "spread is 0 for this op";
    }
    if (row->operand == MBARRIER_TAKES_WORD && op->lanes != 1) return "lanes is 1 for a plain store";
    return row->operand == MBARRIER_TAKES_TOKEN ? token_illegal(program, index) : NULL;
}

// The operand of lane `lane`: operand + lane * step mod 2^32.
static uint32_t mbarrier_lane_operand(const struct mbarrier_op *op, int lane)
{
    return op->operand + (uint32_t)lane * op->step;
}

uint32_t mbarrier_lane_barrier(const struct mbarrier_op *op, int lane)
{
    return (op->barrier + (uint32_t)(op->spread >> 2 * lane)) % MBARRIER_SLOTS;
}

void mbarrier_machine_start(struct mbarrier_machine *machine)
{
    memset(machine, 0, sizeof *machine);
    ledger_book_start(&machine->ledgers, machine->page, MBARRIER_SLOTS);
}

const struct ledger *mbarrier_machine_ledger(const struct mbarrier_machine *machine, uint32_t barrier)
{
    for (int i = 0; i < MBARRIER_SLOTS; i++)
        if (machine->page[i].is_used && machine->page[i].address == MBARRIER_BYTES * barrier) return &machine->page[i];
    return NULL;
}

// The step in progress: what its parts share.
struct step {
    struct mbarrier_machine *machine;
    struct mbarrier_event *event;
    const struct mbarrier_op *op;
    const struct mbarrier_op_row *row;
    struct findings *findings;
};

static void note(const struct step *step, enum rule rule, const char *argument, uint64_t value)
{
    finding_add(step->findings, (struct finding){.rule = rule, .argument = argument, .value = value});
}

static uint64_t token_of(const struct step *step, int lane)
{
    const struct mbarrier_op *op = step->op;
    uint32_t high = op->token == MBARRIER_TOKEN_OPERAND ? mbarrier_lane_operand(op, lane)
                                                        : step->machine->event[op->token].lane[lane];
    return (uint64_t)high << 32;
}

static struct mbarrier_instruction instruction_of(const struct step *step)
{
    const struct mbarrier_op *op = step->op;
    struct mbarrier_instruction in = {.opcode = op->opcode,
                                      .space = op->issuer == MBARRIER_ISSUER_CTA ? MBARRIER_SHARED_CTA
                                                                                 : MBARRIER_SHARED_CLUSTER,
                                      .scope = op->issuer == MBARRIER_ISSUER_CTA ? SCOPE_CTA : SCOPE_CLUSTER,
                                      .rank = op->issuer == MBARRIER_ISSUER_REMOTE,
                                      .lanes = op->lanes};
    for (int lane = 0; lane < MBARRIER_LANES; lane++) {
        in.address[lane] = MBARRIER_BYTES * mbarrier_lane_barrier(op, lane) + op->offset_bytes;
        in.operand[lane] =
            step->row->operand == MBARRIER_TAKES_TOKEN ? token_of(step, lane) : mbarrier_lane_operand(op, lane);
    }
    return in;
}

static void note_tokens(const struct step *step, uint64_t phases)
{
    const struct mbarrier_op *op = step->op;
    const struct mbarrier_event *source = op->token == MBARRIER_TOKEN_OPERAND ? NULL : &step->machine->event[op->token];
    if (step->row->result == MBARRIER_GIVES_COUNT) {
        if (source == NULL || !mbarrier_step_row(source->op.opcode)->no_complete)
            note(step, RULE_MBARRIER_PENDING_COUNT_TOKEN, "token", op->token);
    } else if (source == NULL || source->op.barrier != op->barrier || source->op.spread != op->spread ||
               (op->lanes & ~source->op.lanes) != 0)
        note(step, RULE_MBARRIER_TOKEN_FOREIGN, "token", op->token);
    else if (source->phases_before + 1 < phases)
        note(step, RULE_MBARRIER_TOKEN_OLD, "token", op->token);
}

// A plain store, after mbarrier.inval wrote the word back.
static void store_word(const struct step *step)
{
    const struct ledger *page = mbarrier_machine_ledger(step->machine, step->op->barrier);
    if (page != NULL && page->life == BARRIER_LIVE)
        note(step, RULE_MBARRIER_PLAIN_ACCESS, "barrier", step->op->barrier);
    ledger_forget(&step->machine->ledgers, 0, MBARRIER_BYTES * step->op->barrier);
    step->machine->word[0][step->op->barrier] = step->op->word;
}

static enum rule execute(const struct step *step)
{
    struct mbarrier_machine *machine = step->machine;
    const struct mbarrier_instruction in = instruction_of(step);
    const struct memory memory[2] = {{(uint8_t *)machine->word[0], 0, sizeof machine->word[0]},
                                     {(uint8_t *)machine->word[1], 0, sizeof machine->word[1]}};
    const struct cluster_memory cluster = {.cta = memory, .ctas = 2, .is_cluster = 1};
    const struct mbarrier_unit unit = {&cluster, &machine->ledgers};
    const struct teller teller = {machine->observer,
                                  {.rank = in.rank, .lanes = in.lanes, .line = (uint32_t)machine->events - 1}};
    struct mbarrier_answer answer;
    enum rule rule = mbarrier_operate(&unit, &in, &teller, &answer, step->findings);
    if (step->row->operand == MBARRIER_TAKES_TOKEN && step->op->offset_bytes == 0)
        note_tokens(step, step->event->phases_before);
    step->event->ballot = answer.ballot;
    for (int lane = 0; lane < MBARRIER_LANES; lane++)
        step->event->lane[lane] = step->row->result == MBARRIER_GIVES_TOKEN ? (uint32_t)(answer.value[lane] >> 32)
                                                                            : (uint32_t)answer.value[lane];
    return rule;
}

enum rule mbarrier_step(struct mbarrier_machine *machine, const struct mbarrier_op *op, struct findings *findings)
{
    assert(machine->events < MBARRIER_MAX_OPS);
    machine->ledgers.page = machine->page; // the machine may be a copy
    const struct ledger *page = mbarrier_machine_ledger(machine, op->barrier);
    struct mbarrier_event *event = &machine->event[machine->events++];
    uint64_t *word = &machine->word[0][op->barrier];
    *event = (struct mbarrier_event){.op = *op, .word = *word, .phases_before = page != NULL ? page->phases : 0};
    const struct step step = {machine, event, op, mbarrier_step_row(op->opcode), findings};
    findings_clear(findings);
    if (op->opcode == MBARRIER_OP_WORD)
        store_word(&step);
    else
        event->rule = execute(&step);
    if (event->rule != RULE_OK) *word = event->word; // of the lanes of one operation some may have gone through
    event->word = *word;
    for (int i = 0; findings != NULL && i < findings->count && i < FINDINGS_MAX; i++)
        findings->item[i].index = machine->events - 1;
    return event->rule;
}
