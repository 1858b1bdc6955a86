// SPDX-License-Identifier: MIT
// The calls of the driver that this folder defines, as driver_calls.def has them: the runtime (model/runtime) makes
// them.
#ifndef TMAREF_CUDA_API_H
#define TMAREF_CUDA_API_H

#include "cuda_types.h"

#define CALL(name, since, streams, parameters)          enum cuda_result name parameters;
#define FORWARD(name, since, streams, parameters, call) enum cuda_result name parameters;
#include "driver_calls.def"

#endif
