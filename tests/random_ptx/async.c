// SPDX-License-Identifier: MIT
// Steps on a thread's own mbarrier, and copies that go on behind their instruction and are waited for.
#include <string.h>

#include "operand_rule.h"
#include "random_program.h"

// What the barrier of each thread is to hold: the program takes every thread through the same phases.
struct barrier {
    int pending, expected;
    bool is_odd, has_token;
};

// %A6 is the shared address of the thread's barrier, %A7 its generic one.
static void say_barrier(struct program *program)
{
    program_say(program, "mov.b64 %%A6, %%bar;\nmov.b64 %%A7, %%gbar;\n");
}

static const char *barrier_address(const struct ptx_choice *choice)
{
    return choice->space[0] == 0 ? "[%A7]" : "[%A6]";
}

static int draw(struct program *program, const char *opcode, char spelling[96], struct ptx_choice *choice)
{
    const char *const opcodes[] = {opcode, NULL};
    int form;
    do form = draw_row(program, PTX_RUNS_ASYNC, opcodes);
    while (!spell(program, form, spelling, 96, choice));
    return form;
}

static void complete(struct barrier *barrier)
{
    if (barrier->pending > 0) return;
    barrier->pending = barrier->expected;
    barrier->is_odd ^= true;
}

// arrive, arrive_drop, with and without a count; .noComplete leaves at least one pending. The token is in %A8.
static void arrive(struct program *program, struct barrier *barrier)
{
    static const char *const opcodes[] = {"mbarrier.arrive", "mbarrier.arrive", "mbarrier.arrive_drop",
                                          "mbarrier.arrive.noComplete", "mbarrier.arrive_drop.noComplete"};
    const char *opcode = random_pick(&program->random, opcodes);
    bool is_incomplete = strstr(opcode, "noComplete") != NULL, is_drop = strstr(opcode, "drop") != NULL;
    int most = is_incomplete ? barrier->pending - 1 : barrier->pending, count;
    char spelling[96];
    struct ptx_choice choice;
    if (most < 1 || (is_drop && barrier->expected - most < 1)) return;
    draw(program, opcode, spelling, &choice);
    bool is_remote = choice.space[0] == PTX_SHARED_CLUSTER;
    count = 1 + program_below(program, most);
    program_say(program, "%s %s, %s, %d;\n", spelling, is_remote ? "_" : "%A8", barrier_address(&choice), count);
    barrier->has_token |= !is_remote;
    // The high half of a token is a state of the barrier; in the low one an H200 has other things.
    if (!is_remote)
        program_say(program, "shr.u64 %%A4, %%A8, 32;\nxor.b64 %%A5, %%A5, %%A4;\nmul.lo.u64 %%A5, %%A5, 7919;\n");
    if (is_drop) barrier->expected -= count;
    barrier->pending -= count;
    complete(barrier);
}

// Bytes are expected and come at once; an arrive that expects some is one arrival.
static void transact(struct program *program, struct barrier *barrier)
{
    int bytes = program_below(program, 1000);
    bool is_arrival = program_chance(program, 50);
    char spelling[96];
    struct ptx_choice choice;
    if (is_arrival && barrier->pending < 2) return;
    draw(program, is_arrival ? "mbarrier.arrive.expect_tx" : "mbarrier.expect_tx", spelling, &choice);
    program_say(program, "%s %s%s, %d;\n", spelling,
                !is_arrival                             ? ""
                : choice.space[0] == PTX_SHARED_CLUSTER ? "_, "
                                                        : "%A8, ",
                barrier_address(&choice), bytes);
    if (is_arrival) barrier->pending--;
    draw(program, "mbarrier.complete_tx", spelling, &choice);
    program_say(program, "%s %s, %d;\n", spelling, barrier_address(&choice), bytes);
}

