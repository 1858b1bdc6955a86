// SPDX-License-Identifier: MIT
// Litmus tests as kernels: where their threads and places lie, which PTX each instruction becomes, what is refused, and
// that ends keep their values as keys and as JSON.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "litmus_ends.h"
#include "litmus_kernel.h"
#include "litmus_read.h"

#define COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))

static void read_text(const char *text, struct litmus *test)
{
    struct text why = {""};
    ck_assert_msg(litmus_read("t.litmus", text, strlen(text), test, &why), "%s", why.at);
}

// What one instruction of P0 becomes. x is shared and P1's, of another CTA; s is P0's own; g is global.
static const struct spelled {
    const char *step, *ptx;
} spelled[] = {
    {"ld.acquire.gpu r0, g", "ld.acquire.gpu.global.u32 %t0r"},
    {"st.weak x, 3", "st.weak.shared::cluster.u32 [%m"},
    {"st.weak s, 3", "st.weak.shared::cta.u32 [%s"},
    {"atom.relaxed.gpu.add r0, g, 1", "atom.relaxed.gpu.global.add.u32 %t0r"},
    {"fence.sc.cluster", "fence.sc.cluster;"},
    {"fence.proxy.async.shared::cta", "fence.proxy.async.shared::cta;"},
    {"bar.sync 3, 1", "barrier.cta.sync 3, 32;"},
    {"mbarrier.arrive.release.cluster b, 1", "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%m"},
    {"st.async x, 1, b", "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%m"},
    {"cp.async.bulk g, s", "cp.async.bulk.global.shared::cta.bulk_group [%g"},
    {"cp.async.bulk.wait_group.read 1", "cp.async.bulk.wait_group.read 1;"},
    {"cp.async.cg s, g", "cp.async.cg.shared.global [%s"},
};

LOOP_TEST(litmus_tries_spells_an_instruction, 0, COUNT(spelled))
{
    static struct litmus test;
    struct litmus_layout layout;
    struct text why = {""};
    char text[600];
    snprintf(text, sizeof text,
             "PTX t\n{ .shared s = 0; .shared x = 0; .global g = 0; mbarrier b = 1; }\n"
             "P0@cta 0,cluster 0,gpu 0 | P1@cta 1,cluster 0,gpu 0 ;\n"
             "ld.weak r9, s | ld.weak r0, x ;\n%s | mbarrier.test_wait.parity r1, b, 0 ;\nexists (P1:r0 == 0)\n",
             spelled[_i].step);
    read_text(text, &test);
    ck_assert_msg(litmus_layout_of(&test, &layout, &why), "%s: %s", spelled[_i].step, why.at);
    char *kernel = litmus_kernel(&test, &layout);
    ck_assert_ptr_nonnull(kernel);
    ck_assert_msg(strstr(kernel, spelled[_i].ptx) != NULL, "%s does not become %s", spelled[_i].step, spelled[_i].ptx);
    free(kernel);
}

// The kernel of two threads in two CTAs. The caller frees it.
static char *kernel_of(const char *heads)
{
    static struct litmus test;
    struct litmus_layout layout;
    struct text why = {""};
    char text[400];
    snprintf(text, sizeof text, "PTX t\n{ .shared s = 0; }\n%s ;\nst.weak s, 1 | ;\nexists (s == 0)\n", heads);
    read_text(text, &test);
    ck_assert_msg(litmus_layout_of(&test, &layout, &why), "%s", why.at);
    char *kernel = litmus_kernel(&test, &layout);
    ck_assert_ptr_nonnull(kernel);
    return kernel;
}

// Else a helper that writes to a CTA that has not begun ends the kernel with 719.
TEST(litmus_tries_begins_with_a_meeting_of_the_cluster)
{
    char *kernel = kernel_of("P0@cta 0,cluster 0,gpu 0 | P1@cta 1,cluster 0,gpu 0");
    const char *meets = strstr(kernel, "barrier.cluster.wait"), *branches = strstr(kernel, "bra ");
    ck_assert_msg(meets != NULL && meets < branches, "a CTA may write to another that is not there yet");
    free(kernel);
}

// Else copies of CTAs that a launch puts into a cluster land in the first of them, and their waits are given up.
TEST(litmus_tries_addresses_its_own_memory_in_any_cluster)
{
    char *kernel = kernel_of("P0@cta 0,gpu 0 | P1@cta 1,gpu 0");
    ck_assert_msg(strstr(kernel, "%cluster_ctarank;\nmapa.shared::cluster.u32 %m0, %s0, %u;") != NULL,
                  "a CTA in no cluster addresses that of rank 0");
    free(kernel);
}

