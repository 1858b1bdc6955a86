// SPDX-License-Identifier: MIT
// The library's version.
#include "version.h"

int version(void)
{
    return TMAREF_VERSION;
}
