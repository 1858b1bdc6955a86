// SPDX-License-Identifier: MIT
#include "lexer.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SPACE = 1, WORD = 2, DIGIT = 4, START = 8 }; // START: of a word, and nowhere else in it

// Which characters may stand where; all others stand alone.
static const unsigned char kinds[256] = {
    [' '] = SPACE,        ['\t'] = SPACE,       ['\r'] = SPACE,
    ['\n'] = SPACE,       ['\f'] = SPACE,       ['\v'] = SPACE,
    ['a' ... 'z'] = WORD, ['A' ... 'Z'] = WORD, ['0' ... '9'] = WORD | DIGIT,
    ['_'] = WORD,         ['$'] = WORD,         ['%'] = START,
};

static bool is_kind(const struct ptx_lexer *lexer, const char *at, int kind)
{
    return at < lexer->end && (kinds[(unsigned char)*at] & kind) != 0;
}

// Behind a comment whose two first characters are at `at`.
static void skip_comment(struct ptx_lexer *lexer)
{
    bool is_line = lexer->at[1] == '/';
    for (lexer->at += 2; lexer->at < lexer->end; lexer->at++) {
        if (is_line && *lexer->at == '\n') return;
        lexer->line += *lexer->at == '\n';
        if (!is_line && lexer->at[0] == '*' && lexer->end - lexer->at > 1 && lexer->at[1] == '/') {
            lexer->at += 2;
            return;
        }
    }
}

static bool is_comment(const struct ptx_lexer *lexer)
{
    return lexer->end - lexer->at > 1 && *lexer->at == '/' && (lexer->at[1] == '/' || lexer->at[1] == '*');
}

static void skip_space(struct ptx_lexer *lexer)
{
    while (lexer->at < lexer->end) {
        if (is_kind(lexer, lexer->at, SPACE))
            lexer->line += *lexer->at++ == '\n';
        else if (is_comment(lexer))
            skip_comment(lexer);
        else
            return;
    }
}

// Behind the word characters at `at`; with `joins` also behind those that :: joins on.
static const char *word_end(const struct ptx_lexer *lexer, const char *at, bool joins)
{
    for (;;) {
        while (is_kind(lexer, at, WORD)) at++;
        if (!joins || lexer->end - at < 3 || at[0] != ':' || at[1] != ':' || !is_kind(lexer, at + 2, WORD)) return at;
        at += 2;
    }
}

// 12, 0x1F, 0b101, 017U, 1.5e-3, 0f3F800000, 0d...
static const char *number_end(const struct ptx_lexer *lexer)
{
    const char *at = lexer->at;
    bool is_based = *at == '0' && lexer->end - at > 1 && strchr("xXbBfFdD", at[1]) != NULL && at[1] != '\0';
    if (is_based) return word_end(lexer, at, false);
    while (is_kind(lexer, at, DIGIT)) at++;
    if (at < lexer->end && *at == '.' && is_kind(lexer, at + 1, DIGIT))
        for (at++; is_kind(lexer, at, DIGIT);) at++;
    else if (at < lexer->end && *at == '.' && !is_kind(lexer, at + 1, WORD))
        at++;
    if (at < lexer->end && (*at == 'e' || *at == 'E')) {
        at++;
        if (at < lexer->end && (*at == '+' || *at == '-')) at++;
    }
    return word_end(lexer, at, false);
}

static const char *string_end(const struct ptx_lexer *lexer)
{
    const char *at = lexer->at + 1;
    while (at < lexer->end && *at != '"' && *at != '\n') at += *at == '\\' && lexer->end - at > 1 ? 2 : 1;
    return at < lexer->end && *at == '"' ? at + 1 : at;
}

struct ptx_token ptx_lexer_next(struct ptx_lexer *lexer)
{
    skip_space(lexer);
    struct ptx_token token = {TOKEN_END, 0, lexer->line, lexer->at};
    if (lexer->at >= lexer->end) return token;
    if (is_kind(lexer, lexer->at, DIGIT)) {
        token.kind = TOKEN_NUMBER;
        lexer->at = number_end(lexer);
    } else if (is_kind(lexer, lexer->at, WORD | START)) {
        token.kind = TOKEN_WORD;
        lexer->at = word_end(lexer, lexer->at + 1, false);
    } else if (*lexer->at == '.' && is_kind(lexer, lexer->at + 1, WORD)) {
        token.kind = TOKEN_DOTTED;
        lexer->at = word_end(lexer, lexer->at + 1, true);
    } else if (*lexer->at == '"') {
        token.kind = TOKEN_STRING;
        lexer->at = string_end(lexer);
    } else {
        token.kind = TOKEN_MARK;
        lexer->at++;
    }
    token.length = (uint32_t)(lexer->at - token.at);
    return token;
}

