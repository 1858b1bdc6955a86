// SPDX-License-Identifier: MIT
// Gets between a program and a library: preloaded, it exports dlsym beside the functions of the library it is part of.
// Not LD_AUDIT, for la_symbind hears of PLT slots and dlsym only (tried with glibc 2.36): not of calls compiled with
// -fno-plt, as Rust's are, nor of pointers in static data, nor, before glibc 2.35, of programs linked with -z now; and
// it brings a second libc whose static TLS large programs lack. It would see RTLD_DEEPBIND and dlmopen; this does not.
// The danger of an interposed dlsym is RTLD_NEXT, "after the caller", who is known by return address: for all but the
// names of the library ours jumps to the real one with registers and stack as they came.
#define _GNU_SOURCE 1
#include "interpose.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

typedef void *(*dlsym_fn)(void *handle, const char *name);

// The C library's dlsym, or that of another preloaded tool. dlvsym is not interposed; the version is that of glibc
// 2.34 and later, or the one every glibc of the architecture has kept.
static dlsym_fn real_dlsym(void)
{
    static _Atomic(void *) found;
    static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"};
    for (size_t i = 0; found == NULL && i < sizeof versions / sizeof versions[0]; i++)
        found = dlvsym(RTLD_NEXT, "dlsym", versions[i]);
    return (dlsym_fn)found;
}

static void *base_of(void *function)
{
    Dl_info place;
    return function != NULL && dladdr(function, &place) != 0 ? place.dli_fbase : NULL;
}

// The library that the functions are of; NULL before there is one, and after it was unloaded.
static void *home_of(const struct interposed *of)
{
    void *home = of->home == NULL ? NULL : *of->home;
    return base_of(home) == home ? home : NULL;
}

// A program that is linked with a copy calls that one, whichever it asks first.
static bool is_at_home(const struct interposed *of, void *function)
{
    if (of->home == NULL || function == NULL || function == of->wrapper) return true;
    void *before = *of->home;
    if (home_of(of) == NULL) {
        void *linked = base_of(real_dlsym()(RTLD_NEXT, of->name));
        atomic_compare_exchange_strong(of->home, &before, linked != NULL ? linked : base_of(function));
    }
    return *of->home == base_of(function);
}

void *interpose_keep(struct interposed *of, void *function)
{
    if (!is_at_home(of, function)) return function;
    if (function != NULL && function != of->wrapper) of->real = function;
    return function == NULL ? NULL : of->wrapper;
}

// In a library that is loaded already.
static void *find_in(const char *library, const char *name)
{
    void *loaded = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
    void *function = loaded == NULL ? NULL : real_dlsym()(loaded, name);
    if (loaded != NULL) dlclose(loaded);
    return function;
}

void *interpose_beside(void *address, const char *name)
{
    Dl_info place;
    return address == NULL || dladdr(address, &place) == 0 ? NULL : find_in(place.dli_fname, name);
}

void *interpose_real(struct interposed *of)
{
    void *home = home_of(of);
    if (of->real != NULL && (of->home == NULL || (home != NULL && base_of(of->real) == home))) return of->real;
    void *function = home != NULL ? interpose_beside(home, of->name) : real_dlsym()(RTLD_NEXT, of->name);
    for (int i = 0; function == NULL && home == NULL && interposed_libraries[i] != NULL; i++)
        function = find_in(interposed_libraries[i], of->name);
    interpose_keep(of, function);
    return function;
}

// dlsym for one of our names. A search of the whole program would find our wrapper whether or not there is a library.
static void *dlsym_of_ours(void *handle, const char *name)
{
    struct interposed *of = interposed_find(name);
    void *function = NULL;
    if (handle != RTLD_DEFAULT && handle != RTLD_NEXT) function = real_dlsym()(handle, name);
    if (handle == RTLD_DEFAULT || handle == RTLD_NEXT || function == of->wrapper) function = interpose_real(of);
    function = interpose_keep(of, function);
    if (function != NULL) dlerror(); // of what we looked for in vain: programs take an error for a failure
    return function;
}

// Which function answers this dlsym call: for the assembly below.
dlsym_fn interpose_dlsym_target(void *handle, const char *name);
__attribute__((used, visibility("hidden"))) dlsym_fn interpose_dlsym_target(void *handle, const char *name)
{
    (void)handle;
    return name == NULL || interposed_find(name) == NULL ? real_dlsym() : dlsym_of_ours;
}

#if defined(__x86_64__)
__asm__(".text\n.globl dlsym\n.type dlsym, @function\ndlsym:\n.cfi_startproc\n\tendbr64\n"
        "\tpushq %rdi\n.cfi_adjust_cfa_offset 8\n\tpushq %rsi\n.cfi_adjust_cfa_offset 8\n"
        "\tsubq $8, %rsp\n.cfi_adjust_cfa_offset 8\n\tcall interpose_dlsym_target\n"
        "\taddq $8, %rsp\n.cfi_adjust_cfa_offset -8\n\tpopq %rsi\n.cfi_adjust_cfa_offset -8\n"
        "\tpopq %rdi\n.cfi_adjust_cfa_offset -8\n\tjmp *%rax\n.cfi_endproc\n.size dlsym, .-dlsym\n");
#elif defined(__aarch64__)
__asm__(".text\n.globl dlsym\n.type dlsym, %function\ndlsym:\n.cfi_startproc\n\thint #34\n"
        "\tstp x29, x30, [sp, #-32]!\n.cfi_adjust_cfa_offset 32\n.cfi_offset 30, -24\n.cfi_offset 29, -32\n"
        "\tstp x0, x1, [sp, #16]\n\tbl interpose_dlsym_target\n\tmov x16, x0\n\tldp x0, x1, [sp, #16]\n"
        "\tldp x29, x30, [sp], #32\n.cfi_adjust_cfa_offset -32\n.cfi_restore 30\n.cfi_restore 29\n"
        "\tbr x16\n.cfi_endproc\n.size dlsym, .-dlsym\n");
#else
#error "interposing knows how to pass dlsym on for x86-64 and aarch64 only"
#endif
