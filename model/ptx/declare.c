// SPDX-License-Identifier: MIT
// Declarations: registers, variables of every space, parameters.
#include <stdlib.h>
#include <string.h>

#include "parser.h"

#define MOST_BYTES ((uint64_t)1 << 40)
enum { MOST_REGISTERS = 1 << 24, MOST_VECTOR_BITS = 128, WARP = 32 };

enum ptx_file ptx_file_of(enum ptx_type type)
{
    const struct ptx_type_row *row = ptx_type_row(type);
    if (row->kind == PTX_KIND_PREDICATE) return PTX_FILE_PRED;
    if (row->bits <= 16) return PTX_FILE_16;
    return row->bits <= 32 ? PTX_FILE_32 : row->bits <= 64 ? PTX_FILE_64 : PTX_FILE_128;
}

enum ptx_word ptx_space_word(const struct ptx_token *token)
{
    static const struct {
        const char *text;
        enum ptx_word word;
    } spaces[] = {{".global", PTX_GLOBAL}, {".shared", PTX_SHARED}, {".shared::cta", PTX_SHARED},
                  {".const", PTX_CONST},   {".local", PTX_LOCAL},   {".param", PTX_PARAM}};
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++)
        if (ptx_token_is(token, spaces[i].text)) return spaces[i].word;
    return PTX_WORD_NONE;
}

uint32_t ptx_registers_take(struct body *body, enum ptx_type type, uint32_t count)
{
    uint32_t *next = &body->registers[ptx_file_of(type)], first = *next;
    if (count > MOST_REGISTERS - first) return UINT32_MAX;
    *next += count;
    return first;
}

// .v2 or .v4
static uint8_t take_vector(struct parser *parser)
{
    if (ptx_parser_take(parser, ".v2")) return 2;
    return ptx_parser_take(parser, ".v4") ? 4 : 1;
}

static bool is_declarable(enum ptx_type type, bool as_register)
{
    const struct ptx_type_row *row = ptx_type_row(type);
    if (type == PTX_TYPE_NONE || type == PTX_TYPE_b1024) return false;
    if (row->kind == PTX_KIND_PREDICATE) return as_register;
    return row->kind != PTX_KIND_PACKED && row->bits >= 8;
}

static int take_type(struct parser *parser, bool as_register, enum ptx_type *type)
{
    const struct ptx_token *token = &parser->token;
    *type = token->kind == TOKEN_DOTTED ? ptx_type_find(token->at + 1, token->length - 1) : PTX_TYPE_NONE;
    if (!is_declarable(*type, as_register))
        return ptx_parser_fail(
            parser, token, "Types of variables are .b8 .. .b128, .u8 .. .u64, .s8 .. .s64, .f16, .f32 and .f64.",
            "expected a type, found '%.*s'", (int)(token->length > 40 ? 40 : token->length), token->at);
    ptx_parser_advance(parser);
    return 1;
}

// A predicate stands alone, and no vector has more bits than a load.
static int check_vector(struct parser *parser, const struct ptx_token *token, enum ptx_type type, uint8_t vector)
{
    const struct ptx_type_row *row = ptx_type_row(type);
    if (vector == 1) return 1;
    if (row->kind == PTX_KIND_PREDICATE)
        return ptx_parser_fail(parser, token, "", "there are no vectors of predicates");
    return row->bits * vector <= MOST_VECTOR_BITS ||
           ptx_parser_fail(parser, token, "", "a vector has at most %d bits, this one %u", MOST_VECTOR_BITS,
                           row->bits * vector);
}

// --- Registers -------------------------------------------------------------------------------------------------------

