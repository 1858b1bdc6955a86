// SPDX-License-Identifier: MIT
#include "commute.h"

#include "flow.h"
#include "form_number.h"

static bool is_strong(const struct ptx_choice *choice)
{
    const int order = choice->word[PTX_CLASS_ORDER];
    return (choice->form >= PTX_FORM_LD && choice->form <= PTX_FORM_ST_MMIO) && order != PTX_WORD_NONE &&
           order != PTX_WEAK;
}

static bool is_wide_fence(const struct ptx_choice *choice)
{
    const int scope = choice->word[PTX_CLASS_SCOPE];
    if (choice->form != PTX_FORM_MEMBAR && choice->form != PTX_FORM_FENCE) return false;
    return scope != PTX_CTA && scope != PTX_CLUSTER;
}

static bool is_atomic(const struct ptx_choice *choice)
{
    return choice->form >= PTX_FORM_ATOM_ADD && choice->form <= PTX_FORM_ATOM_CAS;
}

// Reductions that copies make, in global memory.
static bool is_reduction(const struct ptx_choice *choice)
{
    return (choice->form >= PTX_FORM_CP_REDUCE_ASYNC_BULK_WRAP &&
            choice->form <= PTX_FORM_CP_REDUCE_ASYNC_BULK_NOFTZ) ||
           choice->form == PTX_FORM_TENSOR_REDUCE || choice->form == PTX_FORM_TENSOR_REDUCE_IM2COL;
}

// A function without a body is one of the system's: vprintf, malloc, the device runtime.
static bool calls_system(const struct ptx_program *program, const struct ptx_operand *callee)
{
    return callee->kind != PTX_OPERAND_FUNCTION || !program->function[callee->index].has_body;
}

static bool is_near(const struct ptx_choice *choice)
{
    return choice->spaces > 0 && choice->space[0] != PTX_GLOBAL;
}

bool machine_is_look(const struct ptx_choice *choice)
{
    const bool is_load = choice->form >= PTX_FORM_LD && choice->form <= PTX_FORM_LDU;
    const bool is_red = choice->form >= PTX_FORM_RED_ADD && choice->form <= PTX_FORM_RED_VECTOR_HALF2;
    return !is_near(choice) && ((is_atomic(choice) && !is_red) || (is_load && is_strong(choice)));
}

static bool is_relaxed(const struct ptx_choice *choice)
{
    const int order = choice->word[PTX_CLASS_ORDER];
    return order == PTX_WORD_NONE || order == PTX_RELAXED;
}

static bool commutes(const struct ptx_program *program, const struct ptx_function *function,
                     const struct ptx_instruction *instruction, bool may_add)
{
    const struct ptx_choice *choice = &program->op[instruction->op].choice;
    if (ptx_flow_of(choice) == PTX_FLOW_CALL) return !calls_system(program, &function->operand[instruction->first]);
    if (is_wide_fence(choice) || is_reduction(choice)) return false;
    if (is_near(choice)) return true;
    return is_atomic(choice) ? may_add && is_relaxed(choice) : !is_strong(choice);
}

bool machine_kernel_commutes(const struct machine_kernel *kernel, const struct ptx_program *program, bool may_add)
{
    for (uint32_t i = 0; i < kernel->functions; i++) {
        if (kernel->function[i] == NULL) continue;
        const struct ptx_function *function = kernel->function[i]->source;
        for (uint32_t k = 0; k < function->instructions; k++)
            if (!commutes(program, function, &function->instruction[k], may_add)) return false;
    }
    return true;
}
