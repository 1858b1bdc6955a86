// SPDX-License-Identifier: MIT
#include "elf_image.h"

#include <string.h>

int elf_open(struct elf *elf, const void *image, size_t bytes)
{
    *elf = (struct elf){.image = image, .bytes = bytes};
    if (bytes < sizeof elf->head || strncmp(image, ELFMAG, SELFMAG) != 0) return 0;
    memcpy(&elf->head, image, sizeof elf->head);
    return elf->head.e_ident[EI_CLASS] == ELFCLASS64;
}

static int is_inside(size_t bytes, uint64_t at, uint64_t count)
{
    return at <= bytes && count <= bytes - at;
}

int elf_section(const struct elf *elf, unsigned index, Elf64_Shdr *section)
{
    const uint64_t at = elf->head.e_shoff + (uint64_t)index * sizeof *section;
    if (elf->head.e_shoff > elf->bytes || !is_inside(elf->bytes, at, sizeof *section)) return 0;
    memcpy(section, elf->image + at, sizeof *section);
    return section->sh_type == SHT_NOBITS || is_inside(elf->bytes, section->sh_offset, section->sh_size);
}

static int has_name(const struct elf *elf, const Elf64_Shdr *names, const Elf64_Shdr *section, const char *name)
{
    const size_t length = strlen(name);
    const char *its = elf->image + names->sh_offset + section->sh_name;
    return section->sh_name <= names->sh_size && length < names->sh_size - section->sh_name &&
           memcmp(its, name, length) == 0 && (its[length] == '\0' || its[length] == '.');
}

int elf_find(const struct elf *elf, const char *name, unsigned before, Elf64_Shdr *section)
{
    Elf64_Shdr names;
    if (!elf_section(elf, elf->head.e_shstrndx, &names) || names.sh_type == SHT_NOBITS) return 0;
    for (unsigned i = 0; i < elf->head.e_shnum; i++)
        if (elf_section(elf, i, section) && section->sh_type != SHT_NOBITS && has_name(elf, &names, section, name) &&
            before-- == 0)
            return 1;
    return 0;
}
