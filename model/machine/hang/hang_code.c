// SPDX-License-Identifier: MIT
// What the code says of who may still come: whether a strand can reach an instruction again, and whether a waiter fills
// a buffer behind its wait.
#include <stdlib.h>
#include <string.h>

#include "flow.h"
#include "form_number.h"
#include "handler.h"
#include "hang.h"
#include "report.h"

// --- Where it can go -------------------------------------------------------------------------------------------------

// Codes that can be reached, and those whose ways on are yet to be looked at.
struct walk {
    const struct machine_function *function;
    uint8_t *seen;
    uint32_t *next, count;
};

static void go_to(struct walk *walk, uint32_t at)
{
    if (at >= walk->function->codes || walk->seen[at]) return;
    walk->seen[at] = 1;
    walk->next[walk->count++] = at;
}

static void go_on(struct walk *walk, uint32_t at)
{
    const struct machine_code *code = &walk->function->code[at];
    const enum ptx_flow flow = code->choice != NULL ? ptx_flow_of(code->choice) : PTX_FLOW_ON;
    if (flow == PTX_FLOW_BRANCH) go_to(walk, code->target);
    if (flow == PTX_FLOW_BRANCH_LIST)
        for (uint32_t i = 0; i < walk->function->list[code->target].count; i++)
            go_to(walk, walk->function->list[code->target].target[i]);
    if (code->guarded != MACHINE_ALL || !ptx_flow_leaves(flow)) go_to(walk, at + 1);
}

// Marks in walk->seen what can be reached behind a code. 0 if there is no memory.
static bool walk_from(struct walk *walk, uint32_t at)
{
    walk->seen = calloc(walk->function->codes + 1u, 1);
    walk->next = calloc(walk->function->codes + 1u, sizeof *walk->next);
    const bool is_there = walk->seen != NULL && walk->next != NULL;
    if (is_there) go_on(walk, at);
    while (is_there && walk->count > 0) go_on(walk, walk->next[--walk->count]);
    free(walk->next);
    return is_there;
}

// Of a function that was called it is not known where it goes back to.
static bool is_known(const struct machine_strand *strand)
{
    return strand->frame->caller == NULL && strand->pc < strand->frame->function->codes;
}

static const struct ptx_instruction *instruction_of(const struct machine_function *function,
                                                    const struct machine_code *code)
{
    const struct ptx_function *source = function->source;
    return code->instruction < source->instructions ? &source->instruction[code->instruction] : NULL;
}

bool hang_reaches_line(const struct machine_strand *strand, const struct hang_part *part)
{
    struct walk walk = {.function = strand->frame->function};
    const struct machine *machine = strand->warp->cta->cluster->machine;
    bool reaches = false;
    if (!is_known(strand) || !walk_from(&walk, strand->pc)) return true;
    for (uint32_t i = 0; i < walk.function->codes && !reaches; i++) {
        const struct ptx_instruction *instruction = instruction_of(walk.function, &walk.function->code[i]);
        reaches = walk.seen[i] && instruction != NULL && hang_is_same_line(machine, instruction->line, part->line);
    }
    free(walk.seen);
    return reaches;
}

// The code of the line, if it is one of a barrier or a copy.
static const struct machine_code *code_of(const struct machine_function *function, uint32_t line)
{
    for (uint32_t i = 0; i < function->codes; i++) {
        const struct ptx_instruction *instruction = instruction_of(function, &function->code[i]);
        if (instruction != NULL && instruction->line == line && function->code[i].choice != NULL)
            return &function->code[i];
    }
    return NULL;
}

bool hang_reaches_form(const struct machine_strand *strand, const struct hang_part *part)
{
    struct walk walk = {.function = strand->frame->function};
    const struct machine_code *code = code_of(walk.function, part->line);
    bool reaches = false;
    if (code == NULL || !is_known(strand) || !walk_from(&walk, strand->pc)) return true;
    for (uint32_t i = 0; i < walk.function->codes; i++) {
        const struct machine_code *other = &walk.function->code[i];
        reaches |= walk.seen[i] && other->choice != NULL && other->choice->form == code->choice->form;
    }
    free(walk.seen);
    return reaches;
}

bool hang_reaches_handler(const struct machine_strand *strand, machine_handler *handler)
{
    struct walk walk = {.function = strand->frame->function};
    bool reaches = false;
    if (!is_known(strand) || !walk_from(&walk, strand->pc)) return true;
    for (uint32_t i = 0; i < walk.function->codes; i++)
        reaches |= walk.seen[i] && walk.function->code[i].handler == handler;
    free(walk.seen);
    return reaches;
}

static bool is_arrival(const struct machine_code *code)
{
    static const char *const opcodes[] = {"mbarrier.arrive",   "mbarrier.expect", "mbarrier.complete", "cp.async.bulk",
                                          "cp.async.mbarrier", "cp.reduce",       "st.async",          "red.async"};
    const char *opcode = code->choice != NULL ? ptx_form_row(code->choice->form)->opcode : "";
    for (size_t i = 0; i < sizeof opcodes / sizeof opcodes[0]; i++)
        if (strncmp(opcode, opcodes[i], strlen(opcodes[i])) == 0) return true;
    return false;
}

