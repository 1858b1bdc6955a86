// SPDX-License-Identifier: MIT
// Reading litmus tests: what the text says arrives in the struct, and every mistake gets a sentence that points at it.
#include <stdio.h>
#include <string.h>

#include "litmus_read.h"
#include "rows.h"

#define COUNT(table) ((int)(sizeof(table) / sizeof(table)[0]))

static bool read_text(const char *text, struct litmus *test, struct text *why)
{
    return litmus_read("t.litmus", text, strlen(text), test, why);
}

#define HEAD(declared, cells) "PTX name\n{ " declared " }\nP0@cta 0,gpu 0 ;\n" cells " ;\nexists (x == 0)\n"

#define MISTAKES "litmus_mistakes.tsv" // text, sentence

LOOP_TEST(litmus_read_points_at_a_mistake, 0, rows_count(MISTAKES, NULL))
{
    const struct row *row = rows_at(MISTAKES, NULL, _i);
    static struct litmus test;
    struct text why = {""};
    ck_assert_msg(!read_text(row->field[0], &test, &why), "%s: read: %s", row->where, row->field[0]);
    ck_assert_msg(row->field[1][0] != '\0' && strstr(why.at, row->field[1]) != NULL, "%s: got: %s\nwant: %s",
                  row->where, why.at, row->field[1]);
}

static const struct step_case {
    const char *text;
    enum litmus_kind kind;
    enum access_order order;
    enum access_scope scope;
    enum litmus_proxy proxy;
    enum litmus_group group;
    const char *why;
} steps[] = {
    {"ld r0, [x]", LITMUS_LOAD, ORDER_WEAK, SCOPE_NONE, VIA_GENERIC, GROUP_NONE, "a plain load is weak"},
    {"ld.volatile.u32 r0, x", LITMUS_LOAD, ORDER_RELAXED, SCOPE_SYS, VIA_GENERIC, GROUP_NONE,
     "volatile is relaxed.sys"},
    {"ld r0, 3", LITMUS_COMPUTE, ORDER_WEAK, SCOPE_NONE, VIA_GENERIC, GROUP_NONE, "a number is no place"},
    {"suld.weak r0, x", LITMUS_LOAD, ORDER_WEAK, SCOPE_NONE, VIA_SURFACE, GROUP_NONE, "by the surface proxy"},
    {"atom.add.u32 r0, x, 1", LITMUS_ATOM, ORDER_RELAXED, SCOPE_GPU, VIA_GENERIC, GROUP_NONE, "the default of atom"},
    {"membar.gl", LITMUS_FENCE, ORDER_SC, SCOPE_GPU, VIA_GENERIC, GROUP_NONE, "membar is fence.sc"},
    {"fence.proxy.async.shared::cta", LITMUS_PROXY_FENCE, ORDER_WEAK, SCOPE_NONE, VIA_ASYNC, GROUP_NONE, "a proxy"},
    {"fence.proxy.tensormap::generic.acquire.gpu [x], 128", LITMUS_ONE_WAY_FENCE, ORDER_ACQUIRE, SCOPE_GPU,
     VIA_TENSORMAP, GROUP_NONE, "one way, with its operands"},
    {"fence.mbarrier_init.release.cluster", LITMUS_INIT_FENCE, ORDER_RELEASE, SCOPE_CLUSTER, VIA_GENERIC, GROUP_NONE,
     ""},
    {"mbarrier.arrive.shared::cta.b64 _, [b]", LITMUS_MBARRIER_ARRIVE, ORDER_RELEASE, SCOPE_CTA, VIA_GENERIC,
     GROUP_NONE, "the defaults of an arrive"},
    {"mbarrier.arrive.release.cluster.shared::cluster.b64 r0, [b], 2", LITMUS_MBARRIER_ARRIVE, ORDER_RELEASE,
     SCOPE_CLUSTER, VIA_GENERIC, GROUP_NONE, "a remote arrive"},
    {"mbarrier.try_wait.parity.shared::cta.b64 r0, [b], 0", LITMUS_MBARRIER_WAIT, ORDER_ACQUIRE, SCOPE_CTA, VIA_GENERIC,
     GROUP_NONE, "the defaults of a wait"},
    {"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [x], [y], 16, [b]", LITMUS_COPY, ORDER_WEAK,
     SCOPE_NONE, VIA_ASYNC, GROUP_NONE, "a copy that an mbarrier hears of"},
    {"cp.async.bulk.global.shared::cta.bulk_group [x], [y], 16", LITMUS_COPY, ORDER_WEAK, SCOPE_NONE, VIA_ASYNC,
     GROUP_BULK, "a copy in a bulk group"},
    {"cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [x], [y, {0}], [b]", LITMUS_COPY,
     ORDER_WEAK, SCOPE_NONE, VIA_TENSORMAP, GROUP_NONE, "the map is read by its proxy"},
    {"cp.async.ca.shared.global [x], [y], 4", LITMUS_COPY, ORDER_WEAK, SCOPE_NONE, VIA_GENERIC, GROUP_ASYNC,
     "not bulk"},
    {"cp.async.bulk.wait_group.read 0", LITMUS_WAIT_GROUP, ORDER_WEAK, SCOPE_NONE, VIA_GENERIC, GROUP_BULK,
     "the sources"},
    {"barrier.cluster.arrive.relaxed.aligned", LITMUS_CLUSTER_ARRIVE, ORDER_RELAXED, SCOPE_CLUSTER, VIA_GENERIC,
     GROUP_NONE, "without the default"},
};

