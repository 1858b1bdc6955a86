// SPDX-License-Identifier: MIT
// Expressions of constants: the operators of C with their ranks, on 64-bit integers and doubles.
#include <string.h>

#include "parser.h"

static const struct {
    const char *text; // one or two characters
    int rank;
} operators[] = {{"||", 1}, {"&&", 2}, {"|", 3}, {"^", 4}, {"&", 5}, {"==", 6}, {"!=", 6}, {"<=", 7}, {">=", 7},
                 {"<<", 8}, {">>", 8}, {"<", 7}, {">", 7}, {"+", 9}, {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10}};
enum { OPERATORS = sizeof operators / sizeof operators[0] };

// The operator that stands here, or -1. The lexer parts its characters, and % begins names.
static int operator_here(const struct parser *parser)
{
    const char *at = parser->token.at;
    if (parser->token.kind != TOKEN_MARK && !(parser->token.length == 1 && *at == '%')) return -1;
    for (int i = 0; i < OPERATORS; i++) {
        size_t length = strlen(operators[i].text);
        if ((size_t)(parser->lexer.end - at) >= length && memcmp(at, operators[i].text, length) == 0) return i;
    }
    return -1;
}

static double as_double(const struct ptx_number *number)
{
    double value;
    float single;
    uint32_t word = (uint32_t)number->bits;
    if (!number->is_float) return number->is_unsigned ? (double)number->bits : (double)(int64_t)number->bits;
    memcpy(&single, &word, sizeof single);
    memcpy(&value, &number->bits, sizeof value);
    return number->is_single ? (double)single : value;
}

static void set_double(struct ptx_number *number, double value)
{
    *number = (struct ptx_number){.is_float = 1};
    memcpy(&number->bits, &value, sizeof value);
}

static int apply_float(struct parser *parser, const struct ptx_token *token, struct ptx_number *left, double right)
{
    double value = as_double(left);
    switch (*token->at) {
    case '+':
        set_double(left, value + right);
        return 1;
    case '-':
        set_double(left, value - right);
        return 1;
    case '*':
        set_double(left, value * right);
        return 1;
    case '/':
        set_double(left, value / right);
        return 1;
    default:
        return ptx_parser_fail(parser, token, "", "not an operator of floating-point constants");
    }
}

static uint64_t divide(const struct ptx_number *a, const struct ptx_number *b, int is_remainder)
{
    int64_t x = (int64_t)a->bits, y = (int64_t)b->bits;
    if (a->is_unsigned || b->is_unsigned) return is_remainder ? a->bits % b->bits : a->bits / b->bits;
    if (y == -1) return is_remainder ? 0 : -a->bits;
    return (uint64_t)(is_remainder ? x % y : x / y);
}

static uint64_t compare(const char *text, const struct ptx_number *a, const struct ptx_number *b)
{
    int is_unsigned = a->is_unsigned || b->is_unsigned;
    int below = is_unsigned ? a->bits < b->bits : (int64_t)a->bits < (int64_t)b->bits, same = a->bits == b->bits;
    switch (text[0]) {
    case '<':
        return text[1] == '=' ? below || same : below;
    case '>':
        return text[1] == '=' ? !below : !below && !same;
    case '=':
        return same;
    default:
        return !same;
    }
}

static uint64_t shift(const char *text, const struct ptx_number *a, const struct ptx_number *b)
{
    uint64_t count = b->bits > 63 ? 64 : b->bits;
    if (text[0] == '<') return count > 63 ? 0 : a->bits << count;
    if (a->is_unsigned) return count > 63 ? 0 : a->bits >> count;
    return (uint64_t)((int64_t)a->bits >> (count > 63 ? 63 : count));
}

static int apply(struct parser *parser, const struct ptx_token *token, const char *text, struct ptx_number *a,
                 const struct ptx_number *b)
{
    if (a->is_float || b->is_float) return apply_float(parser, token, a, as_double(b));
    int is_unsigned = a->is_unsigned || b->is_unsigned;
    if ((*text == '/' || *text == '%') && b->bits == 0) return ptx_parser_fail(parser, token, "", "division by zero");
    switch (*text) {
    case '+':
        a->bits += b->bits;
        break;
    case '-':
        a->bits -= b->bits;
        break;
    case '*':
        a->bits *= b->bits;
        break;
    case '/':
    case '%':
        a->bits = divide(a, b, *text == '%');
        break;
    case '|':
        a->bits = text[1] == '|' ? a->bits != 0 || b->bits != 0 : a->bits | b->bits;
        break;
    case '&':
        a->bits = text[1] == '&' ? a->bits != 0 && b->bits != 0 : a->bits & b->bits;
        break;
    case '^':
        a->bits ^= b->bits;
        break;
    case '<':
    case '>':
        a->bits = text[1] == text[0] ? shift(text, a, b) : compare(text, a, b);
        break;
    default:
        a->bits = compare(text, a, b);
    }
    a->is_unsigned = is_unsigned;
    return 1;
}

