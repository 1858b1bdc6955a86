// SPDX-License-Identifier: MIT
// What cuLink* makes of PTX in several parts, one line for each case: run with ours and with an H200's driver, the
// lines must be the same (links.h200.txt was written by one). The texts of logs go to standard error alone: each
// linker has its own.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_api.h"

enum { INPUT_CUBIN, INPUT_PTX, INPUT_FATBIN, INPUT_OBJECT, INPUT_LIBRARY };
enum { ERROR_LOG = 5, ERROR_LOG_BYTES };
enum { LOG_BYTES = 4096, MOST_TEXT = 2048 };

static const char head[] = ".version 8.0\n.target sm_90a\n.address_size 64\n";

// f(a) = a + NUMBER
#define ADDS(number)                                                                                                   \
    " .func (.param .b32 r) f(.param .b32 a)\n{ .reg .b32 %r<3>; ld.param.b32 %r1, [a];\n"                             \
    "add.u32 %r1, %r1, " number "; st.param.b32 [r], %r1; ret; }\n"

// Reads the first byte of v and writes it back.
#define TOUCHES(name)                                                                                                  \
    ".visible .entry " name "()\n{ .reg .b16 %r<2>; ld.global.u8 %r1, [v]; st.global.u8 [v], %r1; ret; }\n"

#define CALLS_F "{ .param .b32 x; .param .b32 y; st.param.b32 [x], 3; call (y), f, (x); ld.param.b32 %r1, [y]; }\n"

