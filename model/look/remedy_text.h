// SPDX-License-Identifier: MIT
// A text of PTX with an edit made in it.
#ifndef TMAREF_LOOK_REMEDY_TEXT_H
#define TMAREF_LOOK_REMEDY_TEXT_H

#include "remedy.h"

#pragma GCC visibility push(hidden)

// A text of its own, and the aim's lines in it; NULL: a piece cannot be made. At a copy of its line the text of a piece
// has the operands of the copy.
char *remedy_text(const char *text, const struct remedy_edit *edit, struct remedy_aim *aim);

#pragma GCC visibility pop

#endif
