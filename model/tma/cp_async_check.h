// SPDX-License-Identifier: MIT
// The check of cp.async whose source is anywhere in global memory. Private to model/tma.
#ifndef TMAREF_CP_ASYNC_CHECK_H
#define TMAREF_CP_ASYNC_CHECK_H

#include "cp_async.h"

// As cp_async_check(); copy->global is not looked at.
enum rule cp_async_check_in(const struct cp_async *copy, const struct global_memory *global, struct findings *findings);

#endif