static const struct {
    const char *name, *text;
} parts[] = {
    {"main", ".extern .func (.param .b32 r) f(.param .b32 a);\n.extern .global .align 4 .b32 v;\n"
             ".visible .entry k(.param .u64 p)\n{ .reg .b64 %rd<3>; .reg .b32 %r<3>; ld.param.u64 %rd1, [p];\n" CALLS_F
             "ld.global.u32 %r2, [v]; add.u32 %r1, %r1, %r2; st.global.u32 [%rd1], %r1; ret; }\n"},
    {"f100", ".visible" ADDS("100")},
    {"f200", ".visible" ADDS("200")},
    {"f300weak", ".weak" ADDS("300")},
    {"f400weak", ".weak" ADDS("400")},
    {"f500local", ADDS("500") ".visible .entry other(.param .u64 p)\n{ .reg .b32 %r<2>; .reg .b64 %rd<2>;\n" CALLS_F
                              "ld.param.u64 %rd1, [p]; st.global.u32 [%rd1], %r1; ret; }\n"},
    {"f_wide", ".visible .func (.param .b64 r) f(.param .b64 a)\n{ ret; }\n"},
    {"f_bare", ".visible .func f()\n{ ret; }\n"},
    {"f_float", ".visible .func (.param .f32 r) f(.param .f32 a)\n{ ret; }\n"},
    {"f_signed", ".visible .func (.param .s32 r) f(.param .u32 a)\n{ st.param.u32 [r], 50; ret; }\n"},
    {"f_bytes", ".visible .func (.param .b32 r) f(.param .align 4 .b8 a[4])\n{ ret; }\n"},
    {"f_variable", ".visible .global .align 4 .b32 f = 3;\n"},
    {"f_weak_bare", ".weak .func f()\n{ ret; }\n"},
    {"v7", ".visible .global .align 4 .b32 v = 7;\n"},
    {"v8", ".visible .global .align 4 .b32 v = 8;\n"},
    {"v9weak", ".weak .global .align 4 .b32 v = 9;\n"},
    {"v10weak", ".weak .global .align 4 .b32 v = 10;\n"},
    {"v11local", ".global .align 4 .b32 v = 11;\n" TOUCHES("touch")},
    {"v_wide", ".visible .global .align 8 .b64 v = 12;\n"},
    {"v_wide_weak", ".weak .global .align 8 .b64 v = 12;\n"},
    {"v_const", ".visible .const .align 4 .b32 v = 13;\n"},
    {"v_common", ".common .global .align 4 .b32 v;\n"},
    {"v_common32", ".common .global .align 4 .b8 v[32];\n"},
    {"v_managed", ".visible .global .align 4 .attribute(.managed) .b32 v;\n"},
    {"v_aligned", ".visible .global .align 16 .b32 v = 14;\n"},
    {"reads_v4", ".extern .global .align 4 .b8 v[4];\n" TOUCHES("reads_v4")},
    {"reads_v8", ".extern .global .align 8 .b64 v;\n" TOUCHES("reads_v8")},
    {"reads_v", ".extern .global .align 4 .b32 v[];\n" TOUCHES("reads_v")},
    {"holds_v", ".extern .global .align 4 .b32 v;\n.visible .global .align 8 .u64 at = v;\n"},
    {"calls_f",
     ".extern .func (.param .b32 r) f(.param .b32 a);\n.visible .entry calls_f()\n{ .reg .b32 %r<2>;\n" CALLS_F
     "ret; }\n"},
    {"calls_f_wide", ".extern .func (.param .b32 r) f(.param .b64 a);\n.visible .entry calls_f_wide()\n"
                     "{ { .param .b64 x; .param .b32 y; st.param.b64 [x], 3; call (y), f, (x); } ret; }\n"},
    {"names_f", ".extern .func (.param .b32 r) f(.param .b32 a);\n.visible .entry names_f()\n{ ret; }\n"},
    {"names_v", ".extern .global .align 4 .b32 v;\n.visible .entry names_v()\n{ ret; }\n"},
    {"k_again", ".visible .entry k(.param .u64 p)\n{ ret; }\n"},
    {"k_weak", ".weak .entry k(.param .u64 p)\n{ ret; }\n"},
    {"k_local", ".entry k(.param .u64 p)\n{ ret; }\n"},
    {"k_function", ".visible .func k(.param .u64 p)\n{ ret; }\n"},
    {"k_variable", ".visible .global .align 4 .b32 k;\n"},
    {"shared_there", ".visible .shared .align 4 .b32 s;\n.visible .entry there()\n{ st.shared.u32 [s], 3; ret; }\n"},
    {"shared_here", ".extern .shared .align 4 .b32 s;\n.visible .entry here()\n{ st.shared.u32 [s], 3; ret; }\n"},
    {"dynamic4", ".extern .shared .align 4 .b8 d[];\n.visible .entry d4()\n{ st.shared.u32 [d], 3; ret; }\n"},
    {"dynamic16", ".extern .shared .align 16 .b64 d[];\n.visible .entry d16()\n{ st.shared.u32 [d], 3; ret; }\n"},
    {"empty", ""},
    {"broken", ".visible .entry broken()\n{ nonsense; }\n"},
    {"twice", ".version 8.0\n.visible .entry twice()\n{ ret; }\n"},
    {"for80", ".target sm_80\n"},
};

// Each is a list of parts, in the order in which they are given to the linker.
static const char *const cases[] = {
    "main",
    "main f100",
    "main v7",
    "main f100 v7",
    "v7 f100 main",
    "main f100 f200 v7",
    "main f100 f300weak v7",
    "main f300weak f100 v7",
    "main f300weak f400weak v7",
    "main f500local v7",
    "main f100 f500local v7",
    "main f_wide v7",
    "main f_bare v7",
    "main f_float v7",
    "main f_signed v7",
    "main f_bytes v7",
    "main f_variable v7",
    "main f_weak_bare v7",
    "f100 f_weak_bare",
    "f_weak_bare f100",
    "main f100 v7 v8",
    "main f100 v7 v9weak",
    "main f100 v9weak v7",
    "main f100 v9weak v10weak",
    "main f100 v11local",
    "main f100 v7 v11local",
    "main f100 v_wide",
    "main f100 v_const",
    "main f100 v_common",
    "main f100 v_common v_common",
    "main f100 v_common v_common32",
    "main f100 v_common32 v_common",
    "v_common32 v7",
    "v7 v_common32",
    "main f100 v_common v7",
    "main f100 v7 v_common",
    "v_wide_weak v7",
    "v7 v_wide_weak",
    "main f100 v_managed",
    "main f100 v_aligned",
    "main f100 v7 reads_v4 reads_v",
    "reads_v v7",
    "reads_v4 reads_v8",
    "holds_v",
    "holds_v v7",
    "calls_f calls_f_wide",
    "calls_f_wide f100",
    "names_f",
    "names_v",
    "main f100 v7 k_again",
    "main f100 v7 k_weak",
    "k_weak main f100 v7",
    "main f100 v7 k_function",
    "main f100 v7 k_variable",
    "shared_there shared_here",
    "shared_here",
    "dynamic4 dynamic16",
    "main broken f100 v7",
    "main f100 v7 broken",
    "twice",
    "empty",
    "empty main f100 v7",
    "main for80 f100 v7",
};

