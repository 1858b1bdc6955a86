// SPDX-License-Identifier: MIT
#include "litmus_emit.h"

#include <inttypes.h>
#include <string.h>

// What is being written.
struct emitter {
    FILE *to;
    const struct litmus *test;
    const struct litmus_layout *layout;
    const struct litmus_step *step;
    int thread, at;
};

// --- Words -----------------------------------------------------------------------------------------------------------

// A text in place, so that several stand in one format.
struct word {
    char at[40];
};

static struct word value_of(const struct emitter *emitter, const struct litmus_value *value)
{
    struct word word;
    if (value->is_register)
        snprintf(word.at, sizeof word.at, "%%t%dr%" PRId64, emitter->thread, value->number);
    else
        snprintf(word.at, sizeof word.at, "%" PRId64, value->number);
    return word;
}

static struct word register_of(const struct emitter *emitter)
{
    struct word word;
    snprintf(word.at, sizeof word.at, "%%t%dr%d", emitter->thread, emitter->step->to);
    return word;
}

static bool is_shared(const struct emitter *emitter, int place)
{
    return emitter->layout->owner[place] >= 0;
}

static bool is_own(const struct emitter *emitter, int place)
{
    return emitter->layout->owner[place] == emitter->layout->cta_of[emitter->thread];
}

static const char *space_of(const struct emitter *emitter, int place)
{
    return !is_shared(emitter, place) ? ".global" : is_own(emitter, place) ? ".shared::cta" : ".shared::cluster";
}

static struct word address_of(const struct emitter *emitter, int place)
{
    struct word word;
    const char *const kind = !is_shared(emitter, place) ? "g" : is_own(emitter, place) ? "s" : "m";
    snprintf(word.at, sizeof word.at, "[%%%s%d]", kind, place);
    return word;
}

// Where the owner's shared memory is, of shared::cluster, also if that is the own CTA.
static struct word cluster_address_of(int place)
{
    struct word word;
    snprintf(word.at, sizeof word.at, "[%%m%d]", place);
    return word;
}

// ".relaxed.gpu", ".weak", ".volatile"; an order that takes no scope has none.
static struct word order_of(const struct litmus_step *step)
{
    struct word word;
    if (step->order == ORDER_WEAK || step->order == ORDER_VOLATILE)
        snprintf(word.at, sizeof word.at, ".%s", access_order_name(step->order));
    else
        snprintf(word.at, sizeof word.at, ".%s.%s", access_order_name(step->order), access_scope_name(step->scope));
    return word;
}

static const char *operation_of(enum litmus_operation operation)
{
    static const char *const names[] = {
        [DO_ADD] = "add.u32", [DO_AND] = "and.b32", [DO_OR] = "or.b32",         [DO_XOR] = "xor.b32",
        [DO_MIN] = "min.s32", [DO_MAX] = "max.s32", [DO_EXCHANGE] = "exch.b32", [DO_COMPARE_SWAP] = "cas.b32"};
    const char *name = operation <= DO_COMPARE_SWAP ? names[operation] : NULL;
    return name == NULL ? "add.u32" : name;
}

// --- Steps -----------------------------------------------------------------------------------------------------------

static void emit_compute(const struct emitter *emitter)
{
    static const char *const names[] = {
        [DO_ADD] = "add.s32", [DO_SUB] = "sub.s32", [DO_MUL] = "mul.lo.s32", [DO_DIV] = "div.s32", [DO_AND] = "and.b32",
        [DO_OR] = "or.b32",   [DO_XOR] = "xor.b32", [DO_MIN] = "min.s32",    [DO_MAX] = "max.s32"};
    const struct litmus_step *step = emitter->step;
    if (step->operation == DO_MOVE)
        fprintf(emitter->to, "mov.b32 %s, %s;\n", register_of(emitter).at, value_of(emitter, &step->a).at);
    else
        fprintf(emitter->to, "%s %s, %s, %s;\n", names[step->operation], register_of(emitter).at,
                value_of(emitter, &step->a).at, value_of(emitter, &step->b).at);
}

