// SPDX-License-Identifier: MIT
#include "litmus_kernel.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "litmus_emit.h"

// Rounds of a loop or a wait before it is given up; tries of a meeting, after which the kernel traps.
enum { PATIENCE = 4000, MEETING_TRIES = 1 << 22 };

static const char head[] = ".version 8.6\n.target sm_90a\n.address_size 64\n"
                           ".extern .shared .align 128 .b8 places[];\n"
                           ".visible .entry litmus(.param .u64 memory, .param .u64 scratch, .param .u64 keys,\n"
                           "    .param .u64 meetings, .param .u64 noise, .param .u32 groups, .param .u32 rounds,\n"
                           "    .param .u32 pitch, .param .u32 delay, .param .u32 warm, .param .u32 noise_rounds,\n"
                           "    .param .u32 helpers, .param .u32 near, .param .u32 far, .param .u32 burst)\n";

static const char registers[] = ".reg .pred %q, %first, %again, %leader;\n"
                                ".reg .b32 %lane, %warp, %cta, %group, %member, %groups, %rounds, %round, %pitch, "
                                "%delay, %far, %u, %v, %w, %tries, %began, %expected,\n"
                                "    %patience, %given, %offset, %row, %helpers;\n"
                                ".reg .b64 %memory, %scratch, %keys, %meeting, %noise, %key, %at, %d, %e;\n";

// Who it is: group and member, warp and lane. No CTA writes to another of its cluster before that one is there: a
// helper that did ended its kernel with 719.
static void write_begin(FILE *to, const struct litmus_layout *layout)
{
    fprintf(to,
            "barrier.cluster.arrive;\nbarrier.cluster.wait;\n"
            "ld.param.u64 %%memory, [memory];\nld.param.u64 %%scratch, [scratch];\nld.param.u64 %%keys, [keys];\n"
            "ld.param.u64 %%meeting, [meetings];\nld.param.u64 %%noise, [noise];\nld.param.u32 %%groups, [groups];\n"
            "ld.param.u32 %%rounds, [rounds];\nld.param.u32 %%delay, [delay];\nld.param.u32 %%pitch, [pitch];\n"
            "ld.param.u32 %%far, [far];\n"
            "mov.u32 %%u, %%tid.x;\n"
            "and.b32 %%lane, %%u, 31;\nshr.u32 %%warp, %%u, 5;\nmov.u32 %%cta, %%ctaid.x;\n"
            "div.u32 %%group, %%cta, %d;\nrem.u32 %%member, %%cta, %d;\nsetp.ge.u32 %%q, %%group, %%groups;\n"
            "@%%q bra NOISE;\nmul.wide.u32 %%d, %%group, 8;\nadd.u64 %%meeting, %%meeting, %%d;\n"
            "setp.eq.u32 %%leader, %%lane, 0;\nmov.u32 %%round, 0;\nmov.u32 %%began, 0;\nmov.u32 %%expected, 0;\n"
            "ld.param.u32 %%helpers, [helpers];\nmul.lo.u32 %%helpers, %%helpers, %d;\n",
            layout->ctas, layout->ctas, layout->ctas);
}

static void write_addresses(FILE *to, const struct litmus *test, const struct litmus_layout *layout)
{
    fprintf(to, "mul.lo.u32 %%offset, %%lane, %%pitch;\nmul.lo.u32 %%row, %%pitch, %d;\n", LITMUS_LANES);
    for (int i = 0; i < test->places; i++) {
        if (layout->owner[i] < 0) {
            fprintf(
                to,
                "mad.lo.u32 %%u, %%groups, %d, %%group;\nmul.wide.u32 %%d, %%u, %%row;\ncvt.u64.u32 %%e, %%offset;\n"
                "add.u64 %%d, %%d, %%e;\nshl.b64 %%d, %%d, %%far;\nadd.u64 %%g%d, %%memory, %%d;\n",
                i, i);
            continue;
        }
        fprintf(to, "mov.u32 %%u, places;\nmad.lo.u32 %%u, %%row, %d, %%u;\nadd.u32 %%s%d, %%u, %%offset;\n", i, i);
        if (layout->cluster > 0)
            fprintf(to, "mapa.shared::cluster.u32 %%m%d, %%s%d, %d;\n", i, i, layout->owner[i] % layout->cluster);
        else // its own, also where the launch makes clusters of CTAs that are in none
            fprintf(to, "mov.u32 %%u, %%cluster_ctarank;\nmapa.shared::cluster.u32 %%m%d, %%s%d, %%u;\n", i, i);
    }
}

