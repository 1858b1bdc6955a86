// SPDX-License-Identifier: MIT
#include "elf_file.h"

#include <string.h>

int elf_file_open(struct elf *elf, const void *bytes, size_t size_bytes, struct text *why)
{
    if (size_bytes < sizeof elf->head || memcmp(bytes, ELFMAG, SELFMAG) != 0)
        return text_fail(why, "it is not an ELF file");
    if (!elf_open(elf, bytes, size_bytes) || elf->head.e_ident[EI_DATA] != ELFDATA2LSB)
        return text_fail(why, "it is an ELF file, but not of 64 bits with the low byte first");
    if (elf->head.e_shentsize != sizeof(Elf64_Shdr) || elf->sections == 0)
        return text_fail(why, "its table of sections, at byte 0x%llx, is behind its end, at 0x%zx: it is cut off",
                         (unsigned long long)elf->head.e_shoff, size_bytes);
    if (elf->sections > (size_bytes - elf->head.e_shoff) / sizeof(Elf64_Shdr))
        return text_fail(why, "it has %llu sections, but ends within their table: it is cut off",
                         (unsigned long long)elf->sections);
    return 1;
}
