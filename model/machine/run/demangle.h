// SPDX-License-Identifier: MIT
// Names of PTX as the source has them, for people. C++ names are demangled by the C++ library that the process has, or
// by libstdc++.so.6 where one is installed; where there is none, they stay as they are.
#ifndef TMAREF_MACHINE_DEMANGLE_H
#define TMAREF_MACHINE_DEMANGLE_H

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

enum { DEMANGLED_BYTES = 256 };

// All write a text that ends with 0, cut to `bytes`, and return its length.

// A function: "shift(int const*, int*, int)" for _Z5shiftPKiPii, "__main__.add(...)" for a kernel of Numba. Of long
// template arguments the start stays: "device_kernel<cutlass::gemm::kernel::Ge...>(...)". Others as they are.
size_t demangle_function(const char *name, size_t length, char *text, size_t bytes);

// A variable: "tile" for _ZZ1k14CUtensorMap_stPjE4tile, the variable of a function; "part::table" for _ZN4part5tableE.
size_t demangle_variable(const char *name, size_t length, char *text, size_t bytes);

// A line of PTX, in which all mangled names are those of the source.
size_t demangle_line(const char *line, size_t length, char *text, size_t bytes);

#pragma GCC visibility pop

#endif