// All threads of the test meet, with all they did before them. `more`: the register with how many others come too.
// Those in front of the steps have a word of their own: else who reads it late would be ordered behind the steps of
// others.
static void write_meeting(FILE *to, const struct litmus *test, const char *more, int number)
{
    const bool begins = number % 4 == 0;
    const char *count = begins ? "%began" : "%expected", *word = begins ? "%meeting+4" : "%meeting";
    fprintf(to,
            "fence.proxy.async;\nfence.sc.gpu;\nbar.warp.sync 0xffffffff;\nadd.u32 %s, %s, %d;\n"
            "add.u32 %s, %s, %s;\n@!%%leader bra MET%d;\n"
            "atom.add.acq_rel.gpu.global.u32 %%u, [%s], 1;\nmov.u32 %%tries, %d;\n",
            count, count, test->threads, count, count, more, number, word, MEETING_TRIES);
    fprintf(to,
            "MEET%d:\nld.acquire.gpu.global.u32 %%u, [%s];\nsub.u32 %%tries, %%tries, 1;\n"
            "setp.eq.u32 %%q, %%tries, 0;\n@%%q trap;\nsetp.lt.u32 %%q, %%u, %s;\n@%%q bra MEET%d;\n"
            "MET%d:\nbar.warp.sync 0xffffffff;\nfence.sc.gpu;\nfence.proxy.async;\n",
            number, word, count, number, number);
}

// A helper disturbs until the test's threads have met for the last time in their last round. Then all meet, so that no
// CTA leaves while another still writes to it.
static void write_helper(FILE *to, const struct litmus *test, const struct litmus_layout *layout)
{
    const int places = test->places * LITMUS_LANES;
    fprintf(to,
            "HELPER:\nmul.lo.u32 %%expected, %%rounds, %d;\nmul.lo.u32 %%w, %%pitch, %d;\nmov.u32 %%u, places;\n"
            "add.u32 %%w, %%w, %%u;\nmad.lo.u32 %%w, %%lane, 128, %%w;\nmov.u32 %%tries, 0;\n"
            "mad.lo.u32 %%round, %%cta, 7919, %%warp;\nDISTURB:\n",
            test->threads * 2, places);
    for (int i = 0; i < 8; i++) fprintf(to, "st.volatile.shared::cta.u32 [%%w+%d], %%tries;\n", i * 4);
    if (layout->cluster > 1) {
        fprintf(to, "add.u32 %%v, %%member, 1;\nrem.u32 %%v, %%v, %d;\nmapa.shared::cluster.u32 %%v, %%w, %%v;\n",
                layout->cluster);
        for (int i = 0; i < 8; i++) fprintf(to, "st.volatile.shared::cluster.u32 [%%v+%d], %%tries;\n", i * 4);
    }
    fprintf(to, "setp.eq.u32 %%q, %%far, 0;\n@%%q bra ENOUGH;\nmul.lo.u32 %%given, %%groups, %d;\n", test->places);
    for (int i = 0; i < 4; i++)
        fprintf(to, "mad.lo.u32 %%round, %%round, 1664525, 1013904223;\nshr.u32 %%u, %%round, 9;\n"
                    "rem.u32 %%u, %%u, %%given;\nmul.wide.u32 %%d, %%u, %%row;\ncvt.u64.u32 %%e, %%offset;\n"
                    "add.u64 %%d, %%d, %%e;\nshl.b64 %%d, %%d, %%far;\nadd.u64 %%d, %%memory, %%d;\n"
                    "ld.relaxed.gpu.global.u32 %%u, [%%d];\n");
    fprintf(to,
            "ENOUGH:\nadd.u32 %%tries, %%tries, 1;\nsetp.gt.u32 %%q, %%tries, %d;\n@%%q trap;\n"
            "ld.acquire.gpu.global.u32 %%u, [%%meeting];\nsetp.lt.u32 %%q, %%u, %%expected;\n@%%q bra DISTURB;\n",
            MEETING_TRIES);
    write_meeting(to, test, "%helpers", test->threads * 4 + 1);
    fprintf(to, "bra END;\n");
}

// The thread that sets the places of its CTA, or of global memory.
static bool sets(const struct litmus_layout *layout, int thread, int place)
{
    const int owner = layout->owner[place] < 0 ? 0 : layout->owner[place];
    return layout->warp_of[thread] == 0 && layout->cta_of[thread] == owner;
}

