// SPDX-License-Identifier: MIT
// What the two files of the stand-in GPU share; see standin_gpu.c.
#ifndef TMAREF_STANDIN_H
#define TMAREF_STANDIN_H

#include <stdint.h>

// Does to this process what STANDIN_TROUBLE wants of the case that holds `number`; nothing for any other.
void meet_trouble(uint64_t number);

#endif
