// SPDX-License-Identifier: MIT
// An ELF file of 64 bits in memory, and its sections, of which there may be any number: an object of the host, a cubin,
// a core dump of a GPU. Nothing is trusted: what is given out lies in the image.
#ifndef TMAREF_ELF_IMAGE_H
#define TMAREF_ELF_IMAGE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

//   bytes     SIZE_MAX if only the file itself says how long it is
//   sections  0 if the table of sections does not begin in the image
//   names     of the sections; without bytes (SHT_NOBITS) if there are none
struct elf {
    const char *image;
    size_t bytes;
    uint64_t sections;
    Elf64_Ehdr head;
    Elf64_Shdr names;
};

// 0 if the image is no such file.
bool elf_open(struct elf *elf, const void *image, size_t bytes);

// 0 if there is none of that number, or not the whole of it is in the image.
bool elf_section(const struct elf *elf, uint64_t index, Elf64_Shdr *section);

// Finds the section whose name is `name`, or begins with it and a full stop, and that has `before` such sections in
// front of it. 0 if there is none, or not the whole of it is in the image.
bool elf_find(const struct elf *elf, const char *name, unsigned before, Elf64_Shdr *section);

// Its first byte. A section without bytes in the file (.bss) has none: NULL.
const uint8_t *elf_bytes(const struct elf *elf, const Elf64_Shdr *section);

// The string at `offset` of a table of strings, "" if it does not end in it.
const char *elf_string(const struct elf *elf, const Elf64_Shdr *table, uint64_t offset);

// "" if it has none.
const char *elf_name(const struct elf *elf, const Elf64_Shdr *section);

#endif
