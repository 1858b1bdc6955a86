// SPDX-License-Identifier: MIT
// The section begins with a mark. Behind it stand the inputs, each with a head, its name with a 0, and its data. The
// table of sections is written anew at the end of the file; nothing else moves.
#include "cubin.h"

#include <stdlib.h>
#include <string.h>

#include "elf_image.h"

enum { ALIGN = 8, NEWER_ABI = 8, NEWER_GPU_SHIFT = 8, GPU_MASK = 0xff };
static const uint32_t section_type = SHT_LOUSER + 0x746d61; // "tma"
static const char mark[] = "inputs of a cubin, for tmaref 1\n";

struct input_head {
    uint32_t kind, name_bytes;
    uint64_t bytes;
};

bool cubin_is(const void *image, size_t bytes)
{
    struct elf elf;
    return elf_open(&elf, image, bytes) && elf.head.e_machine == EM_CUDA;
}

// The flags have it in other bits since CUDA 13, which counts the version of the ABI up.
unsigned cubin_gpu(const void *image)
{
    Elf64_Ehdr head;
    memcpy(&head, image, sizeof head);
    return head.e_flags >> (head.e_ident[EI_ABIVERSION] >= NEWER_ABI ? NEWER_GPU_SHIFT : 0) & GPU_MASK;
}

// --- Writing ---------------------------------------------------------------------------------------------------------

static size_t aligned(size_t bytes)
{
    return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

static size_t section_bytes(const struct cubin_input *input, unsigned inputs)
{
    size_t bytes = sizeof mark;
    for (unsigned i = 0; i < inputs; i++)
        bytes += sizeof(struct input_head) + strlen(input[i].name) + 1 + input[i].bytes;
    return bytes;
}

static char *put(char *to, const void *from, size_t bytes)
{
    memcpy(to, from, bytes);
    return to + bytes;
}

static void put_section(char *to, const struct cubin_input *input, unsigned inputs)
{
    to = put(to, mark, sizeof mark);
    for (unsigned i = 0; i < inputs; i++) {
        const struct input_head head = {input[i].kind, (uint32_t)strlen(input[i].name) + 1, input[i].bytes};
        to = put(to, &head, sizeof head);
        to = put(to, input[i].name, head.name_bytes);
        to = put(to, input[i].data, input[i].bytes);
    }
}

void *cubin_with(const void *cubin, size_t bytes, const struct cubin_input *input, unsigned inputs, size_t *whole_bytes)
{
    struct elf elf;
    Elf64_Shdr section = {.sh_type = section_type, .sh_offset = aligned(bytes), .sh_addralign = 1};
    if (!elf_open(&elf, cubin, bytes) || elf.head.e_machine != EM_CUDA) return NULL;
    const unsigned sections = elf.head.e_shnum;
    section.sh_size = section_bytes(input, inputs);
    const size_t table = section.sh_offset + aligned(section.sh_size);
    char *whole = calloc(table + (sections + 1) * sizeof section, 1);
    if (whole == NULL) return NULL;
    memcpy(whole, cubin, bytes);
    put_section(whole + section.sh_offset, input, inputs);
    for (unsigned i = 0; i < sections; i++) {
        Elf64_Shdr before = {0};
        elf_section(&elf, i, &before);
        memcpy(whole + table + i * sizeof before, &before, sizeof before);
    }
    memcpy(whole + table + sections * sizeof section, &section, sizeof section);
    elf.head.e_shoff = table;
    elf.head.e_shnum = (uint16_t)(sections + 1);
    memcpy(whole, &elf.head, sizeof elf.head);
    *whole_bytes = table + (sections + 1) * sizeof section;
    return whole;
}

// --- Reading ---------------------------------------------------------------------------------------------------------

static bool find_section(const void *image, size_t bytes, Elf64_Shdr *section)
{
    struct elf elf;
    if (!elf_open(&elf, image, bytes) || elf.head.e_machine != EM_CUDA) return false;
    for (unsigned i = elf.head.e_shnum; i > 0; i--)
        if (elf_section(&elf, i - 1, section) && section->sh_type == section_type)
            return section->sh_size >= sizeof mark &&
                   memcmp((const char *)image + section->sh_offset, mark, sizeof mark) == 0;
    return false;
}

bool cubin_next(const void *image, size_t bytes, size_t *at, struct cubin_input *input)
{
    Elf64_Shdr section;
    struct input_head head;
    if (!find_section(image, bytes, &section)) return false;
    const char *content = (const char *)image + section.sh_offset;
    if (*at == 0) *at = sizeof mark;
    if (section.sh_size - *at < sizeof head) return false;
    memcpy(&head, content + *at, sizeof head);
    const size_t left = section.sh_size - *at - sizeof head;
    if (head.name_bytes == 0 || head.name_bytes > left || head.bytes > left - head.name_bytes) return false;
    const char *name = content + *at + sizeof head;
    if (name[head.name_bytes - 1] != '\0') return false;
    *input = (struct cubin_input){head.kind, name, name + head.name_bytes, head.bytes};
    *at += sizeof head + head.name_bytes + head.bytes;
    return true;
}
