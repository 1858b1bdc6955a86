// SPDX-License-Identifier: MIT
// How many registers ptxas would give a thread of a kernel, as far as PTX shows it.
#include "liveness.h"
#include "module.h"

enum { MOST_CALLS_DEEP = 16 };

struct asked {
    const struct machine_kernel *kernel;
    const struct ptx_program *program;
    int depth;
};

// Of a function that is called; of one that nobody knows the most that any has.
static uint32_t of_callee(void *context, uint32_t function)
{
    struct asked *asked = context;
    uint32_t most = 0;
    if (asked->depth == MOST_CALLS_DEEP) return 0; // a recursion: its frames are in local memory
    asked->depth++;
    for (uint32_t f = 0; f < asked->kernel->functions; f++) {
        const struct machine_function *known = asked->kernel->function[f];
        if (known == NULL || known->source->is_entry) continue;
        if (known->number != function && (function != UINT32_MAX || asked->depth > 1)) continue;
        const uint32_t words = ptx_live_registers(asked->program, known->source, of_callee, asked);
        if (words > most) most = words;
    }
    asked->depth--;
    return most;
}

uint32_t machine_module_registers(struct machine_module *module, int kernel)
{
    struct ptx_errors errors;
    struct machine_kernel *decoded = machine_module_decoded(module, kernel, &errors);
    if (decoded == NULL) return 0;
    struct asked asked = {decoded, ptx_program(module->front), 0};
    const struct ptx_function *entry = decoded->entry->source;
    if (decoded->live_registers == 0)
        decoded->live_registers = ptx_live_registers(asked.program, entry, of_callee, &asked);
    if (decoded->live_registers == 0) return decoded->facts.registers;
    const uint32_t most = entry->tuning.maxnreg;
    return most > 0 && decoded->live_registers > most ? most : decoded->live_registers;
}
