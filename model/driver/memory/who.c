// SPDX-License-Identifier: MIT
#include "who.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "demangle.h"
#include "elf_image.h"

struct who who_now(void)
{
    struct who who;
    who.frames = backtrace(who.frame, WHO_FRAMES);
    return who;
}

struct who who_at(uintptr_t place)
{
    enum { MOST = 64 };
    void *frame[MOST];
    const int frames = backtrace(frame, MOST);
    struct who who = {.frames = 0};
    int first = 0;
    while (first < frames && (uintptr_t)frame[first] != place) first++;
    for (; first < frames && who.frames < WHO_FRAMES; first++) who.frame[who.frames++] = frame[first];
    if (who.frames > 0) who.frame[0] = (void *)(place + 1); // as if it had called
    return who;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

// Is it one of the two libraries of `tmaref exec`?
static bool is_of_api(const Dl_info *place)
{
    const char *name = base_name(place->dli_fname);
    return strncmp(name, "libcuda.so", 10) == 0 || strncmp(name, "libcudart.so", 12) == 0;
}

// The outermost call of the API that the frames begin with, but for those of a sanitizer, and the frame of the first
// place outside, or that behind the last.
static const char *call_of(const struct who *who, int *outside)
{
    const char *call = NULL;
    bool has_begun = false;
    for (int i = 0; i < who->frames; i++) {
        Dl_info place;
        *outside = i;
        const bool is_inside = dladdr(who->frame[i], &place) != 0 && place.dli_fname != NULL && is_of_api(&place);
        if (!is_inside && has_begun) return call;
        has_begun |= is_inside;
        if (is_inside && place.dli_sname != NULL && strncmp(place.dli_sname, "cu", 2) == 0) call = place.dli_sname;
    }
    *outside = who->frames;
    return call;
}

// --- Functions of the program ----------------------------------------------------------------------------------------

// The function of the file's own table of symbols that has this place, as the source has its name; 0: none has.
static size_t find_function(const struct elf *elf, uint64_t at, char *text, size_t bytes)
{
    Elf64_Shdr table, names;
    Elf64_Sym symbol;
    if (!elf_find(elf, ".symtab", 0, &table) || !elf_section(elf, table.sh_link, &names)) return 0;
    for (uint64_t i = 0; i + sizeof symbol <= table.sh_size; i += sizeof symbol) {
        memcpy(&symbol, elf->image + table.sh_offset + i, sizeof symbol);
        if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || at - symbol.st_value >= symbol.st_size) continue;
        const char *name = elf_string(elf, &names, symbol.st_name);
        return demangle_function(name, strlen(name), text, bytes);
    }
    return 0;
}

static size_t tell_function(const Dl_info *place, const void *at, char *text, size_t bytes)
{
    const int file = open(place->dli_fname, O_RDONLY | O_CLOEXEC);
    struct stat facts;
    struct elf elf;
    size_t length = 0;
    if (file < 0) return 0;
    const size_t size = fstat(file, &facts) == 0 ? (size_t)facts.st_size : 0;
    void *image = size > 0 ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
    close(file);
    if (image == MAP_FAILED) return 0;
    if (elf_open(&elf, image, size)) {
        const uint64_t base = elf.head.e_type == ET_EXEC ? 0 : (uint64_t)(uintptr_t)place->dli_fbase;
        length = find_function(&elf, (uint64_t)(uintptr_t)at - base - 1, text, bytes);
    }
    munmap(image, size);
    return length;
}

// --- For reports -----------------------------------------------------------------------------------------------------

// Without the version of the call that a program means: cuMemAlloc for cuMemAlloc_v2.
static size_t name_length(const char *call)
{
    const char *version = call != NULL ? strstr(call, "_v") : NULL;
    return version != NULL ? (size_t)(version - call) : call != NULL ? strlen(call) : sizeof "a call";
}

// CUDA's headers have functions of their own around calls, as cudaMalloc<float>(float **, size_t).
static bool is_of_header(const char *function)
{
    return strncmp(function, "cudaError cuda", strlen("cudaError cuda")) == 0 ||
           strncmp(function, "__cudaLaunchKernel_helper", strlen("__cudaLaunchKernel_helper")) == 0 ||
           strncmp(function, "__device_stub__", strlen("__device_stub__")) == 0;
}

// "main of program, at 0x1234", or in who called a function named `stub`.
static int tell_place(const struct who *who, int frame, const char *stub, char *text, size_t bytes)
{
    for (; frame < who->frames; frame++) {
        Dl_info place;
        char function[DEMANGLED_BYTES];
        if (dladdr(who->frame[frame], &place) == 0 || place.dli_fname == NULL) return 0;
        const uintptr_t offset = (uintptr_t)who->frame[frame] - (uintptr_t)place.dli_fbase - 1; // of the call
        const bool is_known = tell_function(&place, who->frame[frame], function, sizeof function) > 0;
        if (is_known && (is_of_header(function) || strcmp(function, stub) == 0)) continue;
        return snprintf(text, bytes, "%s%s%s, at 0x%llx", is_known ? function : "", is_known ? " of " : "",
                        base_name(place.dli_fname), (unsigned long long)offset);
    }
    return 0;
}

size_t who_tell(const struct who *who, char *text, size_t bytes)
{
    return who_tell_launch(who, "", text, bytes);
}

size_t who_tell_launch(const struct who *who, const char *kernel, char *text, size_t bytes)
{
    int outside = 0;
    const char *call = call_of(who, &outside);
    char place[DEMANGLED_BYTES];
    const bool is_known = tell_place(who, outside, kernel, place, sizeof place) > 0;
    const int length = snprintf(text, bytes, "%.*s%s%s%s", (int)name_length(call), call != NULL ? call : "a call",
                                is_known ? " (called in " : "", is_known ? place : "", is_known ? ")" : "");
    return length < 0 ? 0 : (size_t)length < bytes ? (size_t)length : bytes - 1;
}

size_t who_tell_place(const struct who *who, char *text, size_t bytes)
{
    Dl_info place;
    int first = 0;
    while (first + 1 < who->frames && dladdr(who->frame[first], &place) != 0 && place.dli_fname != NULL &&
           (strstr(place.dli_fname, "/libc.so") != NULL || strstr(place.dli_fname, "/libstdc++.so") != NULL))
        first++;
    const int length = tell_place(who, first, "", text, bytes);
    return length < 0 ? 0 : (size_t)length < bytes ? (size_t)length : bytes - 1;
}

const char *who_call(void)
{
    int outside;
    const struct who who = who_now();
    const char *call = call_of(&who, &outside);
    return call != NULL ? call : "a call";
}
