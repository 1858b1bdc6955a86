// SPDX-License-Identifier: MIT
// Our libraries are loaded when a program first calls one of their functions: to load them sooner, from where the
// loader tells of a file, is not allowed. Which functions they have stands in their files.
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf_image.h"
#include "takeover.h"

enum { MOST_NAMES = 6144, CODE_BYTES = 32 };

static const char *const files[TAKEOVER_LIBRARIES] = {
    [TAKEOVER_RUNTIME] = "libcudart.so.13",      [TAKEOVER_DRIVER] = "libcuda.so.1",
    [TAKEOVER_CUBLAS] = "libcublas.so.13",       [TAKEOVER_CUBLASLT] = "libcublasLt.so.13",
    [TAKEOVER_CUFFT] = "libcufft.so.12",         [TAKEOVER_CUSOLVER] = "libcusolver.so.12",
    [TAKEOVER_CUSPARSE] = "libcusparse.so.12",   [TAKEOVER_RUNTIME_12] = "libcudart.so.12",
    [TAKEOVER_RUNTIME_11] = "libcudart.so.11.0",
};

// A function of one of our libraries. Its code jumps to `target`, which is first the rest of that code: it asks
// takeover_resolve() for the function.
struct entry {
    const char *name; // in the file
    enum takeover_library library;
    _Atomic(void *) target;
};

static struct entry entries[MOST_NAMES];
static size_t count;
static uint8_t *code;

// The path of `name` in the folder of `file`.
static int path_beside(const char *file, const char *name, char *path, size_t bytes)
{
    const char *slash = strrchr(file, '/');
    const int folder = slash == NULL ? 0 : (int)(slash - file + 1);
    return snprintf(path, bytes, "%.*s%s", folder, file, name) < (int)bytes;
}

// The same in our folder: that of the library that this code is part of.
static int path_of(const char *name, char *path, size_t bytes)
{
    Dl_info place;
    if (dladdr((void *)path_of, &place) == 0 || place.dli_fname == NULL) return 0;
    return path_beside(place.dli_fname, name, path, bytes);
}

void *takeover_resolve(size_t index)
{
    struct entry *entry = &entries[index];
    char path[PATH_MAX];
    void *library = path_of(files[entry->library], path, sizeof path) ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    void *function = library == NULL ? NULL : dlsym(library, entry->name);
    if (function == NULL) {
        fprintf(stderr, "tmaref exec: cannot load %s of %s: %s\n", entry->name, files[entry->library], dlerror());
        _exit(2);
    }
    entry->target = function;
    return function;
}

// What the code of an entry comes to with its index on the stack: all registers that hold arguments stay as they came.
__asm__(".text\n.type takeover_common, @function\ntakeover_common:\n"
        "\tpushq %rax\n\tpushq %rdi\n\tpushq %rsi\n\tpushq %rdx\n\tpushq %rcx\n\tpushq %r8\n\tpushq %r9\n\tpushq %r10\n"
        "\tsubq $128, %rsp\n"
        "\tmovups %xmm0, (%rsp)\n\tmovups %xmm1, 16(%rsp)\n\tmovups %xmm2, 32(%rsp)\n\tmovups %xmm3, 48(%rsp)\n"
        "\tmovups %xmm4, 64(%rsp)\n\tmovups %xmm5, 80(%rsp)\n\tmovups %xmm6, 96(%rsp)\n\tmovups %xmm7, 112(%rsp)\n"
        "\tmovq 192(%rsp), %rdi\n\tcall takeover_resolve\n\tmovq %rax, %r11\n"
        "\tmovups (%rsp), %xmm0\n\tmovups 16(%rsp), %xmm1\n\tmovups 32(%rsp), %xmm2\n\tmovups 48(%rsp), %xmm3\n"
        "\tmovups 64(%rsp), %xmm4\n\tmovups 80(%rsp), %xmm5\n\tmovups 96(%rsp), %xmm6\n\tmovups 112(%rsp), %xmm7\n"
        "\taddq $128, %rsp\n"
        "\tpopq %r10\n\tpopq %r9\n\tpopq %r8\n\tpopq %rcx\n\tpopq %rdx\n\tpopq %rsi\n\tpopq %rdi\n\tpopq %rax\n"
        "\taddq $8, %rsp\n\tjmp *%r11\n.size takeover_common, .-takeover_common\n");
