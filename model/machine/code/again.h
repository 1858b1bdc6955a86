// SPDX-License-Identifier: MIT
// What a warp of the next CTA need not do once more.
#ifndef TMAREF_MACHINE_AGAIN_H
#define TMAREF_MACHINE_AGAIN_H

#include "code.h"

#pragma GCC visibility push(hidden)

// Fills in `again`, which is empty, for a kernel of which all else is decoded. It stays empty if there is no memory.
// `spellings`: of the program.
void machine_again_prepare(const struct machine_kernel *kernel, uint32_t spellings, struct machine_again *again);
void machine_again_free(struct machine_again *again);

#pragma GCC visibility pop

#endif
