// SPDX-License-Identifier: MIT
// The statements of a function: blocks, labels, declarations, instructions.
#include <string.h>

#include "parser.h"

static int parse_block(struct parser *parser, struct body *body);

// --- Labels ----------------------------------------------------------------------------------------------------------

static int add_label(struct parser *parser, struct body *body, const struct ptx_token *token, enum name_kind kind,
                     uint32_t index)
{
    struct named named = {.name = ptx_token_name(token), .kind = (uint8_t)kind, .index = index};
    if (ptx_names_add(&body->names, parser->arena, &named)) return 1;
    return ptx_parser_fail(parser, token, "Put the labels of inline assembly in a block { } of its own.",
                           "'%.*s' is defined twice", (int)(token->length > 60 ? 60 : token->length), token->at);
}

// Sets what waits for the label; 0 if this scope does not know it.
static bool settle(struct body *body, const struct pending *pending)
{
    const struct named *named = ptx_names_find(&body->names, ptx_token_name(&pending->token));
    if (named == NULL || named->scope != body->names.scope) return false;
    if (named->kind != (pending->wants_targets ? NAME_TARGETS : NAME_LABEL)) return false;
    if (pending->is_target)
        ((uint32_t *)body->target_items.item)[pending->operand] = named->index;
    else
        ((struct ptx_operand *)body->operands.item)[pending->operand].index = named->index;
    return true;
}

// At the end of a scope: what it does not know, the outer one may.
static void settle_scope(struct body *body, uint32_t from)
{
    struct pending *all = body->pending.item;
    uint32_t kept = from;
    for (uint32_t i = from; i < body->pending.count; i++)
        if (!settle(body, &all[i])) all[kept++] = all[i];
    body->pending.count = kept;
}

static void blame_pending(struct parser *parser, struct body *body)
{
    const struct pending *all = body->pending.item;
    for (uint32_t i = 0; i < body->pending.count; i++) {
        parser->failed = false;
        ptx_parser_fail(parser, &all[i].token,
                        all[i].wants_targets ? "" : "Labels of an inner block { } are not seen from outside.",
                        "there is no %s '%.*s' in this function", all[i].wants_targets ? "list or prototype" : "label",
                        (int)(all[i].token.length > 60 ? 60 : all[i].token.length), all[i].token.at);
    }
}

// --- Lists of targets ------------------------------------------------------------------------------------------------

// label: .branchtargets A, B;   label: .calltargets f, g;
static int parse_target_names(struct parser *parser, struct body *body, struct ptx_targets *targets)
{
    targets->first = body->target_items.count;
    do {
        struct ptx_token token = parser->token;
        struct ptx_name name;
        if (!ptx_parser_name(parser, "a name", &name)) return 0;
        uint32_t *item = ptx_arena_list_add(parser->arena, &body->target_items, sizeof *item);
        const struct named *named = ptx_names_find(&parser->unit->names, name);
        if (targets->is_function && (named == NULL || named->kind != NAME_FUNCTION))
            return ptx_parser_fail(parser, &token, "Declare it above.", "there is no function of this name");
        if (targets->is_function) {
            *item = named->index;
        } else {
            struct pending *pending = ptx_arena_list_add(parser->arena, &body->pending, sizeof *pending);
            *pending = (struct pending){.token = token, .operand = body->target_items.count - 1, .is_target = 1};
        }
        targets->count++;
    } while (ptx_parser_take(parser, ","));
    return ptx_parser_expect(parser, ";");
}

static int parse_targets(struct parser *parser, struct body *body, const struct ptx_token *label)
{
    struct ptx_targets targets = {.line = label->line};
    int ok;
    if (ptx_parser_take(parser, ".callprototype")) {
        ok = ptx_parse_prototype(parser, &targets);
    } else {
        targets.is_function = ptx_parser_is(parser, ".calltargets");
        ptx_parser_advance(parser);
        ok = parse_target_names(parser, body, &targets);
    }
    if (!ok || !add_label(parser, body, label, NAME_TARGETS, body->targets.count)) return 0;
    *(struct ptx_targets *)ptx_arena_list_add(parser->arena, &body->targets, sizeof targets) = targets;
    return 1;
}

