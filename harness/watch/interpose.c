// SPDX-License-Identifier: MIT
// Gets between a program and the real driver: preloaded, it exports the tensor map calls, cuGetProcAddress and dlsym.
// Not LD_AUDIT, for la_symbind hears of PLT slots and dlsym only (tried with glibc 2.36): not of calls compiled with
// -fno-plt, as Rust's are, nor of pointers in static data, nor, before glibc 2.35, of programs linked with -z now; and
// it brings a second libc whose static TLS large programs lack. It would see RTLD_DEEPBIND and dlmopen; this does not.
// The danger of an interposed dlsym is RTLD_NEXT, "after the caller", who is known by return address: for all but six
// names ours jumps to the real one with registers and stack as they came.
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "watch.h"

typedef void *(*dlsym_fn)(void *handle, const char *name);

enum { CUDA_12 = 12000 }; // from here on the name cuGetProcAddress means its second version

#define ROW(name, parameters) [WATCH_##name] = {#name, (void *)name},
static const struct {
    const char *name;
    void *wrapper;
} symbols[WATCH_SYMBOLS] = {CUDA_TENSOR_MAP_CALL_ROWS(ROW) ROW(cuGetProcAddress, ) ROW(cuGetProcAddress_v2, )};
#undef ROW

// The functions last handed out by the driver; written by whoever looks one up, and always to an equivalent value.
static _Atomic(void *) real[WATCH_SYMBOLS];

static enum watch_symbol symbol_find(const char *name)
{
    int i = 0;
    if (name == NULL || name[0] != 'c' || name[1] != 'u') return WATCH_SYMBOLS;
    while (i < WATCH_SYMBOLS && strcmp(symbols[i].name, name) != 0) i++;
    return (enum watch_symbol)i;
}

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

// Keeps what the driver gave and hands out our wrapper for it.
static void *wrap(enum watch_symbol symbol, void *function)
{
    if (function != NULL && function != symbols[symbol].wrapper) real[symbol] = function;
    return function == NULL ? NULL : symbols[symbol].wrapper;
}

void *watch_real(enum watch_symbol symbol)
{
    if (real[symbol] != NULL) return real[symbol];
    void *function = real_dlsym()(RTLD_NEXT, symbols[symbol].name);
    if (function == NULL) {
        void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
        if (driver != NULL) function = real_dlsym()(driver, symbols[symbol].name);
        if (driver != NULL) dlclose(driver);
    }
    wrap(symbol, function);
    return function;
}

// dlsym for one of our names. A search of the whole program would find our wrapper whether or not there is a driver.
static void *dlsym_of_ours(void *handle, const char *name)
{
    enum watch_symbol symbol = symbol_find(name);
    void *function = NULL;
    if (handle != RTLD_DEFAULT && handle != RTLD_NEXT) function = real_dlsym()(handle, name);
    if (handle == RTLD_DEFAULT || handle == RTLD_NEXT || function == symbols[symbol].wrapper)
        function = watch_real(symbol);
    return wrap(symbol, function);
}

// Which function answers this dlsym call.
__attribute__((used, visibility("hidden"))) dlsym_fn watch_dlsym_target(void *handle, const char *name)
{
    (void)handle;
    return symbol_find(name) == WATCH_SYMBOLS ? real_dlsym() : dlsym_of_ours;
}

#if defined(__x86_64__)
__asm__(".text\n.globl dlsym\n.type dlsym, @function\ndlsym:\n.cfi_startproc\n\tendbr64\n"
        "\tpushq %rdi\n.cfi_adjust_cfa_offset 8\n\tpushq %rsi\n.cfi_adjust_cfa_offset 8\n"
        "\tsubq $8, %rsp\n.cfi_adjust_cfa_offset 8\n\tcall watch_dlsym_target\n"
        "\taddq $8, %rsp\n.cfi_adjust_cfa_offset -8\n\tpopq %rsi\n.cfi_adjust_cfa_offset -8\n"
        "\tpopq %rdi\n.cfi_adjust_cfa_offset -8\n\tjmp *%rax\n.cfi_endproc\n.size dlsym, .-dlsym\n");
#elif defined(__aarch64__)
__asm__(".text\n.globl dlsym\n.type dlsym, %function\ndlsym:\n.cfi_startproc\n\thint #34\n"
        "\tstp x29, x30, [sp, #-32]!\n.cfi_adjust_cfa_offset 32\n.cfi_offset 30, -24\n.cfi_offset 29, -32\n"
        "\tstp x0, x1, [sp, #16]\n\tbl watch_dlsym_target\n\tmov x16, x0\n\tldp x0, x1, [sp, #16]\n"
        "\tldp x29, x30, [sp], #32\n.cfi_adjust_cfa_offset -32\n.cfi_restore 30\n.cfi_restore 29\n"
        "\tbr x16\n.cfi_endproc\n.size dlsym, .-dlsym\n");
#else
#error "watch knows how to pass dlsym on for x86-64 and aarch64 only"
#endif

// After a successful cuGetProcAddress: replaces a function of ours in the answer.
static void wrap_answer(const char *name, void **function, int cuda_version)
{
    enum watch_symbol symbol = symbol_find(name);
    if (symbol == WATCH_SYMBOLS || function == NULL) return;
    if (symbol == WATCH_cuGetProcAddress && cuda_version >= CUDA_12) symbol = WATCH_cuGetProcAddress_v2;
    *function = wrap(symbol, *function);
}

enum cuda_result cuGetProcAddress(const char *symbol, void **function, int cuda_version, uint64_t flags)
{
    cuGetProcAddress_fn driver = (cuGetProcAddress_fn)watch_real(WATCH_cuGetProcAddress);
    if (driver == NULL) return CUDA_ERROR_NOT_FOUND;
    enum cuda_result result = driver(symbol, function, cuda_version, flags);
    if (result == CUDA_SUCCESS) wrap_answer(symbol, function, cuda_version);
    return result;
}

enum cuda_result cuGetProcAddress_v2(const char *symbol, void **function, int cuda_version, uint64_t flags,
                                     uint32_t *status)
{
    cuGetProcAddress_v2_fn driver = (cuGetProcAddress_v2_fn)watch_real(WATCH_cuGetProcAddress_v2);
    if (driver == NULL) return CUDA_ERROR_NOT_FOUND;
    enum cuda_result result = driver(symbol, function, cuda_version, flags, status);
    if (result == CUDA_SUCCESS) wrap_answer(symbol, function, cuda_version);
    return result;
}
