// SPDX-License-Identifier: MIT
#include "ptx_body.h"

#include <ctype.h>
#include <string.h>

// By how much the line opens braces; its comment does not count.
static int depth_of(const char *line)
{
    int depth = 0;
    for (const char *at = line; *at != '\0' && *at != '\n' && strncmp(at, "//", 2) != 0; at++)
        depth += (*at == '{') - (*at == '}');
    return depth;
}

bool ptx_body_find(struct ptx_body *body, const char *text, uint32_t line)
{
    int depth = 0;
    *body = (struct ptx_body){0};
    for (uint32_t number = 1; text != NULL && line > 0; number++) {
        const int before = depth;
        depth += depth_of(text);
        const char *end = strchr(text, '\n');
        if (before == 0 && depth > 0 && end != NULL) *body = (struct ptx_body){number + 1, 0, end + 1};
        if (before > 0 && depth == 0) {
            body->last = number;
            if (number >= line) return body->at != NULL && body->first <= line;
        }
        text = end != NULL ? end + 1 : NULL;
    }
    return false;
}

static const char *line_at(const struct ptx_body *body, uint32_t line)
{
    const char *at = body->at;
    if (line < body->first || line > body->last) return NULL;
    for (; line > body->first && at != NULL; line--) at = (at = strchr(at, '\n')) != NULL ? at + 1 : NULL;
    return at;
}

bool ptx_body_text(const struct ptx_body *body, uint32_t line, char text[PTX_STATEMENT_BYTES])
{
    const char *at = line_at(body, line);
    if (at == NULL) return false;
    at += strspn(at, " \t");
    size_t length = strcspn(at, "\r\n");
    for (size_t i = 0; i + 1 < length; i++)
        if (at[i] == '/' && at[i + 1] == '/') length = i; // a comment
    while (length > 0 && isspace((unsigned char)at[length - 1])) length--;
    if (length >= PTX_STATEMENT_BYTES) return false;
    memcpy(text, at, length);
    text[length] = '\0';
    return true;
}

bool ptx_body_statement(const struct ptx_body *body, uint32_t line, char statement[PTX_STATEMENT_BYTES])
{
    if (!ptx_body_text(body, line, statement) || statement[0] == '\0' || statement[0] == '.' || statement[0] == '{')
        return false;
    const size_t length = strlen(statement);
    return strchr(statement, ';') == &statement[length - 1];
}

bool ptx_body_parts(const struct ptx_body *body, uint32_t line)
{
    char text[PTX_STATEMENT_BYTES];
    if (!ptx_body_text(body, line, text) || text[0] == '\0') return false;
    const char *word = ptx_statement_word(text);
    return text[strlen(text) - 1] == ':' || strncmp(word, "bra", 3) == 0 || strncmp(word, "ret", 3) == 0 ||
           strncmp(word, "exit", 4) == 0 || strncmp(word, "brx", 3) == 0;
}

bool ptx_body_is_label(const struct ptx_body *body, uint32_t line)
{
    char text[PTX_STATEMENT_BYTES];
    return ptx_body_text(body, line, text) && text[0] != '\0' && text[strlen(text) - 1] == ':';
}

bool ptx_body_has(const struct ptx_body *body, uint32_t line, const char *text)
{
    const char *at = line_at(body, line);
    if (at == NULL) return false;
    for (; *at != '\0' && *at != '\n' && strncmp(at, "//", 2) != 0; at++)
        if (strncmp(at, text, strlen(text)) == 0) return true;
    return false;
}

const char *ptx_statement_word(const char *statement)
{
    if (statement[0] != '@') return statement;
    statement += strcspn(statement, " \t");
    return statement + strspn(statement, " \t");
}

bool ptx_statement_address(const char *statement, int number, char *address, size_t bytes)
{
    const char *open = strchr(statement, '[');
    for (; number > 0 && open != NULL; number--) open = strchr(open + 1, '[');
    const char *close = open != NULL ? strchr(open, ']') : NULL;
    if (close == NULL || (size_t)(close - open) > bytes) return false;
    memcpy(address, open + 1, (size_t)(close - open) - 1);
    address[close - open - 1] = '\0';
    return true;
}
