// SPDX-License-Identifier: MIT
// Launches: parameters, sizes, printf.
#define _GNU_SOURCE 1
#include "api.h"

#include <sys/resource.h>
#include <unistd.h>

// CTAs that begin take the memory of those that have ended: few pages of the process are new.
SECTION(many_ctas)
{
    enum { CTAS = 512, THREADS = 1024, SHARED = 48 << 10 };
    struct rusage before, after;
    api_ready();
    struct CUfunc_st *touch = api_kernel(".extern .shared .align 4 .b8 s[];\n.visible .entry touch()\n{\n"
                                         ".reg .b32 %r<3>;\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, s;\n"
                                         "mad.lo.u32 %r2, %r0, 48, %r1;\nst.shared.u32 [%r2], %r0;\nret;\n}\n",
                                         "touch");
    REQUIRE(getrusage(RUSAGE_SELF, &before) == 0);
    WORKS(cuLaunchKernel(touch, CTAS, 1, 1, THREADS, 1, 1, SHARED, NULL, NULL, NULL));
    WORKS(cuCtxSynchronize());
    REQUIRE(getrusage(RUSAGE_SELF, &after) == 0);
#ifdef __SANITIZE_ADDRESS__
    puts("pages are not counted: the address sanitizer keeps what is freed");
#else
    REQUIRE(after.ru_minflt - before.ru_minflt < 2 * CTAS);
#endif
}

// What a kernel prints comes out whole: a format and a string of 10,000 characters each.
SECTION(long_print)
{
    enum { LONG = 10000 };
    static char body[16 * LONG];
    char *at = body;
    FILE *printed = tmpfile();
    api_ready();
    REQUIRE(printed != NULL && dup2(fileno(printed), STDOUT_FILENO) >= 0);
    at += sprintf(at,
                  ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n.global .align 1 .b8 "
                  "word[%d] = {",
                  LONG + 1);
    for (int i = 0; i < LONG; i++) at += sprintf(at, "%d, ", 'a' + i % 26);
    at += sprintf(at, "0};\n.global .align 1 .b8 format[%d] = {", LONG + 3);
    for (int i = 0; i < LONG; i++) at += sprintf(at, "%d, ", 'A' + i % 26);
    sprintf(at, "37, 115, 0};\n.visible .entry print()\n{\n.local .align 8 .b8 a[8];\n.reg .b64 %%rd<5>;\n"
                "mov.u64 %%rd1, a;\ncvta.local.u64 %%rd2, %%rd1;\nmov.u64 %%rd3, word;\nst.local.u64 [%%rd1], %%rd3;\n"
                "mov.u64 %%rd4, format;\n{\n.param .b64 p;\n.param .b64 q;\n.param .b32 r;\nst.param.b64 [p], %%rd4;\n"
                "st.param.b64 [q], %%rd2;\ncall (r), vprintf, (p, q);\n}\nret;\n}\n");
    WORKS(cuLaunchKernel(api_kernel(body, "print"), 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
    WORKS(cuCtxSynchronize());
    fflush(stdout);
    rewind(printed);
    for (int i = 0; i < 2 * LONG; i++)
        if (fgetc(printed) != (i < LONG ? 'A' : 'a') + i % LONG % 26) api_expect(__FILE__, __LINE__, "printed", i, -1);
    REQUIRE(fgetc(printed) == EOF);
}
