// SPDX-License-Identifier: MIT
// The loader calls an empty function, _r_debug.r_brk, whenever the list of files has changed, so that debuggers can
// stop there. It does so when it has mapped the files of a dlopen() and before their constructors run. We write a jump
// over it. LD_AUDIT would tell the same, and brings a second C library (harness/exec/interpose/interpose.c says more).
#define _GNU_SOURCE 1
#include "takeover.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "array.h"
#include "elf_image.h"

#if defined(__x86_64__)

// What a file that holds a copy of one of the libraries has a function of, and how its public functions are called.
static const struct {
    const char *has, *begins[2];
} copies[TAKEOVER_COPIES] = {
    [TAKEOVER_RUNTIME] = {"cudaGetDeviceCount", {"cuda", "__cuda"}},
    [TAKEOVER_DRIVER] = {"cuDriverGetVersion", {"cu", "cu"}},
    [TAKEOVER_CUBLAS] = {"cublasCreate_v2", {"cublas", "cublas"}},
    [TAKEOVER_CUBLASLT] = {"cublasLtCreate", {"cublasLt", "cublasLt"}},
    [TAKEOVER_CUFFT] = {"cufftGetVersion", {"cufft", "cufft"}},
    [TAKEOVER_CUSOLVER] = {"cusolverDnCreate", {"cusolver", "cusolver"}},
    [TAKEOVER_CUSPARSE] = {"cusparseCreate", {"cusparse", "cusparse"}},
};

struct table {
    const char *names;
    uint64_t names_bytes;
    const char *symbols;
    uint64_t count;
};

static bool begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

// A function that the file itself has, and its name; NULL for any other symbol.
static const char *function_at(const struct table *table, uint64_t i, Elf64_Sym *symbol)
{
    memcpy(symbol, table->symbols + i * sizeof *symbol, sizeof *symbol);
    const bool is_one = ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_shndx != SHN_UNDEF;
    return is_one && symbol->st_name < table->names_bytes ? table->names + symbol->st_name : NULL;
}

static bool has_function(const struct table *table, const char *wanted)
{
    Elf64_Sym symbol;
    if (memmem(table->names, table->names_bytes, wanted, strlen(wanted) + 1) == NULL) return false;
    for (uint64_t i = 0; i < table->count; i++) {
        const char *name = function_at(table, i, &symbol);
        if (name != NULL && strcmp(name, wanted) == 0) return true;
    }
    return false;
}

enum takeover_library takeover_runtime(const char *names, uint64_t bytes)
{
    static const char of_12[] = "cudaGetDeviceProperties_v2", of_11[] = "cudaUnbindTexture";
    if (memmem(names, bytes, of_12, sizeof of_12) != NULL) return TAKEOVER_RUNTIME_12;
    return memmem(names, bytes, of_11, sizeof of_11) != NULL ? TAKEOVER_RUNTIME_11 : TAKEOVER_RUNTIME;
}

static _Atomic int newest;

// It is what cudaRuntimeGetVersion() stores: movl $release, (%rdi).
void takeover_release(const uint8_t *code, size_t bytes)
{
    static const uint8_t store[] = {0xc7, 0x07};
    const uint8_t *at = code, *past = code + bytes;
    while ((at = memmem(at, (size_t)(past - at), store, sizeof store)) != NULL) {
        int32_t release;
        at += sizeof store;
        if ((size_t)(past - at) < sizeof release) return;
        memcpy(&release, at, sizeof release);
        const bool is_one = release >= 11000 && release < 20000 && release % 1000 < 100 && release % 10 == 0;
        if (is_one && release > newest) newest = release;
    }
}

int tmaref_newest_runtime(void)
{
    return newest;
}

static void take(const struct link_map *map, const struct table *table, enum takeover_library copy)
{
    const enum takeover_library library =
        copy == TAKEOVER_RUNTIME ? takeover_runtime(table->names, table->names_bytes) : copy;
    Elf64_Sym symbol;
    for (uint64_t i = 0; i < table->count; i++) {
        const char *name = function_at(table, i, &symbol);
        if (name == NULL || (!begins(name, copies[copy].begins[0]) && !begins(name, copies[copy].begins[1]))) continue;
        void *entry = takeover_entry(library, name);
        if (entry != NULL) takeover_jump((void *)(map->l_addr + symbol.st_value), symbol.st_size, entry);
    }
}

// cuDNN 9, whose files each have the public functions that they define.
static void take_closed(const struct link_map *map, const struct table *table)
{
    Elf64_Sym symbol;
    if (!has_function(table, "cudnnGetLastErrorString")) return;
    for (uint64_t i = 0; i < table->count; i++) {
        const char *name = function_at(table, i, &symbol);
        if (name != NULL && begins(name, "cudnn"))
            takeover_closed(name, (void *)(map->l_addr + symbol.st_value), symbol.st_size);
    }
}

// A stripped file has no other names than those it exports.
static bool find_table(const struct elf *elf, uint32_t type, struct table *table)
{
    Elf64_Shdr symbols, names;
    for (uint64_t i = 0; i < elf->sections; i++) {
        if (!elf_section(elf, i, &symbols) || symbols.sh_type != type) continue;
        if (!elf_section(elf, symbols.sh_link, &names) || names.sh_size == 0) continue;
        *table = (struct table){elf->image + names.sh_offset, names.sh_size, elf->image + symbols.sh_offset,
                                symbols.sh_size / sizeof(Elf64_Sym)};
        return table->names[table->names_bytes - 1] == '\0';
    }
    return false;
}

