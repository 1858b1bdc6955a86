// SPDX-License-Identifier: MIT
// How the runtime tells the driver which call the program made, so that a refusal names that one and not the driver's
// call behind it. The runtime asks for this table as libraries of CUDA ask for theirs: cuGetExportTable().
#ifndef TMAREF_SPEAKING_H
#define TMAREF_SPEAKING_H

#include "cuda_types.h"

// "tmaref: speaking"
#define SPEAKING_ID                                                                                                    \
    ((struct CUuuid_st){{'t', 'm', 'a', 'r', 'e', 'f', ':', ' ', 's', 'p', 'e', 'a', 'k', 'i', 'n', 'g'}})

// `name`: from now on this thread is in that call, until it is told of another; NULL: in none.
struct speaking {
    void (*call_of)(const char *name);
};

#endif
