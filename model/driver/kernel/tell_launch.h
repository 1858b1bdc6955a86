// SPDX-License-Identifier: MIT
// A launch that did not end well, in words or as JSON, on standard error.
#ifndef TMAREF_TELL_LAUNCH_H
#define TMAREF_TELL_LAUNCH_H

#include "driver.h"
#include "tell_hang.h"

// `hang`: the report of a hang or of a limit (tell_hang.h), of NULLs if there is none.
void launch_tell(struct driver *driver, const struct CUfunc_st *function, const struct machine_outcome *outcome,
                 const struct hang_told *hang);

// The error that calls return from then on.
enum cuda_result launch_error(const struct machine_outcome *outcome);

#endif
