// SPDX-License-Identifier: MIT
// What a kernel has in it, so that --sanitize and --check leave out what cannot be found there.
#ifndef TMAREF_LOOK_SANITIZE_NEEDS_H
#define TMAREF_LOOK_SANITIZE_NEEDS_H

#include <stdbool.h>

#include "code.h"

#pragma GCC visibility push(hidden)

// products: wgmma; tensors: tensor copies; plain: instructions that only compute for all lanes of a strand (code.h's
// PLAIN) and matter nevertheless; together: what is not followed at all, or writes global memory before it says so, so
// that no launch is looked at by several threads (look_apart.h); releases: what one lane may release or acquire by;
// cells: that, other accesses to shared memory than weak reads and writes and relaxed atomics by threads of the CTA, or
// other orders of them than barriers of all its threads (between.h)
struct sanitize_needs {
    bool products, tensors, plain, together, releases, cells;
};

// Of a kernel and all that it may call; NULL: it is not known, and everything is needed.
struct sanitize_needs sanitize_needs_of(const struct machine_kernel *kernel);

#pragma GCC visibility pop

#endif
