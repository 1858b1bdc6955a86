// SPDX-License-Identifier: MIT
// Puts an instruction with its operands into the body, as numbers.
#include <string.h>

#include "fit.h"

static float single_of(const struct ptx_number *number)
{
    double value;
    float single;
    uint32_t word = (uint32_t)number->bits;
    memcpy(&value, &number->bits, sizeof value);
    memcpy(&single, &word, sizeof single);
    return number->is_single ? single : (float)value;
}

// The bits of a constant as a register of the type holds them.
static uint64_t constant_bits(enum ptx_type type, const struct ptx_number *number)
{
    const struct ptx_type_row *row = ptx_type_row(type);
    float single = single_of(number);
    double value = single;
    uint64_t bits = number->bits;
    uint32_t word;
    if (row->kind == PTX_KIND_PREDICATE) return bits != 0;
    if (row->kind != PTX_KIND_FLOAT && number->is_float) return bits; // 0f3F800000 for .b32
    if (number->is_float && row->bits == 32) {
        memcpy(&word, &single, sizeof word);
        return word;
    }
    if (number->is_float && number->is_single) memcpy(&bits, &value, sizeof bits);
    return row->bits >= 64 ? bits : bits & (((uint64_t)1 << row->bits) - 1);
}

static struct ptx_operand *add_operand(struct parser *parser, struct body *body)
{
    return ptx_arena_list_add(parser->arena, &body->operands, sizeof(struct ptx_operand));
}

static void wait_for(struct parser *parser, struct body *body, const struct written *written, uint32_t operand,
                     int wants_targets)
{
    struct pending *pending = ptx_arena_list_add(parser->arena, &body->pending, sizeof *pending);
    *pending = (struct pending){.token = written->token, .operand = operand, .wants_targets = (uint8_t)wants_targets};
}

// `type` is what the instruction takes the operand as.
static void set_scalar(struct ptx_operand *to, enum ptx_type type, const struct written *written)
{
    *to = (struct ptx_operand){.kind = written->kind,
                               .type = written->type,
                               .file = written->file,
                               .is_negated = written->is_negated,
                               .index = written->index,
                               .bits = (uint64_t)written->offset};
    if (written->kind != PTX_OPERAND_CONSTANT) return;
    to->type = (uint8_t)type;
    to->bits = constant_bits(type, &written->number);
}

// What a part of a vector is taken as: {a, b} of a mov is two halves of the whole.
static enum ptx_type part_type(const struct ptx_operand_rule *rule, uint32_t count)
{
    static const enum ptx_type halves[] = {PTX_TYPE_b8, PTX_TYPE_b16, PTX_TYPE_b32, PTX_TYPE_b64};
    uint32_t bits = ptx_type_row((enum ptx_type)rule->type)->bits;
    for (int i = 0; rule->may_pack && i < 4; i++)
        if (ptx_type_row(halves[i])->bits * count == bits) return halves[i];
    return (enum ptx_type)rule->type;
}

// The parts of a vector lie behind the operands of the instruction.
static void add_parts(struct parser *parser, struct body *body, const struct operands *operands, uint32_t place,
                      const struct ptx_operand_rule *rule, const struct written *written)
{
    uint32_t first = body->operands.count;
    for (uint32_t i = 0; i < written->count; i++)
        set_scalar(add_operand(parser, body), part_type(rule, written->count), &operands->at[written->first + i]);
    ((struct ptx_operand *)body->operands.item)[place] =
        (struct ptx_operand){.kind = PTX_OPERAND_VECTOR, .index = first, .bits = written->count};
}

static void set_selector(struct ptx_operand *to, enum ptx_selector selector, const struct written *written)
{
    uint32_t number;
    ptx_selector_read(selector, written->selector, written->selector_length, &number);
    if (selector == PTX_SELECTOR_MINUS) number = written->is_minus;
    *to = (struct ptx_operand){.kind = PTX_OPERAND_CONSTANT, .type = PTX_TYPE_b32, .bits = number};
}

static void add_operands(struct parser *parser, struct body *body, const struct trial *trial, uint32_t first)
{
    for (int i = 0; i < trial->row->rules; i++) add_operand(parser, body);
    for (int i = 0; i < trial->row->rules; i++) {
        const struct ptx_operand_rule *rule = &trial->row->rule[i];
        const struct written *written = trial->chosen[i];
        uint32_t place = first + (uint32_t)i;
        if (written == NULL) continue;
        if (rule->kind == PTX_RULE_SELECTOR) {
            set_selector((struct ptx_operand *)body->operands.item + place, (enum ptx_selector)rule->selector, written);
            continue;
        }
        if (written->kind == PTX_OPERAND_VECTOR && rule->vector == 0 && !rule->may_pack) // {%r1} for %r1
            written = &trial->operands->at[written->first];
        if (written->kind == PTX_OPERAND_VECTOR) {
            add_parts(parser, body, trial->operands, place, rule, written);
            continue;
        }
        struct ptx_operand *to = (struct ptx_operand *)body->operands.item + place;
        set_scalar(to, (enum ptx_type)rule->type, written);
        if (rule->kind == PTX_RULE_ADDRESS && written->is_element) to->kind = PTX_OPERAND_AT_VARIABLE;
        if (written->kind != PTX_OPERAND_LABEL) continue;
        if (rule->kind == PTX_RULE_TARGETS) to->kind = PTX_OPERAND_TARGETS;
        wait_for(parser, body, written, place, rule->kind == PTX_RULE_TARGETS);
    }
}

// --- Calls -----------------------------------------------------------------------------------------------------------