LOOP_TEST(litmus_read_reads_an_instruction, 0, COUNT(steps))
{
    static struct litmus test;
    struct text why = {""};
    char text[512];
    snprintf(text, sizeof text, HEAD("x = 0; y = 0; mbarrier b = 1;", "%s"), steps[_i].text);
    ck_assert_msg(read_text(text, &test, &why), "%s", why.at);
    const struct litmus_step *step = &test.thread[0].step[0];
    ck_assert_msg(step->kind == steps[_i].kind && step->order == steps[_i].order && step->scope == steps[_i].scope &&
                      step->proxy == steps[_i].proxy && step->group == steps[_i].group,
                  "%s (%s): kind %d order %d scope %d proxy %d group %d", steps[_i].text, steps[_i].why,
                  (int)step->kind, (int)step->order, (int)step->scope, (int)step->proxy, (int)step->group);
}

static const char whole[] =
    "PTX whole\n\"a sentence\"\n"
    "{ .shared x = -3; y @ generic aliases x; t @ texture aliases y; mbarrier b; mbarrier c = 2;\n"
    "  P1:r2 = 7; grid 1 programmatic after grid 0; }\n"
    "P0@cta 1,cluster 2,gpu 0 | P1@cta 0,gpu 0,grid 1 | P2@host ;\n"
    "LC0: ld r0, x | bar.cta.sync 1, r2, 3 | ;\n"
    "bne r0, 1, LC0 | bar.sync 0 | launch 1 ;\n"
    "filter (P0:r0 != 2)\n~exists (x == 1 \\/ P1:r2 = 7 /\\ not (0 == 0))";

TEST(litmus_read_reads_a_whole_test)
{
    static struct litmus test;
    struct text why = {""};
    ck_assert_msg(read_text(whole, &test, &why), "%s", why.at);
    ck_assert_str_eq(test.name, "whole");
    ck_assert_str_eq(test.about, "a sentence");
    ck_assert_int_eq(test.place[0].initial, -3);
    ck_assert_int_eq(test.place[1].memory, 0);
    ck_assert_int_eq(test.place[1].address, 1);
    ck_assert_int_eq(test.place[2].memory, 0);
    ck_assert_int_eq(test.place[2].address, 1);
    ck_assert_int_eq(test.place[3].count, 0);
    ck_assert_int_eq(test.place[4].count, 2);
    ck_assert_int_eq(test.link[0].is_programmatic, 1);
    ck_assert_int_eq(test.thread[0].cluster, 2);
    ck_assert_int_eq(test.thread[1].cluster, -1);
    ck_assert(test.thread[2].is_host);
    ck_assert_int_eq(test.thread[0].step[1].target, 0);
    ck_assert_int_eq(test.thread[1].step[0].instance, 1);
    ck_assert_int_eq(test.thread[1].step[1].instance, -1);
    ck_assert_int_eq(test.claim, CLAIM_NEVER);
    struct litmus_end end = {.reg[1] = {7}};
    ck_assert_msg(!litmus_holds(&test, test.condition, &end), "and binds closer than or");
    end.place[0] = 1;
    ck_assert(litmus_holds(&test, test.condition, &end));
}

TEST(litmus_in_scope_follows_the_placement)
{
    static struct litmus test = {.threads = 5,
                                 .thread = {{.cluster = 0, .cta = 0},
                                            {.cluster = 0, .cta = 1},
                                            {.cluster = -1, .cta = 0, .grid = 1},
                                            {.cluster = 0, .cta = 0, .gpu = 1},
                                            {.is_host = true}}};
    static const int want[5] = {SCOPE_CTA, SCOPE_CLUSTER, SCOPE_GPU, SCOPE_SYS, SCOPE_SYS};
    for (int other = 0; other < 5; other++)
        for (int scope = SCOPE_CTA; scope <= SCOPE_SYS; scope++)
            ck_assert_msg(litmus_in_scope(&test, 0, (enum access_scope)scope, other) ==
                              (other == 0 || scope >= want[other]),
                          "scope %d of thread %d", scope, other);
}
