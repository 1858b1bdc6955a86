// SPDX-License-Identifier: MIT
// What the driver has told of refused calls, for cuLogs*. A number, counted from 0, names each message.
#ifndef TMAREF_LOGS_H
#define TMAREF_LOGS_H

#include <stdarg.h>

#include "driver.h"

// Keeps the message, and hands it to the program's functions.
void logs_add(struct driver *driver, const char *call, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

// The same from a thread that runs a kernel for another, which has the driver's lock: that tells it when all are back,
// for the program's functions may call the driver.
void logs_defer(const char *call, const char *format, va_list arguments) __attribute__((format(printf, 2, 0)));
void logs_tell_deferred(struct driver *driver);

#endif