struct ptx_token ptx_lexer_peek(const struct ptx_lexer *lexer)
{
    struct ptx_lexer ahead = *lexer;
    return ptx_lexer_next(&ahead);
}

int ptx_lexer_skip_block(struct ptx_lexer *lexer)
{
    for (int depth = 1; lexer->at < lexer->end;) {
        char c = *lexer->at;
        if (c == '/' && is_comment(lexer)) {
            skip_comment(lexer);
            continue;
        }
        lexer->line += c == '\n';
        if (c == '"') {
            lexer->at = string_end(lexer);
            continue;
        }
        lexer->at++;
        depth += (c == '{') - (c == '}');
        if (depth == 0) return 1;
    }
    return 0;
}

int ptx_token_is(const struct ptx_token *token, const char *text)
{
    return strncmp(token->at, text, token->length) == 0 && text[token->length] == '\0' && token->kind != TOKEN_END;
}

// --- Numbers ---------------------------------------------------------------------------------------------------------

// What the digits of `text` say in `base`, the last 64 bits of it.
static bool read_digits(const char *text, uint64_t base, struct ptx_number *number)
{
    if (*text == '\0') return false;
    for (; *text != '\0'; text++) {
        uint64_t digit = *text <= '9' ? (uint64_t)(*text - '0') : (uint64_t)((*text | 32) - 'a') + 10;
        if (digit >= base || (*text > '9' && *text < 'A')) return false;
        number->is_wide |= number->bits > (UINT64_MAX - digit) / base;
        number->bits = number->bits * base + digit;
    }
    return true;
}

// 0f and 8 digits, or 0d and 16.
static int read_pattern(const char *text, struct ptx_number *number)
{
    number->is_float = number->is_pattern = 1;
    number->is_single = (text[1] | 32) == 'f';
    return strlen(text + 2) == (number->is_single ? 8u : 16u) && read_digits(text + 2, 16, number);
}

static int read_decimal(const char *text, struct ptx_number *number)
{
    char *end;
    double value = strtod(text, &end);
    number->is_float = 1;
    memcpy(&number->bits, &value, sizeof value);
    return *end == '\0';
}

static bool read_integer(const char *text, char base, struct ptx_number *number)
{
    if (base == 'x') return read_digits(text + 2, 16, number);
    if (base == 'b') return read_digits(text + 2, 2, number);
    return read_digits(text, text[0] == '0' && text[1] != '\0' ? 8 : 10, number);
}

int ptx_token_number(const struct ptx_token *token, struct ptx_number *number)
{
    char text[80];
    *number = (struct ptx_number){0};
    if (token->kind != TOKEN_NUMBER || token->length >= sizeof text) return 0;
    memcpy(text, token->at, token->length);
    text[token->length] = '\0';
    char base = text[0] == '0' ? (char)(text[1] | 32) : ' ';
    if (base == 'f' || base == 'd') return read_pattern(text, number);
    bool is_unsigned = (text[token->length - 1] | 32) == 'u';
    if (base != 'x' && strpbrk(text, ".eE") != NULL) return read_decimal(text, number);
    if (is_unsigned) text[token->length - 1] = '\0';
    if (!read_integer(text, base, number)) return 0;
    number->is_unsigned = is_unsigned || number->bits >> 63;
    return 1;
}

// --- Complaints ------------------------------------------------------------------------------------------------------

void ptx_complain(struct ptx_errors *errors, const char *text, const struct ptx_token *token, const char *advice,
                  const char *format, ...)
{
    if (errors->count++ >= PTX_MOST_ERRORS) return;
    struct ptx_error *error = &errors->item[errors->count - 1];
    const char *line = token->at;
    while (line > text && line[-1] != '\n') line--;
    error->line = token->line;
    error->column = (uint32_t)(token->at - line) + 1;
    error->length = token->length == 0 ? 1 : token->length;
    snprintf(error->advice, sizeof error->advice, "%s", advice);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
}
