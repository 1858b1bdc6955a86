// SPDX-License-Identifier: MIT
// Asynchronous instructions on the PTX machine: right kernels give right bytes under every schedule, and a missing wait
// shows where operations are as late as they may be.
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

enum { BYTES = 4096, WORDS = BYTES / 4, SEEDS = 16 };

#define HEAD ".version 8.6\n.target sm_90a\n.address_size 64\n"

static uint32_t memory[3 * WORDS] __attribute__((aligned(128)));

// One launch: a kernel `k` of parameters (from, to), 64-bit addresses in `memory`.
struct run {
    struct machine_outcome outcome;
    const uint32_t *to;
};

static struct run run_kernel(const char *ptx, uint32_t threads, uint32_t ctas, enum machine_policy policy,
                             uint64_t seed)
{
    static struct run run;
    struct ptx_errors errors;
    struct machine_module *module = machine_module_open(ptx, strlen(ptx), &errors);
    ck_assert_msg(module != NULL, "%s", errors.count > 0 ? errors.item[0].message : "no memory");
    for (uint32_t i = 0; i < 3 * WORDS; i++) memory[i] = i < WORDS ? i * 2654435761u : 0;
    const struct region region = {{(uint8_t *)memory, (uint64_t)(uintptr_t)memory, sizeof memory}, 0};
    const struct global_memory global = {&region, 1};
    const uint64_t parameters[] = {(uint64_t)(uintptr_t)memory, (uint64_t)(uintptr_t)(memory + WORDS)};
    const struct machine_launch launch = {
        .module = module,
        .kernel = machine_module_kernel(module, "k"),
        .grid = {ctas, 1, 1},
        .block = {threads, 1, 1},
        .cluster = {ctas > 1 ? ctas : 0, ctas > 1, ctas > 1},
        .parameters = parameters,
        .global = &global,
        .schedule = {policy, seed, 1},
        .limits = {.instructions = 10000000},
    };
    machine_run(&launch, &run.outcome);
    run.to = memory + WORDS;
    machine_module_close(module);
    return run;
}

static int is_copied(const struct run *run, uint32_t words)
{
    for (uint32_t i = 0; i < words; i++)
        if (run->to[i] != i * 2654435761u) return 0;
    return 1;
}

// The kernel copies `words` words under every schedule, whatever the seed.
static void check_always(const char *ptx, uint32_t threads, uint32_t ctas, uint32_t words)
{
    for (int policy = MACHINE_DEFAULT; policy <= MACHINE_SHUFFLED; policy++)
        for (uint64_t seed = 0; seed < SEEDS; seed++) {
            struct run run = run_kernel(ptx, threads, ctas, (enum machine_policy)policy, seed);
            ck_assert_msg(run.outcome.kind == MACHINE_DONE, "policy %d seed %d: %s", policy, (int)seed,
                          run.outcome.message);
            ck_assert_msg(is_copied(&run, words), "policy %d seed %d: wrong bytes", policy, (int)seed);
        }
}

// Without its wait the kernel leaves stale bytes where operations are late, and right ones where they are early.
static void check_stale(const char *ptx, uint32_t threads, uint32_t words)
{
    struct run late = run_kernel(ptx, threads, 1, MACHINE_LATE, 0);
    ck_assert_msg(late.outcome.kind == MACHINE_DONE, "%s", late.outcome.message);
    ck_assert(!is_copied(&late, words));
    struct run early = run_kernel(ptx, threads, 1, MACHINE_EARLY, 0);
    ck_assert(early.outcome.kind == MACHINE_DONE);
    ck_assert(is_copied(&early, words));
}

// --- cp.async.bulk and an mbarrier -----------------------------------------------------------------------------------

#define KERNEL(registers, shared)                                                                                      \
    HEAD ".visible .entry k(.param .u64 from, .param .u64 to)\n{\n"                                                    \
         ".reg .pred %p<4>;\n.reg .b32 %r<32>;\n.reg .b64 %rd<16>;\n" registers shared                                 \
         "ld.param.u64 %rd1, [from];\nld.param.u64 %rd2, [to];\nmov.u32 %r1, %tid.x;\nmov.u32 %r2, tile;\n"
#define BARRIER ".shared .align 128 .b8 tile[1024];\n.shared .align 8 .b64 bar;\n"
#define LOAD                                                                                                           \
    "mov.u32 %r3, bar;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra loaded;\n"                                                  \
    "mbarrier.init.shared::cta.b64 [%r3], 1;\nfence.proxy.async.shared::cta;\n"                                        \
    "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 1024;\n"                                                      \
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd1], 1024, [%r3];\n"                  \
    "loaded:\nbar.sync 0;\n"
#define WAIT "again:\nmbarrier.try_wait.parity.shared::cta.b64 %p2, [%r3], 0;\n@!%p2 bra again;\n"
#define STORE_THREADS                                                                                                  \
    "shl.b32 %r4, %r1, 2;\nadd.u32 %r5, %r2, %r4;\nld.shared.u32 %r6, [%r5];\ncvt.u64.u32 %rd3, %r4;\n"                \
    "add.u64 %rd4, %rd2, %rd3;\nst.global.u32 [%rd4], %r6;\nret;\n}\n"

START_TEST(ASYNC_GROUP_ORDER__bulk_load_needs_its_wait)
{
    check_always(KERNEL("", BARRIER) LOAD WAIT STORE_THREADS, 256, 1, 256);
    check_stale(KERNEL("", BARRIER) LOAD STORE_THREADS, 256, 256);
}
END_TEST

START_TEST(ASYNC_GROUP_ORDER__a_wait_for_bytes_that_never_come_hangs_and_names_the_barrier)
{
    struct run run = run_kernel(KERNEL("", BARRIER)
                                "mov.u32 %r3, bar;\nmbarrier.init.shared::cta.b64 [%r3], 1;\n"
                                "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 64;\n" WAIT STORE_THREADS,
                                1, 1, MACHINE_DEFAULT, 0);
    ck_assert_int_eq(run.outcome.kind, MACHINE_HUNG);
    ck_assert_msg(strstr(run.outcome.message, "64 bytes are missing") != NULL, "%s", run.outcome.message);
    ck_assert_msg(strstr(run.outcome.message, "expected 64 bytes at line") != NULL, "%s", run.outcome.message);
}
END_TEST

Suite *machine_async_suite(void)
{
    Suite *suite = suite_create("machine_async");
    TCase *tcase = tcase_create("ASYNC");
    tcase_add_test(tcase, ASYNC_GROUP_ORDER__bulk_load_needs_its_wait);
    tcase_add_test(tcase, ASYNC_GROUP_ORDER__a_wait_for_bytes_that_never_come_hangs_and_names_the_barrier);
    suite_add_tcase(suite, tcase);
    return suite;
}
