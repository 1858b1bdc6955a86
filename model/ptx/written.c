// SPDX-License-Identifier: MIT
// The operands of an instruction as they are written: what each name is, before
// anyone asks whether it may stand there.
#include <string.h>

#include "parser.h"

static struct written *add_top(struct parser *parser, struct operands *operands)
{
    if (operands->count == MOST_TOP) {
        ptx_parser_fail(parser, &parser->token, "", "more than %d operands", MOST_TOP);
        return NULL;
    }
    struct written *to = &operands->at[operands->count++];
    *to = (struct written){.token = parser->token};
    return to;
}

static struct written *add_part(struct parser *parser, struct operands *operands)
{
    if (operands->used == MOST_WRITTEN) {
        ptx_parser_fail(parser, &parser->token, "", "more than %d vector elements", MOST_WRITTEN - MOST_TOP);
        return NULL;
    }
    struct written *to = &operands->at[operands->used++];
    *to = (struct written){.token = parser->token};
    return to;
}

// .x .y .z .w, also .r .g .b .a; 0 if none follows directly.
static char take_part(struct parser *parser)
{
    static const char *const names[] = {".x", ".y", ".z", ".w", ".r", ".g", ".b", ".a"};
    for (int i = 0; i < 8 && parser->token.kind == TOKEN_DOTTED; i++)
        if (ptx_parser_take(parser, names[i])) return "xyzwxyzw"[i];
    return 0;
}

// `count` operands as a vector, the first of them `first`; each has its place in one of its fields one higher.
static int spread(struct parser *parser, struct operands *operands, const struct written *first, uint32_t count,
                  struct written *to)
{
    *to = *first;
    to->kind = PTX_OPERAND_VECTOR;
    to->first = operands->used;
    to->count = count;
    for (uint32_t i = 0; i < count; i++) {
        struct written *into = add_part(parser, operands);
        if (into == NULL) return 0;
        *into = *first;
        if (first->kind == PTX_OPERAND_SPECIAL)
            into->offset += i;
        else
            into->index += i;
    }
    return 1;
}

// %laneid, %tid.x, or %tid as a vector; 0 if there is none.
static bool find_special(struct parser *parser, const struct ptx_token *token, struct written *to, int *parts)
{
    enum ptx_special special;
    uint8_t number;
    char part = take_part(parser);
    *parts = 1;
    if (!ptx_special_find(token->at, token->length, part, &special, &number)) {
        if (part != 0 || !ptx_special_find(token->at, token->length, 'x', &special, &number)) return false;
        *parts = ptx_special_row(special)->parts;
    }
    to->kind = PTX_OPERAND_SPECIAL;
    to->index = special;
    to->offset = number;
    to->type = (uint8_t)ptx_special_row(special)->type;
    return true;
}

// A register of several parts: one of them, or all as a vector.
static int read_parts(struct parser *parser, struct operands *operands, const struct named *named, struct written *to)
{
    char part = take_part(parser);
    if (part != 0) {
        uint32_t i = part == 'w' ? 3u : (uint32_t)(part - 'x');
        if (i >= named->vector)
            return ptx_parser_fail(parser, &to->token, "", "the register has %d parts", named->vector);
        to->index += i;
        to->is_member = 1;
        return 1;
    }
    const struct written first = *to;
    return spread(parser, operands, &first, named->vector, to);
}

static int read_register(struct parser *parser, struct operands *operands, const struct named *named, uint32_t number,
                         struct written *to)
{
    to->kind = PTX_OPERAND_REGISTER;
    to->type = named->type;
    to->file = (uint8_t)ptx_file_of((enum ptx_type)named->type);
    to->index = named->index + number * named->vector;
    return named->vector <= 1 || read_parts(parser, operands, named, to);
}

static const struct ptx_variable *variable_at(const struct parser *parser, const struct body *body, uint32_t index)
{
    if (index & PTX_OF_FUNCTION) return (const struct ptx_variable *)body->variables.item + (index & ~PTX_OF_FUNCTION);
    return (const struct ptx_variable *)parser->module->variables.item + index;
}

// [2] behind the name of an array: the place of that element, of the type that was declared.
static int read_element(struct parser *parser, const struct ptx_variable *variable, struct written *to)
{
    struct ptx_number number = {0};
    if (!variable->is_array) return ptx_parser_fail(parser, &parser->token, "", "only an array takes an index");
    ptx_parser_advance(parser);
    if (parser->token.kind == TOKEN_WORD && *parser->token.at == '%')
        return ptx_parser_fail(parser, &parser->token, "Compute the address in a register: [%rd1].",
                               "an array index must be a constant");
    if (!ptx_parse_constant(parser, &number)) return 0;
    if (number.is_float) return ptx_parser_fail(parser, &to->token, "", "an index is an integer");
    to->is_element = 1;
    to->offset = (int64_t)(number.bits * ((ptx_type_row((enum ptx_type)variable->type)->bits + 7) / 8));
    return ptx_parser_expect(parser, "]");
}