// Reads places in global memory before the test begins, so that caches near the thread hold their old bytes. A read
// more in front, whose value nobody uses, makes no new end: no axiom loses an edge by it.
static void write_warm(FILE *to, const struct litmus *test, const struct litmus_layout *layout, int thread)
{
    fprintf(to, "ld.param.u32 %%w, [warm];\nsetp.eq.u32 %%q, %%w, 0;\nmov.u32 %%v, 0;\n@%%q bra T%dWARM;\n", thread);
    for (int i = 0; i < test->places && i < 4; i++)
        if (layout->owner[i] < 0)
            fprintf(to,
                    "and.b32 %%u, %%w, %u;\nsetp.ne.u32 %%q, %%u, 0;\n@%%q ld.weak.global.u32 %%u, [%%g%d];\n"
                    "@%%q or.b32 %%v, %%v, %%u;\n",
                    1u << (thread * 4 + i), i);
    fprintf(to, "setp.eq.u32 %%q, %%v, 0xffffffff;\n@%%q trap;\nT%dWARM:\n", thread);
}

// Eight accesses of each lane, if the thread makes this kind. `at`: what makes the next address.
static void write_accesses(FILE *to, int thread, int kind, const char *at, const char *access)
{
    fprintf(to, "and.b32 %%u, %%w, %u;\nsetp.eq.u32 %%q, %%u, 0;\n@%%q bra T%dBURST%d;\n", 1u << (thread * 4 + kind),
            thread, kind);
    for (int i = 0; i < 8; i++) fprintf(to, "%s%s;\n", at, access);
    fprintf(to, "T%dBURST%d:\n", thread, kind);
}

// What nobody reads, so that it makes no new end.
static void write_burst(FILE *to, const struct litmus *test, const struct litmus_layout *layout, int thread)
{
    static const char next_word[] = "add.u32 %v, %v, 4;\n",
                      next_line[] = "mad.lo.u32 %v, %v, 1664525, 1013904223;\n"
                                    "shr.u32 %u, %v, 11;\nmul.wide.u32 %d, %u, 4;\nadd.u64 %d, %noise, %d;\n";
    char begin[256];
    snprintf(begin, sizeof begin,
             "mul.lo.u32 %%v, %%row, %d;\nmov.u32 %%u, places;\nadd.u32 %%v, %%v, %%u;\n"
             "mad.lo.u32 %%v, %%lane, 128, %%v;\n",
             test->places);
    fprintf(to, "ld.param.u32 %%w, [burst];\nsetp.eq.u32 %%q, %%w, 0;\n@%%q bra T%dBURST;\n%s", thread, begin);
    write_accesses(to, thread, LITMUS_BURST_SHARED, next_word, "st.volatile.shared::cta.u32 [%v], %w");
    if (layout->cluster > 1) {
        fprintf(to, "%sadd.u32 %%u, %%member, 1;\nrem.u32 %%u, %%u, %d;\nmapa.shared::cluster.u32 %%v, %%v, %%u;\n",
                begin, layout->cluster);
        write_accesses(to, thread, LITMUS_BURST_CLUSTER, next_word, "st.volatile.shared::cluster.u32 [%v], %w");
    }
    fprintf(to, "mad.lo.u32 %%v, %%round, 1664525, %%group;\nmad.lo.u32 %%v, %%lane, 135170048, %%v;\n");
    write_accesses(to, thread, LITMUS_BURST_GLOBAL, next_line, "st.relaxed.gpu.global.u32 [%d], %w");
    write_accesses(to, thread, LITMUS_BURST_LOADS, next_line, "ld.relaxed.gpu.global.u32 %u, [%d]");
    fprintf(to, "T%dBURST:\n", thread);
}

// A number of clocks that differs by round, group and thread.
static void write_delay(FILE *to, int thread)
{
    fprintf(
        to,
        "mad.lo.u32 %%u, %%round, 1664525, %%group;\nadd.u32 %%u, %%u, %d;\nmul.lo.u32 %%u, %%u, 0x9e3779b1;\n"
        "shr.u32 %%u, %%u, 16;\nand.b32 %%u, %%u, %%delay;\nmov.u32 %%v, %%clock;\n"
        "T%dDELAY:\nmov.u32 %%w, %%clock;\nsub.u32 %%w, %%w, %%v;\nsetp.lt.u32 %%q, %%w, %%u;\n@%%q bra T%dDELAY;\n",
        thread * 77, thread, thread);
}

