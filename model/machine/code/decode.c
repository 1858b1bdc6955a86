// SPDX-License-Identifier: MIT
// From the PTX program to code that runs. A kernel is decoded with all that it may call, because a variable in shared
// memory lies elsewhere in each kernel.
#include "decode.h"

#include <stdlib.h>
#include <string.h>

#include "again.h"
#include "alu.h"
#include "courses.h"
#include "decoder.h"
#include "flow.h"
#include "handler.h"
#include "needed.h"
#include "ramps.h"

enum { MOST_BYTES = 1 << 28, DYNAMIC_ALIGN = 16, LANGUAGE_TILE = 7 };

// --- Where variables lie ---------------------------------------------------------------------------------------------

static uint64_t take_place(uint64_t *used, uint64_t bytes, uint64_t align)
{
    uint64_t at = align > 1 ? (*used + align - 1) / align * align : *used;
    *used = at + bytes;
    return at;
}

static void name_shared(struct decoder *decoder, const struct ptx_variable *variable, uint64_t at)
{
    struct machine_variable *named = machine_array_add(&decoder->shared, 1, sizeof *named, &decoder->no_memory);
    *named = (struct machine_variable){variable->name, at, variable->is_unsized ? 0 : variable->bytes};
}

// The variables of the module that the function names.
static void need_variables(const struct ptx_function *function, struct machine_needed *variables)
{
    for (uint32_t i = 0; i < function->operands; i++) {
        const struct ptx_operand *operand = &function->operand[i];
        bool is_variable = operand->kind == PTX_OPERAND_AT_VARIABLE || operand->kind == PTX_OPERAND_VARIABLE;
        if (is_variable && !(operand->index & PTX_OF_FUNCTION)) machine_need(variables, operand->index);
    }
}

// Offsets of the module's variables in shared and local memory, for those that the kernel names. Variables without a
// size share what the launch adds.
static void place_module_variables(struct decoder *decoder, const struct machine_needed *variables, uint64_t *shared,
                                   uint64_t *dynamic_align)
{
    uint64_t local = 0, *offset = decoder->module->variable_offset;
    for (uint32_t k = 0; k < variables->list.count; k++) {
        const uint32_t i = machine_needed_at(variables, k);
        const struct ptx_variable *variable = &decoder->program->variable[i];
        if (variable->space == PTX_LOCAL) offset[i] = take_place(&local, variable->bytes, variable->align);
        if (variable->space != PTX_SHARED) continue;
        if (variable->is_unsized && variable->align > *dynamic_align) *dynamic_align = variable->align;
        offset[i] = variable->is_unsized ? UINT64_MAX : take_place(shared, variable->bytes, variable->align);
        if (!variable->is_unsized) name_shared(decoder, variable, offset[i]);
    }
    decoder->kernel->module_local_bytes = local > MOST_BYTES ? MOST_BYTES : (uint32_t)((local + 15) / 16 * 16);
}

static void place_dynamic(struct decoder *decoder, const struct machine_needed *variables, uint64_t start)
{
    for (uint32_t k = 0; k < variables->list.count; k++) {
        const uint32_t i = machine_needed_at(variables, k);
        if (decoder->module->variable_offset[i] != UINT64_MAX) continue;
        decoder->module->variable_offset[i] = start;
        name_shared(decoder, &decoder->program->variable[i], start);
    }
}

static uint64_t shared_of_functions(const struct ptx_program *program, const struct machine_needed *functions,
                                    uint64_t used)
{
    for (uint32_t k = 0; k < functions->list.count; k++) {
        const struct ptx_function *function = &program->function[machine_needed_at(functions, k)];
        for (uint32_t i = 0; i < function->variables; i++) {
            const struct ptx_variable *variable = &function->variable[i];
            if (variable->space == PTX_SHARED) take_place(&used, variable->bytes, variable->align);
        }
    }
    return used;
}

