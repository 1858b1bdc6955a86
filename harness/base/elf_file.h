// SPDX-License-Identifier: MIT
// Why a file that somebody gave us is no ELF file that can be read.
#ifndef TMAREF_ELF_FILE_H
#define TMAREF_ELF_FILE_H

#include "elf_image.h"
#include "text.h"

// 0 with a sentence if it is no such file, or its table of sections is not all there.
int elf_file_open(struct elf *elf, const void *bytes, size_t size_bytes, struct text *why);

#endif
