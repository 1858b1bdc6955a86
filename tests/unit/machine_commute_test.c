// SPDX-License-Identifier: MIT
// Which kernels several threads of the host may run unasked, and that they compute the same.
#include "commute.h"
#include "machine_test.h"
#include "module.h"

enum { CTAS = 4096 };

static bool commutes(const char *body, const char *before, bool may_add)
{
    char text[4096];
    struct ptx_errors errors;
    snprintf(text, sizeof text, "%s%s%s%s%s", HEAD, before, ".visible .entry k(.param .u64 out)\n{\n" REGISTERS, body,
             "\nret;\n}\n");
    struct machine_module *module = machine_module_open(text, strlen(text), &errors);
    ck_assert_msg(module != NULL, "%s", errors.item[0].message);
    const struct machine_kernel *kernel = machine_module_decoded(module, machine_module_kernel(module, "k"), &errors);
    ck_assert_msg(kernel != NULL, "%s: %s", body, errors.count > 0 ? errors.item[0].message : "");
    const bool answer = may_add ? kernel->adds : kernel->commutes;
    machine_module_close(module);
    return answer;
}

TEST(COMMUTE__a_kernel_in_whose_clusters_nobody_hears_of_another)
{
    static const char *const right[] = {
        "st.global.u32 [%rd0], %r0;",
        "ld.u32 %r0, [%rd0];",
        "membar.cta;",
        "fence.acq_rel.cluster;",
        "ld.volatile.shared.u32 %r0, [%r1];",
        "atom.shared.add.u32 %r0, [%r1], 1;",
        "red.shared.add.f32 [%r1], %f0;",
        "barrier.cluster.arrive;\nbarrier.cluster.wait;",
    };
    static const char *const wrong[] = {
        "ld.volatile.global.u32 %r0, [%rd0];",
        "ld.acquire.gpu.u32 %r0, [%rd0];",
        "st.release.gpu.global.u32 [%rd0], %r0;",
        "st.volatile.u32 [%rd0], %r0;",
        "membar.gl;",
        "fence.acq_rel.gpu;",
        "fence.sc.sys;",
        "atom.global.add.u32 %r0, [%rd0], 1;",
        "atom.cas.b32 %r0, [%rd0], %r1, %r2;",
        "red.global.add.f32 [%rd0], %f0;",
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%rd0], [%r1], 16;",
    };
    static const char print[] = ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n",
                      own[] = ".func add(.param .b32 x)\n{\nret;\n}\n";
    for (int i = 0; i < ROWS_OF(right); i++) ck_assert_msg(commutes(right[i], "", false), "%s", right[i]);
    for (int i = 0; i < ROWS_OF(wrong); i++) ck_assert_msg(!commutes(wrong[i], "", false), "%s", wrong[i]);
    ck_assert(commutes("{\n.param .b32 x;\nst.param.b32 [x], %r0;\ncall add, (x);\n}", own, false));
    ck_assert(!commutes("{\n.param .b32 r;\n.param .b64 f;\n.param .b64 a;\nst.param.b64 [f], %rd0;\n"
                        "st.param.b64 [a], %rd0;\ncall (r), vprintf, (f, a);\n}",
                        print, false));
}

TEST(COMMUTE__a_kernel_whose_clusters_only_add)
{
    static const char *const right[] = {
        "st.global.u32 [%rd0], %r0;",
        "red.global.add.f32 [%rd0], %f0;",
        "atom.relaxed.cta.global.add.u32 %r0, [%rd0], 1;",
        "atom.cas.b32 %r0, [%rd0], %r1, %r2;",
    };
    static const char *const wrong[] = {
        "red.release.gpu.global.add.u32 [%rd0], 1;",
        "atom.acq_rel.gpu.global.add.u32 %r0, [%rd0], 1;",
        "atom.global.add.u32 %r0, [%rd0], 1;\nmembar.gl;",
        "ld.relaxed.gpu.u32 %r0, [%rd0];",
    };
    for (int i = 0; i < ROWS_OF(right); i++) ck_assert_msg(commutes(right[i], "", true), "%s", right[i]);
    for (int i = 0; i < ROWS_OF(wrong); i++) ck_assert_msg(!commutes(wrong[i], "", true), "%s", wrong[i]);
}

// Each CTA counts for a while, and stores what came of it.
#define COUNTS                                                                                                         \
    ENTRY                                                                                                              \
    "mov.u32 %r0, %ctaid.x;\nmul.wide.u32 %rd1, %r0, 4;\nadd.u64 %rd1, %rd0, %rd1;\nmov.u32 %r1, 0;\n"                 \
    "mov.u32 %r2, %r0;\nagain:\nadd.u32 %r1, %r1, 1;\nmad.lo.u32 %r2, %r2, 5, %r1;\nsetp.lt.u32 %p1, %r1, 100;\n"      \
    "@%p1 bra again;\nst.global.u32 [%rd1], %r2;\nret;\n}\n"

TEST(COMMUTE__several_threads_compute_what_one_does)
{
    const struct launch_of one = {.grid = CTAS, .block = 32},
                           several = {.grid = CTAS, .block = 32, .schedule = {.threads = 4}, .only_alike = 1};
    const struct ran *alone = run_well(COUNTS, one), *together = run_well(COUNTS, several);
    for (uint32_t i = 0; i < CTAS; i++) {
        uint32_t value = i;
        for (uint32_t k = 1; k <= 100; k++) value = value * 5 + k;
        ck_assert_uint_eq(alone->out[i], value);
        ck_assert_uint_eq(together->out[i], value);
    }
    ck_assert_uint_eq(alone->outcome.instructions, together->outcome.instructions);
    ck_assert_uint_eq(alone->outcome.thread_instructions, together->outcome.thread_instructions);
}