// Offsets of the function's own variables. `shared` goes on from function to function, in the order of the above.
static void place_variables(struct decoder *decoder, uint64_t *shared, uint64_t *local)
{
    const struct ptx_function *source = decoder->source;
    uint64_t *offset =
        machine_array_add(&decoder->variable, source->variables + 1, sizeof *offset, &decoder->no_memory);
    for (uint32_t i = 0; i < source->variables; i++) {
        const struct ptx_variable *variable = &source->variable[i];
        if (source->is_entry && i < source->parameters)
            offset[i] = decoder->kernel->parameter[i].offset;
        else if (variable->space == PTX_SHARED && variable->is_unsized)
            offset[i] = decoder->dynamic_offset;
        else if (variable->space == PTX_SHARED)
            offset[i] = take_place(shared, variable->bytes, variable->align);
        else if (variable->space != PTX_WORD_NONE)
            offset[i] = take_place(local, variable->bytes, variable->align);
        if (variable->space == PTX_SHARED) name_shared(decoder, variable, offset[i]);
    }
}

static void place_parameters(struct decoder *decoder, const struct ptx_function *entry)
{
    struct machine_kernel *kernel = decoder->kernel;
    uint64_t used = 0;
    kernel->parameter = calloc(entry->parameters + 1u, sizeof *kernel->parameter);
    if (kernel->parameter == NULL) longjmp(decoder->no_memory, 1);
    for (uint32_t i = 0; i < entry->parameters; i++) {
        const struct ptx_variable *variable = &entry->variable[i];
        uint64_t offset = take_place(&used, variable->bytes, variable->align);
        if (used > MOST_BYTES) longjmp(decoder->no_memory, 1);
        kernel->parameter[i] = (struct machine_parameter){(uint32_t)offset, (uint32_t)variable->bytes};
    }
    kernel->facts.parameters = entry->parameters;
    kernel->facts.parameter = kernel->parameter;
    kernel->facts.parameter_bytes = (uint32_t)used;
}

// --- Instructions ----------------------------------------------------------------------------------------------------

static machine_handler *handler_of(const struct ptx_choice *choice)
{
    static machine_finder *const finders[] = {
#define FINDER(name) name,
#include "finders.def"
    };
    for (size_t i = 0; i < sizeof finders / sizeof finders[0]; i++) {
        machine_handler *handler = finders[i](choice);
        if (handler != NULL) return handler;
    }
    return NULL;
}

// Ops are few and instructions many: each op of the module is looked up once.
static void find_executors(struct decoder *decoder)
{
    const struct ptx_program *program = decoder->program;
    struct machine_module *module = decoder->module;
    struct machine_executor *more = realloc(module->executor, (program->ops + 1u) * sizeof *more);
    if (more == NULL) longjmp(decoder->no_memory, 1);
    module->executor = more;
    for (; module->executors < program->ops; module->executors++) {
        const struct ptx_choice *choice = &program->op[module->executors].choice;
        more[module->executors] = (struct machine_executor){handler_of(choice), alu_find(choice)};
    }
}

// Codes refer to operands by number until all are there.
static struct machine_code *add_code(struct decoder *decoder, const struct ptx_instruction *from, uint32_t number,
                                     uint32_t first_operand, uint32_t operands)
{
    struct machine_code *code = machine_array_add(&decoder->code, 1, sizeof *code, &decoder->no_memory);
    code->instruction = number;
    code->operands = (uint16_t)operands;
    code->operand = (const struct machine_operand *)(uintptr_t)first_operand;
    if (from == NULL || !from->is_guarded) return code;
    code->guard = machine_register(decoder, PTX_FILE_PRED, from->guard);
    code->guarded = from->guard_is_negated ? MACHINE_UNLESS : MACHINE_IF;
    return code;
}

