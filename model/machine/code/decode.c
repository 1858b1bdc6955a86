// SPDX-License-Identifier: MIT
// From the PTX program to code that runs. A kernel is decoded with all that it may call, because a variable in shared
// memory lies elsewhere in each kernel.
#include "decode.h"

#include <stdlib.h>
#include <string.h>

#include "alu.h"
#include "decoder.h"
#include "handler.h"

enum { MOST_BYTES = 1 << 28, DYNAMIC_ALIGN = 16 };

// --- Which functions -------------------------------------------------------------------------------------------------

// The functions that a kernel may call; `is_needed` of each, `waiting` those whose bodies are not read yet.
struct closure {
    uint8_t *is_needed;
    uint32_t *waiting;
    uint32_t count;
};

static void need(struct closure *closure, const struct ptx_program *program, uint32_t function)
{
    if (closure->is_needed[function] || !program->function[function].has_body) return;
    closure->is_needed[function] = 1;
    closure->waiting[closure->count++] = function;
}

static void need_callees(struct closure *closure, const struct ptx_program *program,
                         const struct ptx_function *function)
{
    for (uint32_t i = 0; i < function->instructions; i++) {
        const struct ptx_instruction *instruction = &function->instruction[i];
        const struct ptx_operand *callee = &function->operand[instruction->first];
        if (program->op[instruction->op].choice.form != PTX_FORM_CALL) continue;
        if (callee->kind == PTX_OPERAND_FUNCTION) need(closure, program, callee->index);
        if (callee->kind == PTX_OPERAND_FUNCTION) continue;
        for (uint32_t k = 0; k < program->functions; k++)
            if (!program->function[k].is_entry) need(closure, program, k);
    }
}

static int read_bodies(struct machine_module *module, struct closure *closure, struct ptx_errors *errors)
{
    while (closure->count > 0) {
        uint32_t function = closure->waiting[--closure->count];
        if (!ptx_decode(module->front, function, errors)) return 0;
        const struct ptx_program *program = ptx_program(module->front);
        need_callees(closure, program, &program->function[function]);
    }
    return 1;
}

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

// Marks the variables of the module that the function names.
static void mark_variables(const struct ptx_function *function, uint8_t *is_used)
{
    for (uint32_t i = 0; i < function->operands; i++) {
        const struct ptx_operand *operand = &function->operand[i];
        int is_variable = operand->kind == PTX_OPERAND_AT_VARIABLE || operand->kind == PTX_OPERAND_VARIABLE;
        if (is_variable && !(operand->index & PTX_OF_FUNCTION)) is_used[operand->index] = 1;
    }
}

// Offsets of the module's variables in shared and local memory, for those that the kernel names. Variables without a
// size share what the launch adds.
static void place_module_variables(struct decoder *decoder, const uint8_t *is_used, uint64_t *offset, uint64_t *shared,
                                   uint64_t *dynamic_align)
{
    uint64_t local = 0;
    for (uint32_t i = 0; i < decoder->program->variables; i++) {
        const struct ptx_variable *variable = &decoder->program->variable[i];
        if (!is_used[i]) continue;
        if (variable->space == PTX_LOCAL) offset[i] = take_place(&local, variable->bytes, variable->align);
        if (variable->space != PTX_SHARED) continue;
        if (variable->is_unsized && variable->align > *dynamic_align) *dynamic_align = variable->align;
        offset[i] = variable->is_unsized ? UINT64_MAX : take_place(shared, variable->bytes, variable->align);
        if (!variable->is_unsized) name_shared(decoder, variable, offset[i]);
    }
    decoder->kernel->module_local_bytes = local > MOST_BYTES ? MOST_BYTES : (uint32_t)((local + 15) / 16 * 16);
}

static void place_dynamic(struct decoder *decoder, uint64_t *offset, uint64_t start)
{
    for (uint32_t i = 0; i < decoder->program->variables; i++) {
        if (offset[i] != UINT64_MAX) continue;
        offset[i] = start;
        name_shared(decoder, &decoder->program->variable[i], start);
    }
}