static void ask(struct program *program, const struct barrier *barrier)
{
    static const char *const opcodes[] = {"mbarrier.test_wait", "mbarrier.test_wait.parity", "mbarrier.try_wait",
                                          "mbarrier.try_wait.parity", "mbarrier.pending_count"};
    const char *opcode = random_pick(&program->random, opcodes);
    bool is_parity = strstr(opcode, "parity") != NULL, is_count = strstr(opcode, "count") != NULL;
    int parity = program_below(program, 2);
    char spelling[96];
    struct ptx_choice choice;
    if (!is_parity && !barrier->has_token) return;
    if (strstr(opcode, "try") != NULL && (!is_parity || parity == barrier->is_odd)) return; // it would wait for long
    draw(program, opcode, spelling, &choice);
    if (is_count)
        program_say(program, "%s %%B6, %%A8;\n", spelling);
    else if (is_parity)
        program_say(program, "%s %%P0, %s, %d;\nselp.u32 %%B6, 1, 0, %%P0;\n", spelling, barrier_address(&choice),
                    parity);
    else
        program_say(program, "%s %%P0, %s, %%A8;\nselp.u32 %%B6, 1, 0, %%P0;\n", spelling, barrier_address(&choice));
    program_say(program, "cvt.u64.u32 %%A4, %%B6;\nxor.b64 %%A5, %%A5, %%A4;\nmul.lo.u64 %%A5, %%A5, 7919;\n");
}

static void barrier_program(struct program *program)
{
    struct barrier barrier = {.pending = 1 + program_below(program, 9)};
    char spelling[96];
    struct ptx_choice choice;
    barrier.expected = barrier.pending;
    say_barrier(program);
    draw(program, "mbarrier.init", spelling, &choice);
    program_say(program, "mov.u64 %%A5, %%zd;\n%s %s, %d;\n", spelling, barrier_address(&choice), barrier.pending);
    for (int steps = 2 + program_below(program, 8); steps > 0; steps--) {
        int what = program_below(program, 4);
        if (what == 0)
            transact(program, &barrier);
        else if (what == 1)
            ask(program, &barrier);
        else
            arrive(program, &barrier);
    }
    draw(program, "mbarrier.inval", spelling, &choice);
    program_say(program, "%s %s;\n", spelling, barrier_address(&choice));
    program_wrote(program, 'A', 5);
}

// --- Copies ----------------------------------------------------------------------------------------------------------

// Waits for phase 0 of the thread's own barrier at %A6.
static void wait_for_barrier(struct program *program)
{
    int label = program->labels++;
    program_say(program,
                "WAIT%d:\nmbarrier.try_wait.parity.shared.b64 %%P0, [%%A6], 0;\n@!%%P0 bra WAIT%d;\n"
                "mbarrier.inval.shared.b64 [%%A6];\n",
                label, label);
}

static void read_shared(struct program *program, const char *address)
{
    program_say(program, "ld.shared.v2.u64 {%%A4, %%A5}, [%s];\n", address);
    program_wrote(program, 'A', 4);
    program_wrote(program, 'A', 5);
}

