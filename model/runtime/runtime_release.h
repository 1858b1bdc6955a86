// SPDX-License-Identifier: MIT
// Which CUDA's runtime is compiled: 13, 12 or 11. Each is a library of its own, libcudart.so.13, .12 and .11.0, as
// programs name it; they are the same code, each with its rows of runtime_calls.def.
#ifndef TMAREF_RUNTIME_RELEASE_H
#define TMAREF_RUNTIME_RELEASE_H

#ifndef RUNTIME_RELEASE
#define RUNTIME_RELEASE 13
#endif

// What cudaRuntimeGetVersion() says.
#define RUNTIME_VERSION (RUNTIME_RELEASE == 13 ? 13000 : RUNTIME_RELEASE == 12 ? 12090 : 11080)

#endif
