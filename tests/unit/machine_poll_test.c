// SPDX-License-Identifier: MIT
// Kernels that poll memory through barriers, or through other lanes: they hang where nobody writes it, and only there.
// Whoever polls leads the report, not who meets him at the barrier.
#include "machine_test.h"
#include "unit_test.h"

// %p7: the thread is the first of its CTA.
#define FIRST THREAD "setp.eq.u32 %p7, %r0, 0;\nmov.u32 %r1, 0;\nmov.u32 %r2, 0;\n"
#define FETCH "@%p7 ld.acquire.gpu.global.u32 %r1, [%rd0];\n"
#define DONE  "st.global.u32 [%rd1], 7;\nret;\n}\n"

static const struct {
    const char *text, *why;
} polls[] = {
    {ENTRY FIRST "L: setp.eq.u32 %p0, %r1, 0;\nbar.red.and.pred %p1, 0, %p0;\n@!%p1 bra OUT;\n" FETCH "bra L;\n"
                 "OUT: bar.sync 0;\n" DONE,
     "bar.red.and, as a semaphore of CUTLASS"},
    {ENTRY FIRST "L: " FETCH "setp.ne.u32 %p0, %r1, 0;\nbar.red.or.pred %p1, 0, %p0;\n@!%p1 bra L;\n" DONE,
     "bar.red.or"},
    {ENTRY FIRST "L: " FETCH "setp.ne.u32 %p0, %r1, 0;\nbar.red.popc.u32 %r3, 2, 64, %p0;\nsetp.eq.u32 %p1, %r3, 0;\n"
                 "@%p1 bra L;\n" DONE,
     "bar.red.popc with a count"},
    {HEAD ".shared .align 4 .b32 found;\n.visible .entry k(.param .u64 out)\n{\n" REGISTERS FIRST
          "L: bar.sync 0;\n" FETCH "@%p7 st.shared.u32 [found], %r1;\nbar.sync 0;\nld.shared.u32 %r2, [found];\n"
          "setp.eq.u32 %p1, %r2, 0;\n@%p1 bra L;\n" DONE,
     "a word of the CTA between two barriers"},
    {ENTRY FIRST "and.b32 %r4, %r0, 31;\nsetp.eq.u32 %p7, %r4, 0;\nL: " FETCH
                 "shfl.sync.idx.b32 %r2, %r1, 0, 31, -1;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra L;\n"
                 "bar.sync 0;\n" DONE,
     "lane 0, which tells the others by shfl"},
    {ENTRY FIRST "setp.lt.u32 %p2, %r0, 32;\n@!%p2 bra OUT;\n"
                 "L: ld.volatile.global.u32 %r1, [%rd1];\nsetp.ne.u32 %p0, %r1, 0;\n"
                 "vote.sync.ballot.b32 %r2, %p0, -1;\nsetp.eq.u32 %p1, %r2, 0;\n@%p1 bra L;\n"
                 "OUT: bar.sync 0, 64;\n" DONE,
     "a ballot, while the others are at a barrier with a count"},
    {ENTRY FIRST "@!%p7 bra OUT;\nL: " FETCH "setp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;\nOUT: bar.sync 0, 64;\n" DONE,
     "one thread, while its warp is at a barrier with a count"},
    {ENTRY FIRST "@!%p7 bra OUT;\nL: atom.global.cas.b32 %r1, [%rd0], 5, 1;\nsetp.ne.u32 %p1, %r1, 5;\n@%p1 bra L;\n"
                 "OUT: bar.sync 0;\n" DONE,
     "one thread by an atomic, while its warp is at a barrier"},
    {ENTRY FIRST "L: " FETCH "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
                 "setp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;\n" DONE,
     "barrier.cluster"},
};

LOOP_TEST(a_poll_through_others_hangs_and_leads, 0, ROWS_OF(polls))
{
    for (uint32_t policy = 0; policy < 2; policy++) {
        struct ran *ran =
            run_text(polls[_i].text, (struct launch_of){.block = 64,
                                                        .cluster = 1,
                                                        .schedule = {policy ? MACHINE_SHUFFLED : MACHINE_LATE, 3, 0},
                                                        .limits = {.instructions = 4000000}});
        ck_assert_msg(ran->outcome.kind == MACHINE_HUNG, "%s: %s: %s", polls[_i].why,
                      machine_kind_name(ran->outcome.kind), ran->outcome.message);
        const char *end = strchr(ran->outcome.message, '\n');
        const char *poll = strstr(ran->outcome.message, "memory at 0x");
        ck_assert_msg(poll != NULL && end != NULL && poll < end, "%s: %s", polls[_i].why, ran->outcome.message);
    }
}