static bool is_targets(const struct parser *parser)
{
    return ptx_parser_is(parser, ".branchtargets") || ptx_parser_is(parser, ".calltargets") ||
           ptx_parser_is(parser, ".callprototype");
}

static int parse_label(struct parser *parser, struct body *body)
{
    struct ptx_token label = parser->token;
    ptx_parser_advance(parser);
    ptx_parser_advance(parser);
    if (is_targets(parser)) return parse_targets(parser, body, &label);
    return add_label(parser, body, &label, NAME_LABEL, body->instructions.count);
}

// --- Instructions ----------------------------------------------------------------------------------------------------

// @p, @!p
static int parse_guard(struct parser *parser, struct body *body, struct ptx_instruction *instruction)
{
    uint32_t number;
    instruction->is_guarded = 1;
    instruction->guard_is_negated = (uint8_t)ptx_parser_take(parser, "!");
    struct ptx_token token = parser->token;
    struct ptx_name name;
    if (!ptx_parser_name(parser, "a predicate register", &name)) return 0;
    const struct named *named = ptx_names_find_register(&body->names, name, &number);
    if (named == NULL || named->kind != NAME_REGISTER || named->type != PTX_TYPE_pred)
        return ptx_parser_fail(parser, &token, "Declare it with .reg .pred.", "'%.*s' is not a predicate register",
                               (int)(name.length > 60 ? 60 : name.length), name.at);
    instruction->guard = named->index + number;
    return 1;
}

// ld.global.u32: one token, whatever blanks are between its words.
static struct ptx_token take_opcode(struct parser *parser)
{
    struct ptx_token opcode = parser->token;
    while (parser->lexer.at < parser->lexer.end && *parser->lexer.at == '.') {
        struct ptx_token word = ptx_lexer_next(&parser->lexer);
        opcode.length = (uint32_t)(word.at + word.length - opcode.at);
    }
    ptx_parser_advance(parser);
    while (parser->token.kind == TOKEN_DOTTED) {
        char *joined = ptx_arena_take(parser->arena, opcode.length + parser->token.length, 1);
        memcpy(joined, opcode.at, opcode.length);
        memcpy(joined + opcode.length, parser->token.at, parser->token.length);
        opcode.at = joined;
        opcode.length += parser->token.length;
        ptx_parser_advance(parser);
    }
    return opcode;
}

static bool is_call(const struct ptx_token *opcode)
{
    return ptx_token_is(opcode, "call") || ptx_token_is(opcode, "call.uni");
}

static int parse_instruction(struct parser *parser, struct body *body)
{
    struct ptx_instruction instruction = {.location = body->location, .line = parser->token.line};
    if (ptx_parser_take(parser, "@") && !parse_guard(parser, body, &instruction)) return 0;
    if (parser->token.kind != TOKEN_WORD) {
        struct ptx_name name;
        return ptx_parser_name(parser, "an instruction", &name);
    }
    parser->statement = parser->token;
    struct ptx_token opcode = take_opcode(parser);
    const struct known_spelling *spelling = ptx_spelling_find(parser, &opcode);
    struct operands *written = &body->written;
    if (spelling == NULL) return 0;
    if (!(is_call(&opcode) ? ptx_parse_call_operands(parser, body, written)
                           : ptx_parse_operands(parser, body, written)))
        return 0;
    if (!ptx_parser_expect(parser, ";")) return 0;
    if (!ptx_instruction_add(parser, body, &opcode, spelling, &instruction))
        parser->failed = false; // its ; is behind us
    return 1;
}

// --- Statements ------------------------------------------------------------------------------------------------------

