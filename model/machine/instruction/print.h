// SPDX-License-Identifier: MIT
// What printf() in a kernel writes: the format and the arguments as they lie in memory, as text.
#ifndef TMAREF_MACHINE_PRINT_H
#define TMAREF_MACHINE_PRINT_H

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

// Where it reads: string() brings a string of the kernel's memory, which the caller frees; NULL if it is not there.
// argument() brings the `bytes` bytes at `offset` of the arguments; 0 if they are not there.
struct print_source {
    void *context;
    char *(*string)(void *context, uint64_t address);
    int (*argument)(void *context, uint64_t offset, void *to, size_t bytes);
};

enum { PRINT_MOST_BYTES = 1 << 20 };

// The text, with a 0; one of PRINT_MOST_BYTES or more ends in "[cut]". The caller frees it; NULL if there is no memory.
// *conversions is how many there were, *bytes the length.
char *machine_print(const char *format, const struct print_source *source, size_t *bytes, int *conversions);

#pragma GCC visibility pop

#endif