static int read_variable(struct parser *parser, const struct body *body, const struct named *named, struct written *to)
{
    struct ptx_number number = {0};
    to->kind = PTX_OPERAND_VARIABLE;
    to->index = named->index;
    to->space = (uint8_t)variable_at(parser, body, named->index)->space;
    if (ptx_parser_is(parser, "[")) return read_element(parser, variable_at(parser, body, named->index), to);
    uint32_t number_in = named->index & ~PTX_OF_FUNCTION, returns = body->function->returns;
    to->is_parameter =
        named->index & PTX_OF_FUNCTION && number_in >= returns && number_in < returns + body->function->parameters;
    if ((ptx_parser_is(parser, "+") || ptx_parser_is(parser, "-")) && !ptx_parse_constant(parser, &number)) return 0;
    to->offset = (int64_t)number.bits;
    return 1;
}

// A name is a register, a variable, a function, a special register, or else a
// label.
static int read_name(struct parser *parser, struct body *body, struct operands *operands, struct written *to)
{
    struct ptx_token token = parser->token;
    struct ptx_name name = ptx_token_name(&token);
    uint32_t number = 0;
    int parts;
    ptx_parser_advance(parser);
    const struct named *named = ptx_names_find_register(&body->names, name, &number);
    if (named == NULL || named->kind == NAME_LABEL || named->kind == NAME_TARGETS)
        named = named == NULL ? ptx_names_find(&parser->unit->names, name) : NULL;
    if (named != NULL && named->kind == NAME_REGISTER) return read_register(parser, operands, named, number, to);
    if (named != NULL && named->kind == NAME_VARIABLE) return read_variable(parser, body, named, to);
    if (named != NULL) {
        to->kind = PTX_OPERAND_FUNCTION;
        to->index = named->index;
        return 1;
    }
    if (*token.at == '%' && find_special(parser, &token, to, &parts)) {
        const struct written first = *to;
        return parts == 1 || spread(parser, operands, &first, (uint32_t)parts, to);
    }
    to->kind = PTX_OPERAND_LABEL;
    return *token.at != '%' ||
           ptx_parser_fail(parser, &token, "Declare it with .reg in this function.", "there is no register '%.*s'",
                           (int)(name.length > 60 ? 60 : name.length), name.at);
}

static int read_scalar(struct parser *parser, struct body *body, struct operands *operands, struct written *to)
{
    to->is_negated = (uint8_t)(ptx_parser_is(parser, "!") && ptx_lexer_peek(&parser->lexer).kind == TOKEN_WORD);
    if (to->is_negated) ptx_parser_advance(parser);
    if (ptx_parser_take(parser, "_")) {
        to->kind = PTX_OPERAND_SINK;
        return 1;
    }
    if (parser->token.kind == TOKEN_WORD && !ptx_parser_is(parser, "WARP_SZ"))
        return read_name(parser, body, operands, to);
    to->kind = PTX_OPERAND_CONSTANT;
    return ptx_parse_constant(parser, &to->number);
}

// ptxas knows v.x where a value stands alone or in a vector.
static int refuse_member(struct parser *parser, const struct written *part)
{
    return ptx_parser_fail(parser, &part->token, "Move it into a register of its own.",
                           "a part of a vector register cannot stand here");
}

// {a, b}, in braces or parentheses; its { has been read.
static int read_vector(struct parser *parser, struct body *body, struct operands *operands, struct written *to,
                       const char *end)
{
    const bool is_call = *end == ')';
    to->kind = PTX_OPERAND_VECTOR;
    to->first = operands->used;
    if (ptx_parser_take(parser, end)) return 1;
    do {
        struct written *part = add_part(parser, operands);
        if (part == NULL || !read_scalar(parser, body, operands, part)) return 0;
        if (part->kind == PTX_OPERAND_VECTOR) return ptx_parser_fail(parser, &part->token, "", "a vector in a vector");
        if (is_call && part->is_member) return refuse_member(parser, part);
        to->count++;
    } while (ptx_parser_take(parser, ","));
    return ptx_parser_expect(parser, end);
}

// .b0, .h32, ... behind a register.
static int take_selector(struct parser *parser, struct written *to)
{
    enum { LONGEST = sizeof ".b3210" - 1 };
    const struct ptx_token *token = &parser->token;
    if (token->kind != TOKEN_DOTTED || token->length < 3 || token->length > LONGEST) return 1;
    if ((token->at[1] != 'b' && token->at[1] != 'h') || token->at[2] < '0' || token->at[2] > '9') return 1;
    if (to->is_member) return refuse_member(parser, to);
    to->selector = token->at + 1;
    to->selector_length = (uint8_t)(token->length - 1);
    ptx_parser_advance(parser);
    return 1;
}

static int read_any(struct parser *parser, struct body *body, struct operands *operands, struct written *to)
{
    if (ptx_parser_take(parser, "{")) return read_vector(parser, body, operands, to, "}");
    const struct ptx_token next = ptx_lexer_peek(&parser->lexer);
    to->is_minus = ptx_parser_is(parser, "-") && next.kind == TOKEN_WORD && !ptx_token_is(&next, "WARP_SZ");
    if (to->is_minus) ptx_parser_advance(parser);
    if (!read_scalar(parser, body, operands, to)) return 0;
    return to->kind != PTX_OPERAND_REGISTER || take_selector(parser, to);
}

