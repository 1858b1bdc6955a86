// SPDX-License-Identifier: MIT
// Target `ptx`: any bytes as PTX. What is decoded holds together: every number is one of something that is there.
#include "ptx.h"

#include <stdbool.h>

#include "fuzz.h"

enum { MOST_MEMORY_BYTES = 64 << 20, MOST_FUNCTIONS_READ = 200 };

static void check_operand(const struct ptx_program *program, const struct ptx_function *function,
                          const struct ptx_operand *operand)
{
    uint32_t local = operand->index & ~PTX_OF_FUNCTION;
    switch (operand->kind) {
    case PTX_OPERAND_REGISTER:
    case PTX_OPERAND_AT_REGISTER:
        fuzz_require(operand->file < PTX_FILES && operand->index < function->registers[operand->file]);
        break;
    case PTX_OPERAND_VARIABLE:
    case PTX_OPERAND_AT_VARIABLE:
        fuzz_require(local < (operand->index & PTX_OF_FUNCTION ? function->variables : program->variables));
        break;
    case PTX_OPERAND_VECTOR:
        fuzz_require(operand->index + operand->bits <= function->operands);
        break;
    case PTX_OPERAND_FUNCTION:
        fuzz_require(operand->index < program->functions);
        break;
    case PTX_OPERAND_LABEL:
        fuzz_require(operand->index <= function->instructions);
        break;
    case PTX_OPERAND_TARGETS:
        fuzz_require(operand->index < function->target_lists);
        break;
    case PTX_OPERAND_SPECIAL:
        fuzz_require(operand->index < PTX_SPECIALS);
        break;
    default:
        fuzz_require(operand->kind <= PTX_OPERAND_TARGETS);
    }
}

static void check_instruction(const struct ptx_program *program, const struct ptx_function *function,
                              const struct ptx_instruction *instruction)
{
    fuzz_require(instruction->op < program->ops && program->op[instruction->op].choice.form < ptx_form_count());
    fuzz_require(instruction->first + instruction->operands <= function->operands);
    fuzz_require(!instruction->is_guarded || instruction->guard < function->registers[PTX_FILE_PRED]);
    fuzz_require(instruction->location == 0 || instruction->location < function->locations);
}

static void check_function(struct ptx_module *module, const struct ptx_program *program,
                           const struct ptx_function *function)
{
    char name[64];
    for (uint32_t i = 0; i < function->instructions; i++)
        check_instruction(program, function, &function->instruction[i]);
    for (uint32_t i = 0; i < function->operands; i++) check_operand(program, function, &function->operand[i]);
    for (uint32_t i = 1; i < function->locations; i++) {
        fuzz_require(function->location[i].inlined_at < i);
        if (i < 4) ptx_location_function(module, &function->location[i], name, sizeof name);
    }
}

static int is_given(struct ptx_name name)
{
    return name.length == 4 && memcmp(name.at, "free", 4) == 0;
}

void fuzz_ptx(const uint8_t *bytes, size_t size_bytes)
{
    struct ptx_errors errors;
    struct ptx_module *module =
        ptx_open((const char *)bytes, size_bytes, (struct ptx_limits){MOST_MEMORY_BYTES}, &errors);
    fuzz_require(module != NULL);
    if (errors.count == 0) fuzz_require(ptx_link(module, is_given, &errors) == (errors.count == 0));
    for (uint32_t i = 0; i < ptx_program(module)->functions && i < MOST_FUNCTIONS_READ; i++) {
        bool is_fine = ptx_decode(module, i, &errors);
        const struct ptx_program *program = ptx_program(module);
        fuzz_require(is_fine == (errors.count == 0));
        if (is_fine) check_function(module, program, &program->function[i]);
    }
    ptx_close(module);
}
