// SPDX-License-Identifier: MIT
// What the report of a hang calls likely, where the evidence is who arrives and who waits at which lines. Each kernel
// has a thread or a warp that fills a buffer, and one that takes it.
#include "machine_test.h"
#include "unit_test.h"

#define LINES    ".file 1 \"k.cu\"\n"
#define AT(line) ".loc 1 " line " 0\n"
// Barriers 0 and 1 are `full`, 2 and 3 `empty`: all made at one line. %p6: warp 0; %p3, %p4: the first thread of each
// warp.
#define BEGIN                                                                                                          \
    HEAD                                                                                                               \
        ".shared .align 8 .b64 b[8];\n.shared .align 16 .b32 s[8];\n.visible .entry k(.param .u64 out)\n{\n" REGISTERS \
            THREAD                                                                                                     \
        "mov.u32 %r9, b;\nsetp.eq.u32 %p3, %r0, 0;\nsetp.eq.u32 %p4, %r0, 32;\nsetp.lt.u32 %p6, %r0, 32;\n" AT(        \
            "5") "@%p3 mbarrier.init.shared.b64 [b], 1;\n@%p3 mbarrier.init.shared.b64 [b+8], 1;\n"                    \
                 "@%p3 mbarrier.init.shared.b64 [b+16], 1;\n@%p3 mbarrier.init.shared.b64 [b+24], 1;\n"                \
                 "bar.sync 0;\nmov.u32 %r1, 0;\n"
#define END "ret;\n}\n" LINES
#define WAIT(label, at, parity)                                                                                        \
    label ": mbarrier.try_wait.parity.shared.b64 %p1, [" at "], " parity ";\n@!%p1 bra " label ";\n"
// %r3: `full` of round %r1; %r4: the parity of its phase, %r5: the other.
#define STAGE                                                                                                          \
    "and.b32 %r2, %r1, 1;\nshl.b32 %r3, %r2, 3;\nadd.u32 %r3, %r3, %r9;\nshr.u32 %r4, %r1, 1;\nand.b32 %r4, %r4, 1;\n" \
    "xor.b32 %r5, %r4, 1;\n"
#define AGAIN(label) "add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p2, %r1, 8;\n@%p2 bra " label ";\nret;\n"
#define PRODUCER(parity)                                                                                               \
    "@!%p6 bra C;\nP: " STAGE AT("10") WAIT("PW", "%r3+16", parity)                                                    \
        AT("11") "st.shared.u32 [s], %r1;\n@%p3 mbarrier.arrive.shared.b64 _, [%r3];\n" AGAIN("P")
#define CONSUMER(middle)                                                                                               \
    "C: " STAGE AT("20") WAIT("CW", "%r3", "%r4") AT("21") "ld.shared.u32 %r7, [s];\n" middle AT(                      \
        "22") "@%p4 mbarrier.arrive.shared.b64 _, [%r3+16];\n" AGAIN("C")

// Polls of global memory: CTA 0 goes on, the others go to C.
#define POLLS ENTRY THREAD "setp.eq.u32 %p3, %r0, 0;\nmov.u32 %r1, %ctaid.x;\nsetp.ne.u32 %p2, %r1, 0;\n@%p2 bra C;\n"