// What is still under way lands before the round ends: groups are waited for, what nobody waits for gets time.
static void write_drain(FILE *to, const struct litmus *test, const struct litmus_layout *layout, int thread)
{
    bool copies = false, bulk = false;
    for (int i = 0; i < test->thread[thread].steps; i++) {
        const struct litmus_step *step = &test->thread[thread].step[i];
        copies |= step->group == GROUP_ASYNC;
        bulk |= step->group == GROUP_BULK && step->mbarrier < 0;
    }
    if (copies) fprintf(to, "cp.async.wait_all;\n");
    if (bulk) fprintf(to, "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n");
    if (layout->lands_late) fprintf(to, "nanosleep.u32 20000;\n");
}

static void write_scratch(FILE *to, const char *what, int thread, int index, const char *reg)
{
    fprintf(to,
            "mad.lo.u32 %%u, %%groups, %d, %%group;\nmad.lo.u32 %%u, %%u, 32, %%lane;\nmul.wide.u32 %%d, %%u, 4;\n"
            "add.u64 %%d, %%scratch, %%d;\n",
            thread * LITMUS_SLOTS + index);
    if (*what == 's')
        fprintf(to, "st.relaxed.gpu.global.u32 [%%d], %s;\n", reg);
    else
        fprintf(to, "ld.relaxed.gpu.global.u32 %s, [%%d];\n", reg);
}

// The first thread makes a key of what all have seen. The slot behind a thread's registers says whether it gave up.
static void write_key(FILE *to, const struct litmus *test, const struct litmus_layout *layout)
{
    fprintf(to, "mov.u64 %%key, 0;\n");
    for (int i = 0; i < layout->seen; i++) {
        const struct litmus_seen *seen = &layout->see[i];
        if (seen->thread >= 0)
            write_scratch(to, "load", seen->thread, seen->index, "%v");
        else if (layout->owner[seen->index] < 0)
            fprintf(to, "ld.relaxed.gpu.global.u32 %%v, [%%g%d];\n", seen->index);
        else
            fprintf(to, "ld.relaxed.cluster.shared::cluster.u32 %%v, [%%m%d];\n", seen->index);
        fprintf(to, "min.u32 %%v, %%v, %d;\ncvt.u64.u32 %%e, %%v;\nshl.b64 %%e, %%e, %d;\nor.b64 %%key, %%key, %%e;\n",
                LITMUS_OTHER, i * LITMUS_SEEN_BITS);
    }
    for (int thread = 0; thread < test->threads; thread++) {
        write_scratch(to, "load", thread, LITMUS_REGISTERS, "%v");
        fprintf(to, "cvt.u64.u32 %%e, %%v;\nshl.b64 %%e, %%e, 63;\nor.b64 %%key, %%key, %%e;\n");
    }
    fprintf(to,
            "mad.lo.u32 %%u, %%round, %%groups, %%group;\nmad.lo.u32 %%u, %%u, 32, %%lane;\nmul.wide.u32 %%d, %%u, 8;\n"
            "add.u64 %%d, %%keys, %%d;\nst.global.u64 [%%d], %%key;\n");
}

static void write_registers(FILE *to, int thread, int count)
{
    for (int i = 0; i < count; i++) {
        char reg[32];
        snprintf(reg, sizeof reg, "%%t%dr%d", thread, i);
        write_scratch(to, "store", thread, i, reg);
    }
    write_scratch(to, "store", thread, LITMUS_REGISTERS, "%given");
}

static void write_thread(FILE *to, const struct litmus *test, const struct litmus_layout *layout, int thread)
{
    const struct litmus_thread *of = &test->thread[thread];
    fprintf(to, "THREAD%d:\nsetp.ne.u32 %%again, %%round, 0;\n", thread);
    for (int i = 0; i < test->places; i++)
        if (sets(layout, thread, i)) litmus_emit_initial(to, test, layout, i);
    fprintf(to, "fence.mbarrier_init.release.cluster;\n");
    for (int i = 0; i < of->registers; i++) fprintf(to, "mov.b32 %%t%dr%d, %" PRId64 ";\n", thread, i, of->initial[i]);
    fprintf(to, "mov.u32 %%given, 0;\nmov.u32 %%patience, %d;\n", PATIENCE);
    write_meeting(to, test, "0", thread * 4);
    write_warm(to, test, layout, thread);
    write_delay(to, thread);
    write_burst(to, test, layout, thread);
    for (int i = 0; i < of->steps; i++) litmus_emit_step(to, test, layout, thread, i);
    fprintf(to, "T%dS%d:\nbar.warp.sync 0xffffffff;\n", thread, of->steps);
    write_drain(to, test, layout, thread);
    write_registers(to, thread, of->registers);
    write_meeting(to, test, "0", thread * 4 + 1);
    if (thread == 0) write_key(to, test, layout);
    write_meeting(to, test, "0", thread * 4 + 2);
    fprintf(to, "add.u32 %%round, %%round, 1;\nsetp.lt.u32 %%q, %%round, %%rounds;\n@%%q bra THREAD%d;\n", thread);
    write_meeting(to, test, "%helpers", thread * 4 + 3);
    fprintf(to, "bra END;\n");
}

