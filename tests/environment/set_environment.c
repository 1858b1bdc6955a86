// SPDX-License-Identifier: MIT
// An LD_PRELOAD object that runs any program in the floating-point environment that TEST_FLOAT_ENVIRONMENT names, as a
// user's own program may have set it up: flush (flush to zero, denormals are zeros), upward, or traps. Threads and
// children inherit it.
#define _GNU_SOURCE
#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void flush(void)
{
#if defined __x86_64__
    enum { FLUSH_TO_ZERO = 0x8000, DENORMALS_ARE_ZEROS = 0x40 };
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | FLUSH_TO_ZERO | DENORMALS_ARE_ZEROS);
#elif defined __aarch64__
    enum { FLUSH_TO_ZERO = 1 << 24 };
    __builtin_aarch64_set_fpcr(__builtin_aarch64_get_fpcr() | FLUSH_TO_ZERO);
#else
#error "how does this CPU flush subnormals to zero?"
#endif
}

__attribute__((constructor)) static void set_environment(void)
{
    const char *name = getenv("TEST_FLOAT_ENVIRONMENT");
    if (name != NULL && strcmp(name, "flush") == 0) {
        flush();
    } else if (name != NULL && strcmp(name, "upward") == 0) {
        fesetround(FE_UPWARD);
    } else if (name != NULL && strcmp(name, "traps") == 0) {
        feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW | FE_UNDERFLOW);
    } else {
        fprintf(stderr, "TEST_FLOAT_ENVIRONMENT is flush, upward or traps\n");
        abort();
    }
}
