// SPDX-License-Identifier: MIT
// A file into which nvcc linked the CUDA runtime, and which was stripped: nothing in it says where the public functions
// are. The user's toolkit or wheels hold the runtime that was linked, libcudart_static.a, whose code is one section.
// The linker copies that whole, but for the places that its relocations name. So where the file has a copy, each
// function is as far from its beginning as in the archive.
#define _GNU_SOURCE 1
#include <ar.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf_image.h"
#include "takeover.h"

#define ARCHIVE "libcudart_static.a"

// The object of the runtime, and which bytes of its code the linker leaves alone (1).
struct runtime {
    struct elf elf;
    Elf64_Shdr text, symbols, names;
    uint64_t text_index;
    uint8_t *is_kept;
    size_t run_at, run_bytes; // the longest run of such bytes
};

// --- The object in the archive ---------------------------------------------------------------------------------------

static bool find_code(struct runtime *runtime)
{
    const struct elf *elf = &runtime->elf;
    bool has_symbols = false;
    if (!elf_find(elf, ".text", 0, &runtime->text)) return false;
    for (uint64_t i = 0; i < elf->sections; i++) {
        Elf64_Shdr section;
        if (!elf_section(elf, i, &section)) return false;
        if (section.sh_type == SHT_PROGBITS && section.sh_offset == runtime->text.sh_offset && section.sh_size > 0)
            runtime->text_index = i;
        if (section.sh_type == SHT_SYMTAB) {
            runtime->symbols = section;
            has_symbols = elf_section(elf, section.sh_link, &runtime->names);
        }
    }
    return has_symbols && runtime->text_index > 0 && runtime->text.sh_size > 0;
}

// How many bytes the linker may write instead of what it is given, before a place and behind it: of a call or an
// address 4, of one that goes by a table the instruction too, and of thread-local data the whole sequence.
static void bytes_of(uint32_t type, uint64_t *before, uint64_t *behind)
{
    *before = 0;
    *behind = 4;
    switch (type) {
    case R_X86_64_64:
    case R_X86_64_DTPOFF64:
    case R_X86_64_TPOFF64:
    case R_X86_64_PC64:
        *behind = 8;
        break;
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
    case R_X86_64_GOTTPOFF:
        *before = 3;
        break;
    case R_X86_64_TLSGD:
    case R_X86_64_TLSLD:
        *before = 4;
        *behind = 12;
        break;
    default:
        break;
    }
}

static void mask(struct runtime *runtime, const Elf64_Rela *relocation)
{
    uint64_t before, behind;
    bytes_of(ELF64_R_TYPE(relocation->r_info), &before, &behind);
    const uint64_t at = relocation->r_offset, size = runtime->text.sh_size;
    const uint64_t first = at > before ? at - before : 0;
    if (first < size)
        memset(runtime->is_kept + first, 0, (size_t)(at + behind < size ? at + behind - first : size - first));
}

static void mask_all(struct runtime *runtime)
{
    Elf64_Shdr section;
    for (uint64_t i = 0; i < runtime->elf.sections; i++) {
        if (!elf_section(&runtime->elf, i, &section) || section.sh_type != SHT_RELA) continue;
        if (section.sh_info != runtime->text_index) continue;
        for (uint64_t at = 0; at + sizeof(Elf64_Rela) <= section.sh_size; at += sizeof(Elf64_Rela)) {
            Elf64_Rela relocation;
            memcpy(&relocation, runtime->elf.image + section.sh_offset + at, sizeof relocation);
            mask(runtime, &relocation);
        }
    }
}

static void find_run(struct runtime *runtime)
{
    size_t length = 0;
    for (size_t i = 0; i < runtime->text.sh_size; i++) {
        length = runtime->is_kept[i] ? length + 1 : 0;
        if (length <= runtime->run_bytes) continue;
        runtime->run_bytes = length;
        runtime->run_at = i + 1 - length;
    }
}

// 0 if the member is no such object. The caller frees is_kept.
static bool open_member(struct runtime *runtime, const char *image, size_t bytes)
{
    *runtime = (struct runtime){0};
    if (!elf_open(&runtime->elf, image, bytes) || !find_code(runtime)) return false;
    runtime->is_kept = malloc(runtime->text.sh_size);
    if (runtime->is_kept == NULL) return false;
    memset(runtime->is_kept, 1, runtime->text.sh_size);
    mask_all(runtime);
    find_run(runtime);
    return true;
}

// --- Its copy in the file --------------------------------------------------------------------------------------------

static bool is_same(const struct runtime *runtime, const char *code)
{
    const char *text = runtime->elf.image + runtime->text.sh_offset;
    for (size_t i = 0; i < runtime->text.sh_size; i++)
        if (runtime->is_kept[i] && text[i] != code[i]) return false;
    return true;
}

// The offset of the copy in the code of the file; -1 if there is none.
static int64_t find_copy(const struct runtime *runtime, const char *code, size_t bytes)
{
    enum { LEAST_RUN = 64 };
    const char *run = runtime->elf.image + runtime->text.sh_offset + runtime->run_at, *at = code;
    if (runtime->run_bytes < LEAST_RUN) return -1;
    while ((at = memmem(at, bytes - (size_t)(at - code), run, runtime->run_bytes)) != NULL) {
        const size_t offset = (size_t)(at - code);
        if (offset >= runtime->run_at && bytes - (offset - runtime->run_at) >= runtime->text.sh_size &&
            is_same(runtime, at - runtime->run_at))
            return (int64_t)(offset - runtime->run_at);
        at++;
    }
    return -1;
}