static int parse_ranked(struct parser *parser, int least, struct ptx_number *value);

// (.s64) and (.u64) before a value.
static int parse_cast(struct parser *parser, struct ptx_number *value)
{
    int is_unsigned = ptx_parser_is(parser, ".u64");
    if (!is_unsigned && !ptx_parser_is(parser, ".s64"))
        return ptx_parser_fail(parser, &parser->token, "", "a cast is (.s64) or (.u64)");
    ptx_parser_advance(parser);
    if (!ptx_parser_expect(parser, ")") || !parse_ranked(parser, 11, value)) return 0;
    value->is_unsigned = is_unsigned;
    return 1;
}

static int parse_group(struct parser *parser, struct ptx_number *value)
{
    if (parser->token.kind == TOKEN_DOTTED) return parse_cast(parser, value);
    return ptx_parse_constant(parser, value) && ptx_parser_expect(parser, ")");
}

static int parse_sign(struct parser *parser, char sign, struct ptx_number *value)
{
    if (!parse_ranked(parser, 11, value)) return 0;
    if (sign == '-' && value->is_float) {
        if (value->is_single)
            value->bits ^= 1u << 31;
        else
            set_double(value, -as_double(value));
    } else if (sign == '-') {
        value->bits = -value->bits;
    } else if (sign == '~') {
        value->bits = ~value->bits;
    } else if (sign == '!') {
        value->bits = value->bits == 0;
    }
    return 1;
}

static int parse_value(struct parser *parser, struct ptx_number *value)
{
    struct ptx_token token = parser->token;
    if (ptx_parser_take(parser, "(")) return parse_group(parser, value);
    if (token.kind == TOKEN_MARK && token.length == 1 && strchr("+-~!", *token.at) != NULL) {
        ptx_parser_advance(parser);
        return parse_sign(parser, *token.at, value);
    }
    if (ptx_parser_take(parser, "WARP_SZ")) {
        *value = (struct ptx_number){.bits = 32};
        return 1;
    }
    if (!ptx_token_number(&token, value))
        return ptx_parser_fail(parser, &token, "", "expected a constant, found '%.*s'",
                               (int)(token.length > 60 ? 60 : token.length), token.at);
    ptx_parser_advance(parser);
    return 1;
}

// a ? b : c
static int parse_choice(struct parser *parser, struct ptx_number *value)
{
    struct ptx_number yes, no;
    if (!ptx_parse_constant(parser, &yes) || !ptx_parser_expect(parser, ":") || !ptx_parse_constant(parser, &no))
        return 0;
    *value = value->bits != 0 ? yes : no;
    return 1;
}

static int parse_ranked(struct parser *parser, int least, struct ptx_number *value)
{
    if (parser->depth++ > MOST_DEPTH)
        return ptx_parser_fail(parser, &parser->token, "", "the expression is nested too deep");
    int ok = parse_value(parser, value), i;
    while (ok && (i = operator_here(parser)) >= 0 && operators[i].rank >= least) {
        struct ptx_number right;
        struct ptx_token token = parser->token;
        for (size_t n = strlen(operators[i].text); n > 0; n--) ptx_parser_advance(parser);
        ok = parse_ranked(parser, operators[i].rank + 1, &right) &&
             apply(parser, &token, operators[i].text, value, &right);
    }
    parser->depth--;
    return ok;
}

int ptx_parse_constant(struct parser *parser, struct ptx_number *value)
{
    if (parser->depth++ > MOST_DEPTH)
        return ptx_parser_fail(parser, &parser->token, "", "the expression is nested too deep");
    int ok = parse_ranked(parser, 1, value) && (!ptx_parser_take(parser, "?") || parse_choice(parser, value));
    parser->depth--;
    return ok;
}
