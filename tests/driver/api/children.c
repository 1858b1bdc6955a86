// SPDX-License-Identifier: MIT
// Kernels that launch kernels, in PTX as nvcc links it: what the device runtime answers, what runs behind the grid.
#include "api.h"

#include <pthread.h>

#define FUNCTION(bits, name, parameters) ".extern .func (.param .b" bits " r) __cudaCDP2" name "(" parameters ");\n"
#define CALL(bits, name, parameters, list)                                                                             \
    "{\n.param .b" bits " r;\n" parameters "call.uni (r), __cudaCDP2" name ", (" list ");\n"
#define ANSWER(at)          "ld.param.b32 %r1, [r];\nst.global.b32 [%rd1+" at "], %r1;\n}\n"
#define WIDE(name, value)   ".param .b64 " name ";\nst.param.b64 [" name "], " value ";\n"
#define NARROW(name, value) ".param .b32 " name ";\nst.param.b32 [" name "], " value ";\n"
#define SIZES(name, x)                                                                                                 \
    ".param .align 4 .b8 " name "[12];\nst.param.b32 [" name "], " x ";\nst.param.b32 [" name "+4], 1;\n"              \
    "st.param.b32 [" name "+8], 1;\n"

// leaf(to): stores 7. parent(to, threads, stream, kernel): launches the kernel with so many threads, and keeps in `to`
// behind the leaf's word what each call answered.
static const char ptx_children[] = FUNCTION(
    "64", "GetParameterBufferV2", ".param .b64 f, .param .align 4 .b8 g[12], .param .align 4 .b8 b[12], .param .b32 s")
    FUNCTION("32", "LaunchDeviceV2", ".param .b64 p, .param .b64 s") FUNCTION("32", "PeekAtLastError", "") FUNCTION(
        "32", "GetLastError",
        "") FUNCTION("64", "GetErrorString",
                     ".param .b32 e") FUNCTION("32", "Malloc", ".param .b64 p, .param .b64 n") FUNCTION("32", "Free",
                                                                                                        ".param .b64 p")
        FUNCTION("32", "MemsetAsync", ".param .b64 p, .param .b32 v, .param .b64 n, .param .b64 s") FUNCTION(
            "32", "MemcpyAsync",
            ".param .b64 p, .param .b64 q, .param .b64 n, .param .b32 k, .param .b64 s") FUNCTION("32",
                                                                                                  "StreamCreateWithFlag"
                                                                                                  "s",
                                                                                                  ".param .b64 p, "
                                                                                                  ".param .b32 f")
            FUNCTION("32", "EventCreateWithFlags", ".param .b64 p, .param .b32 f") FUNCTION(
                "32", "EventRecord",
                ".param .b64 e, .param .b64 s") ".visible .entry leaf(.param .b64 to)\n{\n.reg .b64 "
                                                "%rd<2>;\nld.param.b64 %rd1, [to];\nst.global.b32 [%rd1], 7;\n"
                                                "ret;\n}\n.func helper()\n{\nret;\n}\n"
                                                ".visible .entry parent(.param .b64 to, .param .b32 threads, .param "
                                                ".b64 stream, .param .b32 helps)\n{\n"
                                                ".reg .pred %p<2>;\n.reg .b32 %r<6>;\n.reg .b64 %rd<10>;\n"
                                                "ld.param.b64 %rd1, [to];\nld.param.b32 %r2, [threads];\nld.param.b64 "
                                                "%rd2, [stream];\nld.param.b32 %r3, [helps];\n"
                                                "mov.u64 %rd3, leaf;\nsetp.ne.u32 %p1, %r3, 0;\n@%p1 mov.u64 %rd3, "
                                                "helper;\n" CALL("64", "GetParameterBufferV2", WIDE("f", "%rd3") SIZES("g", "1") SIZES("b", "%r2") NARROW("s", "0"), "f, g, b, s") "ld.param.b64 %rd4, [r];\n}\nst.b64 [%rd4], %rd1;\n" CALL(
                                                    "32", "LaunchDeviceV2",
                                                    WIDE("p", "%rd4") WIDE("s", "%rd2"),
                                                    "p, s") ANSWER("4") CALL("32", "PeekAtLastError", "", "")
                                                    ANSWER("8") CALL(
                                                        "64", "GetErrorString",
                                                        NARROW("e", "%r1"),
                                                        "e") "ld.param.b64 %rd5, [r];\nld.b32 %r1, [%rd5];\n"
                                                             "st.global.b32 [%rd1+12], %r1;\n}\n" CALL(
                                                                 "32", "GetLastError",
                                                                 "", "") ANSWER("16") CALL("32", "GetLastError", "", "")
                                                                 ANSWER("20") "add.u64 %rd6, %rd1, 64;\n" CALL("32", "Malloc", WIDE("p", "%rd6") WIDE("n", "64"), "p, n") ANSWER("24") "ld.global.b64 %rd7, [%rd6];\n" CALL(
                                                                     "32", "MemsetAsync",
                                                                     WIDE("p", "%rd7") NARROW("v", "17")
                                                                         WIDE("n", "4") WIDE("s", "0"),
                                                                     "p, v, n, s")
                                                                     ANSWER("28") "add.u64 %rd8, %rd1, 56;\n" CALL(
                                                                         "32", "MemcpyAsync",
                                                                         WIDE("p", "%rd8") WIDE("q", "%rd7")
                                                                             WIDE("n", "4") NARROW("k", "3")
                                                                                 WIDE("s", "3"),
                                                                         "p, q, n, k, s") ANSWER("32")
                                                                         CALL("32", "MemcpyAsync",
                                                                              WIDE("p", "%rd8") WIDE("q", "16")
                                                                                  WIDE("n", "4") NARROW("k", "3")
                                                                                      WIDE("s", "0"),
                                                                              "p, q, n, k, s") ANSWER("36")
                                                                             CALL("32", "Free", WIDE("p", "0"), "p")
                                                                                 ANSWER("40") CALL("32", "Free",
                                                                                                   WIDE("p", "%rd1"),
                                                                                                   "p") ANSWER("44")
                                                                                     CALL("32", "StreamCreateWithFlags",
                                                                                          WIDE("p", "%rd6")
                                                                                              NARROW("f", "1"),
                                                                                          "p, f") ANSWER("48")
                                                                                         CALL("32",
                                                                                              "EventCreateWithFlags",
                                                                                              WIDE("p", "%rd6")
                                                                                                  NARROW("f", "0"),
                                                                                              "p, f") ANSWER("52")
                                                                                             CALL("32", "EventRecord",
                                                                                                  WIDE("e", "0")
                                                                                                      WIDE("s", "0"),
                                                                                                  "e, s")
                                                                                                 ANSWER(
                                                                                                     "60") "ret;\n}\n";

