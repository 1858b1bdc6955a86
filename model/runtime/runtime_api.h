// SPDX-License-Identifier: MIT
// The calls of the runtime, and those that nvcc's objects make: the rows of runtime_calls.def that the release has.
#ifndef TMAREF_RUNTIME_API_H
#define TMAREF_RUNTIME_API_H

#include "runtime_types.h"

#define CALL(name, releases, streams, parameters)          enum cudaError name parameters;
#define GIVES(name, releases, streams, type, parameters)   type name parameters;
#define FORWARD(name, releases, streams, parameters, call) enum cudaError name parameters;
#include "release_calls.def"

#endif
