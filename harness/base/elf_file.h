// SPDX-License-Identifier: MIT
// An ELF file of 64 bits in memory, with any number of sections: a core dump of a GPU, and the machine code in it.
// Nothing is trusted: what is given out lies in the file.
#ifndef TMAREF_ELF_FILE_H
#define TMAREF_ELF_FILE_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

#include "text.h"

struct elf_file {
    const uint8_t *bytes;
    size_t size_bytes;
    uint64_t sections_at, sections;
    uint16_t type, machine;
    Elf64_Shdr names;
};

// 0 with a sentence if it is no such file, or its table of sections is not all there.
int elf_file_open(struct elf_file *file, const void *bytes, size_t size_bytes, struct text *why);

// 0 if there is none of that number, or not all of its bytes are in the file.
int elf_file_section(const struct elf_file *file, uint64_t index, Elf64_Shdr *section);

// The section of that name, with its number: 0 if there is none.
uint64_t elf_file_find(const struct elf_file *file, const char *name, Elf64_Shdr *section);

// "" if it has none.
const char *elf_file_name(const struct elf_file *file, const Elf64_Shdr *section);

// Its first byte. A section without bytes in the file (.bss) has none: NULL.
const uint8_t *elf_file_bytes(const struct elf_file *file, const Elf64_Shdr *section);

// The string at `offset` of a table of strings, "" if it does not end in it.
const char *elf_file_string(const struct elf_file *file, const Elf64_Shdr *table, uint64_t offset);

#endif
