// SPDX-License-Identifier: MIT
// Which version of the library this is, for the preprocessor and at run time. docs/abi.md says what a version promises.
#ifndef TMAREF_CORE_VERSION_H
#define TMAREF_CORE_VERSION_H

#define TMAREF_VERSION_MAJOR 0
#define TMAREF_VERSION_MINOR 2
#define TMAREF_VERSION_PATCH 0
// 10000 * MAJOR + 100 * MINOR + PATCH
#define TMAREF_VERSION (10000 * TMAREF_VERSION_MAJOR + 100 * TMAREF_VERSION_MINOR + TMAREF_VERSION_PATCH)

// TMAREF_VERSION of the library that runs, which may be newer than these headers.
int version(void);

#endif