static uint64_t shared_of_functions(const struct ptx_program *program, const uint8_t *is_needed, uint64_t used)
{
    for (uint32_t f = 0; f < program->functions; f++)
        for (uint32_t i = 0; is_needed[f] && i < program->function[f].variables; i++) {
            const struct ptx_variable *variable = &program->function[f].variable[i];
            if (variable->space == PTX_SHARED) take_place(&used, variable->bytes, variable->align);
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

// Ops are few and instructions many: each op is looked up once.
static void find_executors(struct decoder *decoder)
{
    const struct ptx_program *program = decoder->program;
    struct machine_executor *executor =
        machine_array_add(&decoder->executors, program->ops + 1, sizeof *executor, &decoder->no_memory);
    for (uint32_t i = 0; i < program->ops; i++)
        executor[i] = (struct machine_executor){handler_of(&program->op[i].choice), alu_find(&program->op[i].choice)};
    decoder->executor = executor;
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
                         const struct ptx_choice *choice, int fits_type)
{
    const struct ptx_operand *operand = &decoder->source->operand[instruction->first];
    struct ptx_operand_rule rule[PTX_MOST_OPERANDS];
    if (choice->form == PTX_FORM_CALL) {
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
    machine_handler *handler = decoder->executor[instruction->op].handler;
    alu_function *alu = decoder->executor[instruction->op].alu;
    uint32_t first = decoder->operand.count;
    decoder->before.count = decoder->behind.count = 0;
    add_operands(decoder, instruction, choice, alu != NULL);
    uint32_t operands = decoder->operand.count - first;
    if (handler == NULL && alu == NULL) handler = machine_unsupported;
    if (operands > UINT16_MAX) longjmp(decoder->no_memory, 1);
    add_asides(decoder, &decoder->before, NULL, number);
    struct machine_code *code = add_code(decoder, instruction, number, first, operands);
    code->handler = handler;
    if (choice->form == PTX_FORM_CALL && decoder->source->operand[instruction->first].kind != PTX_OPERAND_FUNCTION)
        code->handler = machine_call_indirect;
    code->alu = alu;
    code->choice = choice;
    code->target = target_of(decoder, instruction);
    if (choice->form == PTX_FORM_BRA) code->kind = MACHINE_BRANCH;
    add_asides(decoder, &decoder->behind, instruction, number);
}

// --- Functions -------------------------------------------------------------------------------------------------------

static void lay_out_frame(struct decoder *decoder)
{
    uint64_t bytes = 0;
    for (int file = 0; file < PTX_FILES; file++) {
        decoder->file_offset[file] = (uint32_t)bytes;
        bytes += (uint64_t)decoder->source->registers[file] * machine_slot_bytes((enum ptx_file)file);
        if (bytes > MOST_BYTES) longjmp(decoder->no_memory, 1);
    }
    decoder->function->frame_bytes = (uint32_t)bytes;
    decoder->function->local_slot = machine_scratch(decoder, PTX_FILE_64);
}

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
        if (code[i].choice != NULL && code[i].choice->form == PTX_FORM_BRA) code[i].target = code_of[code[i].target];
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

static void decode_function(struct decoder *decoder, uint32_t number, uint64_t *shared)
{
    struct machine_function *function = calloc(1, sizeof *function);
    uint64_t local = 0;
    if (function == NULL) longjmp(decoder->no_memory, 1);
    decoder->kernel->function[number] = decoder->function = function;
    decoder->source = function->source = &decoder->program->function[number];
    function->number = number;
    decoder->code.count = decoder->operand.count = decoder->constant.count = 0;
    decoder->constants_seen.count = decoder->variable.count = decoder->code_of.count = 0;
    machine_decoder_start(decoder);
    lay_out_frame(decoder);
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
    facts->local_bytes = decoder->kernel->entry->local_bytes + decoder->kernel->module_local_bytes;
    facts->constant_bytes = decoder->module->block[1].size_bytes;
}

static void decode_all(struct decoder *decoder, uint32_t entry, const uint8_t *is_needed, uint8_t *is_used,
                       uint64_t *offset)
{
    const struct ptx_program *program = decoder->program;
    uint64_t shared = MACHINE_SHARED_BASE, dynamic_align = DYNAMIC_ALIGN;
    find_executors(decoder);
    for (uint32_t f = 0; f < program->functions; f++)
        if (is_needed[f]) mark_variables(&program->function[f], is_used);
    place_module_variables(decoder, is_used, offset, &shared, &dynamic_align);
    uint64_t end = shared_of_functions(program, is_needed, shared);
    decoder->kernel->facts.static_shared_bytes = end - MACHINE_SHARED_BASE;
    decoder->dynamic_offset = (end + dynamic_align - 1) / dynamic_align * dynamic_align;
    place_dynamic(decoder, offset, decoder->dynamic_offset);
    decoder->kernel->dynamic_shared_at = decoder->dynamic_offset;
    place_parameters(decoder, &program->function[entry]);
    for (uint32_t f = 0; f < program->functions; f++)
        if (is_needed[f]) decode_function(decoder, f, &shared);
    decoder->kernel->entry = decoder->kernel->function[entry];
    decoder->kernel->special =
        machine_aligned_copy(decoder, decoder->special.item, decoder->special.count * sizeof(struct machine_special));
    decoder->kernel->specials = decoder->special.count;
    decoder->kernel->shared =
        machine_aligned_copy(decoder, decoder->shared.item, decoder->shared.count * sizeof(struct machine_variable));
    decoder->kernel->shareds = decoder->shared.count;
    tell_facts(decoder, &program->function[entry]);
}

static void free_decoder(struct decoder *decoder)
{
    struct machine_array *const arrays[] = {&decoder->special,        &decoder->variable, &decoder->code,
                                            &decoder->operand,        &decoder->constant, &decoder->code_of,
                                            &decoder->constants_seen, &decoder->before,   &decoder->behind,
                                            &decoder->shared,         &decoder->executors};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) free(arrays[i]->item);
    free(decoder->constant_head);
}

static struct machine_kernel *decode(struct machine_module *module, uint32_t entry, const uint8_t *is_needed,
                                     uint8_t *is_used, uint64_t *offset)
{
    const struct ptx_program *program = ptx_program(module->front);
    struct decoder *decoder = calloc(1, sizeof *decoder);
    struct machine_kernel *kernel = calloc(1, sizeof *kernel);
    int is_done = 0;
    if (kernel != NULL) kernel->function = calloc(program->functions + 1u, sizeof(struct machine_function *));
    if (decoder != NULL && kernel != NULL && kernel->function != NULL) {
        *decoder = (struct decoder){.module = module, .program = program, .kernel = kernel, .shared_offset = offset};
        kernel->functions = program->functions;
        kernel->warp_bytes = MACHINE_SLOT_SPECIALS;
        if (setjmp(decoder->no_memory) == 0) {
            decode_all(decoder, entry, is_needed, is_used, offset);
            is_done = 1;
        }
        free_decoder(decoder);
    }
    free(decoder);
    if (is_done) return kernel;
    machine_kernel_free(kernel);
    return NULL;
}

struct machine_kernel *machine_decode(struct machine_module *module, uint32_t entry, struct ptx_errors *errors)
{
    const struct ptx_program *program = ptx_program(module->front);
    struct closure closure = {calloc(program->functions + 1u, 1),
                              calloc(program->functions + 1u, sizeof *closure.waiting), 0};
    uint8_t *is_used = calloc(program->variables + 1u, 1);
    uint64_t *offset = calloc(program->variables + 1u, sizeof *offset);
    struct machine_kernel *kernel = NULL;
    if (closure.is_needed != NULL && closure.waiting != NULL && is_used != NULL && offset != NULL) {
        need(&closure, program, entry);
        if (read_bodies(module, &closure, errors)) kernel = decode(module, entry, closure.is_needed, is_used, offset);
    }
    free(closure.is_needed);
    free(closure.waiting);
    free(is_used);
    free(offset);
    return kernel;
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
    free(function);
}

void machine_kernel_free(struct machine_kernel *kernel)
{
    if (kernel == NULL) return;
    for (uint32_t f = 0; kernel->function != NULL && f < kernel->functions; f++) free_function(kernel->function[f]);
    free(kernel->function);
    free(kernel->special);
    free(kernel->shared);
    free(kernel->parameter);
    free(kernel);
}