// Was a file without a table of symbols linked with the runtime? nvcc puts a list of kernels into it; in others a
// message of the runtime stands, which is not looked for in very large ones. One that asks the loader for the runtime
// has none.
static bool may_hold_runtime(const struct elf *elf, const struct table *table)
{
    enum { MOST_BYTES = 64 << 20 };
    static const char imported[] = "__cudaRegisterFatBinary", message[] = "startup failure in cuda runtime";
    Elf64_Shdr section;
    if (memmem(table->names, table->names_bytes, imported, sizeof imported) != NULL) return false;
    if (elf_find(elf, ".nvFatBinSegment", 0, &section)) return true;
    return elf->bytes <= MOST_BYTES && elf_find(elf, ".rodata", 0, &section) &&
           memmem(elf->image + section.sh_offset, section.sh_size, message, strlen(message)) != NULL;
}

// Ours are asked about last: what they are is read where there is a copy of one of them, and in no other process.
// Returns whether the file had a runtime, and has ours now.
static bool look_into(const struct link_map *map, const struct elf *elf)
{
    struct table table;
    bool has_ours = false;
    const bool is_stripped = !find_table(elf, SHT_SYMTAB, &table);
    if (is_stripped && !find_table(elf, SHT_DYNSYM, &table)) return false;
    if (is_stripped && !has_function(&table, copies[TAKEOVER_RUNTIME].has) && may_hold_runtime(elf, &table))
        has_ours = takeover_stripped(elf, map->l_addr, map->l_name) || takeover_named(elf, map->l_addr);
    for (enum takeover_library library = 0; library < TAKEOVER_COPIES; library++)
        if (has_function(&table, copies[library].has) && !takeover_is_ours(map->l_name)) {
            take(map, &table, library);
            has_ours |= library == TAKEOVER_RUNTIME;
        }
    take_closed(map, &table);
    return has_ours;
}

static bool open_file(const struct link_map *map)
{
    struct stat facts;
    struct elf elf;
    bool has_ours = false;
    const int file = open(map->l_name[0] == '\0' ? "/proc/self/exe" : map->l_name, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false; // the vDSO has none
    if (fstat(file, &facts) == 0) {
        const size_t bytes = (size_t)facts.st_size;
        void *image = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE, file, 0);
        if (image != MAP_FAILED && elf_open(&elf, image, bytes)) has_ours = look_into(map, &elf);
        if (image != MAP_FAILED) munmap(image, bytes);
    }
    close(file);
    return has_ours;
}

// The files that were looked into and are still there. The lock is for those who ask on other threads.
static struct known {
    const struct link_map *map;
    bool has_our_runtime;
} * known;
static size_t knowns;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const struct known *find_known(const struct link_map *map)
{
    for (size_t i = 0; i < knowns; i++)
        if (known[i].map == map) return &known[i];
    return NULL;
}

bool tmaref_has_our_runtime(const struct link_map *map)
{
    pthread_mutex_lock(&lock);
    const struct known *file = find_known(map);
    const bool has_ours = file != NULL && file->has_our_runtime;
    pthread_mutex_unlock(&lock);
    return has_ours;
}

static void keep(const struct link_map *map, bool has_our_runtime)
{
    (void)ARRAY_ADD(known, knowns, ((struct known){map, has_our_runtime})); // without memory it is looked at again
}

// The lists of files: one, and since glibc 2.35 one more for each namespace of dlmopen().
static const struct r_debug *next_list(const struct r_debug *list)
{
    struct extended {
        struct r_debug base;
        struct r_debug *next;
    };
    return _r_debug.r_version < 2 ? NULL : ((const struct extended *)list)->next;
}

static bool is_there(const struct link_map *map)
{
    for (const struct r_debug *list = &_r_debug; list != NULL; list = next_list(list))
        for (const struct link_map *other = list->r_map; other != NULL; other = other->l_next)
            if (other == map) return true;
    return false;
}

// Another file may come to the place of one that went.
static void forget_gone(void)
{
    size_t left = 0;
    for (size_t i = 0; i < knowns; i++)
        if (is_there(known[i].map)) known[left++] = known[i];
    knowns = left;
}

static void hear(void)
{
    pthread_mutex_lock(&lock);
    forget_gone();
    for (const struct r_debug *list = &_r_debug; list != NULL; list = next_list(list))
        for (const struct link_map *map = list->r_map; map != NULL && list->r_state == RT_CONSISTENT; map = map->l_next)
            if (find_known(map) == NULL) keep(map, open_file(map));
    pthread_mutex_unlock(&lock);
}

// The size of the function that does nothing; 0 if it is not such a one.
static uint64_t empty_bytes(const void *at)
{
    static const uint8_t ret[] = {0xc3}, endbr_ret[] = {0xf3, 0x0f, 0x1e, 0xfa, 0xc3};
    if (memcmp(at, ret, sizeof ret) == 0) return sizeof ret;
    return memcmp(at, endbr_ret, sizeof endbr_ret) == 0 ? sizeof endbr_ret : 0;
}

// Before the constructors of all other files (-z initfirst).
__attribute__((constructor)) static void start(void)
{
    void *told = (void *)_r_debug.r_brk;
    hear();
    const uint64_t bytes = told == NULL ? 0 : empty_bytes(told);
    if (bytes > 0) takeover_jump(told, bytes, (void *)hear);
}

#endif
