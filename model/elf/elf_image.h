// SPDX-License-Identifier: MIT
// An ELF file of 64 bits in memory, and its sections: an object of the host, or a cubin.
#ifndef TMAREF_ELF_IMAGE_H
#define TMAREF_ELF_IMAGE_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

struct elf {
    const char *image;
    size_t bytes; // SIZE_MAX if only the file itself says how long it is
    Elf64_Ehdr head;
};

// 0 if the image is no such file.
int elf_open(struct elf *elf, const void *image, size_t bytes);

// 0 if not the whole of it is in the image.
int elf_section(const struct elf *elf, unsigned index, Elf64_Shdr *section);

// Finds the section whose name is `name`, or begins with it and a full stop, and that has `before` such sections in
// front of it. 0 if there is none, or not the whole of it is in the image.
int elf_find(const struct elf *elf, const char *name, unsigned before, Elf64_Shdr *section);

#endif
