// SPDX-License-Identifier: MIT
#ifndef TMAREF_DRIVER_WHY_WORK_H
#define TMAREF_DRIVER_WHY_WORK_H

#include "work.h"

// Tells --why what a copy or a fill has written, behind it. Nothing, if nobody asks.
void why_work_tell(struct driver *driver, const struct work *work);

#endif
