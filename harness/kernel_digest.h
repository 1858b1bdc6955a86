// SPDX-License-Identifier: MIT
// The digest by which a trace names the kernels that recorded it: XXH3 of the bytes of the cubins of its family, one
// behind the other. It is of machine code: a comment in a source does not change it, another compiler does, and where
// the tree lies does not (kernels/CMakeLists.txt sees to that).
#ifndef TMAREF_KERNEL_DIGEST_H
#define TMAREF_KERNEL_DIGEST_H

#include "family.h"

enum { KERNEL_DIGEST_BYTES = 17 };

// 16 hexadecimal digits; empty for a family of the driver alone. 0 with `why` if a cubin is not there.
int kernel_digest(const struct family *family, char digest[KERNEL_DIGEST_BYTES], struct text *why);

// Which nvcc built the kernels that are there, such as "nvcc 13.0.88"; empty if nobody knows.
void kernel_toolkit(char *text, size_t text_bytes);

#endif
