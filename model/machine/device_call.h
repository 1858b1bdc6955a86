// SPDX-License-Identifier: MIT
// The functions that every GPU has: vprintf, __assertfail, malloc, free.
#ifndef TMAREF_MACHINE_DEVICE_CALL_H
#define TMAREF_MACHINE_DEVICE_CALL_H

#include "code.h"

#pragma GCC visibility push(hidden)

// A call of a function without a body: code->target of the program.
machine_handler machine_device_call;

int machine_is_device_call(struct ptx_name name);

#pragma GCC visibility pop

#endif
