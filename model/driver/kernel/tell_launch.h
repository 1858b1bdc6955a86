// SPDX-License-Identifier: MIT
// A launch that did not end well, in words or as JSON, on standard error.
#ifndef TMAREF_TELL_LAUNCH_H
#define TMAREF_TELL_LAUNCH_H

#include "driver.h"

void launch_tell(struct driver *driver, const char *kernel, const struct machine_outcome *outcome);

// The error that calls return from then on.
enum cuda_result launch_error(const struct machine_outcome *outcome);

#endif