extern void takeover_common(void) __attribute__((visibility("hidden")));

// movabs $&target, %r11; jmp *(%r11); then the first target: push $index; movabs $takeover_common, %r11; jmp *%r11
static void write_code(uint8_t *to, size_t index)
{
    static const uint8_t jump[] = {0x41, 0xff, 0x23}, last[] = {0x41, 0xff, 0xe3}, r11[] = {0x49, 0xbb};
    const uint64_t target = (uintptr_t)&entries[index].target, common = (uintptr_t)takeover_common;
    const uint32_t number = (uint32_t)index;
    memcpy(to, r11, 2), memcpy(to + 2, &target, 8), memcpy(to + 10, jump, 3);
    to[13] = 0x68;
    memcpy(to + 14, &number, 4);
    memcpy(to + 18, r11, 2), memcpy(to + 20, &common, 8), memcpy(to + 28, last, 3);
    entries[index].target = to + 13;
}

static void add_names(enum takeover_library library, const struct elf *elf, const Elf64_Shdr *symbols)
{
    Elf64_Shdr names;
    if (!elf_section(elf, symbols->sh_link, &names)) return;
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= symbols->sh_size && count < MOST_NAMES; at += sizeof(Elf64_Sym)) {
        Elf64_Sym symbol;
        memcpy(&symbol, elf->image + symbols->sh_offset + at, sizeof symbol);
        if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF) continue;
        entries[count].name = elf->image + names.sh_offset + symbol.st_name;
        entries[count].library = library;
        write_code(code + count * CODE_BYTES, count);
        count++;
    }
}

// The file stays mapped: its names are used.
static void read_library(enum takeover_library library)
{
    char path[PATH_MAX];
    struct elf elf;
    struct stat facts;
    Elf64_Shdr symbols;
    if (!path_of(files[library], path, sizeof path)) return;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    if (fstat(file, &facts) == 0) {
        const size_t bytes = (size_t)facts.st_size;
        void *image = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, file, 0);
        if (image != MAP_FAILED && elf_open(&elf, image, bytes))
            for (uint64_t i = 0; i < elf.sections; i++)
                if (elf_section(&elf, i, &symbols) && symbols.sh_type == SHT_DYNSYM) add_names(library, &elf, &symbols);
    }
    close(file);
}

static void read_libraries(void)
{
    static bool is_read;
    if (is_read) return;
    is_read = true;
    code = mmap(NULL, MOST_NAMES * CODE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (code == MAP_FAILED) return;
    for (enum takeover_library library = 0; library < TAKEOVER_LIBRARIES; library++) read_library(library);
    mprotect(code, MOST_NAMES * CODE_BYTES, PROT_READ | PROT_EXEC);
}

void *takeover_entry(enum takeover_library library, const char *name)
{
    read_libraries();
    for (size_t i = 0; i < count; i++)
        if (entries[i].library == library && strcmp(entries[i].name, name) == 0) return code + i * CODE_BYTES;
    return NULL;
}

bool takeover_is_ours(const char *file)
{
    char our_folder[PATH_MAX], folder[PATH_MAX];
    struct stat ours, its;
    if (!path_of(".", our_folder, sizeof our_folder) || !path_beside(file, ".", folder, sizeof folder)) return false;
    if (stat(our_folder, &ours) != 0 || stat(folder, &its) != 0) return false;
    return ours.st_dev == its.st_dev && ours.st_ino == its.st_ino;
}
