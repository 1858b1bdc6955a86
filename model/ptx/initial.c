// SPDX-License-Identifier: MIT
// What a variable begins with: numbers, strings of them in braces, addresses of variables and functions.
#include <string.h>

#include "parser.h"

static float single_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return (float)value;
}

// The bits of a constant as the type stores it.
static int bits_of(struct parser *parser, const struct ptx_token *token, enum ptx_type type,
                   const struct ptx_number *number, uint64_t *bits)
{
    const struct ptx_type_row *row = ptx_type_row(type);
    const bool is_plain = row->kind == PTX_KIND_BITS && row->bits >= 32; // takes both
    *bits = number->bits;
    if ((row->kind == PTX_KIND_FLOAT) != number->is_float && !(is_plain && number->is_float) &&
        (row->kind != PTX_KIND_BITS || number->is_float))
        return ptx_parser_fail(parser, token, "", "a constant for .%s is a%s", row->name,
                               row->kind == PTX_KIND_FLOAT ? " floating-point number: 1.0 or 0f3F800000" : "n integer");
    if (!number->is_float) return 1;
    float single = single_of(number->bits);
    double wide;
    if (row->bits == 32 && !number->is_single) {
        uint32_t word;
        memcpy(&word, &single, sizeof word);
        *bits = word;
    } else if (row->kind == PTX_KIND_FLOAT && row->bits == 64 && number->is_single) {
        uint32_t word = (uint32_t)number->bits;
        memcpy(&single, &word, sizeof single);
        wide = single;
        memcpy(bits, &wide, sizeof wide);
    }
    return 1;
}

static void put(struct parser *parser, struct initial *initial, uint64_t bits)
{
    for (uint32_t i = 0; i < initial->each_bytes; i++)
        *(uint8_t *)ptx_arena_list_add(parser->arena, &initial->bytes, 1) = (uint8_t)(i < 8 ? bits >> 8 * i : 0);
}

// What ptxas lets an address be: of a variable in global or constant memory, or of a function without more.
static int check_symbol(struct parser *parser, const struct ptx_token *token, const struct named *named,
                        const struct ptx_relocation *relocation)
{
    if (named == NULL)
        return ptx_parser_fail(parser, token, "Declare it above, with .extern if it is defined later.",
                               "there is no '%.*s'", (int)(token->length > 100 ? 100 : token->length), token->at);
    if (named->kind == NAME_FUNCTION)
        return !relocation->is_generic ||
               ptx_parser_fail(parser, token, "Write its name alone.", "generic() takes a variable, not a function");
    const enum ptx_word space = ((struct ptx_variable *)parser->module->variables.item)[named->index].space;
    return space == PTX_GLOBAL || space == PTX_CONST ||
           ptx_parser_fail(parser, token, "",
                           "an initial value may hold only the address of a .global or .const variable");
}

// symbol, symbol + 8, generic(symbol) + 8; the rest of 0xff(...) is read by the caller.
static int take_address(struct parser *parser, struct ptx_relocation *relocation)
{
    struct ptx_name name;
    struct ptx_number add = {0};
    relocation->is_generic = (uint8_t)ptx_parser_take(parser, "generic");
    if (relocation->is_generic && !ptx_parser_expect(parser, "(")) return 0;
    struct ptx_token token = parser->token;
    if (!ptx_parser_name(parser, "the name of a variable or function", &name)) return 0;
    if (relocation->is_generic && !ptx_parser_expect(parser, ")")) return 0;
    const struct named *named = ptx_names_find(&parser->unit->names, name);
    if (!check_symbol(parser, &token, named, relocation)) return 0;
    relocation->index = named->index;
    relocation->is_function = named->kind == NAME_FUNCTION;
    token = parser->token;
    if (!ptx_parser_take(parser, "+")) return 1;
    if (!ptx_parse_constant(parser, &add)) return 0;
    relocation->add = (int64_t)add.bits;
    if (relocation->is_function)
        return ptx_parser_fail(parser, &token, "", "an offset cannot be added to a function's address");
    return !add.is_float || ptx_parser_fail(parser, &token, "", "only an integer may be added to an address");
}

// Of a whole address the mask is UINT64_MAX.
static int check_address_type(struct parser *parser, const struct initial *initial, uint64_t mask)
{
    const enum ptx_type type = initial->type;
    bool is_byte = false;
    for (int at = 0; at < 64; at += 8) is_byte |= mask == (uint64_t)0xff << at;
    if (mask != UINT64_MAX && !is_byte)
        return ptx_parser_fail(parser, &parser->token, "", "a mask is one byte: 0xff, 0xff00, ... 0xff00000000000000");
    return type == PTX_TYPE_u64 || type == PTX_TYPE_u32 || (type == PTX_TYPE_u8 && is_byte) ||
           ptx_parser_fail(parser, &parser->token, "Declare the variable as .u64, or as .u8 with 0xff(name) and so on.",
                           "a variable of .%s cannot hold an address", ptx_type_row(type)->name);
}