bool hang_reaches_arrival(const struct machine_strand *strand)
{
    struct walk walk = {.function = strand->frame->function};
    bool reaches = false;
    if (!is_known(strand) || !walk_from(&walk, strand->pc)) return true;
    for (uint32_t i = 0; i < walk.function->codes && !reaches; i++)
        reaches =
            walk.seen[i] && (is_arrival(&walk.function->code[i]) || walk.function->code[i].handler == machine_call);
    free(walk.seen);
    return reaches;
}

static bool reaches_code(const struct machine_function *function, uint32_t from, uint32_t to)
{
    struct walk walk = {.function = function};
    const bool is_there = walk_from(&walk, from);
    const bool reaches = is_there && walk.seen[to];
    free(walk.seen);
    return reaches;
}

bool hang_is_past(const struct machine_strand *strand, const struct hang_wait *wait)
{
    const struct machine_function *function = wait->function;
    const uint32_t at = (uint32_t)(wait->code - function->code);
    if (strand->frame->function != function || !is_known(strand) || wait->strand[0]->frame->caller != NULL)
        return false;
    return strand->pc != at && reaches_code(function, at, strand->pc) && !reaches_code(function, strand->pc, at);
}

// --- What it does next -----------------------------------------------------------------------------------------------

static bool is_form_of_wait(int form)
{
    return form >= PTX_FORM_MBARRIER_TEST_WAIT && form <= PTX_FORM_MBARRIER_TRY_WAIT_PARITY_SCOPED;
}

static bool is_form_of_expect(int form)
{
    return form == PTX_FORM_MBARRIER_EXPECT_TX || form == PTX_FORM_MBARRIER_EXPECT_TX_SCOPED ||
           (form >= PTX_FORM_MBARRIER_ARRIVE_EXPECT_TX && form <= PTX_FORM_MBARRIER_ARRIVE_EXPECT_TX_REMOTE_SCOPED);
}

// Of shared memory: MEMORY_READS or MEMORY_WRITES; else -1.
static int use_of_shared(const struct machine_code *code)
{
    if (code->handler != machine_run_transfer || code->transfer->space != PTX_SHARED) return -1;
    return (int)code->transfer->use;
}

// It takes from shared memory, or tells others that a buffer is theirs: what is stored behind it fills none.
static bool is_form_of_use(int form)
{
    return form == PTX_FORM_LDMATRIX || (form >= PTX_FORM_WGMMA_F16 && form <= PTX_FORM_WGMMA_INT_R) ||
           (form >= PTX_FORM_MBARRIER_ARRIVE && form <= PTX_FORM_MBARRIER_ARRIVE_REMOTE_SCOPED);
}

static bool is_form_of_copy(int form)
{
    return form == PTX_FORM_CP_ASYNC_CA || form == PTX_FORM_CP_ASYNC_CG;
}

static bool is_form_of_meeting(int form)
{
    return form == PTX_FORM_BARRIER_CLUSTER_WAIT || (form >= PTX_FORM_BAR_SYNC && form <= PTX_FORM_BARRIER_CTA_RED);
}

const struct machine_code *hang_barrier_behind_init(const struct machine_function *function)
{
    bool is_behind = false;
    for (const struct machine_code *code = function->code; code < function->code + function->codes; code++) {
        const int form = code->choice != NULL ? code->choice->form : -1;
        is_behind |= form == PTX_FORM_MBARRIER_INIT;
        if (is_behind && is_form_of_meeting(form)) return code;
    }
    return NULL;
}

bool hang_takes(const struct hang_wait *wait)
{
    const struct machine_function *function = wait->function;
    for (const struct machine_code *code = wait->code + 1; code < function->code + function->codes; code++) {
        const int form = code->choice != NULL ? code->choice->form : -1, use = use_of_shared(code);
        if (use == (int)MEMORY_READS || form == PTX_FORM_LDMATRIX) return true;
        if (use == (int)MEMORY_WRITES || is_form_of_use(form) || is_form_of_wait(form) || is_form_of_expect(form) ||
            is_form_of_copy(form))
            return false;
    }
    return false;
}

// In the order of the text: compilers keep it in the body of a loop.
bool hang_fills(const struct hang_wait *wait)
{
    const struct machine_function *function = wait->function;
    bool may_store = true;
    for (const struct machine_code *code = wait->code + 1; code < function->code + function->codes; code++) {
        const int form = code->choice != NULL ? code->choice->form : -1, use = use_of_shared(code);
        if (is_form_of_expect(form) || is_form_of_copy(form)) return true;
        if (is_form_of_wait(form)) return false;
        if (may_store && use == (int)MEMORY_WRITES) return true;
        if (use == (int)MEMORY_READS || is_form_of_use(form)) may_store = false;
    }
    return false;
}
