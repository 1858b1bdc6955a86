// SPDX-License-Identifier: MIT
// Functions that stand for calls that no other file defines.
#include "routines.h"

int fft_missing(const char *call, int *was_told);

#define FFT_NAME(name) MISSING_CALL(fft_missing, name)
#include "fft_names.def"