static void add_asides(struct decoder *decoder, const struct machine_array *asides,
                       const struct ptx_instruction *instruction, uint32_t number)
{
    const struct machine_aside *aside = asides->item;
    for (uint32_t i = 0; i < asides->count; i++) {
        uint32_t first = decoder->operand.count;
        struct machine_operand *operand = machine_array_add(&decoder->operand, 2, sizeof *operand, &decoder->no_memory);
        operand[0] = aside[i].to;
        operand[1] = aside[i].from;
        add_code(decoder, instruction, number, first, 2)->handler = aside[i].handler;
    }
}

static void add_operands(struct decoder *decoder, const struct ptx_instruction *instruction,
                         const struct ptx_choice *choice, bool fits_type)
{
    const struct ptx_operand *operand = &decoder->source->operand[instruction->first];
    struct ptx_operand_rule rule[PTX_MOST_OPERANDS];
    if (ptx_flow_of(choice) == PTX_FLOW_CALL) {
        for (uint32_t list = 1; list <= 2; list++)
            for (uint64_t i = 0; i < operand[list].bits; i++)
                machine_argument_add(decoder, &decoder->source->operand[operand[list].index + i]);
        machine_argument_add(decoder, &operand[0]);
        return;
    }
    int rules = ptx_operand_rules(choice, rule);
    for (int i = 0; i < rules && i < instruction->operands; i++)
        machine_operand_add(decoder, &operand[i], &rule[i], fits_type);
}

// What a branch or a call names: an instruction, a list, a function.
static uint32_t target_of(const struct decoder *decoder, const struct ptx_instruction *instruction)
{
    const struct ptx_operand *operand = &decoder->source->operand[instruction->first];
    for (uint32_t i = 0; i < instruction->operands; i++) // of a call, the function comes first
        if (operand[i].kind == PTX_OPERAND_LABEL || operand[i].kind == PTX_OPERAND_TARGETS ||
            operand[i].kind == PTX_OPERAND_FUNCTION)
            return operand[i].index;
    return UINT32_MAX;
}

static void decode_instruction(struct decoder *decoder, uint32_t number)
{
    const struct ptx_instruction *instruction = &decoder->source->instruction[number];
    const struct ptx_choice *choice = &decoder->program->op[instruction->op].choice;
    machine_handler *handler = decoder->module->executor[instruction->op].handler;
    alu_function *alu = decoder->module->executor[instruction->op].alu;
    uint32_t first = decoder->operand.count;
    decoder->before.count = decoder->behind.count = 0;
    add_operands(decoder, instruction, choice, alu != NULL);
    uint32_t operands = decoder->operand.count - first;
    if (handler == NULL && alu == NULL) handler = machine_unsupported;
    if (operands > UINT16_MAX) longjmp(decoder->no_memory, 1);
    add_asides(decoder, &decoder->before, NULL, number);
    struct machine_code *code = add_code(decoder, instruction, number, first, operands);
    code->handler = handler;
    const enum ptx_flow flow = ptx_flow_of(choice);
    if (flow == PTX_FLOW_CALL && decoder->source->operand[instruction->first].kind != PTX_OPERAND_FUNCTION)
        code->handler = machine_call_indirect;
    code->alu = alu;
    code->choice = choice;
    code->target = target_of(decoder, instruction);
    if (flow == PTX_FLOW_BRANCH) code->kind = MACHINE_BRANCH;
    add_asides(decoder, &decoder->behind, instruction, number);
}

// --- Functions -------------------------------------------------------------------------------------------------------

static void decode_formals(struct decoder *decoder)
{
    struct machine_function *function = decoder->function;
    const struct ptx_function *source = decoder->source;
    uint32_t count = source->returns + source->parameters;
    function->returns = source->returns;
    function->parameters = source->parameters;
    function->formal = calloc(count + 1u, sizeof *function->formal);
    if (function->formal == NULL) longjmp(decoder->no_memory, 1);
    for (uint32_t i = 0; i < count && !source->is_entry; i++) {
        const struct ptx_variable *variable = &source->variable[i];
        enum ptx_file file = machine_file_of((enum ptx_type)variable->type);
        struct machine_formal *formal = &function->formal[i];
        *formal = (struct machine_formal){MACHINE_LEFT_OUT, (uint32_t)variable->bytes,
                                          (uint32_t)((const uint64_t *)decoder->variable.item)[i], (uint8_t)file};
        if (variable->space == PTX_WORD_NONE) formal->slot = machine_register(decoder, file, variable->reg);
    }
}

