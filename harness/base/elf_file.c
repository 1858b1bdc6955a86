// SPDX-License-Identifier: MIT
#include "elf_file.h"

#include <string.h>

static int is_in(const struct elf_file *file, uint64_t at, uint64_t bytes)
{
    return at <= file->size_bytes && bytes <= file->size_bytes - at;
}

int elf_file_section(const struct elf_file *file, uint64_t index, Elf64_Shdr *section)
{
    if (index >= file->sections) return 0;
    memcpy(section, file->bytes + file->sections_at + index * sizeof *section, sizeof *section);
    return section->sh_type == SHT_NOBITS || is_in(file, section->sh_offset, section->sh_size);
}

const uint8_t *elf_file_bytes(const struct elf_file *file, const Elf64_Shdr *section)
{
    return section->sh_type == SHT_NOBITS ? NULL : file->bytes + section->sh_offset;
}

const char *elf_file_string(const struct elf_file *file, const Elf64_Shdr *table, uint64_t offset)
{
    const uint8_t *bytes = elf_file_bytes(file, table);
    if (bytes == NULL || offset >= table->sh_size) return "";
    return memchr(bytes + offset, 0, table->sh_size - offset) != NULL ? (const char *)bytes + offset : "";
}

const char *elf_file_name(const struct elf_file *file, const Elf64_Shdr *section)
{
    return elf_file_string(file, &file->names, section->sh_name);
}

uint64_t elf_file_find(const struct elf_file *file, const char *name, Elf64_Shdr *section)
{
    for (uint64_t i = 1; i < file->sections; i++)
        if (elf_file_section(file, i, section) && strcmp(elf_file_name(file, section), name) == 0) return i;
    return 0;
}

// Above 65,279 sections the first one's size is their number, and its link that of their names.
static int open_sections(struct elf_file *file, const Elf64_Ehdr *header, struct text *why)
{
    Elf64_Shdr first;
    if (header->e_shentsize != sizeof first || !is_in(file, header->e_shoff, sizeof first))
        return text_fail(why, "its table of sections, at byte 0x%llx, is behind its end, at 0x%zx: it is cut off",
                         (unsigned long long)header->e_shoff, file->size_bytes);
    memcpy(&first, file->bytes + header->e_shoff, sizeof first);
    file->sections_at = header->e_shoff;
    file->sections = header->e_shnum != 0 ? header->e_shnum : first.sh_size;
    if (file->sections > (file->size_bytes - file->sections_at) / sizeof first)
        return text_fail(why, "it has %llu sections, but ends within their table: it is cut off",
                         (unsigned long long)file->sections);
    uint64_t names = header->e_shstrndx == SHN_XINDEX ? first.sh_link : header->e_shstrndx;
    if (!elf_file_section(file, names, &file->names)) file->names = (Elf64_Shdr){.sh_type = SHT_NOBITS};
    return 1;
}

int elf_file_open(struct elf_file *file, const void *bytes, size_t size_bytes, struct text *why)
{
    Elf64_Ehdr header;
    *file = (struct elf_file){.bytes = bytes, .size_bytes = size_bytes};
    if (size_bytes < sizeof header || memcmp(bytes, ELFMAG, SELFMAG) != 0)
        return text_fail(why, "it is not an ELF file");
    memcpy(&header, bytes, sizeof header);
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
        return text_fail(why, "it is an ELF file, but not of 64 bits with the low byte first");
    file->type = header.e_type;
    file->machine = header.e_machine;
    return open_sections(file, &header, why);
}
