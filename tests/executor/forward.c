// SPDX-License-Identifier: MIT
// Every driver call as the driver of `tmaref exec` has it, the file that SABOTAGE_DRIVER names: a jump each. What
// sabotage.c defines itself comes before these.
#include "forward.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#define JUMP(name) "jmp *real_" #name "(%rip)"
#elif defined(__aarch64__)
#define JUMP(name) "adrp x16, real_" #name "\nldr x16, [x16, :lo12:real_" #name "]\nbr x16"
#endif

#define JUMP_TO(name)                                                                                                  \
    HIDDEN name##_fn real_##name;                                                                                      \
    __asm__(".text\n.weak " #name "\n.type " #name ", %function\n" #name ":\n" JUMP(name) "\n");
#define MADE(name, ...)  JUMP_TO(name)
#define TIMED(name, ...) JUMP_TO(name)
#include "made_calls.def"

HIDDEN enum cuda_result (*real_cuFuncGetParamInfo)(struct CUfunc_st *function, size_t index, size_t *offset,
                                                   size_t *bytes);

static void find(void *driver, const char *name, void *to)
{
    void *call = dlsym(driver, name);
    if (call == NULL) {
        fprintf(stderr, "sabotage: %s has no %s\n", getenv("SABOTAGE_DRIVER"), name);
        abort();
    }
    memcpy(to, &call, sizeof call);
}

__attribute__((constructor)) static void open_driver(void)
{
    const char *path = getenv("SABOTAGE_DRIVER");
    void *driver = path != NULL ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (driver == NULL) {
        fprintf(stderr, "sabotage: SABOTAGE_DRIVER names no driver (%s)\n", path != NULL ? dlerror() : "it is not set");
        abort();
    }
#define MADE(name, ...)  find(driver, #name, &real_##name);
#define TIMED(name, ...) find(driver, #name, &real_##name);
#include "made_calls.def"
    find(driver, "cuFuncGetParamInfo", &real_cuFuncGetParamInfo);
}