TEST(litmus_tries_lays_out_threads_and_places)
{
    static struct litmus test;
    struct litmus_layout layout, turned;
    struct text why = {""};
    read_text("PTX t\n{ .shared x = 0; mbarrier b = 1; g = 0; }\n"
              "P0@cta 0,cluster 0,gpu 0 | P1@cta 1,cluster 0,gpu 0 | P2@cta 1,cluster 0,gpu 0 ;\n"
              "st.weak x, 1 | mbarrier.try_wait.parity b, 0 | st.weak g, 1 ;\n"
              "mbarrier.arrive b | ld.weak r0, x | ;\nexists (P1:r0 == 0 /\\ g == 1)\n",
              &test);
    ck_assert_msg(litmus_layout_of(&test, &layout, &why), "%s", why.at);
    ck_assert_msg(layout.ctas == 2 && layout.cluster == 2 && layout.warps == 2, "two CTAs of a cluster, two warps");
    ck_assert_msg(layout.cta_of[2] == 1 && layout.warp_of[2] == 1, "P2 is the second warp of CTA 1");
    ck_assert_msg(layout.owner[0] == 1, "x is of the CTA that reads it");
    ck_assert_msg(layout.owner[1] == 1, "b is of the CTA that waits for it");
    ck_assert_msg(layout.owner[2] == -1, "g is in global memory");
    ck_assert_msg(!layout.lands_late && !layout.meets_cluster, "nothing lands late, no barrier.cluster");
    ck_assert_msg(litmus_layout_turned(&test, &layout, &turned), "x may lie elsewhere");
    ck_assert_msg(turned.owner[0] == 0 && turned.owner[1] == 1, "x is of the CTA that writes it");
    ck_assert_int_eq(layout.seen, 2);
}

static const struct refused {
    const char *cells, *why;
} refused[] = {
    {"cp.async.bulk s, g, b | mbarrier.test_wait.parity r1, b, 0", NULL}, // it lands late, and is run
    {"wgmma.mma_async r0, s | ld.weak r0, g", "a wgmma needs four warps for one try"},
    {"bar.sync 0 | ld.weak r0, g", "P0 waits until P1 has ended"},
    {"griddepcontrol.wait | ld.weak r0, g", "grids and the host take no part in one"},
    {"cp.async.bulk g, s, b | mbarrier.try_wait.parity b, 0", "a bulk copy to global memory takes no mbarrier"},
};

LOOP_TEST(litmus_tries_refuses_with_a_reason, 0, COUNT(refused))
{
    static struct litmus test;
    struct litmus_layout layout;
    struct text why = {""};
    char text[400];
    snprintf(text, sizeof text,
             "PTX t\n{ .shared s = 0; .global g = 0; mbarrier b = 1; }\n"
             "P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n%s ;\nexists (g == 0)\n",
             refused[_i].cells);
    read_text(text, &test);
    const bool is_run = litmus_layout_of(&test, &layout, &why);
    if (refused[_i].why == NULL)
        ck_assert_msg(is_run && layout.lands_late, "%s", why.at);
    else
        ck_assert_msg(!is_run && strstr(why.at, refused[_i].why) != NULL, "'%s' lacks '%s'", why.at, refused[_i].why);
}

TEST(litmus_tries_keeps_the_values_of_an_end)
{
    static struct litmus test;
    struct litmus_layout layout;
    struct text why = {""};
    read_text("PTX t\n{ x = 0; }\nP0@cta 0,gpu 0 ;\nld.weak r0, x ;\nst.weak x, 99 ;\nexists (P0:r0 == 0 /\\ x == 2)\n",
              &test);
    ck_assert_msg(litmus_layout_of(&test, &layout, &why), "%s", why.at);
    for (uint64_t key = 0; key < 256; key++) {
        json_t *json = litmus_key_json(&test, &layout, key);
        uint64_t again = 0;
        ck_assert_msg(litmus_key_read(&test, &layout, json, &again, &why), "%s", why.at);
        ck_assert_uint_eq(again, key);
        ck_assert_int_eq(litmus_key_is_asked(&test, &layout, key), key == 0x20);
        json_decref(json);
    }
    ck_assert_str_eq(litmus_key_text(&test, &layout, 0xf1).at, "P0:r0 = 1, x = 15 or more");
}
