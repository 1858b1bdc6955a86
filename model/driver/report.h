// SPDX-License-Identifier: MIT
// A launch that did not end well, in words or as JSON, on standard error.
#ifndef TMAREF_DRIVER_REPORT_H
#define TMAREF_DRIVER_REPORT_H

#include "driver.h"

void report_outcome(struct driver *driver, const char *kernel, const struct machine_outcome *outcome);

// The error that calls return from then on.
enum cuda_result report_error(const struct machine_outcome *outcome);

#endif
