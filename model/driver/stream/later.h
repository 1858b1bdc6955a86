// SPDX-License-Identifier: MIT
// Work whose end the call does not wait for: a kernel or a stream's wait that can only go on when others write memory,
// and what comes behind it. A thread of the driver's own does it, while the threads of the host are outside or wait.
// Where none of it gets on, and no thread of the host is left that could write, it hangs.
#ifndef TMAREF_LATER_H
#define TMAREF_LATER_H

#include "turns.h"
#include "work.h"

// Does the work of a turn that has begun, now or later. Only the error of what is done now is returned.
enum cuda_result later_run(struct driver *driver, struct turn *turn, const struct work *work);

// Ends a stream, behind what is done on it later.
enum cuda_result later_end_stream(struct driver *driver, struct CUstream_st *stream);

#endif