// Instruction numbers become those of codes.
static void settle_targets(struct decoder *decoder, const uint32_t *code_of)
{
    struct machine_function *function = decoder->function;
    struct machine_code *code = decoder->code.item;
    for (uint32_t i = 0; i < decoder->code.count; i++)
        if (code[i].kind == MACHINE_BRANCH) code[i].target = code_of[code[i].target];
    function->lists = decoder->source->target_lists;
    function->list = calloc(function->lists + 1u, sizeof *function->list);
    if (function->list == NULL) longjmp(decoder->no_memory, 1);
    for (uint32_t i = 0; i < function->lists; i++) {
        const struct ptx_targets *from = &decoder->source->targets[i];
        struct machine_list *to = &function->list[i];
        if (from->is_prototype) continue;
        to->target = calloc(from->count + 1u, sizeof *to->target);
        if (to->target == NULL) longjmp(decoder->no_memory, 1);
        to->count = from->count;
        for (uint32_t k = 0; k < from->count; k++)
            to->target[k] = from->is_function ? from->index[k] : code_of[from->index[k]];
    }
}

// The instructions, and a `ret` behind the last.
static void decode_body(struct decoder *decoder)
{
    uint32_t count = decoder->source->instructions;
    uint32_t *code_of = machine_array_add(&decoder->code_of, count + 1, sizeof *code_of, &decoder->no_memory);
    for (uint32_t i = 0; i < count; i++) {
        code_of[i] = decoder->code.count;
        decode_instruction(decoder, i);
    }
    code_of[count] = decoder->code.count;
    add_code(decoder, NULL, count, decoder->operand.count, 0)->handler = machine_return;
    settle_targets(decoder, code_of);
}

// Function `number` of the program, as the kernel's next.
static void decode_function(struct decoder *decoder, uint32_t number, uint64_t *shared)
{
    struct machine_function *function = calloc(1, sizeof *function);
    uint64_t local = 0;
    if (function == NULL) longjmp(decoder->no_memory, 1);
    decoder->kernel->function[decoder->kernel->functions++] = decoder->function = function;
    decoder->source = function->source = &decoder->program->function[number];
    function->number = number;
    decoder->code.count = decoder->operand.count = decoder->constant.count = 0;
    decoder->constants_seen.count = decoder->variable.count = decoder->code_of.count = decoder->registers.count = 0;
    machine_decoder_start(decoder);
    function->local_slot = machine_scratch(decoder, PTX_FILE_64);
    place_variables(decoder, shared, &local);
    if (local > MOST_BYTES) longjmp(decoder->no_memory, 1);
    function->local_bytes = (uint32_t)local;
    decode_formals(decoder);
    decode_body(decoder);
    machine_function_keep(decoder);
}

// --- Kernels ---------------------------------------------------------------------------------------------------------

static void tell_facts(struct decoder *decoder, const struct ptx_function *entry)
{
    struct machine_kernel_facts *facts = &decoder->kernel->facts;
    const struct ptx_tuning *tuning = &entry->tuning;
    const uint32_t words[PTX_FILES] = {0, 1, 1, 2, 4};
    uint64_t threads = LAUNCH_MAX_THREADS;
    for (int file = 0; file < PTX_FILES; file++) facts->registers += words[file] * entry->registers[file];
    memcpy(facts->reqntid, tuning->reqntid, sizeof facts->reqntid);
    memcpy(facts->reqnctapercluster, tuning->reqnctapercluster, sizeof facts->reqnctapercluster);
    if (tuning->maxntid[0] > 0) threads = (uint64_t)tuning->maxntid[0] * tuning->maxntid[1] * tuning->maxntid[2];
    if (tuning->reqntid[0] > 0) threads = (uint64_t)tuning->reqntid[0] * tuning->reqntid[1] * tuning->reqntid[2];
    facts->max_threads = threads > LAUNCH_MAX_THREADS ? LAUNCH_MAX_THREADS : (uint32_t)threads;
    facts->max_cluster_rank = tuning->maxclusterrank;
    facts->start_registers = machine_start_registers(decoder->program, entry, facts->max_threads);
    facts->is_explicit_cluster = tuning->is_explicit_cluster;
    facts->is_tile = tuning->language == LANGUAGE_TILE;
    facts->local_bytes = decoder->kernel->entry->local_bytes + decoder->kernel->module_local_bytes;
    facts->constant_bytes = decoder->module->block[1].size_bytes;
}

