// SPDX-License-Identifier: MIT
// `tmaref record --from TRACE`: the cases of a trace recorded anew, with the kernels of today.
#ifndef TMAREF_RECORD_FROM_H
#define TMAREF_RECORD_FROM_H

#include "executor.h"

// Writes to `output` what `executor` does with the cases of the trace at `from`, in words where that one has words, and
// returns the exit status. Writes nothing if a result is not the recorded one: that is a finding, to be looked at.
int record_from(const char *from, const char *output, const struct executor *executor, int as_json);

#endif