// Own shared memory, from the input.
static void small_copy(struct program *program)
{
    char spelling[96];
    struct ptx_choice choice;
    int form = draw(program, "cp.async", spelling, &choice);
    bool is_group = program_chance(program, 60);
    bool is_large = form == row_of("CP_ASYNC_CG") || form == row_of("CP_ASYNC_CG_IGNORE");
    int bytes = is_large ? 16 : 4 << program_below(program, 3), at = program_below(program, 16 / bytes) * bytes;
    program_say(program, "and.b64 %%A9, %%in, -16;\nand.b64 %%A2, %%d%d, 2032;\nadd.u64 %%A9, %%A9, %%A2;\n",
                program_register(program, 'd', -1));
    if (!is_group) {
        say_barrier(program);
        program_say(program, "mbarrier.init.shared.b64 [%%A6], 1;\n");
    }
    program_say(program, "and.b32 %%B4, %%r%d, %d;\n%s [%%sh+%d], [%%A9+%d], %d", program_register(program, 'r', -1),
                bytes - 1, spelling, at, at, bytes);
    if (form == row_of("CP_ASYNC_CA_IGNORE") || form == row_of("CP_ASYNC_CG_IGNORE")) {
        program_say(program, ", %%p%d", program_register(program, 'p', -1));
    } else if (program_chance(program, 50)) {
        program_say(program, ", %%B4"); // not known to the compiler
    }
    program_say(program, "%s;\n", choice.word[PTX_CLASS_CACHE_HINT] ? ", %pol" : "");
    if (is_group) {
        static const char *const waits[] = {"cp.async.commit_group;\ncp.async.wait_group 0;\n", "cp.async.wait_all;\n"};
        program_say(program, "%s", random_pick(&program->random, waits));
    } else {
        draw(program, "cp.async.mbarrier.arrive", spelling, &choice);
        bool is_counted = strstr(spelling, "noinc") != NULL;
        program_say(program, "%s %s;\n", spelling, barrier_address(&choice));
        if (!is_counted) program_say(program, "mbarrier.arrive.shared.b64 _, [%%A6];\n");
        wait_for_barrier(program);
    }
    read_shared(program, "%sh");
}

void step_async(struct program *program)
{
    bool is_copy = program_chance(program, 40);
    program_begin_step(program, is_copy ? "a copy of the thread" : "a barrier of the thread");
    if (is_copy)
        small_copy(program);
    else
        barrier_program(program);
    program_end_step(program);
}

// --- Bulk operations, one lane for its warp --------------------------------------------------------------------------

// Of lane 0 %A6 is its barrier, %A8 the warp's part of `bulk`, %A9 its own memory; the other lanes wait behind SKIP.
static int begin_bulk(struct program *program, bool needs_barrier)
{
    int label = program->labels++;
    program_say(
        program,
        "mov.b64 %%A8, %%blk;\nmov.b64 %%A6, %%bar;\nmov.b64 %%A9, %%own;\nmov.b64 %%A3, %%blk;\n"
        "st.shared.v2.u64 [%%A3], {%%d%d, %%d%d};\n"
        "fence.proxy.async;\nbar.warp.sync %%m0;\nand.b32 %%B6, %%thread, 31;\nsetp.ne.u32 %%P1, %%B6, 0;\n@%%P1 bra "
        "SKIP%d;\n",
        program_register(program, 'd', -1), program_register(program, 'd', -1), label);
    if (needs_barrier)
        program_say(program, "mbarrier.init.shared.b64 [%%A6], 1;\nfence.mbarrier_init.release.cluster;\n");
    return label;
}

static void end_bulk(struct program *program, int label)
{
    program_say(program, "SKIP%d:\nbar.warp.sync %%m0;\n", label);
    read_shared(program, "%A3");
}

static const char *policy(const struct ptx_choice *choice)
{
    return choice->word[PTX_CLASS_CACHE_HINT] ? ", %pol" : "";
}

// Into shared memory: from global memory, from another part of shared memory, or reduced.
static void bulk_in(struct program *program)
{
    static const char *const opcodes[] = {"cp.async.bulk", "cp.reduce.async.bulk"};
    char spelling[96];
    struct ptx_choice choice;
    int bytes = 16 + 16 * program_below(program, 7), form;
    do form = draw(program, random_pick(&program->random, opcodes), spelling, &choice);
    while (choice.space[0] == PTX_GLOBAL || form == row_of("CP_ASYNC_BULK_MULTICAST") ||
           (program->cluster == 0 && choice.space[1] != PTX_GLOBAL));
    int label = begin_bulk(program, true);
    program_say(program, "and.b64 %%A9, %%in, -16;\nmbarrier.arrive.expect_tx.shared.b64 _, [%%A6], %d;\n", bytes);
    program_say(program, "%s [%%A8], [%s], %d, [%%A6]%s;\n", spelling,
                choice.space[1] == PTX_GLOBAL ? "%A9" : "%A8+256", bytes, policy(&choice));
    wait_for_barrier(program);
    end_bulk(program, label);
}