static void decode_all(struct decoder *decoder, uint32_t entry, const struct machine_needed *functions,
                       struct machine_needed *variables)
{
    const struct ptx_program *program = decoder->program;
    uint64_t shared = MACHINE_SHARED_BASE, dynamic_align = DYNAMIC_ALIGN;
    find_executors(decoder);
    for (uint32_t i = 0; i < functions->list.count; i++)
        need_variables(&program->function[machine_needed_at(functions, i)], variables);
    machine_needed_sort(variables);
    place_module_variables(decoder, variables, &shared, &dynamic_align);
    uint64_t end = shared_of_functions(program, functions, shared);
    decoder->kernel->facts.static_shared_bytes = end - MACHINE_SHARED_BASE;
    decoder->dynamic_offset = (end + dynamic_align - 1) / dynamic_align * dynamic_align;
    place_dynamic(decoder, variables, decoder->dynamic_offset);
    decoder->kernel->dynamic_shared_at = decoder->dynamic_offset;
    place_parameters(decoder, &program->function[entry]);
    for (uint32_t i = 0; i < functions->list.count; i++)
        decode_function(decoder, machine_needed_at(functions, i), &shared);
    decoder->kernel->entry = machine_kernel_function(decoder->kernel, entry);
    decoder->kernel->special =
        machine_aligned_copy(decoder, decoder->special.item, decoder->special.count * sizeof(struct machine_special));
    decoder->kernel->specials = decoder->special.count;
    decoder->kernel->shared =
        machine_aligned_copy(decoder, decoder->shared.item, decoder->shared.count * sizeof(struct machine_variable));
    decoder->kernel->shareds = decoder->shared.count;
    tell_facts(decoder, &program->function[entry]);
    machine_again_prepare(decoder->kernel, program->ops, &decoder->kernel->again);
    machine_ramps_prepare(decoder->kernel, program->ops, &decoder->kernel->ramps);
    machine_courses_prepare(decoder->kernel, program->ops);
}

static void free_decoder(struct decoder *decoder)
{
    struct machine_array *const arrays[] = {&decoder->special,        &decoder->variable, &decoder->code,
                                            &decoder->operand,        &decoder->constant, &decoder->code_of,
                                            &decoder->constants_seen, &decoder->before,   &decoder->behind,
                                            &decoder->shared,         &decoder->registers};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) free(arrays[i]->item);
    free(decoder->constant_head);
    free(decoder->register_head);
}

static struct decoder *new_decoder(struct machine_module *module, uint32_t functions)
{
    struct decoder *decoder = calloc(1, sizeof *decoder);
    struct machine_kernel *kernel = calloc(1, sizeof *kernel);
    if (kernel != NULL) kernel->function = calloc(functions + 1u, sizeof(struct machine_function *));
    if (decoder != NULL && kernel != NULL && kernel->function != NULL) {
        *decoder = (struct decoder){.module = module, .program = ptx_program(module->front), .kernel = kernel};
        kernel->warp_bytes = MACHINE_SLOT_SPECIALS;
        return decoder;
    }
    machine_kernel_free(kernel);
    free(decoder);
    return NULL;
}

