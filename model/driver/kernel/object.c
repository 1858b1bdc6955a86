// SPDX-License-Identifier: MIT
// An object is ELF of 64 bits; nvcc puts fat binaries into the sections .nv_fatbin and __nv_relfatbin, one behind the
// other. A library is what ar(1) writes: a mark, and members behind heads of 60 characters.
#include "object.h"

#include <stdlib.h>
#include <string.h>

#include "elf_image.h"
#include "fatbin.h"

enum { FATBIN_ALIGN = 8, FATBIN_HEAD = 16, AR_MARK = 8, AR_HEAD = 60, AR_NAME = 16, AR_SIZE_AT = 48, AR_SIZE = 10 };

static bool has_code(const struct elf *elf, const Elf64_Shdr *section)
{
    const char *name = elf_name(elf, section);
    return section->sh_type == SHT_PROGBITS && (strcmp(name, ".nv_fatbin") == 0 || strcmp(name, "__nv_relfatbin") == 0);
}

static int take_section(const char *at, size_t bytes, const char *name, object_take *take, void *of)
{
    while (bytes >= FATBIN_HEAD) {
        const size_t size = fatbin_bytes(at, bytes);
        const int ended = size == 0 ? 0 : take(of, name, at, size);
        if (ended != 0) return ended;
        size_t step = size == 0 ? FATBIN_ALIGN : (size + FATBIN_ALIGN - 1) / FATBIN_ALIGN * FATBIN_ALIGN;
        if (step > bytes) step = bytes;
        at += step;
        bytes -= step;
    }
    return 0;
}

static int take_object(const char *image, size_t bytes, const char *name, object_take *take, void *of)
{
    struct elf elf;
    Elf64_Shdr section;
    if (!elf_open(&elf, image, bytes) || elf.names.sh_type == SHT_NOBITS) return OBJECT_DAMAGED;
    for (uint64_t i = 0; i < elf.sections; i++)
        if (!elf_section(&elf, i, &section)) return OBJECT_DAMAGED;
    for (uint64_t i = 0; i < elf.sections; i++) {
        if (!elf_section(&elf, i, &section) || !has_code(&elf, &section)) continue;
        const int ended = take_section(image + section.sh_offset, section.sh_size, name, take, of);
        if (ended != 0) return ended;
    }
    return 0;
}

// The name of a member ends with a / or a blank. Long names stand elsewhere, and are left as /12.
static void name_of(const char *head, char *name)
{
    size_t length = 0;
    while (length < AR_NAME && head[length] != ' ' && (length == 0 || head[length] != '/')) length++;
    memcpy(name, head, length);
    name[length] = '\0';
}

static int take_library(const char *image, size_t bytes, object_take *take, void *of)
{
    for (size_t at = AR_MARK; bytes - at >= AR_HEAD;) {
        char name[AR_NAME + 1], size_text[AR_SIZE + 1] = "";
        memcpy(size_text, image + at + AR_SIZE_AT, AR_SIZE);
        const size_t size = strtoull(size_text, NULL, 10);
        name_of(image + at, name);
        at += AR_HEAD;
        if (size > bytes - at) return take(of, name, NULL, 0);
        // What is no object is an index, or a list of names.
        const bool is_object = size >= SELFMAG && memcmp(image + at, ELFMAG, SELFMAG) == 0;
        int ended = is_object ? take_object(image + at, size, name, take, of) : 0;
        if (ended == OBJECT_DAMAGED) ended = take(of, name, NULL, 0);
        if (ended != 0) return ended;
        at += size + size % 2 < bytes - at ? size + size % 2 : bytes - at;
    }
    return 0;
}

int object_fatbins(const void *image, size_t bytes, object_take *take, void *of)
{
    static const char mark[AR_MARK + 1] = "!<arch>\n";
    if (bytes >= AR_MARK && memcmp(image, mark, AR_MARK) == 0) return take_library(image, bytes, take, of);
    return take_object(image, bytes, NULL, take, of);
}
