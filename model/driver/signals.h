// SPDX-License-Identifier: MIT
// Signals that end a program while it uses the simulated GPU. SIGINT, SIGTERM and SIGALRM: the kernel that runs says
// where it is, what --stats, --coverage and --trace have is written, and the program dies of the signal. SIGSEGV and
// SIGBUS of a pointer that a program passed: the call is named. Signals that the program handles itself stay its own.
#ifndef TMAREF_DRIVER_SIGNALS_H
#define TMAREF_DRIVER_SIGNALS_H

#include <stdint.h>

// Once, when the driver begins. `close` writes what is there to tell; it runs on a thread of its own.
void signals_begin(void (*close)(void));

// The number of the signal that came, 0: none. Of a launch it is the limit `stop`.
const int *signals_stop(void);
int signals_number(void);

// Threads of the process that are of this file alone.
int signals_threads(void);

// Faults at addresses that `mine` knows go on behind it (host_watch.h). place: of the program; 0: in one of its calls.
void signals_faults(int (*mine)(uint64_t address, int writes, uintptr_t place));

// Waits for the end of the process, which has begun. The caller holds no lock.
void signals_wait_for_end(void);

#endif