// A way back that is taken too often is given up.
static void emit_branch(const struct emitter *emitter)
{
    static const char *const names[] = {"", "eq", "ne", "lt", "le", "gt", "ge"};
    const struct litmus_step *step = emitter->step;
    const int thread = emitter->thread;
    if (step->target <= emitter->at)
        fprintf(emitter->to,
                "sub.u32 %%patience, %%patience, 1;\nsetp.eq.u32 %%q, %%patience, 0;\n@%%q mov.u32 %%given, 1;\n"
                "@%%q bra T%dS%d;\n",
                thread, emitter->test->thread[thread].steps);
    if (step->operation == IF_ALWAYS) {
        fprintf(emitter->to, "bra T%dS%d;\n", thread, step->target);
        return;
    }
    fprintf(emitter->to, "setp.%s.s32 %%q, %s, %s;\n@%%q bra T%dS%d;\n", names[step->operation - IF_ALWAYS],
            value_of(emitter, &step->a).at, value_of(emitter, &step->b).at, thread, step->target);
}

static void emit_atom(const struct emitter *emitter)
{
    const struct litmus_step *step = emitter->step;
    const struct word order = order_of(step), at = address_of(emitter, step->place);
    fprintf(emitter->to, "atom%s%s.%s %s, %s, %s", order.at, space_of(emitter, step->place),
            operation_of(step->operation), step->to < 0 ? "_" : register_of(emitter).at, at.at,
            value_of(emitter, &step->a).at);
    if (step->has_b) fprintf(emitter->to, ", %s", value_of(emitter, &step->b).at);
    fprintf(emitter->to, ";\n");
}

static void emit_barrier(const struct emitter *emitter)
{
    const struct litmus_step *step = emitter->step;
    int threads = 0;
    for (int i = 0; i < emitter->test->threads; i++)
        threads += emitter->layout->cta_of[i] == emitter->layout->cta_of[emitter->thread];
    if (step->has_b && !step->b.is_register) threads = (int)step->b.number;
    fprintf(emitter->to, "barrier.cta.%s %s, %d;\n", step->waits ? "sync" : "arrive", value_of(emitter, &step->a).at,
            threads * LITMUS_LANES);
}

static const char *word_of_space(enum litmus_space space)
{
    return space == IN_GLOBAL ? ".global" : space == IN_SHARED ? ".shared::cta" : "";
}

static void emit_arrive(const struct emitter *emitter)
{
    const struct litmus_step *step = emitter->step;
    const struct word order = order_of(step), at = address_of(emitter, step->mbarrier);
    const char *space = space_of(emitter, step->mbarrier);
    if (step->kind == LITMUS_MBARRIER_EXPECT && !step->arrives) {
        fprintf(emitter->to, "mbarrier.expect_tx%s%s.b64 %s, %d;\n", order.at, space, at.at,
                (int)step->a.number * emitter->layout->bytes_of[step->mbarrier]);
    } else if (step->kind == LITMUS_MBARRIER_EXPECT) {
        fprintf(emitter->to, "mbarrier.arrive.expect_tx%s%s.b64 _, %s, %d;\n", order.at, space, at.at,
                (int)step->a.number * emitter->layout->bytes_of[step->mbarrier]);
    } else {
        fprintf(emitter->to, "mbarrier.arrive%s%s.b64 _, %s, %s;\n", order.at, space, at.at,
                step->a.is_register || step->a.number != 0 ? value_of(emitter, &step->a).at : "1");
    }
    if (step->to >= 0) fprintf(emitter->to, "mov.u32 %s, 1;\n", register_of(emitter).at);
}

