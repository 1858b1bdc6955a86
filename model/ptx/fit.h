// SPDX-License-Identifier: MIT
// Which row of a spelling takes the operands as they are written.
#ifndef TMAREF_PTX_FIT_H
#define TMAREF_PTX_FIT_H

#include "parser.h"

// What is known while a row is tried: what each rule takes, or why an operand does not fit.
struct trial {
    const struct operands *operands;
    const struct known_row *row;
    const struct written *chosen[PTX_MOST_OPERANDS]; // by rule; NULL for what is left out
    const struct written *blamed;
    char why[PTX_MESSAGE_BYTES];
};

// The row that takes all operands, with trial->chosen; else NULL and a complaint of the row that takes most.
struct known_row *ptx_fit_row(struct parser *parser, const struct known_spelling *spelling,
                              const struct ptx_token *opcode, struct trial *trial);

#endif
