// SPDX-License-Identifier: MIT
// The functions that stand for the refused calls of nvml_calls.def, as model/driver/calls.c has them. Programs ask for
// much and go on without it: so only --verbose names a call, once.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nvml.h"

static int missing(const char *name, int *was_told)
{
    const char *verbose = getenv("TMAREF_VERBOSE"); // the driver's option
    if (!*was_told && verbose != NULL && strcmp(verbose, "1") == 0)
        fprintf(stderr, "tmaref: %s: tmaref exec does not have this call; it answers NVML_ERROR_NOT_SUPPORTED\n", name);
    *was_told = 1;
    return nvml_check(name) == NVML_SUCCESS ? NVML_ERROR_NOT_SUPPORTED : NVML_ERROR_UNINITIALIZED;
}

#define REFUSED(name, since, streams)                                                                                  \
    NVML_VISIBLE int name(void);                                                                                       \
    int name(void)                                                                                                     \
    {                                                                                                                  \
        static int was_told;                                                                                           \
        return missing(#name, &was_told);                                                                              \
    }
#include "nvml_calls.def"
