// SPDX-License-Identifier: MIT
#include "parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void ptx_parser_advance(struct parser *parser)
{
    parser->token = ptx_lexer_next(&parser->lexer);
}

int ptx_parser_is(const struct parser *parser, const char *text)
{
    return ptx_token_is(&parser->token, text);
}

int ptx_parser_take(struct parser *parser, const char *text)
{
    if (!ptx_parser_is(parser, text)) return 0;
    ptx_parser_advance(parser);
    return 1;
}

// A spelling that blanks part is put together elsewhere: the statement is where to look.
static const struct ptx_token *place_of(const struct parser *parser, const struct ptx_token *token)
{
    bool is_text =
        (uintptr_t)token->at >= (uintptr_t)parser->text && (uintptr_t)token->at <= (uintptr_t)parser->lexer.end;
    return is_text ? token : &parser->statement;
}

int ptx_parser_fail(struct parser *parser, const struct ptx_token *token, const char *advice, const char *format, ...)
{
    char message[PTX_MESSAGE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (!parser->failed) ptx_complain(parser->errors, parser->text, place_of(parser, token), advice, "%s", message);
    parser->failed = true;
    return 0;
}

int ptx_parser_fail_here(struct parser *parser, const char *wanted)
{
    const struct ptx_token *token = &parser->token;
    if (token->kind == TOKEN_END)
        return ptx_parser_fail(parser, token, "", "expected %s, found the end of the text", wanted);
    return ptx_parser_fail(parser, token, "", "expected %s, found '%.*s'", wanted,
                           (int)(token->length > 60 ? 60 : token->length), token->at);
}

int ptx_parser_expect(struct parser *parser, const char *text)
{
    char wanted[24];
    if (ptx_parser_take(parser, text)) return 1;
    snprintf(wanted, sizeof wanted, "'%s'", text);
    return ptx_parser_fail_here(parser, wanted);
}

struct ptx_name ptx_token_name(const struct ptx_token *token)
{
    return (struct ptx_name){token->at, token->length};
}

int ptx_parser_name(struct parser *parser, const char *what, struct ptx_name *name)
{
    if (parser->token.kind != TOKEN_WORD) return ptx_parser_fail_here(parser, what);
    *name = ptx_token_name(&parser->token);
    ptx_parser_advance(parser);
    return 1;
}

int ptx_parser_u32(struct parser *parser, const char *what, uint32_t *value)
{
    struct ptx_number number;
    if (!ptx_token_number(&parser->token, &number) || number.is_float || number.is_wide || number.bits > UINT32_MAX)
        return ptx_parser_fail_here(parser, what);
    *value = (uint32_t)number.bits;
    ptx_parser_advance(parser);
    return 1;
}

void ptx_parser_recover(struct parser *parser)
{
    int braces = 0; // of vectors
    parser->failed = false;
    parser->depth = 0;
    while (parser->token.kind != TOKEN_END && (braces > 0 || !ptx_parser_is(parser, "}"))) {
        if (ptx_parser_take(parser, ";")) return;
        braces += ptx_parser_is(parser, "{") - ptx_parser_is(parser, "}");
        ptx_parser_advance(parser);
    }
}
