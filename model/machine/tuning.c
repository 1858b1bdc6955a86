// SPDX-License-Identifier: MIT
// griddepcontrol and setmaxnreg: what tunes a kernel, and computes nothing.
#include "handler.h"

// Launches come one after another: there is no grid to wait for, and those that depend on this one come later.
static enum machine_next depend(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    struct teller room;
    int waits = code->choice->word[PTX_CLASS_GRID] == PTX_GRID_WAIT;
    const struct event event = {.kind = EVENT_RUN, .run = waits ? RUN_WAIT_FOR_GRIDS : RUN_LAUNCH_DEPENDENTS};
    if (machine_is_heard(strand)) event_tell(machine_teller(strand, code, lanes, &room), event);
    return MACHINE_NEXT;
}

static enum machine_next set_registers(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    struct machine_cta *cta = strand->warp->cta;
    if (!machine_is_converged(strand, lanes)) return MACHINE_WAIT;
    uint32_t count = (uint32_t)machine_value(strand, &code->operand[0], (uint32_t)__builtin_ctz(lanes));
    int granted = 1;
    enum rule rule = code->choice->form == PTX_FORM_SETMAXNREG_DEC
                         ? register_pool_decrease(&cta->registers, strand->warp->index, count)
                         : register_pool_increase(&cta->registers, strand->warp->index, count, &granted);
    if (rule != RULE_OK) return machine_fault(strand, code, (uint32_t)__builtin_ctz(lanes), rule, count, "");
    if (!granted) return MACHINE_WAIT;
    machine_progress(strand);
    return MACHINE_NEXT;
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