static const struct ptx_variable *variable_of(const struct parser *parser, const struct body *body, uint32_t index)
{
    if (index & PTX_OF_FUNCTION) return (const struct ptx_variable *)body->variables.item + (index & ~PTX_OF_FUNCTION);
    return (const struct ptx_variable *)parser->module->variables.item + index;
}

// Does what is passed have the size of the parameter?
static bool passes(const struct parser *parser, const struct body *body, const struct ptx_variable *to,
                   const struct written *from)
{
    switch (from->kind) {
    case PTX_OPERAND_VARIABLE:
        return variable_of(parser, body, from->index)->bytes == to->bytes;
    case PTX_OPERAND_REGISTER:
        return ptx_type_row((enum ptx_type)from->type)->bits == ptx_type_row((enum ptx_type)to->type)->bits;
    case PTX_OPERAND_CONSTANT:
    case PTX_OPERAND_SINK:
        return true;
    default:
        return false;
    }
}

static int check_list(struct parser *parser, const struct body *body, const struct operands *operands,
                      const struct written *list, const struct ptx_variable *variable, uint32_t count, const char *what)
{
    if (list->count != count)
        return ptx_parser_fail(parser, &operands->at[0].token, "", "the function has %u %s, the call %u", count, what,
                               list->count);
    for (uint32_t i = 0; i < count; i++) {
        const struct written *part = &operands->at[list->first + i];
        if (!passes(parser, body, &variable[i], part))
            return ptx_parser_fail(parser, &part->token, "",
                                   "this does not fit into %s %u of the function, of %llu bytes", what, i + 1,
                                   (unsigned long long)variable[i].bytes);
    }
    return 1;
}

static int check_call(struct parser *parser, const struct body *body, const struct operands *operands)
{
    const struct written *callee = &operands->at[0];
    const struct ptx_function *function = (const struct ptx_function *)parser->module->functions.item + callee->index;
    if (callee->kind == PTX_OPERAND_REGISTER && operands->at[3].kind != PTX_OPERAND_NONE)
        return callee->file == PTX_FILE_64 ||
               ptx_parser_fail(parser, &callee->token, "", "the address of a function has 64 bits");
    if (callee->kind == PTX_OPERAND_REGISTER)
        return ptx_parser_fail(parser, &callee->token, "",
                               "an indirect call names a .callprototype or .calltargets behind its arguments");
    if (callee->kind != PTX_OPERAND_FUNCTION)
        return ptx_parser_fail(parser, &callee->token,
                               "Declare it above, with .extern .func if it is in another module.",
                               "there is no function '%.*s'",
                               (int)(callee->token.length > 100 ? 100 : callee->token.length), callee->token.at);
    if (function->is_entry) return ptx_parser_fail(parser, &callee->token, "", "an .entry cannot be called");
    return check_list(parser, body, operands, &operands->at[1], function->variable, function->returns, "results") &&
           check_list(parser, body, operands, &operands->at[2], function->variable + function->returns,
                      function->parameters, "parameters");
}

static bool add_call(struct parser *parser, struct body *body, const struct operands *operands,
                     struct ptx_instruction *instruction)
{
    static const struct ptx_operand_rule any = {.type = PTX_TYPE_b64};
    const struct written *prototype = &operands->at[3];
    if (!check_call(parser, body, operands)) return false;
    for (int i = 0; i < 4; i++) add_operand(parser, body);
    set_scalar((struct ptx_operand *)body->operands.item + instruction->first, PTX_TYPE_b64, &operands->at[0]);
    add_parts(parser, body, operands, instruction->first + 1, &any, &operands->at[1]);
    add_parts(parser, body, operands, instruction->first + 2, &any, &operands->at[2]);
    instruction->operands = 4;
    if (prototype->kind == PTX_OPERAND_NONE) return true;
    ((struct ptx_operand *)body->operands.item)[instruction->first + 3].kind = PTX_OPERAND_TARGETS;
    wait_for(parser, body, prototype, instruction->first + 3, 1);
    return prototype->kind == PTX_OPERAND_LABEL ||
           ptx_parser_fail(parser, &prototype->token, "", "expected the name of a .callprototype");
}

// --- Instructions ----------------------------------------------------------------------------------------------------

static uint32_t op_of(struct parser *parser, const struct known_spelling *spelling, struct known_row *row)
{
    struct ptx_arena_list *ops = &parser->module->ops;
    if (row->op == UINT32_MAX) {
        row->op = ops->count;
        struct ptx_op *op = ptx_arena_list_add(parser->arena, ops, sizeof *op);
        *op = (struct ptx_op){spelling->name, row->choice, 0};
    }
    ((struct ptx_op *)ops->item)[row->op].uses++;
    return row->op;
}

bool ptx_instruction_add(struct parser *parser, struct body *body, const struct ptx_token *opcode,
                         const struct known_spelling *spelling, struct ptx_instruction *instruction)
{
    struct known_row *row = (struct known_row *)parser->module->rows.item + spelling->first_row;
    instruction->first = body->operands.count;
    if (row->rules == 1 && row->rule[0].kind == PTX_RULE_CALL) {
        if (!add_call(parser, body, &body->written, instruction)) return false;
    } else {
        struct trial trial = {.operands = &body->written};
        row = ptx_fit_row(parser, spelling, opcode, &trial);
        if (row == NULL) return false;
        trial.row = row;
        add_operands(parser, body, &trial, instruction->first);
        instruction->operands = (uint8_t)row->rules;
    }
    instruction->op = op_of(parser, spelling, row);
    *(struct ptx_instruction *)ptx_arena_list_add(parser->arena, &body->instructions, sizeof *instruction) =
        *instruction;
    return true;
}