static int add_register(struct parser *parser, struct body *body, enum ptx_type type, uint8_t vector)
{
    struct named named = {.kind = NAME_REGISTER, .type = (uint8_t)type, .vector = vector};
    struct ptx_token token = parser->token;
    if (!ptx_parser_name(parser, "the name of a register", &named.name)) return 0;
    if (ptx_parser_take(parser, "<") &&
        (!ptx_parser_u32(parser, "how many registers", &named.count) || !ptx_parser_expect(parser, ">")))
        return 0;
    uint32_t each = named.count == 0 ? 1 : named.count;
    named.index = each > MOST_REGISTERS ? UINT32_MAX : ptx_registers_take(body, type, each * vector);
    if (named.index == UINT32_MAX) return ptx_parser_fail(parser, &token, "", "more than %d registers", MOST_REGISTERS);
    struct ptx_registers *declared = ptx_arena_list_add(parser->arena, &body->declared, sizeof *declared);
    *declared = (struct ptx_registers){named.name, named.index, named.count, (uint8_t)type, vector};
    if (ptx_names_add(&body->names, parser->arena, &named)) return 1;
    return ptx_parser_fail(parser, &token, "Give it another name, or put it in a block { } of its own.",
                           "'%.*s' is declared twice", (int)token.length, token.at);
}

int ptx_parse_registers(struct parser *parser, struct body *body)
{
    enum ptx_type type;
    struct ptx_token token = parser->token;
    uint8_t vector = take_vector(parser);
    if (!take_type(parser, true, &type) || !check_vector(parser, &token, type, vector)) return 0;
    do {
        if (!add_register(parser, body, type, vector)) return 0;
    } while (ptx_parser_take(parser, ","));
    return ptx_parser_expect(parser, ";");
}

// --- Variables -------------------------------------------------------------------------------------------------------

static int take_align(struct parser *parser, uint32_t *align)
{
    struct ptx_token token = parser->token;
    if (!ptx_parser_u32(parser, "an alignment", align)) return 0;
    if (*align == 0 || (*align & (*align - 1)) != 0)
        return ptx_parser_fail(parser, &token, "", "an alignment is a power of two, not %u", *align);
    return 1;
}

// .attribute(.managed), .attribute(.unified(a, b))
static bool take_attribute(struct parser *parser, struct ptx_variable *variable)
{
    if (!ptx_parser_expect(parser, "(")) return false;
    for (int depth = 1; depth > 0 && parser->token.kind != TOKEN_END; ptx_parser_advance(parser)) {
        variable->is_managed |= (uint8_t)ptx_parser_is(parser, ".managed");
        depth += ptx_parser_is(parser, "(") - ptx_parser_is(parser, ")");
    }
    return true;
}

// Of a kernel parameter: .ptr .global .align 16
static bool take_pointer(struct parser *parser, struct ptx_variable *variable)
{
    uint32_t align;
    variable->is_pointer = 1;
    if (ptx_space_word(&parser->token) != PTX_WORD_NONE) ptx_parser_advance(parser);
    return !ptx_parser_take(parser, ".align") || take_align(parser, &align);
}

// What comes before the name: .align 8 .v4 .b32 .ptr, in this order or with .attribute between.
static bool take_kind(struct parser *parser, struct ptx_variable *variable)
{
    enum ptx_type type;
    for (;;) {
        if (ptx_parser_take(parser, ".align")) {
            if (!take_align(parser, &variable->align)) return false;
        } else if (ptx_parser_take(parser, ".attribute")) {
            if (!take_attribute(parser, variable)) return false;
        } else {
            break;
        }
    }
    struct ptx_token token = parser->token;
    variable->vector = take_vector(parser);
    if (!take_type(parser, variable->space == PTX_WORD_NONE, &type) ||
        !check_vector(parser, &token, type, variable->vector))
        return false;
    variable->type = (uint8_t)type;
    return !ptx_parser_take(parser, ".ptr") || take_pointer(parser, variable);
}

// [4][8]; the first may be [], or [0], for what is not known.
static int take_dims(struct parser *parser, struct ptx_variable *variable, struct dims *dims)
{
    variable->elements = variable->vector;
    for (dims->count = 0; ptx_parser_take(parser, "["); dims->count++) {
        struct ptx_token token = parser->token;
        struct ptx_number number = {0};
        variable->is_array = 1;
        if (dims->count == MOST_DIMS)
            return ptx_parser_fail(parser, &token, "", "the array has more than %d dimensions", MOST_DIMS);
        if (ptx_parser_take(parser, "WARP_SZ")) {
            number.bits = WARP;
        } else if (!ptx_parser_is(parser, "]")) {
            if (!ptx_token_number(&token, &number) || number.is_float)
                return ptx_parser_fail(parser, &token, "Write its value.", "the size of an array is a plain number");
            ptx_parser_advance(parser);
        }
        if (!ptx_parser_expect(parser, "]")) return 0;
        if (number.is_wide || number.bits > MOST_BYTES || number.bits * variable->elements > MOST_BYTES)
            return ptx_parser_fail(parser, &token, "", "the array has too many elements");
        dims->of[dims->count] = number.bits;
        if (number.bits == 0 && dims->count > 0)
            return ptx_parser_fail(parser, &token, "", "only the first size of an array may be left open");
        if (number.bits == 0)
            variable->is_unsized = 1;
        else
            variable->elements *= number.bits;
    }
    return 1;
}

