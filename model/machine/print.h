// SPDX-License-Identifier: MIT
// What printf() in a kernel writes: the format and the arguments as they lie in memory, as text.
#ifndef TMAREF_MACHINE_PRINT_H
#define TMAREF_MACHINE_PRINT_H

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

// Where it reads: string() brings a string of the kernel's memory, of at most `room` bytes with its 0; argument() the
// `bytes` bytes at `offset` of the arguments. Both return 0 if they are not there.
struct print_source {
    void *context;
    int (*string)(void *context, uint64_t address, char *to, size_t room);
    int (*argument)(void *context, uint64_t offset, void *to, size_t bytes);
};

// Writes the text to `to`, with a 0; one that is longer than `room` ends in "[cut]". Returns its length. *conversions
// is how many there were.
size_t machine_print(const char *format, const struct print_source *source, char *to, size_t room, int *conversions);

#pragma GCC visibility pop

#endif
