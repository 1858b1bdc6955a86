// SPDX-License-Identifier: MIT
// Precedence climbing straight over the text: it is evaluated 32 times, so no tree is built.
#include "expression.h"

#include <ctype.h>
#include <string.h>

enum { MAX_DEPTH = 64 };

struct reader {
    const struct expression *expression;
    int at, depth;
    struct expression_error *error;
};

static int fail(struct reader *reader, int column, const char *why)
{
    reader->error->column = column;
    return text_fail(&reader->error->why, "%s", why);
}

static char peek(struct reader *reader)
{
    const struct expression *e = reader->expression;
    while (reader->at < e->end && isspace((unsigned char)e->text[reader->at])) reader->at++;
    return reader->at < e->end ? e->text[reader->at] : '\0';
}

// Higher binds tighter, as in C; 0 is no operator.
static int precedence(char sign)
{
    switch (sign) {
    case '^':
        return 1;
    case '&':
        return 2;
    case '+':
    case '-':
        return 3;
    case '*':
    case '/':
    case '%':
        return 4;
    default:
        return 0;
    }
}

static int apply(struct reader *reader, int column, char sign, int64_t *left, int64_t right)
{
    bool overflow = false;
    if ((sign == '/' || sign == '%') && right == 0) return fail(reader, column, "this divides by zero");
    if (sign == '^') *left ^= right;
    if (sign == '&') *left &= right;
    if (sign == '+') overflow = __builtin_add_overflow(*left, right, left);
    if (sign == '-') overflow = __builtin_sub_overflow(*left, right, left);
    if (sign == '*') overflow = __builtin_mul_overflow(*left, right, left);
    if (sign == '%') *left = right == -1 ? 0 : *left % right;
    if (sign == '/') overflow = right == -1 && *left == INT64_MIN, *left = overflow ? 0 : *left / right;
    return overflow ? fail(reader, column, "this is too large") : 1;
}

static int read_number(struct reader *reader, int64_t *value)
{
    const struct expression *e = reader->expression;
    int start = reader->at, base = 10;
    *value = 0;
    if (e->end - start > 2 && e->text[start] == '0' && tolower((unsigned char)e->text[start + 1]) == 'x') {
        base = 16;
        reader->at += 2;
    }
    for (; reader->at < e->end && isalnum((unsigned char)e->text[reader->at]); reader->at++) {
        int letter = tolower((unsigned char)e->text[reader->at]);
        int digit = isdigit(letter) ? letter - '0' : letter - 'a' + 10;
        if (digit >= base) return fail(reader, reader->at, "this is not a digit of a number");
        *value = *value * base + digit;
        if (*value > UINT32_MAX) return fail(reader, start, "this number is too large");
    }
    return 1;
}

static int read_variable(struct reader *reader, int64_t *value)
{
    const struct expression *e = reader->expression;
    int start = reader->at;
    while (reader->at < e->end && isalnum((unsigned char)e->text[reader->at])) reader->at++;
    size_t length = (size_t)(reader->at - start);
    const char *name = e->text + start;
    bool is_lane = (length == 1 && name[0] == 'l') || (length == 4 && memcmp(name, "lane", 4) == 0);
    if (is_lane && e->lane == EXPRESSION_NO_LANE)
        return fail(reader, start, "this value is the same for every lane: l cannot be used");
    if (!is_lane && !(length == 6 && memcmp(name, "chunks", 6) == 0))
        return fail(reader, start, "the only names are l (the lane, 0 to 31) and chunks (16-byte chunks of a row)");
    *value = is_lane ? e->lane : e->chunks;
    return 1;
}

static bool read_binary(struct reader *reader, int lowest, int64_t *value);

static int read_parenthesis(struct reader *reader, int64_t *value)
{
    int open = reader->at++;
    if (++reader->depth > MAX_DEPTH) return fail(reader, open, "too many parentheses inside each other");
    if (!read_binary(reader, 1, value)) return 0;
    if (peek(reader) != ')') return fail(reader, open, "this parenthesis is not closed");
    reader->at++;
    reader->depth--;
    return 1;
}

static int read_operand(struct reader *reader, int64_t *value)
{
    char next = peek(reader);
    if (next == '(') return read_parenthesis(reader, value);
    if (isdigit((unsigned char)next)) return read_number(reader, value);
    if (isalpha((unsigned char)next)) return read_variable(reader, value);
    return fail(reader, reader->at, "a number, l, chunks or '(' is expected here");
}

static bool read_binary(struct reader *reader, int lowest, int64_t *value)
{
    if (!read_operand(reader, value)) return false;
    for (;;) {
        char sign = peek(reader);
        int column = reader->at, binds = precedence(sign);
        if (binds < lowest) return true;
        reader->at++;
        int64_t right;
        if (!read_binary(reader, binds + 1, &right) || !apply(reader, column, sign, value, right)) return false;
    }
}

int expression_value(const struct expression *expression, int64_t *value, struct expression_error *error)
{
    struct reader reader = {expression, expression->begin, 0, error};
    if (!read_binary(&reader, 1, value)) return 0;
    if (peek(&reader) != '\0')
        return fail(&reader, reader.at, "an operator (+ - * / % ^ &) or the end of the expression is expected here");
    return 1;
}
