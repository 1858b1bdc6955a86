// SPDX-License-Identifier: MIT
// What the suites of the PTX machine share: a kernel as text, its parameters as 64-bit numbers, and memory.
#ifndef TMAREF_TESTS_MACHINE_TEST_H
#define TMAREF_TESTS_MACHINE_TEST_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "looker.h"
#include "machine.h"

#define HEAD ".version 8.6\n.target sm_90a\n.address_size 64\n"

// Registers that the programs of these tests use, and the parameter `out` in %rd0.
#define REGISTERS                                                                                                      \
    ".reg .pred %p<8>;\n.reg .b16 %h<8>;\n.reg .b32 %r<32>;\n.reg .b64 %rd<32>;\n.reg .f32 %f<8>;\n"                   \
    "ld.param.u64 %rd0, [out];\n"
#define ENTRY HEAD ".visible .entry k(.param .u64 out)\n{\n" REGISTERS
// %r0: the thread of the CTA; %rd1: the address of the thread's 4 bytes of `out`.
#define THREAD "mov.u32 %r0, %tid.x;\nmul.wide.u32 %rd1, %r0, 4;\nadd.u64 %rd1, %rd0, %rd1;\n"

//   parts  how often it ran on
struct ran {
    struct machine_outcome outcome;
    int parts;
    _Alignas(64) uint32_t out[4096];
};

// Runs kernel k of the text with the address of 4096 words as its parameter.
struct launch_of {
    uint32_t grid, block, cluster, dynamic;
    struct machine_schedule schedule;
    struct machine_limits limits;
    const struct observer *observer;
    const struct machine_looker *looker;
    void (*print)(void *context, const char *text, size_t bytes);
    void *print_context;
    struct machine_heap *heap;
    int only_alike;
    bool may_wait;
};

// What it returns is there until two more have run.
static inline struct ran *run_text(const char *text, struct launch_of of)
{
    static struct ran room[2];
    static int runs;
    struct ptx_errors errors;
    struct ran *ran = &room[runs++ % 2];
    struct machine_module *module = machine_module_open(text, strlen(text), &errors);
    memset(ran, 0, sizeof *ran);
    ck_assert_msg(module != NULL, "%u: %s", errors.item[0].line, errors.item[0].message);
    uint64_t out = (uint64_t)(uintptr_t)ran->out;
    const struct region region = {{(uint8_t *)ran->out, out, sizeof ran->out}, 0};
    const struct global_memory global = {&region, 1};
    struct machine_launch launch = {
        .module = module,
        .kernel = machine_module_kernel(module, "k"),
        .grid = {of.grid ? of.grid : 1, 1, 1},
        .block = {of.block ? of.block : 1, 1, 1},
        .cluster = {of.cluster, 1, 1},
        .dynamic_shared_bytes = of.dynamic,
        .parameters = &out,
        .global = &global,
        .schedule = of.schedule,
        .only_alike = of.only_alike,
        .may_wait = of.may_wait,
        .limits = of.limits,
        .observer = of.observer,
        .looker = of.looker,
        .hears_ranges = of.looker != NULL && of.looker->skips_plain,
        .print = of.print,
        .print_context = of.print_context,
        .heap = of.heap,
    };
    ck_assert_int_ge(launch.kernel, 0);
    struct machine_launched *launched = machine_begin(&launch, &ran->outcome);
    for (ran->parts = 1; launched != NULL && machine_go_on(launched, false) != MACHINE_PART_ENDED;) ran->parts++;
    machine_close(launched);
    machine_module_close(module);
    return ran;
}

// The same, which must run to its end.
static inline struct ran *run_well(const char *text, struct launch_of of)
{
    struct ran *ran = run_text(text, of);
    ck_assert_msg(ran->outcome.kind == MACHINE_DONE, "%s: %s", machine_kind_name(ran->outcome.kind),
                  ran->outcome.message);
    return ran;
}

// In how many seeds a text goes wrong under a schedule: in none under DEFAULT and EARLY, and under the other two in at
// least `late` and `shuffled`; 0: in none either.
typedef int counter_of_bad(const char *text, enum machine_policy policy);
static inline void check_seeds(counter_of_bad *count_bad, const char *text, int late, int shuffled)
{
    const int least[] = {
        [MACHINE_DEFAULT] = 0, [MACHINE_EARLY] = 0, [MACHINE_LATE] = late, [MACHINE_SHUFFLED] = shuffled};
    for (int policy = MACHINE_DEFAULT; policy <= MACHINE_SHUFFLED; policy++) {
        const int bad = count_bad(text, (enum machine_policy)policy);
        ck_assert_msg(least[policy] == 0 ? bad == 0 : bad >= least[policy], "policy %d: %d", policy, bad);
    }
}

#endif