static int put_address(struct parser *parser, struct initial *initial, uint64_t mask)
{
    struct ptx_relocation relocation = {
        .offset = initial->bytes.count, .bytes = (uint8_t)initial->each_bytes, .mask = mask};
    if (!check_address_type(parser, initial, mask) || !take_address(parser, &relocation)) return 0;
    while (mask != 0 && (mask >> relocation.shift & 0xff) == 0 && relocation.shift < 56) relocation.shift += 8;
    *(struct ptx_relocation *)ptx_arena_list_add(parser->arena, &initial->relocations, sizeof relocation) = relocation;
    put(parser, initial, 0);
    return 1;
}

// 12, 1.5, name + 4, 0xff00(name): a byte of an address.
static int take_element(struct parser *parser, struct initial *initial)
{
    struct ptx_token token = parser->token;
    struct ptx_number number;
    uint64_t bits;
    if (token.kind == TOKEN_WORD && !ptx_parser_is(parser, "WARP_SZ")) return put_address(parser, initial, UINT64_MAX);
    if (!ptx_parse_constant(parser, &number)) return 0;
    if (ptx_parser_take(parser, "("))
        return put_address(parser, initial, number.bits) && ptx_parser_expect(parser, ")");
    if (!bits_of(parser, &token, initial->type, &number, &bits)) return 0;
    put(parser, initial, bits);
    return 1;
}

// As many values as a vector has parts.
static int take_vector(struct parser *parser, struct initial *initial)
{
    const struct ptx_variable *variable = initial->variable;
    if (variable->vector == 1) return take_element(parser, initial);
    if (!ptx_parser_expect(parser, "{")) return 0;
    for (int i = 0; i < variable->vector; i++)
        if ((i > 0 && !ptx_parser_expect(parser, ",")) || !take_element(parser, initial)) return 0;
    return ptx_parser_expect(parser, "}");
}

// Braces for each dimension, with at most as many values as it has. As ptxas has it, the values lie one behind the
// other, also behind a row that is not full, and the rest of the array is zero.
static int take_rows(struct parser *parser, struct initial *initial, int dim)
{
    struct ptx_token token = parser->token;
    uint64_t count = 0;
    if (dim == initial->dims.count) return take_vector(parser, initial);
    const uint64_t most = initial->dims.of[dim];
    if (!ptx_parser_expect(parser, "{")) return 0;
    for (bool is_first = true; !(is_first && ptx_parser_is(parser, "}")); is_first = false) {
        if (!take_rows(parser, initial, dim + 1)) return 0;
        count++;
        if (!ptx_parser_take(parser, ",")) break;
    }
    if (most > 0 && count > most)
        return ptx_parser_fail(parser, &token, "", "%llu values for %llu elements", (unsigned long long)count,
                               (unsigned long long)most);
    return ptx_parser_expect(parser, "}");
}

static int finish(struct parser *parser, struct initial *initial, const struct ptx_token *token)
{
    struct ptx_variable *variable = initial->variable;
    if (variable->is_unsized) {
        if (initial->bytes.count == 0) return ptx_parser_fail(parser, token, "", "the array has no elements");
        variable->is_unsized = 0;
        variable->elements = initial->bytes.count / initial->each_bytes;
    }
    variable->init_bytes = initial->bytes.count;
    variable->init = ptx_arena_list_keep(parser->arena, &initial->bytes, 1);
    variable->relocations = initial->relocations.count;
    variable->relocation = ptx_arena_list_keep(parser->arena, &initial->relocations, sizeof(struct ptx_relocation));
    return 1;
}

int ptx_parse_initial(struct parser *parser, struct ptx_variable *variable, const struct dims *dims)
{
    struct initial *initial = &parser->module->initial;
    struct ptx_token token = parser->token;
    enum ptx_type type = (enum ptx_type)variable->type;
    if (type == PTX_TYPE_f16 || type == PTX_TYPE_f16x2)
        return ptx_parser_fail(parser, &token, "Declare it as .b16 or .b32, with the bits.",
                               "a variable of .%s has no initial value", ptx_type_row(type)->name);
    initial->variable = variable;
    initial->dims = *dims;
    initial->type = type;
    initial->each_bytes = (ptx_type_row(type)->bits + 7) / 8;
    initial->bytes.count = initial->relocations.count = 0;
    return take_rows(parser, initial, 0) && finish(parser, initial, &token);
}