// CTAs of no group read, write and add here and there; or they add to what lies behind the bytes of one place, in the
// lines of the cache that hold that place.
static const char noise[] =
    "NOISE:\nld.param.u32 %rounds, [noise_rounds];\nmov.u32 %round, 0;\nmad.lo.u32 %v, %cta, 1021, %u;\n"
    "setp.eq.u32 %q, %rounds, 0;\n@%q bra END;\nld.param.u32 %tries, [near];\nsetp.eq.u32 %q, %tries, 0;\n"
    "@%q bra MORE;\nsub.u32 %tries, %tries, 1;\nmul.lo.u32 %row, %pitch, 32;\nNEAR:\n"
    "mad.lo.u32 %v, %v, 1664525, 1013904223;\nshr.u32 %w, %v, 11;\nrem.u32 %w, %w, %groups;\n"
    "mad.lo.u32 %w, %tries, %groups, %w;\nmul.wide.u32 %d, %w, %row;\nshr.u32 %w, %v, 5;\nand.b32 %w, %w, 31;\n"
    "mul.lo.u32 %w, %w, %pitch;\ncvt.u64.u32 %e, %w;\nadd.u64 %d, %d, %e;\nadd.u64 %d, %d, %memory;\n"
    "red.add.relaxed.gpu.global.u32 [%d+16], 1;\nadd.u32 %round, %round, 1;\nsetp.lt.u32 %q, %round, %rounds;\n"
    "@%q bra NEAR;\nbra END;\n"
    "MORE:\nmad.lo.u32 %v, %v, 1664525, 1013904223;\nshr.u32 %w, %v, 11;\n"
    "mul.wide.u32 %d, %w, 4;\nadd.u64 %d, %noise, %d;\nld.relaxed.gpu.global.u32 %u, [%d];\nadd.u32 %u, %u, 1;\n"
    "st.relaxed.gpu.global.u32 [%d], %u;\nred.add.relaxed.gpu.global.u32 [%d], 1;\nadd.u32 %round, %round, 1;\n"
    "setp.lt.u32 %q, %round, %rounds;\n@%q bra MORE;\n";

char *litmus_kernel(const struct litmus *test, const struct litmus_layout *layout)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *to = open_memstream(&text, &bytes);
    if (to == NULL) return NULL;
    fputs(head, to);
    fprintf(to, ".maxntid %d, 1, 1\n{\n%s", (layout->warps + LITMUS_HELPERS) * LITMUS_LANES, registers);
    for (int i = 0; i < test->places; i++) fprintf(to, ".reg .b64 %%g%d;\n.reg .b32 %%s%d, %%m%d;\n", i, i, i);
    for (int thread = 0; thread < test->threads; thread++)
        for (int i = 0; i < test->thread[thread].registers; i++) fprintf(to, ".reg .b32 %%t%dr%d;\n", thread, i);
    write_begin(to, layout);
    write_addresses(to, test, layout);
    for (int thread = 0; thread < test->threads; thread++)
        fprintf(to, "setp.eq.u32 %%q, %%member, %d;\nsetp.eq.and.u32 %%q, %%warp, %d, %%q;\n@%%q bra THREAD%d;\n",
                layout->cta_of[thread], layout->warp_of[thread], thread);
    fprintf(to, "setp.ge.u32 %%q, %%warp, %d;\n@%%q bra HELPER;\nbra UNUSED;\n", layout->warps);
    for (int thread = 0; thread < test->threads; thread++) write_thread(to, test, layout, thread);
    write_helper(to, test, layout);
    fprintf(to, "%sUNUSED:\nEND:\nret;\n}\n", noise);
    if (fclose(to) == 0) return text;
    free(text);
    return NULL;
}
