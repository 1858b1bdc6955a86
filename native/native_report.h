// SPDX-License-Identifier: MIT
// Findings into the report that Python reads.
#ifndef TMAREF_NATIVE_REPORT_H
#define TMAREF_NATIVE_REPORT_H

#include "finding.h"
#include "native.h"

// Fills the report of a call that returned `rule`, with its findings.
void native_tell(struct native_report *report, enum rule rule, const struct findings *findings);

// The report of a call that broke nothing.
void native_tell_nothing(struct native_report *report);

#endif
