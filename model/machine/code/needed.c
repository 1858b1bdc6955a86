// SPDX-License-Identifier: MIT
#include "needed.h"

#include <stdlib.h>

#include "flow.h"

void machine_need(struct machine_needed *needed, uint32_t number)
{
    if (needed->is_in[number]) return;
    *(uint32_t *)machine_array_add(&needed->list, 1, sizeof number, needed->no_memory) = number;
    needed->is_in[number] = 1;
}

uint32_t machine_needed_at(const struct machine_needed *needed, uint32_t i)
{
    return ((const uint32_t *)needed->list.item)[i];
}

static int order_of(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

// In the order of the program.
void machine_needed_sort(struct machine_needed *needed)
{
    if (needed->list.count > 1) qsort(needed->list.item, needed->list.count, sizeof(uint32_t), order_of);
}

void machine_needed_drop(struct machine_needed *needed)
{
    for (uint32_t i = 0; i < needed->list.count; i++) needed->is_in[machine_needed_at(needed, i)] = 0;
    free(needed->list.item);
}

static void need_function(struct machine_needed *functions, const struct ptx_program *program, uint32_t function)
{
    if (program->function[function].has_body) machine_need(functions, function);
}

static void need_callees(struct machine_needed *functions, const struct ptx_program *program,
                         const struct ptx_function *function)
{
    for (uint32_t i = 0; i < function->instructions; i++) {
        const struct ptx_instruction *instruction = &function->instruction[i];
        const struct ptx_operand *callee = &function->operand[instruction->first];
        if (ptx_flow_of(&program->op[instruction->op].choice) != PTX_FLOW_CALL) continue;
        if (callee->kind == PTX_OPERAND_FUNCTION) need_function(functions, program, callee->index);
        if (callee->kind == PTX_OPERAND_FUNCTION) continue;
        for (uint32_t k = 0; k < program->functions; k++)
            if (!program->function[k].is_entry) need_function(functions, program, k);
    }
}

// The functions that a kernel may call, and their bodies.
static bool read_bodies(struct machine_module *module, struct machine_needed *functions, struct ptx_errors *errors)
{
    for (uint32_t i = 0; i < functions->list.count; i++) {
        const uint32_t function = machine_needed_at(functions, i);
        if (!ptx_decode(module->front, function, errors)) return false;
        const struct ptx_program *program = ptx_program(module->front);
        need_callees(functions, program, &program->function[function]);
    }
    machine_needed_sort(functions);
    return true;
}

bool machine_needed_functions(struct machine_module *module, uint32_t entry, struct machine_needed *functions,
                              struct ptx_errors *errors)
{
    jmp_buf no_memory;
    functions->no_memory = &no_memory;
    if (setjmp(no_memory) != 0) return false;
    need_function(functions, ptx_program(module->front), entry);
    return read_bodies(module, functions, errors);
}
