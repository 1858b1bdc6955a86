// SPDX-License-Identifier: MIT
// griddepcontrol and setmaxnreg: what tunes a kernel, and computes nothing.
#include "tuning.h"

#include <stdio.h>

#include "decode.h"
#include "form_number.h"
#include "handler.h"
#include "report.h"
#include "written.h"

bool machine_module_depends(const struct machine_module *module)
{
    const struct ptx_program *program = machine_module_program(module);
    for (uint32_t i = 0; i < program->ops; i++)
        if (program->op[i].choice.form == PTX_FORM_GRIDDEPCONTROL) return true;
    return false;
}

// The launch in front has ended, but under LATE and SHUFFLED it may seem not to have (written.h).
static enum machine_next depend(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    struct teller room;
    bool waits = code->choice->word[PTX_CLASS_GRID] == PTX_GRID_WAIT;
    const struct machine *machine = strand->warp->cta->cluster->machine;
    if (waits && machine_waits_for_grids(machine)) return MACHINE_WAIT;
    const struct event event = {.kind = EVENT_RUN, .run = waits ? RUN_WAIT_FOR_GRIDS : RUN_LAUNCH_DEPENDENTS};
    if (machine_is_heard(strand)) event_tell(machine_teller(strand, code, lanes, &room), event);
    return MACHINE_NEXT;
}

// The most that a setmaxnreg.inc of it asks for, or UINT32_MAX if it has none.
static uint32_t most_asked(const struct ptx_program *program, const struct ptx_function *entry)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < entry->instructions; i++) {
        const struct ptx_instruction *instruction = &entry->instruction[i];
        const uint32_t asked = (uint32_t)entry->operand[instruction->first].bits;
        if (program->op[instruction->op].choice.form == PTX_FORM_SETMAXNREG_INC && asked > most) most = asked;
    }
    return most > 0 ? most : UINT32_MAX;
}

static uint32_t least_of(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

// Whether an SM takes as many CTAs of whole warps as .minnctapersm says; ptxas ignores it where none does.
static bool fits_sm(uint32_t ctas, uint32_t threads)
{
    return ctas > 0 && ctas <= SM_MOST_CTAS && threads > 0 && threads <= SM_MOST_THREADS / ctas;
}

// All that a CTA of the bounds may have of an SM, up to .maxnreg (of which ptxas makes 24 at least, and 255 at most)
// and to what the kernel asks for. A launch rounds what ptxas says up to whole units. 0 without both bounds of the CTA
// and .maxnreg: ptxas leaves setmaxnreg out (C7508).
uint32_t machine_start_registers(const struct ptx_program *program, const struct ptx_function *entry, uint32_t threads)
{
    enum { UNIT = REGISTER_COUNT_UNIT, LEAST = REGISTER_COUNT_LEAST };
    const struct ptx_tuning *tuning = &entry->tuning;
    const bool has_threads = tuning->maxntid[0] > 0 || tuning->reqntid[0] > 0;
    const uint32_t whole = (threads + MACHINE_LANES - 1) / MACHINE_LANES * MACHINE_LANES;
    uint32_t each = REGISTER_COUNT_MOST;
    if (has_threads && fits_sm(tuning->minnctapersm, whole)) {
        each = least_of(each, SM_REGISTERS / tuning->minnctapersm / whole / UNIT * UNIT);
    } else if (tuning->maxnreg == 0) {
        return 0;
    }
    if (tuning->maxnreg > 0 && tuning->maxnreg < REGISTER_COUNT_MOST)
        each = least_of(each, tuning->maxnreg < LEAST ? LEAST : (tuning->maxnreg + UNIT - 1) / UNIT * UNIT);
    return least_of(each, most_asked(program, entry));
}

static enum machine_next refuse(struct machine_strand *strand, const struct machine_code *code, uint32_t lane,
                                enum rule rule, uint32_t count)
{
    char what[64];
    snprintf(what, sizeof what, "setmaxnreg to %u registers", count);
    return machine_fault_with(strand, code, lane, rule, 0, what);
}

static enum machine_next set_registers(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    struct machine_cta *cta = strand->warp->cta;
    if (cta->cluster->machine->kernel->facts.start_registers == 0) return MACHINE_NEXT;
    if (!machine_is_converged(strand, lanes)) return MACHINE_WAIT;
    uint32_t count = (uint32_t)machine_value(strand, &code->operand[0], (uint32_t)__builtin_ctz(lanes));
    int granted = 1;
    enum rule rule = code->choice->form == PTX_FORM_SETMAXNREG_DEC
                         ? register_pool_decrease(&cta->registers, strand->warp->index, count)
                         : register_pool_increase(&cta->registers, strand->warp->index, count, &granted);
    if (rule != RULE_OK) return refuse(strand, code, (uint32_t)__builtin_ctz(lanes), rule, count);
    if (!granted) return MACHINE_WAIT;
    struct teller room;
    const struct event event = {.kind = EVENT_RUN, .run = RUN_SET_REGISTERS};
    if (machine_is_heard(strand)) event_tell(machine_teller(strand, code, lanes, &room), event);
    machine_progress(strand);
    return MACHINE_NEXT;
}

bool machine_registers_wait(const struct machine_strand *strand, uint32_t *wanted, uint32_t *free)
{
    const struct register_pool *pool = &strand->warp->cta->registers;
    const struct machine_code *code = &strand->frame->function->code[strand->pc];
    const uint32_t warp = strand->warp->index;
    if (code->handler != set_registers) return false;
    *wanted = (uint32_t)machine_value(strand, &code->operand[0], (uint32_t)__builtin_ctz(strand->lanes));
    *free = pool->count[warp] + pool->free[warp % REGISTER_POOL_PARTS];
    return true;
}

machine_handler *machine_tuning_find(const struct ptx_choice *choice)
{
    switch ((enum ptx_form_number)choice->form) {
    case PTX_FORM_GRIDDEPCONTROL:
        return depend;
    case PTX_FORM_SETMAXNREG_INC:
    case PTX_FORM_SETMAXNREG_DEC:
        return set_registers;
    default:
        return NULL;
    }
}