static const char *text_of(const char *name, char *text)
{
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (strcmp(parts[i].name, name) == 0) {
            snprintf(text, MOST_TEXT, "%s%s", head, parts[i].text);
            return text;
        }
    fprintf(stderr, "no part is called %s\n", name);
    exit(EXIT_FAILURE);
}

// The first parameter points at a word, which a kernel may write.
static void show_kernel(struct CUmod_st *module, const char *name, unsigned long long word)
{
    struct CUfunc_st *function;
    uint32_t value = 0;
    void *parameters[] = {&word};
    const int found = (int)cuModuleGetFunction(&function, module, name);
    printf(", %s %d", name, found);
    if (found != CUDA_SUCCESS) return;
    cuMemsetD32_v2(word, 0, 1);
    const int launched = (int)cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL);
    cuMemcpyDtoH_v2(&value, word, sizeof value);
    printf(" launch %d writes %u", launched, value);
}

static void show_variable(struct CUmod_st *module)
{
    unsigned long long at = 0;
    size_t bytes = 0;
    uint32_t value = 0;
    const int found = (int)cuModuleGetGlobal_v2(&at, &bytes, module, "v");
    printf(", v %d", found);
    if (found == CUDA_SUCCESS && cuMemcpyDtoH_v2(&value, at, sizeof value) == CUDA_SUCCESS)
        printf(" is %u of %zu bytes", value, bytes);
}

static void show_image(void *image, unsigned long long word)
{
    struct CUmod_st *module;
    const int loaded = (int)cuModuleLoadData(&module, image);
    printf(", load %d", loaded);
    if (loaded != CUDA_SUCCESS) return;
    show_kernel(module, "k", word);
    show_kernel(module, "other", word);
    show_variable(module);
    cuModuleUnload(module);
}

static void show_case(const char *names, unsigned long long word)
{
    char log[LOG_BYTES] = "", list[256], text[MOST_TEXT];
    uint32_t option[] = {ERROR_LOG, ERROR_LOG_BYTES};
    void *value[] = {log, (void *)sizeof log}, *image = NULL;
    size_t bytes = 0;
    struct CUlinkState_st *link;
    printf("%s: create %d, add", names, (int)cuLinkCreate_v2(2, option, value, &link));
    snprintf(list, sizeof list, "%s", names);
    for (char *name = strtok(list, " "); name != NULL; name = strtok(NULL, " ")) {
        text_of(name, text);
        printf(" %d", (int)cuLinkAddData_v2(link, INPUT_PTX, text, strlen(text) + 1, name, 0, NULL, NULL));
    }
    const int completed = (int)cuLinkComplete(link, &image, &bytes);
    printf(", complete %d", completed);
    for (int i = 0; i < 4; i++) {
        const char symbol[] = {'\'', "fvks"[i], '\'', '\0'};
        if (strstr(log, symbol) != NULL) printf(", the log names %c", "fvks"[i]);
    }
    if (completed == CUDA_SUCCESS) show_image(image, word);
    printf(", destroy %d\n", (int)cuLinkDestroy(link));
    fprintf(stderr, "== %s\n%s\n", names, log);
}

