// SPDX-License-Identifier: MIT
// How the commands end: all agree; a mismatch or a refusal; a mistake of usage or of the environment.
#ifndef TMAREF_EXIT_STATUS_H
#define TMAREF_EXIT_STATUS_H

enum { EXIT_AGREE = 0, EXIT_MISMATCH = 1, EXIT_USAGE = 2 };

#endif