static int parse_body_directive(struct parser *parser, struct body *body)
{
    if (ptx_parser_take(parser, ".reg")) return ptx_parse_registers(parser, body);
    if (ptx_parser_take(parser, ".loc")) return ptx_parse_location(parser, body);
    if (ptx_parser_take(parser, ".pragma")) return ptx_parse_pragma(parser);
    if (ptx_space_word(&parser->token) != PTX_WORD_NONE) return ptx_parse_variables(parser, body, PTX_LINK_LOCAL);
    return ptx_parser_fail(parser, &parser->token, "", "'%.*s' is not a directive of a function's body",
                           (int)(parser->token.length > 60 ? 60 : parser->token.length), parser->token.at);
}

static bool is_label(const struct parser *parser)
{
    struct ptx_lexer ahead = parser->lexer;
    if (ahead.at < ahead.end && *ahead.at == '.') return false; // the common case: an opcode
    struct ptx_token next = ptx_lexer_next(&ahead);
    return next.kind == TOKEN_MARK && *next.at == ':';
}

static int parse_statement(struct parser *parser, struct body *body)
{
    if (ptx_parser_take(parser, "{")) return parse_block(parser, body);
    if (ptx_parser_take(parser, ";")) return 1;
    if (parser->token.kind == TOKEN_DOTTED) return parse_body_directive(parser, body);
    if (parser->token.kind == TOKEN_WORD && is_label(parser)) return parse_label(parser, body);
    return parse_instruction(parser, body);
}

static void parse_statements(struct parser *parser, struct body *body)
{
    while (parser->token.kind != TOKEN_END && !ptx_parser_is(parser, "}")) {
        int depth = parser->depth;
        if (!parse_statement(parser, body)) ptx_parser_recover(parser);
        parser->depth = depth;
    }
}

// A block whose { has been read.
static int parse_block(struct parser *parser, struct body *body)
{
    uint32_t from = body->pending.count;
    if (++parser->depth > MOST_DEPTH) return ptx_parser_fail(parser, &parser->token, "", "blocks are nested too deep");
    ptx_names_open(&body->names);
    parse_statements(parser, body);
    settle_scope(body, from);
    ptx_names_close(&body->names);
    parser->depth--;
    return ptx_parser_expect(parser, "}");
}

// Parameters are variables, or registers, in the outermost scope.
static int add_parameter(struct parser *parser, struct body *body, const struct ptx_variable *variable)
{
    struct named named = {
        .name = variable->name, .kind = NAME_VARIABLE, .index = body->variables.count | PTX_OF_FUNCTION};
    struct ptx_variable *to = ptx_arena_list_add(parser->arena, &body->variables, sizeof *to);
    struct ptx_token token = {TOKEN_WORD, variable->name.length, variable->line, variable->name.at};
    *to = *variable;
    if (variable->space == PTX_WORD_NONE) {
        to->reg = ptx_registers_take(body, (enum ptx_type)variable->type, 1);
        named = (struct named){
            .name = variable->name, .kind = NAME_REGISTER, .type = variable->type, .vector = 1, .index = to->reg};
    }
    if (token.length == 1 && *token.at == '_') return 1;
    if (ptx_names_add(&body->names, parser->arena, &named)) return 1;
    return ptx_parser_fail(parser, &token, "", "two parameters have this name");
}

// Now that all labels are known.
static void keep_targets(struct parser *parser, struct body *body)
{
    const uint32_t *items = ptx_arena_list_keep(parser->arena, &body->target_items, sizeof *items);
    struct ptx_targets *targets = body->targets.item;
    for (uint32_t i = 0; i < body->targets.count; i++) targets[i].index = items + targets[i].first;
}

void ptx_parse_body(struct parser *parser, struct body *body)
{
    const struct ptx_function *function = body->function;
    for (uint32_t i = 0; i < function->returns + function->parameters; i++)
        if (!add_parameter(parser, body, &function->variable[i])) parser->failed = false;
    ptx_parser_advance(parser);
    parse_statements(parser, body);
    settle_scope(body, 0);
    blame_pending(parser, body);
    keep_targets(parser, body);
}
