// SPDX-License-Identifier: MIT
// Reads of the CTA's own shared memory that nobody has used yet, and a bulk load over them: an H200 had the new words
// in half of the tries, and in none with a fence.proxy.async on the way.
#include "machine_test.h"

enum { SEEDS = 64, READERS = 32 };

// In how many of the seeds is a word not 7?
static int count_bad(const char *text, enum machine_policy policy)
{
    int bad = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        const struct ran *ran = run_well(text, (struct launch_of){.block = 2 * READERS, .schedule = {policy, seed, 0}});
        bool is_bad = false;
        for (int i = 0; i < READERS; i++) is_bad |= ran->out[i] != 7;
        bad += is_bad;
    }
    return bad;
}

static void check_right(const char *text)
{
    check_seeds(count_bad, text, 0, 0);
}

static void check_wrong(const char *text)
{
    check_seeds(count_bad, text, SEEDS / 2, SEEDS / 4);
}

// Each thread of the first warp reads a 7, by `load`, and does `tell`. The second warp does `hear`; one of its threads
// does `over`. The first writes down what it has read.
#define REFILL(load, tell, hear, over)                                                                                 \
    ENTRY THREAD ".shared .align 128 .b8 tile[128];\n.shared .align 8 .b64 bar[2];\nmov.u32 %r1, tile;\n"              \
                 "mov.u32 %r4, bar;\nadd.u32 %r5, %r4, 8;\nmov.u32 %r2, 7;\nsetp.ne.u32 %p1, %r0, 0;\n"                \
                 "@!%p1 mbarrier.init.shared::cta.b64 [%r4], 32;\n@!%p1 mbarrier.init.shared::cta.b64 [%r5], 1;\n"     \
                 "and.b32 %r6, %r0, 31;\nmad.lo.u32 %r3, %r6, 4, %r1;\nst.shared.u32 [%r3], %r2;\n"                    \
                 "fence.proxy.async;\nbar.sync 0;\nsetp.gt.u32 %p3, %r0, 31;\n"                                        \
                 "@%p3 bra second;\n" load tell "st.global.u32 [%rd1], %r10;\nbra end;\n"                              \
                 "second:\n" hear "setp.ne.u32 %p4, %r0, 32;\n@%p4 bra end;\n" over "end:\nret;\n}\n"
#define LOAD   "ld.shared.u32 %r10, [%r3];\n"
#define ARRIVE "mbarrier.arrive.shared::cta.b64 _, [%r4];\n"
#define WAIT   "empty:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [%r4], 0;\n@!%p2 bra empty;\n"
#define FENCE  "fence.proxy.async.shared::cta;\n"
#define COPY                                                                                                           \
    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r5], 128;\n"                                                       \
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd0 + 8192], 128, [%r5];\n"            \
    "full:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [%r5], 0;\n@!%p2 bra full;\n"

TEST(LATE_READS__a_bulk_load_overtakes_them)
{
    check_wrong(REFILL(LOAD, ARRIVE, WAIT, COPY));
    check_wrong(REFILL(LOAD, "bar.sync 1, 64;\n", "bar.sync 1, 64;\n", COPY));
    check_wrong(REFILL(LOAD, "bar.sync 0;\n", "bar.sync 0;\n", COPY));
    check_wrong(REFILL(LOAD, "bar.arrive 1, 64;\n", "bar.sync 1, 64;\n", COPY));
    check_wrong(REFILL(LOAD "fence.acq_rel.cta;\n", ARRIVE, WAIT, COPY));
    check_wrong(
        REFILL("cvt.u64.u32 %rd2, %r3;\ncvta.shared.u64 %rd3, %rd2;\nld.u32 %r10, [%rd3];\n", ARRIVE, WAIT, COPY));
    check_wrong(REFILL("ld.shared.v2.u32 {%r9, %r10}, [%r1];\n", ARRIVE, WAIT, COPY));
}

// 8 rows of 16 bytes. The lanes of a warp read them as one matrix, all words of which are 7.
#define MATRIX                                                                                                         \
    "and.b32 %r7, %r0, 7;\nmad.lo.u32 %r8, %r7, 16, %r1;\nldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r10}, [%r8];\n"

TEST(LATE_READS__a_bulk_load_overtakes_ldmatrix)
{
    check_wrong(REFILL(MATRIX, ARRIVE, WAIT, COPY));
    check_wrong(REFILL(MATRIX, "bar.sync 1, 64;\n", "bar.sync 1, 64;\n", COPY));
    check_right(REFILL(MATRIX FENCE, ARRIVE, WAIT, COPY));
    check_right(REFILL(MATRIX, "bar.sync 0;\n", "bar.sync 0;\n", "fence.proxy.async;\n" COPY));
    check_right(REFILL(MATRIX "add.u32 %r10, %r10, 0;\n", ARRIVE, WAIT, COPY));
}

TEST(LATE_READS__a_proxy_fence_on_the_way_holds_the_load_back)
{
    check_right(REFILL(LOAD FENCE, ARRIVE, WAIT, COPY));
    check_right(REFILL(LOAD, ARRIVE, WAIT FENCE, COPY));
    check_right(REFILL(LOAD FENCE, "bar.sync 1, 64;\n", "bar.sync 1, 64;\n", COPY));
    check_right(REFILL(LOAD, "bar.sync 0;\n", "bar.sync 0;\n", "fence.proxy.async;\n" COPY));
    check_right(REFILL(LOAD, "bar.arrive 1, 64;\n", "bar.sync 1, 64;\n" FENCE, COPY));
}

// One that comes before the issuer knows of the reads covers nothing.
TEST(LATE_READS__a_proxy_fence_of_the_issuer_stands_behind_the_wait)
{
    check_wrong(REFILL(LOAD, ARRIVE, FENCE WAIT, COPY));
    check_wrong(REFILL(LOAD, ARRIVE, WAIT "fence.proxy.async.global;\n", COPY));
}

TEST(LATE_READS__a_read_that_was_used_is_over)
{
    check_right(REFILL(LOAD "add.u32 %r10, %r10, 0;\n", ARRIVE, WAIT, COPY));
    check_right(REFILL(LOAD "add.u32 %r10, %r10, 0;\n", "bar.sync 0;\n", "bar.sync 0;\n", COPY));
    check_right(REFILL(LOAD "setp.eq.u32 %p4, %r10, 7;\n", "@%p4 " ARRIVE, WAIT, COPY));
    check_right(REFILL(LOAD "sub.u32 %r9, %r10, 6;\n", "mbarrier.arrive.shared::cta.b64 _, [%r4], %r9;\n", WAIT, COPY));
    check_right(REFILL("ld.volatile.shared.u32 %r10, [%r3];\n", ARRIVE, WAIT, COPY));
}

// What threads store does not overtake them, and a copy changes no byte but its own.
TEST(LATE_READS__only_the_async_proxy_overtakes_them)
{
    check_right(REFILL(LOAD, ARRIVE, WAIT, "mov.u32 %r2, 9;\nst.shared.u32 [%r1], %r2;\n"));
    check_right(REFILL(LOAD, "bar.sync 0;\n", "bar.sync 0;\n", "mov.u32 %r2, 9;\nst.shared.u32 [%r1], %r2;\n"));
    check_right(REFILL("setp.gt.u32 %p5, %r0, 15;\nmov.u32 %r10, 7;\n@%p5 ld.shared.u32 %r10, [%r3];\n", ARRIVE, WAIT,
                       "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r5], 64;\n"
                       "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd0 + 8192], 64, "
                       "[%r5];\nfull:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [%r5], 0;\n@!%p2 bra full;\n"));
}
