// SPDX-License-Identifier: MIT
// How a flight begins where its operation is made in place. Private to model/tma.
#ifndef TMAREF_FLIGHT_BEGIN_H
#define TMAREF_FLIGHT_BEGIN_H

#include "flight.h"

#pragma GCC visibility push(hidden) // not for users of the shared library

// Starts a flight whose operation, and box where it is a tensor operation, are in place; nobody listens.
void flight_begin(struct flight *flight, const struct memories *memories);

#pragma GCC visibility pop

#endif