// Into the memory that lane 0 owns.
static void bulk_out(struct program *program)
{
    static const char *const opcodes[] = {"cp.async.bulk", "cp.reduce.async.bulk"};
    char spelling[96];
    struct ptx_choice choice;
    do draw(program, random_pick(&program->random, opcodes), spelling, &choice);
    while (choice.space[0] != PTX_GLOBAL);
    int label = begin_bulk(program, false);
    program_say(program, "%s [%%A9], [%%A8], %d%s;\ncp.async.bulk.commit_group;\ncp.async.bulk.wait_group%s 0;\n",
                spelling, 16 + 16 * program_below(program, PROGRAM_OWN_BYTES / 16), policy(&choice), "");
    program_say(program, "fence.proxy.async;\n");
    end_bulk(program, label);
    for (int i = 0; i < 4; i++) {
        program_say(program, "ld.global.u64 %%A%d, [%%own+%d];\n", 6 + i, i * 32);
        program_wrote(program, 'A', 6 + i);
    }
}

// st.async and red.async, of lane 0 to the same place in the next CTA of the cluster, which waits for it.
static void remote(struct program *program)
{
    static const char *const opcodes[] = {"st.async", "red.async"};
    char spelling[96];
    struct ptx_choice choice;
    int vector, parts, bits;
    do {
        draw(program, random_pick(&program->random, opcodes), spelling, &choice);
        vector = choice.word[PTX_CLASS_VECTOR], parts = vector == PTX_V4 ? 4 : vector == PTX_V2 ? 2 : 1;
        bits = (int)ptx_type_row((enum ptx_type)choice.type[0])->bits;
    } while (parts * bits > 128);
    int label = begin_bulk(program, true), then = program->labels++;
    char file = program_file(bits);
    program_say(
        program,
        "mbarrier.arrive.expect_tx.shared.b64 _, [%%A6], %d;\nSKIP%d:\nbarrier.cluster.arrive;\nbarrier.cluster.wait;\n"
        "@%%P1 bra SKIP%d;\nmov.u32 %%B5, %%cluster_ctarank;\nadd.u32 %%B5, %%B5, 1;\nrem.u32 %%B5, %%B5, %d;\n"
        "mapa.shared::cluster.u64 %%A9, %%A8, %%B5;\nmapa.shared::cluster.u64 %%A2, %%A6, %%B5;\n"
        "getctarank.shared::cluster.u64 %%B6, %%A9;\n%s [%%A9], %s",
        parts * bits / 8, label, then, program->cluster, spelling, parts > 1 ? "{" : "");
    for (int part = 0; part < parts; part++)
        program_say(program, "%s%%%c%d", part ? ", " : "", file, program_register(program, file, -1));
    program_say(program, "%s, [%%A2];\n", parts > 1 ? "}" : "");
    wait_for_barrier(program);
    end_bulk(program, then);
    program_say(program, "barrier.cluster.arrive;\nbarrier.cluster.wait;\n");
    program_wrote(program, 'B', 6);
}

// All lanes of a warp, in the kernel at depth 0.
void step_bulk(struct program *program)
{
    int what = program_below(program, program->cluster ? 4 : 2);
    program_begin_step(program, "a bulk operation of a warp");
    if (what == 0)
        bulk_in(program);
    else if (what == 1)
        bulk_out(program);
    else if (what == 2)
        remote(program);
    else
        program_say(program, "barrier.cluster.arrive%s;\nbarrier.cluster.wait;\n",
                    program_chance(program, 50) ? ".release.aligned" : ".relaxed");
    program_end_step(program);
}
