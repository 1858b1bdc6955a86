// SPDX-License-Identifier: MIT
// The lines of one function of a PTX text, for those who edit it.
#ifndef TMAREF_LOOK_PTX_BODY_H
#define TMAREF_LOOK_PTX_BODY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum { PTX_STATEMENT_BYTES = 256 };

// Lines first..last, from that behind the opening brace to that of the closing one. at: the text of line `first`.
struct ptx_body {
    uint32_t first, last;
    const char *at;
};

// Of the function that the line is in. 0: it is in none.
bool ptx_body_find(struct ptx_body *body, const char *text, uint32_t line);

// The line without blanks around it and without a comment. 0 if it is not one statement of the function.
bool ptx_body_statement(const struct ptx_body *body, uint32_t line, char statement[PTX_STATEMENT_BYTES]);

// The line, without blanks around it and without a comment. 0: it is too long.
bool ptx_body_text(const struct ptx_body *body, uint32_t line, char text[PTX_STATEMENT_BYTES]);

// Does the line end a straight run: a label, or a branch?
bool ptx_body_parts(const struct ptx_body *body, uint32_t line);

// Has the line this, in front of its comment?
bool ptx_body_has(const struct ptx_body *body, uint32_t line, const char *text);

bool ptx_body_is_label(const struct ptx_body *body, uint32_t line);

// What stands behind the guard, and the length of the guard with the blanks behind it.
const char *ptx_statement_word(const char *statement);

// The `number`th operand in brackets, without them. 0: there is none, or it is longer than `bytes`.
bool ptx_statement_address(const char *statement, int number, char *address, size_t bytes);

#pragma GCC visibility pop

#endif
