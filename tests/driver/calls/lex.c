// SPDX-License-Identifier: MIT
// The words of a line, and of the API's headers: those of C, and """ around text of several lines.
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"

struct word word;
const char *where_file = "", *where_text = "";
int where_line;

static struct kept {
    struct kept *next;
    _Alignas(16) unsigned char bytes[];
} * kept;

void *keep(size_t bytes)
{
    struct kept *made = calloc(1, sizeof *made + bytes + 1);
    if (made == NULL) fail("no memory");
    made->next = kept;
    kept = made;
    return made->bytes;
}

char *keep_text(const char *from, size_t length)
{
    return memcpy(keep(length + 1), from, length);
}

void fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf("%s:%d: ", where_file, where_line);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n    %s\n", where_text);
    if (word.from >= where_text && word.from <= where_text + strlen(where_text))
        printf("    %*s^\n", (int)(word.from - where_text), "");
    print_callers();
    exit(EXIT_FAILURE);
}

static const char *pass_space(const char *at)
{
    for (;;) {
        while (isspace((unsigned char)*at)) at++;
        if (*at != '#' && strncmp(at, "//", 2) != 0) return at;
        while (*at != '\0' && *at != '\n') at++;
    }
}

static char escaped(const char **at)
{
    static const char from[] = "ntr\\\"'", to[] = "\n\t\r\\\"'";
    char *end;
    if (*++*at == 'x') {
        const char byte = (char)strtol(*at + 1, &end, 16);
        *at = end - 1;
        return byte;
    }
    if (**at >= '0' && **at <= '7') return (char)(**at - '0');
    const char *found = strchr(from, **at);
    if (found == NULL) fail("an escape that is not known");
    return to[found - from];
}

// Raw text begins on the line after """.
static const char *read_raw(const char *at)
{
    const char *begin = at + 3 + (at[3] == '\n'), *end = strstr(begin, "\"\"\"");
    if (end == NULL) fail("no end of \"\"\"");
    word.text = keep_text(begin, (size_t)(end - begin));
    return end + 3;
}

static const char *read_text(const char *at)
{
    if (strncmp(at, "\"\"\"", 3) == 0) return read_raw(at);
    const char quote = *at++;
    char *to = word.text = keep(strlen(at));
    for (; *at != quote; at++) {
        if (*at == '\0') fail("no end of the text");
        *to++ = *at == '\\' ? escaped(&at) : *at;
    }
    return at + 1;
}

static const char *read_number(const char *at)
{
    char *end, *end_of_real;
    word.number = (int64_t)strtoull(at, &end, 0);
    word.real = strtod(at, &end_of_real);
    const bool is_real_one = ((*end == '.' && end[1] != '.') || *end == 'e') && end_of_real > end;
    word.kind = is_real_one ? WORD_REAL : WORD_NUMBER;
    if (is_real_one) end = end_of_real;
    word.is_long = word.is_unsigned = false;
    for (; *end != '\0' && strchr("uUlLfF", *end) != NULL; end++) {
        word.is_long |= *end == 'l' || *end == 'L';
        word.is_unsigned |= *end == 'u' || *end == 'U';
    }
    return end;
}

static const char *read_sign(const char *at)
{
    static const char *const longest[] = {"...", "<<=", ">>=", "->", "<<", ">>", "<=", ">=", "==", "!=",
                                          "&&",  "||",  "++",  "--", "+=", "-=", "|=", "*=", "&=", ".."};
    for (size_t i = 0; i < sizeof longest / sizeof longest[0]; i++)
        if (*at == *longest[i] && strncmp(at, longest[i], strlen(longest[i])) == 0) return at + strlen(longest[i]);
    return at + 1;
}

static const char *read_word(const char *at)
{
    if (*at == '\0') {
        word.kind = WORD_END;
    } else if (isalpha((unsigned char)*at) || *at == '_') {
        word.kind = WORD_NAME;
        while (isalnum((unsigned char)*at) || *at == '_') at++;
    } else if (isdigit((unsigned char)*at)) {
        at = read_number(at);
    } else if (*at == '"') {
        word.kind = WORD_TEXT;
        at = read_text(at);
    } else if (*at == '\'') {
        word.kind = WORD_NUMBER;
        at = read_text(at);
        word.number = word.text[0];
    } else {
        word.kind = WORD_SIGN;
        at = read_sign(at);
    }
    return at;
}

void lex_from(const char *text)
{
    word.from = pass_space(text);
    word.length = (size_t)(read_word(word.from) - word.from);
}

void lex_next(void)
{
    lex_from(word.from + word.length);
}

bool lex_is(const char *text)
{
    const bool is_spelled = word.kind == WORD_NAME || word.kind == WORD_SIGN;
    return is_spelled && *text == *word.from && strlen(text) == word.length &&
           memcmp(text, word.from, word.length) == 0;
}

bool lex_take(const char *text)
{
    const bool is = lex_is(text);
    if (is) lex_next();
    return is;
}

void lex_need(const char *text)
{
    if (!lex_take(text)) fail("%s should be here", text);
}

bool lex_is_name(void)
{
    return word.kind == WORD_NAME;
}

char *lex_name(void)
{
    if (!lex_is_name()) fail("a name should be here");
    char *name = keep_text(word.from, word.length);
    lex_next();
    return name;
}
