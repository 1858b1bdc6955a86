// SPDX-License-Identifier: MIT
// Where code comes from: .loc with its inlined_at, and the names of functions in .debug_str.
#include <string.h>

#include "parser.h"

static uint32_t *slot_of(struct body *body, uint32_t file, uint32_t line, uint32_t column)
{
    uint32_t hash = (file * 31 + line) * 2654435761u + column * 40503u;
    return &body->last_location[(hash >> 7) % LOCATION_SLOTS];
}

static uint32_t add_location(struct parser *parser, struct body *body, const struct ptx_location *location)
{
    if (body->locations.count == 0) ptx_arena_list_add(parser->arena, &body->locations, sizeof *location); // 0 is none
    *(struct ptx_location *)ptx_arena_list_add(parser->arena, &body->locations, sizeof *location) = *location;
    uint32_t number = body->locations.count - 1;
    *slot_of(body, location->file, location->line, location->column) = number;
    return number;
}

// The last location of that place: the one that the function was inlined at. One that was not seen is made.
static uint32_t find_location(struct parser *parser, struct body *body, const struct ptx_location *place)
{
    uint32_t number = *slot_of(body, place->file, place->line, place->column);
    const struct ptx_location *all = body->locations.item;
    if (number != 0 && all[number].file == place->file && all[number].line == place->line &&
        all[number].column == place->column)
        return number;
    return add_location(parser, body, place);
}

static bool take_place(struct parser *parser, struct ptx_location *location)
{
    if (!ptx_parser_u32(parser, "the number of a file", &location->file)) return false;
    location->file += parser->unit->first_file;
    return ptx_parser_u32(parser, "a line", &location->line) && ptx_parser_u32(parser, "a column", &location->column);
}

// function_name $L__info_string0+12, inlined_at 1 20 3
static bool take_inlined(struct parser *parser, struct body *body, struct ptx_location *location)
{
    struct ptx_location caller = {0};
    if (!ptx_parser_expect(parser, "function_name") || !ptx_parser_name(parser, "a label", &location->function))
        return false;
    if (ptx_parser_take(parser, "+") && !ptx_parser_u32(parser, "an offset", &location->function_offset)) return false;
    if (!ptx_parser_expect(parser, ",") || !ptx_parser_expect(parser, "inlined_at") || !take_place(parser, &caller))
        return false;
    location->inlined_at = find_location(parser, body, &caller);
    return true;
}

int ptx_parse_location(struct parser *parser, struct body *body)
{
    struct ptx_location location = {0};
    if (!take_place(parser, &location)) return 0;
    if (ptx_parser_take(parser, ",") && !take_inlined(parser, body, &location)) return 0;
    body->location = add_location(parser, body, &location);
    return 1;
}

// --- Names of functions ----------------------------------------------------------------------------------------------

// Copies the bytes of .b8 lists up to a zero, after leaving out `skip` of them.
static void copy_string(struct ptx_lexer *lexer, uint32_t skip, char *to, size_t size_bytes)
{
    size_t used = 0;
    for (struct ptx_token token = ptx_lexer_next(lexer); token.kind != TOKEN_END; token = ptx_lexer_next(lexer)) {
        struct ptx_number number;
        if (token.kind == TOKEN_MARK && *token.at == ':') break; // the next label
        if (!ptx_token_number(&token, &number)) continue;
        if (skip > 0) {
            skip--;
            continue;
        }
        if (number.bits == 0 || used + 1 >= size_bytes) break;
        to[used++] = (char)number.bits;
    }
    to[used] = '\0';
}

struct ptx_name ptx_location_function(const struct ptx_module *module, const struct ptx_location *location, char *to,
                                      size_t size_bytes)
{
    to[0] = '\0';
    const struct unit *unit = ptx_unit_of(module, location->function.at);
    struct ptx_lexer lexer = {unit->debug_text, unit->debug_end, 1};
    if (location->function.length == 0 || unit->debug_text == NULL) return (struct ptx_name){to, 0};
    for (struct ptx_token token = ptx_lexer_next(&lexer); token.kind != TOKEN_END; token = ptx_lexer_next(&lexer)) {
        if (token.kind != TOKEN_WORD || token.length != location->function.length ||
            memcmp(token.at, location->function.at, token.length) != 0)
            continue;
        ptx_lexer_next(&lexer); // its colon
        copy_string(&lexer, location->function_offset, to, size_bytes);
        break;
    }
    return (struct ptx_name){to, (uint32_t)strlen(to)};
}