// The first look may suspend the thread, as a kernel's does; the others do not, so that a wait for nothing ends soon.
static void emit_wait(const struct emitter *emitter)
{
    const struct litmus_step *step = emitter->step;
    const struct word order = order_of(step), at = address_of(emitter, step->mbarrier);
    if (step->to >= 0) {
        fprintf(emitter->to, "mbarrier.test_wait.parity%s.shared::cta.b64 %%q, %s, %s;\nselp.u32 %s, 1, 0, %%q;\n",
                order.at, at.at, value_of(emitter, &step->a).at, register_of(emitter).at);
        return;
    }
    const int thread = emitter->thread, here = emitter->at;
    fprintf(emitter->to, "mbarrier.try_wait.parity%s.shared::cta.b64 %%q, %s, %s;\n@%%q bra T%dS%d;\nT%dW%d:\n",
            order.at, at.at, value_of(emitter, &step->a).at, thread, here + 1, thread, here);
    fprintf(emitter->to, "mbarrier.test_wait.parity%s.shared::cta.b64 %%q, %s, %s;\n@%%q bra T%dS%d;\n", order.at,
            at.at, value_of(emitter, &step->a).at, thread, here + 1);
    fprintf(emitter->to,
            "sub.u32 %%patience, %%patience, 1;\nsetp.ne.u32 %%q, %%patience, 0;\n@%%q bra T%dW%d;\n"
            "mov.u32 %%given, 1;\nbra T%dS%d;\n",
            thread, here, thread, emitter->test->thread[thread].steps);
}

static void emit_copy(const struct emitter *emitter)
{
    const struct litmus_step *step = emitter->step;
    const struct word from = address_of(emitter, step->source), to = address_of(emitter, step->place);
    const char *source = is_shared(emitter, step->source) ? ".shared::cta" : ".global";
    const char *reduces = step->kind == LITMUS_REDUCE ? operation_of(step->operation) : "";
    const char *name = step->kind == LITMUS_REDUCE ? "cp.reduce.async.bulk" : "cp.async.bulk";
    if (step->group == GROUP_ASYNC)
        fprintf(emitter->to, "cp.async.cg.shared.global %s, %s, %d;\n", to.at, from.at, LITMUS_COPY_BYTES);
    else if (step->mbarrier >= 0)
        fprintf(emitter->to, "%s.shared::cluster%s.mbarrier::complete_tx::bytes%s%s %s, %s, %d, %s;\n", name, source,
                *reduces ? "." : "", reduces, cluster_address_of(step->place).at, from.at, LITMUS_COPY_BYTES,
                cluster_address_of(step->mbarrier).at);
    else
        fprintf(emitter->to, "%s.global%s.bulk_group%s%s %s, %s, %d;\n", name, source, *reduces ? "." : "", reduces,
                to.at, from.at, LITMUS_COPY_BYTES);
}

static void emit_async(const struct emitter *emitter)
{
    const struct litmus_step *step = emitter->step;
    const struct word place = cluster_address_of(step->place), mbarrier = cluster_address_of(step->mbarrier);
    const bool is_red = step->kind == LITMUS_REDUCE_ASYNC;
    fprintf(emitter->to, "%s.shared::cluster.mbarrier::complete_tx::bytes.%s %s, %s, %s;\n",
            is_red ? "red.async.relaxed.cluster" : "st.async", is_red ? operation_of(step->operation) : "u32", place.at,
            value_of(emitter, &step->a).at, mbarrier.at);
}

static void emit_group(const struct emitter *emitter)
{
    const struct litmus_step *step = emitter->step;
    const char *name = step->group == GROUP_ASYNC ? "cp.async" : "cp.async.bulk";
    if (step->kind == LITMUS_COMMIT)
        fprintf(emitter->to, "%s.commit_group;\n", name);
    else if (step->instance == 1 && step->group == GROUP_ASYNC)
        fprintf(emitter->to, "cp.async.wait_all;\n");
    else
        fprintf(emitter->to, "%s.wait_group%s %d;\n", name, step->is_read ? ".read" : "", (int)step->a.number);
}

static void emit_access(const struct emitter *emitter)
{
    const struct litmus_step *step = emitter->step;
    const struct word order = order_of(step), at = address_of(emitter, step->place);
    const char *space = space_of(emitter, step->place);
    if (step->kind == LITMUS_LOAD)
        fprintf(emitter->to, "ld%s%s.u32 %s, %s;\n", order.at, space, register_of(emitter).at, at.at);
    else
        fprintf(emitter->to, "st%s%s.u32 %s, %s;\n", order.at, space, at.at, value_of(emitter, &step->a).at);
}