static struct machine_kernel *decode(struct machine_module *module, uint32_t entry,
                                     const struct machine_needed *functions, struct machine_needed *variables)
{
    struct decoder *decoder = new_decoder(module, functions->list.count);
    if (decoder == NULL) return NULL;
    variables->no_memory = &decoder->no_memory;
    if (setjmp(decoder->no_memory) == 0) {
        decode_all(decoder, entry, functions, variables);
    } else {
        machine_kernel_free(decoder->kernel);
        decoder->kernel = NULL;
    }
    struct machine_kernel *kernel = decoder->kernel;
    free_decoder(decoder);
    free(decoder);
    return kernel;
}

// What one kernel after the other uses is there from the first on, and comes back as it was.
static bool take_marks(struct machine_module *module)
{
    const struct ptx_program *program = ptx_program(module->front);
    if (module->is_needed == NULL) module->is_needed = calloc(program->functions + 1u, 1);
    if (module->is_named == NULL) module->is_named = calloc(program->variables + 1u, 1);
    if (module->variable_offset == NULL)
        module->variable_offset = calloc(program->variables + 1u, sizeof *module->variable_offset);
    return module->is_needed != NULL && module->is_named != NULL && module->variable_offset != NULL;
}

struct machine_kernel *machine_decode(struct machine_module *module, uint32_t entry, struct ptx_errors *errors)
{
    struct machine_kernel *kernel = NULL;
    if (!take_marks(module)) return NULL;
    struct machine_needed functions = {.is_in = module->is_needed}, variables = {.is_in = module->is_named};
    if (machine_needed_functions(module, entry, &functions, errors))
        kernel = decode(module, entry, &functions, &variables);
    if (kernel != NULL) ptx_complain_of_shared(module->front, entry, kernel->facts.static_shared_bytes, errors);
    if (kernel != NULL && errors->count > 0) {
        machine_kernel_free(kernel);
        kernel = NULL;
    }
    for (uint32_t i = 0; i < variables.list.count; i++) module->variable_offset[machine_needed_at(&variables, i)] = 0;
    machine_needed_drop(&functions);
    machine_needed_drop(&variables);
    return kernel;
}

const struct machine_function *machine_kernel_function(const struct machine_kernel *kernel, uint32_t number)
{
    uint32_t first = 0, end = kernel->functions;
    while (first < end) {
        const uint32_t middle = first + (end - first) / 2;
        if (kernel->function[middle]->number == number) return kernel->function[middle];
        if (kernel->function[middle]->number < number)
            first = middle + 1;
        else
            end = middle;
    }
    return NULL;
}

static void free_function(struct machine_function *function)
{
    if (function == NULL) return;
    for (uint32_t i = 0; function->list != NULL && i < function->lists; i++) free(function->list[i].target);
    free(function->list);
    free(function->formal);
    free(function->choice);
    free((void *)function->code);
    free((void *)function->operand);
    free(function->many);
    free(function->transfer);
    free((void *)function->constants);
    free(function->place);
    free(function);
}

// About: what grows with the code.
uint64_t machine_kernel_bytes(const struct machine_kernel *kernel)
{
    uint64_t bytes = sizeof *kernel + (kernel->entry->codes + 1u) * sizeof *kernel->again.code;
    for (uint32_t i = 0; i < kernel->functions; i++) {
        const struct machine_function *function = kernel->function[i];
        bytes += sizeof *function + function->codes * sizeof *function->code + function->kept_bytes +
                 function->places * sizeof *function->place;
    }
    return bytes;
}

void machine_kernel_free(struct machine_kernel *kernel)
{
    if (kernel == NULL) return;
    for (uint32_t f = 0; kernel->function != NULL && f < kernel->functions; f++) free_function(kernel->function[f]);
    free(kernel->function);
    machine_again_free(&kernel->again);
    machine_ramps_free(&kernel->ramps);
    machine_courses_drop(kernel);
    free(kernel->special);
    free(kernel->shared);
    free(kernel->parameter);
    free(kernel);
}
