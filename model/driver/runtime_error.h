// SPDX-License-Identifier: MIT
// What the errors of the CUDA runtime mean: for the runtime of the host, and for that of kernels.
#ifndef TMAREF_RUNTIME_ERROR_H
#define TMAREF_RUNTIME_ERROR_H

static inline const char *runtime_error_text(int error)
{
    switch (error) {
#define CUDA_ERROR_ROW(number, driver, runtime, text)                                                                  \
    case number:                                                                                                       \
        return text;
#define RUNTIME_ERROR_ROW(number, name, text)                                                                          \
    case number:                                                                                                       \
        return text;
#include "errors.def"
    default:
        return "unrecognized error code";
    }
}

#endif
