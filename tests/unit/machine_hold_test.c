// SPDX-License-Identifier: MIT
// Warps that the schedule holds: who counts on time in place of a barrier goes wrong, and who waits does not.
#include "machine_test.h"

enum { SEEDS = 64, THREADS = 256 };

// In how many of the seeds is a word not 7?
static int count_bad_of(const char *text, uint32_t ctas, enum machine_policy policy)
{
    int bad = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        const struct launch_of of = {.grid = ctas, .cluster = ctas, .block = THREADS, .schedule = {policy, seed, 0}};
        const struct ran *ran = run_well(text, of);
        bool is_bad = false;
        for (int i = 0; i < THREADS; i++) is_bad |= ran->out[i] != 7;
        bad += is_bad;
        ck_assert_msg(seed > 0 || !is_bad, "seed 0 holds nobody");
    }
    return bad;
}

static int count_bad(const char *text, enum machine_policy policy)
{
    return count_bad_of(text, 1, policy);
}

static int count_bad_of_two(const char *text, enum machine_policy policy)
{
    return count_bad_of(text, 2, policy);
}

// The first warpgroup stores 7 for each thread of the second; that one counts to 2,000, and reads. All meet in between.
#define GROUPS(first, meet)                                                                                            \
    ENTRY THREAD first ".shared .align 128 .b8 tile[512];\nmov.u32 %r1, tile;\nand.b32 %r2, %r0, 127;\n"               \
                       "mad.lo.u32 %r3, %r2, 4, %r1;\nmov.u32 %r4, 7;\nsetp.gt.u32 %p1, %r0, 127;\n@%p1 bra second;\n" \
                       "st.shared.u32 [%r3], %r4;\nst.global.u32 [%rd1], %r4;\n" meet "ret;\n"                         \
                       "second:\nmov.u32 %r5, 0;\nagain:\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p2, %r5, 2000;\n"         \
                       "@%p2 bra again;\n" meet "ld.shared.u32 %r6, [%r3];\nst.global.u32 [%rd1], %r6;\nret;\n}\n"

TEST(HOLD__a_warpgroup_may_fall_behind)
{
    check_seeds(count_bad, GROUPS("", ""), 1, 1);
    check_seeds(count_bad, GROUPS("", "bar.sync 0;\n"), 0, 0);
}

// The second CTA sets its words to 3 as it starts. The first one counts to 2,000, and stores 7 there.
#define CTAS(meet)                                                                                                     \
    ENTRY THREAD ".shared .align 128 .b8 tile[1024];\nmov.u32 %r1, tile;\nmad.lo.u32 %r3, %r0, 4, %r1;\n"              \
                 "mov.u32 %r4, 7;\nmov.u32 %r2, 3;\nmov.u32 %r7, %cluster_ctarank;\nsetp.ne.u32 %p1, %r7, 0;\n"        \
                 "@%p1 bra second;\nmov.u32 %r5, 0;\nagain:\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p2, %r5, 2000;\n"      \
                 "@%p2 bra again;\n" meet "mapa.shared::cluster.u32 %r8, %r3, 1;\n"                                    \
                 "st.shared::cluster.u32 [%r8], %r4;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\nret;\n"          \
                 "second:\nst.shared.u32 [%r3], %r2;\n" meet "barrier.cluster.arrive;\nbarrier.cluster.wait;\n"        \
                 "ld.shared.u32 %r6, [%r3];\nst.global.u32 [%rd1], %r6;\nret;\n}\n"

TEST(HOLD__a_cta_may_start_late)
{
    check_seeds(count_bad_of_two, CTAS(""), 1, 1);
    check_seeds(count_bad_of_two, CTAS("barrier.cluster.arrive;\nbarrier.cluster.wait;\n"), 0, 0);
}

// One that reads the clock may wait for a time, so nobody is held there.
TEST(HOLD__a_kernel_that_reads_the_clock_has_none)
{
    check_seeds(count_bad, GROUPS("mov.u32 %r9, %clock;\n", ""), 0, 0);
}

// sglang 32907: the CTAs of a cluster meet as they begin, and not as they end. One frees a stage of the other, which
// may have left by then. `end` is what both do at last.
#define WORK(name, rounds)                                                                                             \
    "mov.u32 %r5, 0;\n" name ":\nadd.u32 %r5, %r5, 1;\nsetp.lt.u32 %p3, %r5, " rounds ";\n@%p3 bra " name ";\n"
#define LAST_ARRIVE(end)                                                                                               \
    ENTRY THREAD ".shared .align 8 .b64 empty;\nmov.u32 %r1, empty;\nmov.u32 %r7, %cluster_ctarank;\n"                 \
                 "setp.eq.u32 %p1, %r0, 0;\n@%p1 mbarrier.init.shared::cta.b64 [%r1], 128;\n"                          \
                 "barrier.cluster.arrive;\nbarrier.cluster.wait;\nsetp.ne.u32 %p2, %r7, 0;\n@%p2 bra second;\n" WORK(  \
                     "first", "6500") end                                                                              \
        "ret;\nsecond:\n" WORK(                                                                                        \
            "more", "5500") "mapa.shared::cluster.u32 %r8, %r1, 0;\nsetp.gt.u32 %p4, %r0, 127;\n"                      \
                            "@%p4 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r8];\n" end "ret;\n}\n"

// In how many of the seeds does it fault? With the sentence that names the cause.
static int count_faults(const char *text, enum machine_policy policy)
{
    int bad = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        const struct launch_of of = {.grid = 2, .cluster = 2, .block = THREADS, .schedule = {policy, seed, 0}};
        const struct machine_outcome *outcome = &run_text(text, of)->outcome;
        if (outcome->kind == MACHINE_DONE) continue;
        ck_assert_msg(outcome->kind == MACHINE_FAULTED && strstr(outcome->message, "exited") != NULL, "%s",
                      outcome->message);
        bad++;
    }
    return bad;
}

TEST(HOLD__a_cta_may_leave_before_the_other_frees_its_stage)
{
    check_seeds(count_faults, LAST_ARRIVE(""), 1, 1);
    check_seeds(count_faults, LAST_ARRIVE("barrier.cluster.arrive.relaxed;\nbarrier.cluster.wait;\n"), 0, 0);
}
