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
    *bits = number->bits;
    if ((row->kind == PTX_KIND_FLOAT) != number->is_float && (row->kind != PTX_KIND_BITS || number->is_float))
        return ptx_parser_fail(parser, token, "", "a constant for .%s is a%s", row->name,
                               row->kind == PTX_KIND_FLOAT ? " floating-point number: 1.0 or 0f3F800000" : "n integer");
    if (row->kind != PTX_KIND_FLOAT) return 1;
    float single = single_of(number->bits);
    double wide;
    if (row->bits == 32 && !number->is_single) {
        uint32_t word;
        memcpy(&word, &single, sizeof word);
        *bits = word;
    } else if (row->bits == 64 && number->is_single) {
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

// symbol, symbol + 8, generic(symbol) + 8; the rest of mask(...) is read by the caller.
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
    if (named == NULL)
        return ptx_parser_fail(parser, &token, "Declare it above, with .extern if it is defined later.",
                               "there is no '%.*s'", (int)(name.length > 100 ? 100 : name.length), name.at);
    relocation->index = named->index;
    relocation->is_function = named->kind == NAME_FUNCTION;
    if ((ptx_parser_is(parser, "+") || ptx_parser_is(parser, "-")) && !ptx_parse_constant(parser, &add)) return 0;
    relocation->add = (int64_t)add.bits;
    return 1;
}

static int put_address(struct parser *parser, struct initial *initial, uint64_t mask)
{
    struct ptx_relocation relocation = {
        .offset = initial->bytes.count, .bytes = (uint8_t)initial->each_bytes, .mask = mask};
    if (!take_address(parser, &relocation)) return 0;
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

static int take_list(struct parser *parser, struct initial *initial)
{
    if (!ptx_parser_take(parser, "{")) return take_element(parser, initial);
    if (++parser->depth > MOST_DEPTH) return ptx_parser_fail(parser, &parser->token, "", "braces too deep");
    while (!ptx_parser_is(parser, "}")) {
        if (!take_list(parser, initial)) return 0;
        if (!ptx_parser_take(parser, ",")) break;
    }
    parser->depth--;
    return ptx_parser_expect(parser, "}");
}

static int finish(struct parser *parser, struct initial *initial, const struct ptx_token *token)
{
    struct ptx_variable *variable = initial->variable;
    uint64_t room = variable->elements * initial->each_bytes;
    if (variable->is_unsized) {
        variable->is_unsized = 0;
        variable->elements = initial->bytes.count / initial->each_bytes;
    } else if (initial->bytes.count > room) {
        return ptx_parser_fail(parser, token, "", "%u values for %llu elements",
                               initial->bytes.count / initial->each_bytes, (unsigned long long)variable->elements);
    }
    variable->init_bytes = initial->bytes.count;
    variable->init = ptx_arena_list_keep(parser->arena, &initial->bytes, 1);
    variable->relocations = initial->relocations.count;
    variable->relocation = ptx_arena_list_keep(parser->arena, &initial->relocations, sizeof(struct ptx_relocation));
    return 1;
}

int ptx_parse_initial(struct parser *parser, struct ptx_variable *variable)
{
    struct initial *initial = &parser->module->initial;
    struct ptx_token token = parser->token;
    enum ptx_type type = (enum ptx_type)variable->type;
    initial->variable = variable;
    initial->type = type;
    initial->each_bytes = (ptx_type_row(type)->bits + 7) / 8;
    initial->bytes.count = initial->relocations.count = 0;
    return take_list(parser, initial) && finish(parser, initial, &token);
}
