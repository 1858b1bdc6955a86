// SPDX-License-Identifier: MIT
#include "elf_image.h"

#include <string.h>

static bool is_inside(const struct elf *elf, uint64_t at, uint64_t count)
{
    return at <= elf->bytes && count <= elf->bytes - at;
}

// Above 65,279 sections the first one's size is their number, and its link that of their names.
static void open_sections(struct elf *elf)
{
    Elf64_Shdr first;
    if (elf->head.e_shoff == 0 || !is_inside(elf, elf->head.e_shoff, sizeof first)) return;
    memcpy(&first, elf->image + elf->head.e_shoff, sizeof first);
    elf->sections = elf->head.e_shnum != 0 ? elf->head.e_shnum : first.sh_size;
    const uint64_t names = elf->head.e_shstrndx == SHN_XINDEX ? first.sh_link : elf->head.e_shstrndx;
    if (!elf_section(elf, names, &elf->names)) elf->names = (Elf64_Shdr){.sh_type = SHT_NOBITS};
}

bool elf_open(struct elf *elf, const void *image, size_t bytes)
{
    *elf = (struct elf){.image = image, .bytes = bytes, .names = {.sh_type = SHT_NOBITS}};
    if (bytes < sizeof elf->head || strncmp(image, ELFMAG, SELFMAG) != 0) return false;
    memcpy(&elf->head, image, sizeof elf->head);
    if (elf->head.e_ident[EI_CLASS] != ELFCLASS64) return false;
    open_sections(elf);
    return true;
}

bool elf_section(const struct elf *elf, uint64_t index, Elf64_Shdr *section)
{
    if (index >= elf->sections || index > (elf->bytes - elf->head.e_shoff) / sizeof *section) return false;
    const uint64_t at = elf->head.e_shoff + index * sizeof *section;
    if (!is_inside(elf, at, sizeof *section)) return false;
    memcpy(section, elf->image + at, sizeof *section);
    return section->sh_type == SHT_NOBITS || is_inside(elf, section->sh_offset, section->sh_size);
}

static bool has_name(const struct elf *elf, const Elf64_Shdr *section, const char *name)
{
    const size_t length = strlen(name);
    const char *its = elf_name(elf, section);
    return strncmp(its, name, length) == 0 && (its[length] == '\0' || its[length] == '.');
}

bool elf_find(const struct elf *elf, const char *name, unsigned before, Elf64_Shdr *section)
{
    for (uint64_t i = 0; i < elf->sections; i++)
        if (elf_section(elf, i, section) && section->sh_type != SHT_NOBITS && has_name(elf, section, name) &&
            before-- == 0)
            return true;
    return false;
}

const uint8_t *elf_bytes(const struct elf *elf, const Elf64_Shdr *section)
{
    return section->sh_type == SHT_NOBITS ? NULL : (const uint8_t *)elf->image + section->sh_offset;
}

const char *elf_string(const struct elf *elf, const Elf64_Shdr *table, uint64_t offset)
{
    const char *strings = (const char *)elf_bytes(elf, table);
    if (strings == NULL || offset >= table->sh_size) return "";
    return memchr(strings + offset, 0, table->sh_size - offset) != NULL ? strings + offset : "";
}

const char *elf_name(const struct elf *elf, const Elf64_Shdr *section)
{
    return elf_string(elf, &elf->names, section->sh_name);
}
