// SPDX-License-Identifier: MIT
// A file into which nvcc linked the CUDA runtime, and which was stripped, where no archive has the runtime that was
// linked. The runtime tells profilers of each public call by its name. So each of its public functions, and no other
// function of it, refers to a string that is its own name. Where functions begin stands in .eh_frame_hdr, which
// exceptions need, so it is never stripped. The functions that nvcc's own code calls have no such strings, but for one
// in their middle: from 12.9 to 13.5 they lie side by side, always in the same order.
#define _GNU_SOURCE 1
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "elf_image.h"
#include "takeover.h"

#define ANCHOR "__cudaInitModule"

enum { REACH = 1 << 20, LEA_BYTES = 7, NONE = -1 };

// What is looked into: the sections of the file, and how many functions .eh_frame_hdr lists.
struct code {
    const struct elf *elf;
    Elf64_Shdr text, strings, index;
    int64_t functions;
};

// A function, and the name that it refers to.
struct found {
    int64_t function;
    const char *name; // NULL: more than one
};

struct names {
    struct found *found;
    size_t count;
};

// --- Functions -------------------------------------------------------------------------------------------------------

// .eh_frame_hdr: four bytes that say how it is written, the place of .eh_frame, the number of functions; then of each
// one its beginning and its entry in .eh_frame, from the address of the section on.
static bool open_code(struct code *code, const struct elf *elf)
{
    static const uint8_t written[] = {1, 0x1b, 3, 0x3b};
    uint32_t count;
    *code = (struct code){.elf = elf};
    if (!elf_find(elf, ".text", 0, &code->text) || !elf_find(elf, ".rodata", 0, &code->strings)) return false;
    if (!elf_find(elf, ".eh_frame_hdr", 0, &code->index) || code->index.sh_size < 12) return false;
    const uint8_t *index = elf_bytes(elf, &code->index);
    if (index == NULL || memcmp(index, written, sizeof written) != 0) return false;
    memcpy(&count, index + 8, sizeof count);
    code->functions = count;
    return count <= (code->index.sh_size - 12) / 8 && elf_bytes(elf, &code->text) && elf_bytes(elf, &code->strings);
}

// The address where function `i` begins; of one past the last, where the code ends.
static uint64_t begin_of(const struct code *code, int64_t i)
{
    int32_t offset;
    if (i < 0 || i >= code->functions) return code->text.sh_addr + code->text.sh_size;
    memcpy(&offset, elf_bytes(code->elf, &code->index) + 12 + 8 * i, sizeof offset);
    return code->index.sh_addr + (uint64_t)(int64_t)offset;
}

static int64_t function_at(const struct code *code, uint64_t address)
{
    int64_t first = 0, past = code->functions;
    while (first < past) {
        const int64_t middle = first + (past - first) / 2;
        if (begin_of(code, middle) <= address)
            first = middle + 1;
        else
            past = middle;
    }
    return first - 1;
}

// --- What they refer to ----------------------------------------------------------------------------------------------

// The next `lea to(%rip), register` in front of `past`: both addresses. 0 if there is none.
static bool next_reference(const struct code *code, uint64_t *at, uint64_t past, uint64_t *to)
{
    const uint8_t *text = elf_bytes(code->elf, &code->text);
    for (uint64_t i = *at - code->text.sh_addr, end = past - code->text.sh_addr; i + LEA_BYTES <= end; i++) {
        const uint8_t *next = memchr(text + i + 1, 0x8d, end - i - 1);
        int32_t offset;
        if (next == NULL || next + LEA_BYTES - 1 > text + end) return false;
        i = (uint64_t)(next - text) - 1;
        if ((text[i] & 0xfb) != 0x48 || (next[1] & 0xc7) != 0x05) continue;
        memcpy(&offset, next + 2, sizeof offset);
        *at = code->text.sh_addr + i;
        *to = *at + LEA_BYTES + (uint64_t)(int64_t)offset;
        return true;
    }
    return false;
}

// The name of a function of the runtime that is the whole string at an address; NULL if there is none.
static const char *name_at(const struct code *code, uint64_t address)
{
    enum { LONGEST = 80 };
    const uint64_t at = address - code->strings.sh_addr;
    const char *strings = (const char *)elf_bytes(code->elf, &code->strings);
    if (at == 0 || at >= code->strings.sh_size || strings[at - 1] != '\0') return NULL;
    const uint64_t left = code->strings.sh_size - at;
    if (memchr(strings + at, '\0', left < LONGEST ? left : LONGEST) == NULL) return NULL;
    return strncmp(strings + at, "cuda", 4) == 0 || strncmp(strings + at, "__cuda", 6) == 0 ? strings + at : NULL;
}