static const struct {
    const char *text, *why, *first, *likely;
    uint32_t block, grid, dynamic;
} hangs[] = {
    {BEGIN PRODUCER("%r5") CONSUMER("setp.ne.u32 %p5, %r1, 1;\nand.pred %p4, %p4, %p5;\n") END,
     "a buffer that is not given back, where full and empty are made at one line", "k.cu:10: ",
     "warp 1 arrived at a barrier made with it (k.cu:22), but has not at this one: it is at k.cu:20.", 64, 1, 0},
    {BEGIN PRODUCER("%r4") CONSUMER("") END, "a first wait with parity 0 of who stores into a buffer behind it",
     "k.cu:10: ", "of a thread that fills a buffer behind it", 64, 1, 0},
    {BEGIN AT("12") "cp.async.mbarrier.arrive.shared.b64 [b];\n" AT("20") WAIT("CW", "b", "0") END,
     "cp.async.mbarrier.arrive without .noinc", "k.cu:20: ", "cp.async.mbarrier.arrive (k.cu:12) without .noinc", 64, 1,
     0},
    {BEGIN "st.shared.u64 [b], 12345;\n" AT("20") WAIT("CW", "b", "1") WAIT("CX", "b", "0") END,
     "a store over an mbarrier",
     "k.cu:20: ", "its word is 0x0000000000003039, which no operation of an mbarrier has left", 64, 1, 0},
    {BEGIN PRODUCER("%r5") CONSUMER("setp.ne.u32 %p5, %r1, 3;\n@%p5 bra N;\n" AT("23") "bar.sync 3, 96;\nN:\n") END,
     "a barrier of the CTA with too few threads, for which mbarriers wait", "k.cu:23: ", "", 96, 1, 0},
    {POLLS AT("30") "@%p3 st.release.gpu.global.u32 [%rd0], 1;\nret;\nC: " AT(
         "31") "ld.acquire.gpu.global.u32 %r2, [%rd0];\nsetp.ne.u32 %p1, %r2, 2;\n@%p1 bra C;\n" END,
     "a word that another CTA has left with another value",
     "k.cu:31: ", "CTA (0,0,0) wrote it last (k.cu:30) and has exited", 64, 2, 0},
    {POLLS AT("30") "mov.b64 %rd1, 1;\n@%p3 st.global.u64 [%rd0], %rd1;\nret;\nC: " AT(
         "31") "ld.acquire.gpu.global.u32 %r2, [%rd0+4];\nsetp.ne.u32 %p1, %r2, 2;\n@%p1 bra C;\n" END,
     "a word that a wider store has written", "k.cu:31: ", "CTA (0,0,0) wrote it last (k.cu:30) and has exited", 64, 2,
     0},
    {POLLS AT(
         "30") "@!%p3 ret;\nst.global.u32 [%rd0], 1;\nmov.u32 %r3, 0;\nW: add.u64 %rd0, %rd0, 4;\n"
               "st.global.u32 [%rd0], 1;\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, 2048;\n@%p1 bra W;\nret;\nC: " AT(
                   "31") "ld.acquire.gpu.global.u32 %r2, [%rd0];\nsetp.ne.u32 %p1, %r2, 2;\n@%p1 bra C;\n" END,
     "a word whose write is forgotten behind many others", "k.cu:31: ", "who wrote it last is not known", 64, 2, 0},
    {POLLS AT("30") "atom.global.cas.b32 %r2, [%rd0], 0, 1;\nret;\nC: " AT(
         "31") "atom.global.cas.b32 %r2, [%rd0], 0, 1;\nsetp.ne.u32 %p1, %r2, 0;\n@%p1 bra C;\n" END,
     "a lock that its owner has kept", "k.cu:31: ", "written last by CTA (0,0,0), warp 0, at k.cu:30; 1 write in", 1, 2,
     0},
    {POLLS "C: @%p3 atom.global.add.u32 %r2, [%rd0], 1;\nD:" AT(
         "31") "ld.acquire.gpu.global.u32 %r2, [%rd0];\nsetp.ne.u32 %p1, %r2, 140;\n@%p1 bra D;\n" END,
     "a barrier of a grid that does not fit", "k.cu:31: ", "8 of 140 CTAs have not begun", 32, 140, 200000},
    {POLLS AT("30") "ret;\nC: " AT(
         "31") "ld.volatile.global.u32 %r2, [%rd0];\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra C;\n" END,
     "a word that nobody writes",
     "k.cu:31: ", "no store or atomic of one thread has written it in this launch; 1 of its CTAs has ended", 64, 2, 0},
    {BEGIN "@%p6 bra P;\nC: and.b32 %r4, %r1, 1;\nxor.b32 %r5, %r4, 1;\n" AT("20")
         WAIT("CW", "b", "%r5") "ld.shared.u32 %r7, [s];\nsetp.eq.u32 %p5, %r1, 0;\n@%p5 bar.sync 1, 64;\n" AGAIN(
             "C") "P: bar.sync 1, 64;\n@%p3 mbarrier.arrive.shared.b64 _, [b];\n" END,
     "a first wait with parity 1 of who takes from the buffer behind it",
     "k.cu:20: ", "takes from the buffer behind it: it must begin with parity 0", 64, 1, 0},
    {BEGIN "@%p6 bra P;\n" AT("20") WAIT("CW", "b", "0") WAIT(
         "CX", "b", "1") "ret;\n"
                         "P: @%p3 mbarrier.arrive.shared.b64 _, [b];\n" AT(
                             "31") "L: ld.volatile.global.u32 %r2, [%rd0];\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra L;\n"
                                   "@%p3 mbarrier.arrive.shared.b64 _, [b];\n" END,
     "an arrival that is late because its warp polls memory",
     "k.cu:31: ", "follows: 32 threads of CTA (0,0,0) wait for mbarrier", 64, 1, 0},
    {POLLS "bra D;\nC: " AT("32") "ld.volatile.global.u32 %r2, [%rd0+64];\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra "
                                  "C;\nD: " AT("30") "@%p3 atom.global.add.u32 %r3, [%rd0], 1;\n@%p2 ret;\n" AT(
                                      "31") "E: ld.volatile.global.u32 %r2, [%rd0];\nsetp.ne.u32 %p1, %r2, 2;\n@%p1 "
                                            "bra E;\n" END,
     "a poll for a word that one who polls another word is yet to write",
     "k.cu:32: ", "follows: 32 threads of CTA (0,0,0) poll memory", 32, 2, 0},
};

LOOP_TEST(a_hang_says_what_the_evidence_says, 0, ROWS_OF(hangs))
{
    struct ran *ran =
        run_text(hangs[_i].text,
                 (struct launch_of){.grid = hangs[_i].grid, .block = hangs[_i].block, .dynamic = hangs[_i].dynamic});
    ck_assert_msg(ran->outcome.kind == MACHINE_HUNG, "%s: %s: %s", hangs[_i].why, machine_kind_name(ran->outcome.kind),
                  ran->outcome.message);
    ck_assert_msg(strncmp(ran->outcome.message, hangs[_i].first, strlen(hangs[_i].first)) == 0, "%s: %s", hangs[_i].why,
                  ran->outcome.message);
    ck_assert_msg(strstr(ran->outcome.message, hangs[_i].likely) != NULL, "%s: %s", hangs[_i].why,
                  ran->outcome.message);
}
