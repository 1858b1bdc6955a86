// SPDX-License-Identifier: MIT
// tensormap.replace on the command line: "global_dim:0=128", as `tmaref decode --replace` takes it.
#ifndef TMAREF_REPLACE_OPTIONS_H
#define TMAREF_REPLACE_OPTIONS_H

#include "replace.h"
#include "result.h"

// Reads FIELD=VALUE or FIELD:ORDINAL=VALUE; the value is a number, or for elemtype the name of a type. Returns 0 with a
// sentence in `why` when it is no instruction that the assembler takes.
int replace_option_read(const char *text, struct replace_op *op, struct text *why);

#endif
