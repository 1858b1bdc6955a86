// SPDX-License-Identifier: MIT
// An edit at one line of the PTX, made at each line that the same place of the source has become: the body of a loop
// that the compiler has unrolled stands there several times.
#ifndef TMAREF_LOOK_SANITIZE_SPREAD_H
#define TMAREF_LOOK_SANITIZE_SPREAD_H

#include "remedy.h"

#pragma GCC visibility push(hidden)

// Gives each piece the copies of its line: those with the same .loc in front of them and the same opcode. text: of the
// PTX. 0: no piece has any, one has more than REMEDY_COPIES, or they have different numbers of them.
bool sanitize_spread(struct remedy_edit *edit, const char *text);

#pragma GCC visibility pop

#endif