static void take_functions(const struct runtime *runtime, uint8_t *code)
{
    const char *names = runtime->elf.image + runtime->names.sh_offset;
    const enum takeover_library library = takeover_runtime(names, runtime->names.sh_size);
    takeover_release(code, runtime->text.sh_size);
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= runtime->symbols.sh_size; at += sizeof(Elf64_Sym)) {
        Elf64_Sym symbol;
        memcpy(&symbol, runtime->elf.image + runtime->symbols.sh_offset + at, sizeof symbol);
        if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx != runtime->text_index) continue;
        if (symbol.st_name >= runtime->names.sh_size || symbol.st_value >= runtime->text.sh_size) continue;
        void *entry = takeover_entry(library, names + symbol.st_name);
        if (entry != NULL) takeover_jump(code + symbol.st_value, symbol.st_size, entry);
    }
}

static bool try_member(const char *image, size_t bytes, const struct elf *file, uintptr_t base)
{
    struct runtime runtime;
    Elf64_Shdr text;
    int64_t copy = -1;
    if (open_member(&runtime, image, bytes) && elf_find(file, ".text", 0, &text)) {
        copy = find_copy(&runtime, file->image + text.sh_offset, text.sh_size);
        if (copy >= 0) take_functions(&runtime, (uint8_t *)(base + text.sh_addr + (uint64_t)copy));
    }
    free(runtime.is_kept);
    return copy >= 0;
}

static bool try_members(const char *image, size_t bytes, const struct elf *file, uintptr_t base)
{
    size_t at = SARMAG;
    bool are_found = false;
    struct ar_hdr header;
    if (bytes < SARMAG || memcmp(image, ARMAG, SARMAG) != 0) return false;
    while (at + sizeof header <= bytes) {
        char digits[sizeof header.ar_size + 1] = {0};
        memcpy(&header, image + at, sizeof header);
        memcpy(digits, header.ar_size, sizeof header.ar_size);
        const size_t size = strtoul(digits, NULL, 10);
        at += sizeof header;
        if (size > bytes - at) break;
        are_found |= try_member(image + at, size, file, base);
        at += size + size % 2;
    }
    return are_found;
}

static bool try_archive(const char *path, const struct elf *elf, uintptr_t base)
{
    struct stat facts;
    bool is_found = false;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    if (fstat(file, &facts) == 0) {
        const size_t bytes = (size_t)facts.st_size;
        char *image = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, file, 0);
        if (image != MAP_FAILED) {
            is_found = try_members(image, bytes, elf, base);
            munmap(image, bytes);
        }
    }
    close(file);
    return is_found;
}

// --- Where archives are ----------------------------------------------------------------------------------------------

static bool try_pattern(const struct elf *elf, uintptr_t base, const char *format, int length, const char *folder)
{
    char pattern[PATH_MAX];
    glob_t found;
    bool is_found = false;
    if (snprintf(pattern, sizeof pattern, format, length, folder) >= (int)sizeof pattern) return false;
    if (glob(pattern, 0, NULL, &found) != 0) return false;
    for (size_t i = 0; i < found.gl_pathc && !is_found; i++) is_found = try_archive(found.gl_pathv[i], elf, base);
    globfree(&found);
    return is_found;
}

static bool try_named(const struct elf *elf, uintptr_t base)
{
    const char *named = getenv("TMAREF_CUDART_STATIC");
    for (; named != NULL && *named != '\0'; named += strcspn(named, ":"), named += *named == ':')
        if (try_pattern(elf, base, "%.*s", (int)strcspn(named, ":"), named)) return true;
    return false;
}

// Beside a nvcc in PATH.
static bool try_path(const struct elf *elf, uintptr_t base)
{
    const char *folders = getenv("PATH");
    for (; folders != NULL && *folders != '\0'; folders += strcspn(folders, ":"), folders += *folders == ':') {
        char nvcc[PATH_MAX];
        const int length = (int)strcspn(folders, ":");
        snprintf(nvcc, sizeof nvcc, "%.*s/nvcc", length, folders);
        if (access(nvcc, X_OK) == 0 && try_pattern(elf, base, "%.*s/../lib*/" ARCHIVE, length, folders)) return true;
    }
    return false;
}

// A wheel beside the one that the file is of.
static bool try_wheels(const struct elf *elf, uintptr_t base, const char *path)
{
    static const char *const folders[] = {"/site-packages/", "/dist-packages/"};
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        const char *at = strstr(path, folders[i]);
        if (at == NULL) continue;
        const int length = (int)(at - path + (long)strlen(folders[i]));
        if (try_pattern(elf, base, "%.*snvidia/*/lib/" ARCHIVE, length, path)) return true;
    }
    return false;
}

bool takeover_stripped(const struct elf *elf, uintptr_t base, const char *path)
{
    static const char *const places[] = {"/usr/local/cuda*/lib*/" ARCHIVE, "/usr/lib/x86_64-linux-gnu/" ARCHIVE};
    bool is_found = try_named(elf, base) || try_wheels(elf, base, path) || try_path(elf, base);
    for (size_t i = 0; i < sizeof places / sizeof places[0] && !is_found; i++)
        is_found = try_pattern(elf, base, "%.*s", (int)strlen(places[i]), places[i]);
    return is_found;
}
