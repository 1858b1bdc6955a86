// SPDX-License-Identifier: MIT
// The place that --why asks about, as a user writes it:
//   [KERNEL[#LAUNCH]:]NAME[+OFFSET][@CTA][:BYTES]  a shared variable of a kernel, or else a variable of a module
//   alloc:N[+OFFSET][:BYTES]                       in what the N-th call that allocates memory has made
//   global:ADDRESS[:BYTES]
#ifndef TMAREF_LOOK_WHY_PLACE_H
#define TMAREF_LOOK_WHY_PLACE_H

#include "look.h"

#pragma GCC visibility push(hidden)

enum why_kind { WHY_NAME, WHY_ALLOCATION, WHY_ADDRESS };
enum { WHY_WIDTH = 4, WHY_MOST_WIDTH = 16, WHY_SHARED_NAME_BYTES = 128 };

//   kernel    "" where none is given; launch: of that kernel, from 1; 0: the last in which the place was written
//   number    N, or ADDRESS
//   cta       x, y, z; or its number alone, where the first is all that is given (ctas 1)
struct why_place {
    enum why_kind kind;
    char kernel[256], name[WHY_SHARED_NAME_BYTES];
    uint64_t launch, number, offset;
    uint32_t cta[3];
    int ctas;
    uint32_t bytes;
};

// 0 if it is not so written.
bool why_place_read(const char *text, struct why_place *place);

#pragma GCC visibility pop

#endif