// PTX that is loaded without a link.
static void show_loads(unsigned long long word)
{
    static const char *const names[] = {"main",     "calls_f", "reads_v",     "reads_v4", "names_f",
                                        "names_v",  "holds_v", "shared_here", "v_common", "v11local",
                                        "dynamic4", "twice",   "k_local"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char text[MOST_TEXT];
        printf("load of %s", names[i]);
        show_image((void *)text_of(names[i], text), word);
        puts("");
    }
}

#define SHOW(call) printf("  %s = %d\n", #call, (int)(call))

static struct CUlinkState_st *new_link(const char *what)
{
    struct CUlinkState_st *link = NULL;
    printf("%s: create %d\n", what, (int)cuLinkCreate_v2(0, NULL, NULL, &link));
    return link;
}

// What follows a first input of this kind, which is PTX whatever it is said to be. A process of its own: an H200's
// driver remembers some of these errors, and gives another one from then on.
static void show_kind(uint32_t kind)
{
    static const char *const names[] = {"a cubin", "PTX", "a fat binary", "an object", "a library"};
    char text[MOST_TEXT];
    struct CUlinkState_st *link = new_link(names[kind]);
    void *image = NULL;
    size_t bytes = 0;
    const size_t length = strlen(text_of("f100", text)) + 1;
    SHOW(cuLinkAddData_v2(link, kind, text, length, "a", 0, NULL, NULL));
    SHOW(cuLinkAddData_v2(link, INPUT_PTX, text, length, "b", 0, NULL, NULL));
    SHOW(cuLinkComplete(link, &image, &bytes));
    SHOW(cuLinkDestroy(link));
}

static void show_arguments(void)
{
    char text[MOST_TEXT], path[] = "/nonexistent/part.ptx";
    struct CUlinkState_st *link = new_link("arguments");
    void *image = NULL;
    size_t bytes = 0;
    const size_t length = strlen(text_of("f100", text)) + 1;
    SHOW(cuLinkCreate_v2(0, NULL, NULL, NULL));
    SHOW(cuLinkAddData_v2(link, INPUT_PTX, NULL, length, "a", 0, NULL, NULL));
    SHOW(cuLinkAddData_v2(link, INPUT_PTX, text, 0, "a", 0, NULL, NULL));
    SHOW(cuLinkAddData_v2(link, (uint32_t)77, text, length, "a", 0, NULL, NULL));
    SHOW(cuLinkAddFile_v2(link, INPUT_PTX, path, 0, NULL, NULL));
    SHOW(cuLinkAddFile_v2(link, INPUT_PTX, NULL, 0, NULL, NULL));
    SHOW(cuLinkAddData_v2(link, INPUT_PTX, text, length, NULL, 0, NULL, NULL));
    SHOW(cuLinkComplete(link, NULL, &bytes));
    SHOW(cuLinkComplete(link, &image, NULL));
    SHOW(image != NULL);
    SHOW(cuLinkAddData_v2(link, INPUT_PTX, text, length, "b", 0, NULL, NULL));
    SHOW(cuLinkAddFile_v2(link, INPUT_PTX, path, 0, NULL, NULL));
    SHOW(cuLinkComplete(link, &image, &bytes));
    SHOW(cuLinkDestroy(link));
    link = new_link("nothing");
    SHOW(cuLinkComplete(link, &image, &bytes));
    SHOW(cuLinkDestroy(link));
}

// usage: links [KIND]
int main(int count, char **argument)
{
    struct CUctx_st *context;
    unsigned long long word;
    if (cuInit(0) != CUDA_SUCCESS || cuDevicePrimaryCtxRetain(&context, 0) != CUDA_SUCCESS ||
        cuCtxSetCurrent(context) != CUDA_SUCCESS || cuMemAlloc_v2(&word, sizeof word) != CUDA_SUCCESS) {
        puts("no device");
        return EXIT_FAILURE;
    }
    if (count > 1) {
        show_kind(argument[1][0] == '4' ? INPUT_LIBRARY : (uint32_t)(argument[1][0] - '0') % INPUT_LIBRARY);
        return EXIT_SUCCESS;
    }
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) show_case(cases[i], word);
    show_loads(word);
    show_arguments();
    return EXIT_SUCCESS;
}