// The only function that refers to ANCHOR; NONE if there is none, or more than one.
static int64_t find_anchor(const struct code *code)
{
    const uint64_t past = code->text.sh_addr + code->text.sh_size;
    int64_t anchor = NONE;
    uint64_t to;
    for (uint64_t at = code->text.sh_addr; next_reference(code, &at, past, &to); at++) {
        const char *name = name_at(code, to);
        if (name == NULL || strcmp(name, ANCHOR) != 0) continue;
        const int64_t function = function_at(code, at);
        if (anchor != NONE && anchor != function) return NONE;
        anchor = function;
    }
    return anchor;
}

static void add(struct names *names, int64_t function, const char *name)
{
    struct found *last = names->count > 0 ? &names->found[names->count - 1] : NULL;
    if (last != NULL && last->function == function) {
        if (last->name != name) last->name = NULL;
        return;
    }
    (void)ARRAY_ADD(names->found, names->count, ((struct found){function, name})); // without memory it has no name
}

// The code of the runtime is less than REACH bytes long.
static void find_names(const struct code *code, int64_t anchor, struct names *names)
{
    const uint64_t middle = begin_of(code, anchor), first = code->text.sh_addr, end = first + code->text.sh_size;
    const uint64_t past = end - middle > REACH ? middle + REACH : end;
    uint64_t to, at = middle - first > REACH ? middle - REACH : first;
    for (; next_reference(code, &at, past, &to); at++) {
        const char *name = name_at(code, to);
        const int64_t function = name == NULL ? NONE : function_at(code, at);
        if (function != NONE) add(names, function, name);
    }
}

// --- Taking them over ------------------------------------------------------------------------------------------------

// Equal strings of a file are one. A name that two functions refer to is none: the program may ask for it, too.
static bool has_name(const struct names *names, const char *name, const struct found *but)
{
    for (size_t i = 0; i < names->count; i++)
        if (&names->found[i] != but && names->found[i].name != NULL && strcmp(names->found[i].name, name) == 0)
            return true;
    return false;
}

static enum takeover_library library_of(const struct names *names)
{
    if (has_name(names, "cudaGetDeviceProperties_v2", NULL)) return TAKEOVER_RUNTIME_12;
    return has_name(names, "cudaUnbindTexture", NULL) ? TAKEOVER_RUNTIME_11 : TAKEOVER_RUNTIME;
}

static void take(const struct code *code, uintptr_t base, int64_t function, void *entry)
{
    const uint64_t begin = begin_of(code, function), past = begin_of(code, function + 1);
    if (entry == NULL || begin < code->text.sh_addr || past > code->text.sh_addr + code->text.sh_size) return;
    if (past > begin) takeover_jump((void *)(base + begin), past - begin, entry);
}

static void take_around(const struct code *code, uintptr_t base, int64_t anchor, enum takeover_library library)
{
    static const char *const order[] = {
        "cudaGetExportTable",          "__cudaRegisterFatBinary",    "__cudaRegisterFatBinaryEnd",
        "__cudaUnregisterFatBinary",   "__cudaRegisterVar",          "__cudaRegisterManagedVar",
        "__cudaRegisterHostVar",       "__cudaRegisterFunction",     ANCHOR,
        "__cudaPushCallConfiguration", "__cudaPopCallConfiguration", "__cudaGetKernel",
        "__cudaLaunchKernel",          "__cudaLaunchKernel_ptsz",    "__cudaRegisterUnifiedTable",
        "__cudaGetProcAddress",
    };
    enum { BEFORE = 8 };
    for (int i = 0; i < (int)(sizeof order / sizeof order[0]); i++)
        if (anchor + i >= BEFORE) take(code, base, anchor + i - BEFORE, takeover_entry(library, order[i]));
}

// From its first function to its last one.
static void keep_release(const struct code *code, const struct names *names)
{
    const uint64_t first = begin_of(code, names->found[0].function) - code->text.sh_addr;
    const uint64_t last = begin_of(code, names->found[names->count - 1].function) - code->text.sh_addr;
    if (first <= last && last <= code->text.sh_size)
        takeover_release(elf_bytes(code->elf, &code->text) + first, last - first);
}

bool takeover_named(const struct elf *elf, uintptr_t base)
{
    enum { LEAST = 200 };
    struct code code;
    struct names names = {0};
    const int64_t anchor = open_code(&code, elf) ? find_anchor(&code) : NONE;
    if (anchor != NONE) find_names(&code, anchor, &names);
    const enum takeover_library library = library_of(&names);
    const bool is_runtime = names.count >= LEAST && library != TAKEOVER_RUNTIME_11;
    for (size_t i = 0; i < names.count && is_runtime; i++) {
        const struct found *found = &names.found[i];
        if (found->name == NULL || has_name(&names, found->name, found)) continue;
        take(&code, base, found->function, takeover_entry(library, found->name));
    }
    if (is_runtime) take_around(&code, base, anchor, library);
    if (is_runtime) keep_release(&code, &names);
    free(names.found);
    return is_runtime;
}
