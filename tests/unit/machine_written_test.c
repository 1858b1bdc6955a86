// SPDX-License-Identifier: MIT
// A programmatic launch begins before what the launch in front has written is there, where the schedule is out to show
// what goes wrong. The shapes are those of public reports: a load of the copy engine without a wait (cutlass 2760), a
// warp that loads while only the others wait (flash-attention 2481), an index that is read in front of the wait (sglang
// 38409), one of two operands that is (sglang 38290).
#include "machine_test.h"

enum { SEEDS = 8, THREADS = 128, WORDS = 256 };

static _Alignas(64) uint32_t memory[3 * WORDS]; // what the primary writes; the result; rows to choose from

static void launch(struct machine_module *module, const char *name, struct machine_schedule schedule,
                   struct machine_written *written, struct machine_written *before)
{
    struct machine_outcome outcome;
    const uint64_t parameter = (uint64_t)(uintptr_t)memory;
    const struct region region = {{(uint8_t *)memory, parameter, sizeof memory}, 0};
    const struct global_memory global = {&region, 1};
    const struct machine_launch launch = {.module = module,
                                          .kernel = machine_module_kernel(module, name),
                                          .grid = {2, 1, 1},
                                          .block = {THREADS, 1, 1},
                                          .parameters = &parameter,
                                          .global = &global,
                                          .schedule = schedule,
                                          .written = written,
                                          .before = before};
    machine_run(&launch, &outcome);
    ck_assert_msg(outcome.kind == MACHINE_DONE, "%s: %s", name, outcome.message);
}

// Is a word of the result old?
static int run_bad(struct machine_module *module, struct machine_schedule schedule)
{
    struct machine_written *written = machine_written_open();
    bool is_bad = false;
    memset(memory, 0, sizeof memory);
    for (uint32_t i = 0; i < WORDS; i++) memory[2 * WORDS + i] = i == 7 ? 7 : 1;
    launch(module, "first", schedule, written, NULL);
    ck_assert(machine_written_is_known(written));
    launch(module, "second", schedule, NULL, written);
    machine_written_close(written);
    for (uint32_t i = 0; i < WORDS; i++) {
        ck_assert_uint_eq(memory[i], 7);
        is_bad |= memory[WORDS + i] != 7;
    }
    return is_bad;
}

static int count_bad(const char *text, enum machine_policy policy)
{
    struct ptx_errors errors;
    int bad = 0;
    struct machine_module *module = machine_module_open(text, strlen(text), &errors);
    ck_assert_msg(module != NULL, "%u: %s", errors.item[0].line, errors.item[0].message);
    for (uint64_t seed = 0; seed < SEEDS; seed++)
        bad += run_bad(module, (struct machine_schedule){policy, seed, 1 + seed % 2});
    ck_assert(machine_module_depends(module));
    machine_module_close(module);
    return bad;
}

static void check_right(const char *text)
{
    check_seeds(count_bad, text, 0, 0);
}

static void check_wrong(const char *text)
{
    check_seeds(count_bad, text, SEEDS, SEEDS / 2);
}

// Each thread of the primary writes a 7. %r1: the thread of the grid; %rd1: the address of its word.
#define THREAD_OF_GRID                                                                                                 \
    "mov.u32 %r0, %tid.x;\nmov.u32 %r2, %ctaid.x;\nmad.lo.u32 %r1, %r2, 128, %r0;\nmul.wide.u32 %rd1, %r1, 4;\n"       \
    "add.u64 %rd1, %rd0, %rd1;\n"
#define FIRST(trigger)                                                                                                 \
    HEAD ".visible .entry first(.param .u64 out)\n{\n" REGISTERS THREAD_OF_GRID trigger                                \
         "mov.u32 %r3, 7;\nst.global.u32 [%rd1], %r3;\nret;\n}\n"
#define SECOND(text) ".visible .entry second(.param .u64 out)\n{\n" REGISTERS THREAD_OF_GRID text "ret;\n}\n"
#define TRIGGER      "griddepcontrol.launch_dependents;\n"
#define WAIT         "griddepcontrol.wait;\n"

#define READ(before, behind) before "ld.global.u32 %r4, [%rd1];\n" behind "st.global.u32 [%rd1+1024], %r4;\n"

TEST(WRITTEN__a_secondary_needs_its_wait_before_it_reads)
{
    check_wrong(FIRST(TRIGGER) SECOND(READ("", "")));
    check_wrong(FIRST(TRIGGER) SECOND(READ("", WAIT)));
    check_wrong(FIRST("") SECOND(READ("", WAIT))); // the trigger is the exit, and comes before the writes are there
    check_right(FIRST(TRIGGER) SECOND(READ(WAIT, "")));
    check_right(FIRST("") SECOND(READ(WAIT, "")));
}

