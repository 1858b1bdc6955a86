// SPDX-License-Identifier: MIT
// The words of PTX text, one at a time: no memory, no state but the place. Also where a place is, and the complaint
// that points at it.
#ifndef TMAREF_PTX_LEXER_H
#define TMAREF_PTX_LEXER_H

#include <stddef.h>
#include <stdint.h>

// TOKEN_DOTTED is a word with its dot: .global, .L2::128B, .1d. TOKEN_MARK is one character.
enum ptx_token_kind { TOKEN_END, TOKEN_WORD, TOKEN_DOTTED, TOKEN_NUMBER, TOKEN_STRING, TOKEN_MARK };

struct ptx_token {
    enum ptx_token_kind kind;
    uint32_t length, line; // line counts from 1
    const char *at;
};

struct ptx_lexer {
    const char *at, *end;
    uint32_t line;
};

enum { PTX_MESSAGE_BYTES = 320, PTX_MOST_ERRORS = 20 };

// One complaint: where, what, and what to do about it (may be "").
struct ptx_error {
    uint32_t line, column, length; // from 1; of the text that the caret marks
    char message[PTX_MESSAGE_BYTES], advice[PTX_MESSAGE_BYTES];
};

// `count` goes on past what `item` holds.
struct ptx_errors {
    uint32_t count;
    struct ptx_error item[PTX_MOST_ERRORS];
};

struct ptx_token ptx_lexer_next(struct ptx_lexer *lexer);

// The next token, which stays.
struct ptx_token ptx_lexer_peek(const struct ptx_lexer *lexer);

// Goes behind the `}` that closes the block whose `{` has been read; 0 if the text ends first.
int ptx_lexer_skip_block(struct ptx_lexer *lexer);

int ptx_token_is(const struct ptx_token *token, const char *text);

// The value of a TOKEN_NUMBER. A double for is_float, else 64 bits; is_wide if they did not fit and were cut; 0 if it
// is no number.
struct ptx_number {
    int is_float, is_single, is_pattern, is_unsigned, is_wide; // is_pattern: written as 0f... or 0d...
    uint64_t bits; // an integer, or the bits of the double; of the single for 0f...
};
int ptx_token_number(const struct ptx_token *token, struct ptx_number *number);

// Adds a complaint at `token` of the text that begins at `text`.
void ptx_complain(struct ptx_errors *errors, const char *text, const struct ptx_token *token, const char *advice,
                  const char *format, ...) __attribute__((format(printf, 5, 6)));

#endif
