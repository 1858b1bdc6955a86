// SPDX-License-Identifier: MIT
// How much a module has of what the machine has little of: constant data, and shared memory of an entry. ptxas refuses
// the same, with the sums as it counts them.
#include "memory.h"
#include "parser.h"

enum {
    CONSTANT_BANK_BYTES = 1 << 16,
    SYSTEM_SHARED_BYTES = 1024,
    MOST_SHARED_BYTES = SM_SHARED_BYTES - SYSTEM_SHARED_BYTES
};

static uint64_t add_up(uint64_t used, const struct ptx_variable *variable)
{
    const uint64_t align = variable->align > 1 ? variable->align : 1;
    return (used + align - 1) / align * align + variable->bytes;
}

struct too_much {
    const char *what;
    uint64_t bytes;
    uint32_t most;
    const char *why, *advice;
};

static void complain(struct ptx_errors *errors, const struct ptx_module *module, const struct ptx_token *token,
                     const struct too_much *of)
{
    ptx_complain(errors, module->text, token, of->advice, "'%.*s': %s has %llu bytes, limit %u (%s)",
                 (int)(token->length > 100 ? 100 : token->length), token->at, of->what, (unsigned long long)of->bytes,
                 of->most, of->why);
}

static struct ptx_token token_of(struct ptx_name name, uint32_t line)
{
    return (struct ptx_token){TOKEN_WORD, name.length, line, name.at};
}

// The variable with which it is too much is the one to look at.
void ptx_check_constants(const struct ptx_module *module, struct ptx_errors *errors)
{
    const struct ptx_variable *variable = module->variables.item, *over = NULL;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < module->variables.count; i++) {
        if (variable[i].space != PTX_CONST || variable[i].linkage == PTX_LINK_EXTERN) continue;
        bytes = add_up(bytes, &variable[i]);
        if (over == NULL && bytes > CONSTANT_BANK_BYTES) over = &variable[i];
    }
    if (over == NULL) return;
    const struct ptx_token token = token_of(over->name, over->line);
    complain(errors, module, &token,
             &(struct too_much){"constant data with it", bytes, CONSTANT_BANK_BYTES, "the bank of constants has 64 KiB",
                                "Put large tables into .global memory (__device__ in CUDA C++)."});
}

void ptx_complain_of_shared(const struct ptx_module *module, uint32_t function, uint64_t bytes,
                            struct ptx_errors *errors)
{
    const struct ptx_function *entry = (const struct ptx_function *)module->functions.item + function;
    const struct ptx_token token = token_of(entry->name, entry->line);
    if (bytes <= MOST_SHARED_BYTES) return;
    complain(errors, module, &token,
             &(struct too_much){"its shared memory", bytes, MOST_SHARED_BYTES,
                                "227 KiB for a CTA, rule LAUNCH_SHARED_ALLOWED",
                                "Make the arrays smaller, or divide the work among more CTAs."});
}

// The variable of the module in shared memory that an operand names, or NULL. Marks for all of them are there then.
static const struct ptx_variable *shared_of(struct ptx_module *module, const struct ptx_operand *operand)
{
    const struct ptx_variable *variable = module->variables.item;
    const bool is_variable = operand->kind == PTX_OPERAND_AT_VARIABLE || operand->kind == PTX_OPERAND_VARIABLE;
    if (!is_variable || (operand->index & PTX_OF_FUNCTION) || variable[operand->index].space != PTX_SHARED) return NULL;
    if (module->is_named == NULL) module->is_named = ptx_arena_take(&module->arena, module->variables.count, 1);
    return &variable[operand->index];
}

// Variables of the module count if the body names them, each once.
void ptx_check_shared(struct ptx_module *module, uint32_t function, struct ptx_errors *errors)
{
    const struct ptx_function *entry = (const struct ptx_function *)module->functions.item + function;
    uint64_t bytes = 0;
    if (!entry->is_entry) return;
    for (uint32_t i = 0; i < entry->operands; i++) {
        const struct ptx_variable *variable = shared_of(module, &entry->operand[i]);
        if (variable == NULL || module->is_named[entry->operand[i].index]) continue;
        bytes = add_up(bytes, variable);
        module->is_named[entry->operand[i].index] = 1;
    }
    for (uint32_t i = 0; i < entry->operands; i++)
        if (shared_of(module, &entry->operand[i]) != NULL) module->is_named[entry->operand[i].index] = 0;
    for (uint32_t i = 0; i < entry->variables; i++)
        if (entry->variable[i].space == PTX_SHARED) bytes = add_up(bytes, &entry->variable[i]);
    ptx_complain_of_shared(module, function, bytes, errors);
}