// cutlass 2760: the copy engine loads, and nobody waits.
#define LOAD(wait)                                                                                                     \
    ".shared .align 128 .b8 tile[512];\n.shared .align 8 .b64 bar;\nmov.u32 %r5, bar;\nmov.u32 %r6, tile;\n"           \
    "setp.ne.u32 %p1, %r0, 0;\n@%p1 bra issued;\nmbarrier.init.shared::cta.b64 [%r5], 1;\n" wait                       \
    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r5], 512;\n"                                                       \
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r6], [%rd1], 512, [%r5];\n"                   \
    "issued:\nbar.sync 0;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [%r5], 0;\n@!%p2 bra again;\n"        \
    "mad.lo.u32 %r7, %r0, 4, %r6;\nld.shared.u32 %r4, [%r7];\nst.global.u32 [%rd1+1024], %r4;\n"

TEST(WRITTEN__a_load_of_the_copy_engine_needs_it)
{
    check_wrong(FIRST(TRIGGER) SECOND(LOAD("")));
    check_right(FIRST(TRIGGER) SECOND(LOAD(WAIT)));
}

// flash-attention 2481: warp 0 loads for all, and the others wait.
#define WARP(wait)                                                                                                     \
    ".shared .align 4 .b8 tile[512];\nmov.u32 %r6, tile;\nmad.lo.u32 %r7, %r0, 4, %r6;\nsetp.gt.u32 %p1, %r0, 31;\n"   \
    "@%p1 bra others;\n" wait "mov.u32 %r8, 0;\n"                                                                      \
    "more:\nld.global.u32 %r4, [%rd1];\nst.shared.u32 [%r7], %r4;\nadd.u64 %rd1, %rd1, 128;\nadd.u32 %r7, %r7, 128;\n" \
    "add.u32 %r8, %r8, 1;\nsetp.lt.u32 %p2, %r8, 4;\n@%p2 bra more;\nsub.u64 %rd1, %rd1, 512;\nbra met;\n"             \
    "others:\n" WAIT "met:\nbar.sync 0;\nmad.lo.u32 %r7, %r0, 4, %r6;\nld.shared.u32 %r4, [%r7];\n"                    \
    "st.global.u32 [%rd1+1024], %r4;\n"

TEST(WRITTEN__each_warp_that_reads_needs_it)
{
    check_wrong(FIRST(TRIGGER) SECOND(WARP("")));
    check_right(FIRST(TRIGGER) SECOND(WARP(WAIT)));
}

// sglang 38409: which row is to be read is itself a result of the primary.
#define INDEX(before, behind)                                                                                          \
    before "ld.global.u32 %r4, [%rd1];\n" behind "mul.wide.u32 %rd2, %r4, 4;\nadd.u64 %rd2, %rd0, %rd2;\n"             \
           "ld.global.u32 %r5, [%rd2+2048];\nst.global.u32 [%rd1+1024], %r5;\n"

TEST(WRITTEN__an_index_is_read_behind_it_too)
{
    check_wrong(FIRST(TRIGGER) SECOND(INDEX("", WAIT)));
    check_right(FIRST(TRIGGER) SECOND(INDEX(WAIT, "")));
}

// sglang 38290: the bias of a router is taken for a weight, and read in front of the wait; the scores are read behind
// it.
#define BIAS(before, behind)                                                                                           \
    before "ld.global.u32 %r4, [%rd1];\n" behind "ld.global.u32 %r5, [%rd1];\nand.b32 %r4, %r4, %r5;\n"                \
           "st.global.u32 [%rd1+1024], %r4;\n"

TEST(WRITTEN__each_operand_is_read_behind_it)
{
    check_wrong(FIRST(TRIGGER) SECOND(BIAS("", WAIT)));
    check_right(FIRST(TRIGGER) SECOND(BIAS(WAIT, "")));
}

// A flag of the primary is there once the secondary can do nothing but look at it.
#define FLAG "poll:\nld.acquire.gpu.global.u32 %r4, [%rd1];\nsetp.ne.u32 %p1, %r4, 7;\n@%p1 bra poll;\n"

TEST(WRITTEN__who_polls_for_the_primary_goes_on)
{
    check_right(FIRST(TRIGGER) SECOND(FLAG READ("", WAIT)));
}