static void finish_size(struct ptx_variable *variable)
{
    uint32_t each = (ptx_type_row((enum ptx_type)variable->type)->bits + 7) / 8;
    variable->bytes = variable->is_unsized ? 0 : variable->elements * each;
    if (variable->align == 0) variable->align = each * variable->vector;
}

// The size of an array [] is that of what it begins with.
static int take_initial(struct parser *parser, struct ptx_variable *variable, const struct dims *dims)
{
    struct ptx_token token = parser->token;
    if (!ptx_parser_take(parser, "=")) return 1;
    if (variable->space != PTX_GLOBAL && variable->space != PTX_CONST)
        return ptx_parser_fail(parser, &token, "Store the value in the code.",
                               "only .global and .const variables have an initial value");
    if (variable->linkage == PTX_LINK_EXTERN)
        return ptx_parser_fail(parser, &token, "Its definition gives the value.",
                               "an .extern variable has no initial value");
    return ptx_parse_initial(parser, variable, dims);
}

static struct ptx_variable *add_variable(struct parser *parser, struct body *body, const struct ptx_variable *variable)
{
    struct ptx_arena_list *list = body == NULL ? &parser->module->variables : &body->variables;
    struct ptx_variable *to = ptx_arena_list_add(parser->arena, list, sizeof *to);
    *to = *variable;
    return to;
}

// A second declaration of a name of the module is fine if one of the two is .extern.
static int merge_variable(struct parser *parser, const struct ptx_token *token, const struct ptx_variable *variable)
{
    const struct named *before = ptx_names_find(&parser->unit->names, variable->name);
    struct ptx_variable *all = parser->module->variables.item;
    if (before == NULL || before->kind != NAME_VARIABLE ||
        (all[before->index].linkage != PTX_LINK_EXTERN && variable->linkage != PTX_LINK_EXTERN))
        return ptx_parser_fail(parser, token, "", "'%.*s' is declared twice", (int)token->length, token->at);
    const struct ptx_variable *first = &all[before->index];
    if (first->type != variable->type || first->vector != variable->vector ||
        (first->elements != variable->elements && !first->is_unsized && !variable->is_unsized))
        return ptx_parser_fail(parser, token, "", "'%.*s' differs from its first declaration", (int)token->length,
                               token->at);
    if (first->linkage == PTX_LINK_EXTERN && variable->linkage == PTX_LINK_LOCAL)
        return ptx_parser_fail(parser, token, "Write .visible.",
                               "the first declaration is .extern, this one is not visible outside the module");
    if (variable->linkage != PTX_LINK_EXTERN) all[before->index] = *variable;
    return 1;
}

static int name_variable(struct parser *parser, struct body *body, const struct ptx_token *token,
                         const struct ptx_variable *variable)
{
    struct ptx_arena_list *list = body == NULL ? &parser->module->variables : &body->variables;
    struct named named = {.name = variable->name,
                          .kind = NAME_VARIABLE,
                          .type = variable->type,
                          .vector = variable->vector,
                          .index = list->count | (body == NULL ? 0 : PTX_OF_FUNCTION)};
    if (ptx_names_add(body == NULL ? &parser->unit->names : &body->names, parser->arena, &named)) {
        add_variable(parser, body, variable);
        return 1;
    }
    if (body == NULL) return merge_variable(parser, token, variable);
    return ptx_parser_fail(parser, token, "", "'%.*s' is declared twice", (int)token->length, token->at);
}

// name<4> stands for name0 .. name3, as .param registers of a function may.
static int take_range(struct parser *parser, const struct ptx_token *token)
{
    if (!ptx_parser_is(parser, "<")) return 1;
    return ptx_parser_fail(parser, token, "Declare each variable by its own name.",
                           "only registers are declared by number");
}

