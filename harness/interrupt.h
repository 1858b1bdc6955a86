// SPDX-License-Identifier: MIT
// Ctrl-C in a long command: the first one asks it to stop where it can and print what it has so far, a second one ends
// it.
#ifndef TMAREF_INTERRUPT_H
#define TMAREF_INTERRUPT_H

// From now on SIGINT is kept for interrupted(), once; until interrupt_release(), which brings back what was before.
void interrupt_catch(void);
int interrupted(void);
void interrupt_release(void);

#endif
