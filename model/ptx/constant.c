// SPDX-License-Identifier: MIT
// Expressions of constants: the operators of C with their ranks, on .s64, .u64 and .f64. The types are those of
// "Constant Expressions" in PTX, and where it is silent those of ptxas: a literal with U or bit 63 is .u64; ~ and %
// give .u64, and % reads its operands so; !, &&, || and comparisons give .s64; shifts have the type of what they shift,
// and of the count only the low 6 bits; a choice has the type of the value it takes. Integers and floats do not mix.
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
    memcpy(&value, &number->bits, sizeof value);
    return value;
}

static void set_double(struct ptx_number *number, double value)
{
    *number = (struct ptx_number){.is_float = 1};
    memcpy(&number->bits, &value, sizeof value);
}

static void set_truth(struct ptx_number *number, bool is_true)
{
    *number = (struct ptx_number){.bits = (uint64_t)is_true};
}

static bool is_comparison(const char *text)
{
    return text[0] == '=' || text[0] == '!' || ((text[0] == '<' || text[0] == '>') && text[1] != text[0]);
}

// What a comparison says of two numbers, of which at most one of `below`, `same` and `above` holds; NaNs have none.
static bool compare(const char *text, bool below, bool same, bool above)
{
    switch (text[0]) {
    case '<':
        return text[1] == '=' ? below || same : below;
    case '>':
        return text[1] == '=' ? above || same : above;
    case '=':
        return same;
    default:
        return !same;
    }
}

static int fail_float(struct parser *parser, const struct ptx_token *token)
{
    return ptx_parser_fail(parser, token, "", "not an operator of floating-point constants");
}

static int fail_single(struct parser *parser, const struct ptx_token *token)
{
    return ptx_parser_fail(parser, token, "Write 0d and the 16 digits of the double, or the sign as a bit.",
                           "a constant such as 0f3F800000 takes no operators");
}

static int apply_float(struct parser *parser, const struct ptx_token *token, const char *text, struct ptx_number *left,
                       const struct ptx_number *right)
{
    double a = as_double(left), b = as_double(right);
    if (left->is_float != right->is_float)
        return ptx_parser_fail(parser, token, "Write 1.0 for 1.",
                               "an integer and a floating-point constant do not mix");
    if (left->is_single || right->is_single) return fail_single(parser, token);
    if (*text == '/' && b == 0) return ptx_parser_fail(parser, token, "", "division by zero");
    switch (*text) {
    case '+':
        set_double(left, a + b);
        return 1;
    case '-':
        set_double(left, a - b);
        return 1;
    case '*':
        set_double(left, a * b);
        return 1;
    case '/':
        set_double(left, a / b);
        return 1;
    default:
        if (!is_comparison(text)) return fail_float(parser, token);
        set_truth(left, compare(text, a<b, a == b, a> b));
        return 1;
    }
}

static uint64_t divide(uint64_t a, uint64_t b, bool is_unsigned)
{
    if (is_unsigned) return a / b;
    return b == UINT64_MAX ? -a : (uint64_t)((int64_t)a / (int64_t)b);
}

static uint64_t shift(const char *text, const struct ptx_number *a, uint64_t count)
{
    count &= 63;
    if (text[0] == '<') return a->bits << count;
    return a->is_unsigned ? a->bits >> count : (uint64_t)((int64_t)a->bits >> count);
}

static void compare_integers(const char *text, struct ptx_number *a, const struct ptx_number *b)
{
    const uint64_t bias = a->is_unsigned || b->is_unsigned ? 0 : (uint64_t)1 << 63; // signed order is that of x + 2^63
    const uint64_t x = a->bits ^ bias, y = b->bits ^ bias;
    set_truth(a, compare(text, x<y, x == y, x> y));
}

static int apply(struct parser *parser, const struct ptx_token *token, const char *text, struct ptx_number *a,
                 const struct ptx_number *b)
{
    const bool is_double = text[1] == text[0]; // << >> && || ==
    if (a->is_float || b->is_float) return apply_float(parser, token, text, a, b);
    if ((*text == '/' || *text == '%') && b->bits == 0) return ptx_parser_fail(parser, token, "", "division by zero");
    if (is_comparison(text)) {
        compare_integers(text, a, b);
        return 1;
    }
    if (is_double && (*text == '|' || *text == '&')) {
        set_truth(a, *text == '|' ? a->bits != 0 || b->bits != 0 : a->bits != 0 && b->bits != 0);
        return 1;
    }
    if (is_double) {
        a->bits = shift(text, a, b->bits);
        return 1;
    }
    a->is_unsigned = a->is_unsigned || b->is_unsigned || *text == '%';
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
        a->bits = divide(a->bits, b->bits, a->is_unsigned);
        break;
    case '%':
        a->bits %= b->bits;
        break;
    case '|':
        a->bits |= b->bits;
        break;
    case '&':
        a->bits &= b->bits;
        break;
    default:
        a->bits ^= b->bits;
    }
    return 1;
}

static int parse_ranked(struct parser *parser, int least, struct ptx_number *value);

// (.s64) and (.u64) before a value.
static int parse_cast(struct parser *parser, struct ptx_number *value)
{
    bool is_unsigned = ptx_parser_is(parser, ".u64");
    if (!is_unsigned && !ptx_parser_is(parser, ".s64"))
        return ptx_parser_fail(parser, &parser->token, "", "a cast is (.s64) or (.u64)");
    ptx_parser_advance(parser);
    if (!ptx_parser_expect(parser, ")") || !parse_ranked(parser, 11, value)) return 0;
    if (value->is_float) return ptx_parser_fail(parser, &parser->token, "", "a cast takes an integer");
    value->is_unsigned = is_unsigned;
    return 1;
}

static int parse_group(struct parser *parser, struct ptx_number *value)
{
    if (parser->token.kind == TOKEN_DOTTED) return parse_cast(parser, value);
    return ptx_parse_constant(parser, value) && ptx_parser_expect(parser, ")");
}

static int parse_sign(struct parser *parser, const struct ptx_token *sign, struct ptx_number *value)
{
    if (!parse_ranked(parser, 11, value)) return 0;
    if (value->is_single) return fail_single(parser, sign);
    switch (*sign->at) {
    case '-':
        if (value->is_float)
            set_double(value, -as_double(value));
        else
            value->bits = -value->bits;
        return 1;
    case '+':
        return 1;
    default:
        if (value->is_float) return fail_float(parser, sign);
        if (*sign->at == '!')
            set_truth(value, value->bits == 0);
        else
            *value = (struct ptx_number){.bits = ~value->bits, .is_unsigned = 1};
        return 1;
    }
}

static int parse_value(struct parser *parser, struct ptx_number *value)
{
    struct ptx_token token = parser->token;
    if (ptx_parser_take(parser, "(")) return parse_group(parser, value);
    if (token.kind == TOKEN_MARK && token.length == 1 && strchr("+-~!", *token.at) != NULL) {
        ptx_parser_advance(parser);
        return parse_sign(parser, &token, value);
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
    struct ptx_token token = parser->token;
    if (!ptx_parse_constant(parser, &yes) || !ptx_parser_expect(parser, ":") || !ptx_parse_constant(parser, &no))
        return 0;
    if (value->is_float || yes.is_float || no.is_float)
        return ptx_parser_fail(parser, &token, "", "a choice is between integers");
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
