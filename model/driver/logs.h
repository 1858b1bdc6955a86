// SPDX-License-Identifier: MIT
// What the driver has told of refused calls, for cuLogs*. A number, counted from 0, names each message.
#ifndef TMAREF_LOGS_H
#define TMAREF_LOGS_H

#include <stdarg.h>

#include "driver.h"

// Keeps the message, and hands it to the program's functions.
void logs_add(struct driver *driver, const char *call, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

#endif