// Warp 0 is a digit of 400, and tells warp 1 when it is full; warp 1 says when it has heard that three times. Each is
// back at an earlier state of its own long before.
#define DIGIT                                                                                                          \
    "setp.lt.u32 %p2, %r0, 32;\n"                                                                                      \
    "L: ld.volatile.global.u32 %r5, [%rd0];\n@%p2 add.u32 %r1, %r1, 1;\nsetp.eq.u32 %p0, %r1, 400;\n"                  \
    "@%p0 mov.u32 %r1, 0;\nbar.red.or.pred %p1, 0, %p0;\n@%p2 bra NEXT;\n@%p1 add.u32 %r2, %r2, 1;\n"                  \
    "NEXT: setp.eq.u32 %p3, %r2, 3;\nbar.red.or.pred %p4, 0, %p3;\n@!%p4 bra L;\n"
#define COUNTED                                                                                                        \
    "L: ld.volatile.global.u32 %r5, [%rd0];\nadd.u32 %r1, %r1, 1;\nsetp.eq.u32 %p0, %r1, 3000;\n"                      \
    "bar.red.or.pred %p1, 0, %p0;\n@!%p1 bra L;\n"

static const char *const ends[] = {ENTRY FIRST DIGIT DONE, ENTRY FIRST COUNTED DONE};

LOOP_TEST(what_a_barrier_tells_counts, 0, ROWS_OF(ends))
{
    struct ran *ran = run_well(ends[_i], (struct launch_of){.block = 64});
    ck_assert_uint_eq(ran->out[63], 7);
}

// Its loads and barriers change nothing, nor does it add more than 0. But it goes from place to place, so nobody has to
// write anything for it: it runs to its end in one part.
TEST(who_adds_up_between_barriers_does_not_wait)
{
    struct ran *ran = run_well(
        ENTRY THREAD "mov.u32 %r3, 0;\nmov.u32 %r6, 0;\nTILE: mul.wide.u32 %rd2, %r3, 4;\nadd.u64 %rd2, %rd0, "
                     "%rd2;\nmov.u32 %r4, 0;\n"
                     "STEP: bar.sync 0;\nld.global.u32 %r5, [%rd1];\nadd.u32 %r6, %r6, %r5;\nbar.sync 0;\n"
                     "add.u32 %r4, %r4, 1;\nsetp.lt.u32 %p0, %r4, 200;\n@%p0 bra STEP;\n"
                     "atom.global.add.u32 %r7, [%rd2], %r6;\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p0, %r3, 100;\n"
                     "@%p0 bra TILE;\n" DONE,
        (struct launch_of){.block = 64, .may_wait = true});
    ck_assert_int_eq(ran->parts, 1);
}

// Each of 32 CTAs waits for the next, which has not begun: those that poll in vain let others begin at once.
TEST(ctas_that_poll_through_barriers_let_others_begin)
{
    struct ran *ran =
        run_well(ENTRY FIRST "mov.u32 %r4, %ctaid.x;\nmul.wide.u32 %rd2, %r4, 4;\nadd.u64 %rd2, %rd0, %rd2;\n"
                             "setp.eq.u32 %p5, %r4, 31;\n@%p5 bra LAST;\n"
                             "L: @%p7 ld.acquire.gpu.global.u32 %r1, [%rd2+4];\nsetp.ne.u32 %p0, %r1, 0;\n"
                             "bar.red.or.pred %p1, 0, %p0;\n@!%p1 bra L;\n"
                             "LAST: add.u32 %r1, %r1, 1;\n@%p7 st.release.gpu.global.u32 [%rd2], %r1;\nret;\n}\n",
                 (struct launch_of){.grid = 32, .block = 96, .limits = {.instructions = 2000000}});
    ck_assert_uint_eq(ran->out[0], 32);
}

// Turns of a random length end on the way of some warp in nearly every round, if there are many.
TEST(many_warps_that_poll_an_mbarrier_hang)
{
    for (uint64_t seed = 0; seed < 4; seed++) {
        const struct launch_of of = {
            .grid = 4, .cluster = 4, .block = 1024, .schedule = {MACHINE_SHUFFLED, seed, 0}, .limits = {.seconds = 20}};
        const struct ran *ran =
            run_text(ENTRY THREAD ".shared .align 8 .b64 bar;\nmov.u32 %r1, bar;\nsetp.ne.u32 %p1, %r0, 0;\n"
                                  "@!%p1 mbarrier.init.shared::cta.b64 [%r1], 2;\nbar.sync 0;\n"
                                  "L: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r1], 0;\n@!%p2 bra L;\nret;\n}\n",
                     of);
        ck_assert_int_eq(ran->outcome.kind, MACHINE_HUNG);
    }
}
