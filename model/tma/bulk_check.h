// SPDX-License-Identifier: MIT
// The check of a bulk operation whose global end is anywhere in global memory. Private to model/tma.
#ifndef TMAREF_BULK_CHECK_H
#define TMAREF_BULK_CHECK_H

#include "bulk.h"

// As bulk_check(); of `bulk`, source or destination are not looked at where they are global memory.
enum rule bulk_check_in(const struct bulk *bulk, const struct global_memory *global, struct findings *findings);

#endif
