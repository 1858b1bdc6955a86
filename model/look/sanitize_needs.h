// SPDX-License-Identifier: MIT
// What a kernel has in it, so that --sanitize and --check leave out what cannot be found there.
#ifndef TMAREF_LOOK_SANITIZE_NEEDS_H
#define TMAREF_LOOK_SANITIZE_NEEDS_H

#include "code.h"

#pragma GCC visibility push(hidden)

// products: wgmma; tensors: tensor copies; plain: instructions that only compute for all lanes of a strand (code.h's
// PLAIN) and matter nevertheless
struct sanitize_needs {
    int products, tensors, plain;
};

// Of a kernel and all that it may call; NULL: it is not known, and everything is needed.
struct sanitize_needs sanitize_needs_of(const struct machine_kernel *kernel);

#pragma GCC visibility pop

#endif