static int parse_variable(struct parser *parser, struct body *body, struct ptx_variable *variable)
{
    struct ptx_token token = parser->token;
    struct dims dims;
    variable->line = token.line;
    if (!ptx_parser_name(parser, "the name of a variable", &variable->name) || !take_range(parser, &token)) return 0;
    if (!take_dims(parser, variable, &dims) || !take_initial(parser, variable, &dims)) return 0;
    if (variable->is_unsized && variable->linkage != PTX_LINK_EXTERN)
        return ptx_parser_fail(parser, &token, "Give its number of elements, or declare it .extern.",
                               "'%.*s' has no size", (int)token.length, token.at);
    if (variable->space == PTX_PARAM && variable->vector > 1 && !variable->is_array)
        return ptx_parser_fail(parser, &token, "Declare an array of its parts.",
                               "a .param variable cannot be a vector");
    finish_size(variable);
    return name_variable(parser, body, &token, variable);
}

// What a space allows of variables.
static int check_space(struct parser *parser, const struct ptx_token *token, bool is_module,
                       const struct ptx_variable *kind)
{
    if (is_module && (kind->space == PTX_LOCAL || kind->space == PTX_PARAM))
        return ptx_parser_fail(parser, token, "Declare it in the body of a function.",
                               "a variable of a module is not in .%s", ptx_word_spelling(kind->space));
    if (kind->linkage == PTX_LINK_COMMON && kind->space != PTX_GLOBAL)
        return ptx_parser_fail(parser, token, "", "only .global variables are .common");
    return !kind->is_managed || kind->space == PTX_GLOBAL ||
           ptx_parser_fail(parser, token, "", "only .global variables are managed");
}

int ptx_parse_variables(struct parser *parser, struct body *body, enum ptx_linkage linkage)
{
    struct ptx_variable kind = {.space = ptx_space_word(&parser->token), .linkage = (uint8_t)linkage};
    const struct ptx_token token = parser->token;
    ptx_parser_advance(parser);
    if (!take_kind(parser, &kind) || !check_space(parser, &token, body == NULL, &kind)) return 0;
    do {
        struct ptx_variable variable = kind;
        if (!parse_variable(parser, body, &variable)) return 0;
    } while (ptx_parser_take(parser, ","));
    return ptx_parser_expect(parser, ";");
}

// --- Parameters ------------------------------------------------------------------------------------------------------

static int check_parameter(struct parser *parser, const struct ptx_token *token, const struct ptx_variable *variable,
                           const struct dims *dims)
{
    if (dims->count > 1) return ptx_parser_fail(parser, token, "", "a parameter has at most one dimension");
    return variable->space == PTX_PARAM || dims->count == 0 ||
           ptx_parser_fail(parser, token, "", "a parameter in .reg cannot be an array");
}

// .param .align 8 .b8 name[16], .reg .b32 name, or _ in a prototype.
static int parse_parameter(struct parser *parser, struct ptx_variable *variable)
{
    struct ptx_token token = parser->token;
    struct dims dims;
    variable->line = token.line;
    variable->space = ptx_space_word(&token);
    if (variable->space != PTX_PARAM && !ptx_parser_is(parser, ".reg"))
        return ptx_parser_fail(parser, &token, "", "expected .param or .reg, found '%.*s'",
                               (int)(token.length > 40 ? 40 : token.length), token.at);
    ptx_parser_advance(parser);
    if (!take_kind(parser, variable) || !ptx_parser_name(parser, "the name of a parameter", &variable->name)) return 0;
    if (!take_dims(parser, variable, &dims)) return 0;
    finish_size(variable);
    return check_parameter(parser, &token, variable, &dims);
}

int ptx_parse_parameters(struct parser *parser, struct ptx_arena_list *variables, uint32_t *count)
{
    *count = 0;
    if (ptx_parser_take(parser, ")")) return 1;
    do {
        struct ptx_variable variable = {0};
        if (!parse_parameter(parser, &variable)) return 0;
        *(struct ptx_variable *)ptx_arena_list_add(parser->arena, variables, sizeof variable) = variable;
        ++*count;
    } while (ptx_parser_take(parser, ","));
    return ptx_parser_expect(parser, ")");
}