// + 8 or + -8 behind a register; ptxas knows no - there.
static int read_offset(struct parser *parser, struct written *to)
{
    struct ptx_number number;
    if (ptx_parser_is(parser, "-"))
        return ptx_parser_fail(parser, &parser->token, "Write +-4 for minus 4.", "an offset begins with +");
    if (!ptx_parser_take(parser, "+")) return 1;
    if (!ptx_parse_constant(parser, &number)) return 0;
    if (number.is_float) return ptx_parser_fail(parser, &to->token, "", "an offset is an integer");
    to->offset = (int64_t)number.bits;
    return 1;
}

// [a+8] or [map, {x, y}]: what is behind the comma becomes an operand of its
// own.
static int read_address(struct parser *parser, struct body *body, struct operands *operands, struct written *to)
{
    to->token = parser->token; // not the bracket
    if (!read_scalar(parser, body, operands, to)) return 0;
    switch (to->kind) {
    case PTX_OPERAND_REGISTER:
        to->kind = PTX_OPERAND_AT_REGISTER;
        break;
    case PTX_OPERAND_VARIABLE:
        to->kind = PTX_OPERAND_AT_VARIABLE;
        break;
    case PTX_OPERAND_CONSTANT:
        to->kind = PTX_OPERAND_AT_CONSTANT;
        break;
    case PTX_OPERAND_LABEL:
        return ptx_parser_fail(parser, &to->token, "Declare it above.", "there is no variable '%.*s'",
                               (int)(to->token.length > 60 ? 60 : to->token.length), to->token.at);
    default:
        return ptx_parser_fail(parser, &to->token, "",
                               "an address is a register, a variable or a number, plus an offset");
    }
    if (to->is_negated || to->number.is_float || to->is_element || to->is_member)
        return ptx_parser_fail(parser, &to->token, "", "this is not an address");
    if (to->kind == PTX_OPERAND_AT_CONSTANT) to->offset = (int64_t)to->number.bits;
    const struct ptx_token offset = parser->token;
    if (to->kind == PTX_OPERAND_AT_REGISTER && !read_offset(parser, to)) return 0;
    if (ptx_parser_is(parser, ",") && (to->offset != 0 || offset.at != parser->token.at))
        return ptx_parser_fail(parser, &offset, "Add it to the register before.", "the address of a map has no offset");
    while (ptx_parser_take(parser, ",")) {
        struct written *inside = add_top(parser, operands);
        if (inside == NULL || !read_any(parser, body, operands, inside)) return 0;
        inside->is_bracketed = 1;
    }
    return ptx_parser_expect(parser, "]");
}

static int read_operand(struct parser *parser, struct body *body, struct operands *operands, bool is_joined)
{
    struct written *to = add_top(parser, operands);
    if (to == NULL) return 0;
    to->is_joined = (uint8_t)is_joined;
    if (ptx_parser_take(parser, "[")) return read_address(parser, body, operands, to);
    return read_any(parser, body, operands, to);
}

int ptx_parse_operands(struct parser *parser, struct body *body, struct operands *operands)
{
    bool is_joined = false;
    operands->count = 0;
    operands->used = MOST_TOP;
    if (ptx_parser_is(parser, ";")) return 1;
    for (;;) {
        if (!read_operand(parser, body, operands, is_joined)) return 0;
        is_joined = ptx_parser_take(parser, "|");
        if (is_joined && operands->at[operands->count - 1].is_member)
            return refuse_member(parser, &operands->at[operands->count - 1]);
        if (!is_joined && !ptx_parser_take(parser, ",")) return 1;
    }
}

// call (returns), function, (arguments), prototype: the function comes first in
// `operands`, and what is not said is empty.
int ptx_parse_call_operands(struct parser *parser, struct body *body, struct operands *operands)
{
    operands->count = 0;
    operands->used = MOST_TOP;
    struct written *callee = add_top(parser, operands), *returns = add_top(parser, operands);
    struct written *arguments = add_top(parser, operands), *prototype = add_top(parser, operands);
    returns->kind = arguments->kind = PTX_OPERAND_VECTOR;
    if (ptx_parser_take(parser, "(") &&
        (!read_vector(parser, body, operands, returns, ")") || !ptx_parser_expect(parser, ",")))
        return 0;
    callee->token = parser->token;
    if (!read_scalar(parser, body, operands, callee)) return 0;
    if (!ptx_parser_take(parser, ",")) return 1;
    if (ptx_parser_take(parser, "(")) {
        if (!read_vector(parser, body, operands, arguments, ")")) return 0;
        if (!ptx_parser_take(parser, ",")) return 1;
    }
    prototype->token = parser->token;
    return read_scalar(parser, body, operands, prototype);
}