static void emit_fence(const struct emitter *emitter)
{
    const struct litmus_step *step = emitter->step;
    if (step->kind == LITMUS_PROXY_FENCE)
        fprintf(emitter->to, "fence.proxy.%s%s;\n", step->proxy == VIA_ALIAS ? "alias" : "async",
                step->proxy == VIA_ALIAS ? "" : word_of_space(step->space));
    else if (step->kind == LITMUS_INIT_FENCE)
        fprintf(emitter->to, "fence.mbarrier_init.release.cluster;\n");
    else
        fprintf(emitter->to, "fence%s;\n", order_of(step).at);
}

static void emit_mbarrier_init(const struct emitter *emitter)
{
    fprintf(emitter->to, "mbarrier.init.shared::cta.b64 %s, %s;\n", address_of(emitter, emitter->step->mbarrier).at,
            value_of(emitter, &emitter->step->a).at);
}

static void emit_copy_arrive(const struct emitter *emitter)
{
    fprintf(emitter->to, "cp.async.mbarrier.arrive.noinc.shared::cta.b64 %s;\n",
            address_of(emitter, emitter->step->mbarrier).at);
}

static void emit_cluster_arrive(const struct emitter *emitter)
{
    fprintf(emitter->to, "barrier.cluster.arrive.%s;\n", access_order_name(emitter->step->order));
}

static void emit_cluster_wait(const struct emitter *emitter)
{
    fprintf(emitter->to, "barrier.cluster.wait.acquire;\n");
}

// NULL: the layout refuses it.
typedef void emitting(const struct emitter *emitter);
static emitting *const emitters[] = {
    [LITMUS_COMPUTE] = emit_compute,
    [LITMUS_BRANCH] = emit_branch,
    [LITMUS_LOAD] = emit_access,
    [LITMUS_STORE] = emit_access,
    [LITMUS_ATOM] = emit_atom,
    [LITMUS_FENCE] = emit_fence,
    [LITMUS_PROXY_FENCE] = emit_fence,
    [LITMUS_INIT_FENCE] = emit_fence,
    [LITMUS_BARRIER] = emit_barrier,
    [LITMUS_CLUSTER_ARRIVE] = emit_cluster_arrive,
    [LITMUS_CLUSTER_WAIT] = emit_cluster_wait,
    [LITMUS_MBARRIER_INIT] = emit_mbarrier_init,
    [LITMUS_MBARRIER_ARRIVE] = emit_arrive,
    [LITMUS_MBARRIER_EXPECT] = emit_arrive,
    [LITMUS_MBARRIER_WAIT] = emit_wait,
    [LITMUS_COPY] = emit_copy,
    [LITMUS_REDUCE] = emit_copy,
    [LITMUS_STORE_ASYNC] = emit_async,
    [LITMUS_REDUCE_ASYNC] = emit_async,
    [LITMUS_COPY_ARRIVE] = emit_copy_arrive,
    [LITMUS_COMMIT] = emit_group,
    [LITMUS_WAIT_GROUP] = emit_group,
    [LITMUS_HOST_WAIT] = NULL,
};

void litmus_emit_step(FILE *to, const struct litmus *test, const struct litmus_layout *layout, int thread, int at)
{
    const struct emitter emitter = {to, test, layout, &test->thread[thread].step[at], thread, at};
    fprintf(to, "T%dS%d:\n", thread, at);
    if (emitters[emitter.step->kind] != NULL) emitters[emitter.step->kind](&emitter);
}

void litmus_emit_initial(FILE *to, const struct litmus *test, const struct litmus_layout *layout, int place)
{
    const struct litmus_place *of = &test->place[place];
    if (of->is_mbarrier) {
        fprintf(to, "@%%again mbarrier.inval.shared::cta.b64 [%%s%d];\n", place);
        if (of->count > 0)
            fprintf(to, "mbarrier.init.shared::cta.b64 [%%s%d], %d;\n", place, of->count);
        else
            fprintf(to, "st.shared::cta.b64 [%%s%d], 0;\n", place);
    } else if (layout->owner[place] >= 0) {
        fprintf(to, "st.shared::cta.u32 [%%s%d], %" PRId64 ";\n", place, of->initial);
    } else {
        fprintf(to, "st.global.u32 [%%g%d], %" PRId64 ";\n", place, of->initial);
    }
}
