// SPDX-License-Identifier: MIT
// The installed <tmaref.h>, for C and C++. The headers themselves lie in a folder of their own, so that names such as
// memory.h do not stand in the way of a user's include path.
#ifndef TMAREF_INSTALLED_H
#define TMAREF_INSTALLED_H

#ifdef __cplusplus
extern "C" {
#define _Alignas(bytes) alignas(bytes)
#endif

#include "tmaref/tmaref.h"

#ifdef __cplusplus
#undef _Alignas
}
#endif

#endif