enum { WORDS = 32, INVALID = 1, INVALID_CONFIGURATION = 9, NO_FUNCTION = 98 };

// What the parent and its child have left, in `words`.
static void run(uint32_t threads, uint64_t stream, uint32_t helps, uint32_t *words)
{
    struct CUfunc_st *parent = api_kernel(ptx_children, "parent");
    unsigned long long to = api_memory(WORDS * sizeof *words, 0);
    void *parameters[] = {&to, &threads, &stream, &helps};
    WORKS(cuLaunchKernel(parent, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
    WORKS(cuMemcpyDtoH_v2(words, to, WORDS * sizeof *words));
    WORKS(cuMemFree_v2(to));
}

static int is_text(uint32_t word, const char *begin)
{
    return memcmp(&word, begin, sizeof word) == 0;
}

SECTION(children)
{
    uint32_t words[WORDS];
    api_ready();
    for (uint64_t stream = 0; stream <= 3; stream += 3) {
        run(32, stream, 0, words);
        REQUIRE(words[0] == 7 && words[1] == 0 && words[2] == 0 && is_text(words[3], "no error"));
        REQUIRE(words[4] == 0 && words[5] == 0 && words[6] == 0 && words[7] == 0 && words[8] == 0);
        REQUIRE(words[14] == 0x11111111); // the copy of a tail launch comes behind the fill
        REQUIRE(words[9] == INVALID && words[10] == 0 && words[11] == INVALID);
        REQUIRE(words[12] == 0 && words[13] == INVALID && words[15] == 0);
    }
}

SECTION(children_refused)
{
    uint32_t words[WORDS];
    api_ready();
    run(2000, 0, 0, words);
    REQUIRE(words[0] == 0 && words[1] == INVALID_CONFIGURATION && words[2] == INVALID_CONFIGURATION);
    REQUIRE(is_text(words[3], "a launch has") && words[4] == INVALID_CONFIGURATION && words[5] == 0);
    run(32, 0, 1, words);
    REQUIRE(words[0] == 0 && words[1] == NO_FUNCTION && words[4] == NO_FUNCTION && words[5] == 0);
}

static pthread_t launching;
static unsigned heard;

// The program's function may call the driver.
static void hear(void *user, uint32_t level, char *text, size_t bytes)
{
    struct CUctx_st *context;
    REQUIRE(user == NULL && level == 0 && bytes > 0 && strstr(text, "[tmaref][a kernel]") != NULL);
    REQUIRE(pthread_equal(pthread_self(), launching));
    WORKS(cuCtxGetCurrent(&context));
    heard++;
}

// Kernels ask from several threads; the program hears of what is refused in its own.
SECTION(children_refused_in_threads)
{
    enum { CTAS = 8 };
    struct CUlogsCallbackEntry_st *hearer;
    uint32_t threads = 2000, helps = 0;
    uint64_t stream = 0;
    setenv("TMAREF_THREADS", "4", 1);
    launching = pthread_self();
    api_ready();
    WORKS(cuLogsRegisterCallback(hear, NULL, &hearer));
    struct CUfunc_st *parent = api_kernel(ptx_children, "parent");
    unsigned long long to = api_memory(WORDS * sizeof(uint32_t), 0);
    void *parameters[] = {&to, &threads, &stream, &helps};
    WORKS(cuLaunchKernel(parent, CTAS, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
    WORKS(cuCtxSynchronize());
    REQUIRE(heard >= CTAS);
}
