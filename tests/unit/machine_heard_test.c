// SPDX-License-Identifier: MIT
// The suite `machine_heard`: what an observer hears of the rows of the PTX machine.
#include "event.h"
#include "machine_test.h"

enum { LANES = 32, TEXT_BYTES = 4096 };

#define SHARED ".shared .align 1024 .b8 s[4096];\n"

static const struct {
    const char *row;
    enum access_kind kind;
    enum access_order order;
    enum access_scope scope;
} accesses[] = {
    {"ld.global.u32 %r1, [%rd0];", ACCESS_READ, ORDER_WEAK, SCOPE_NONE},
    {"ld.volatile.global.u32 %r1, [%rd0];", ACCESS_READ, ORDER_VOLATILE, SCOPE_SYS},
    {"ld.relaxed.cta.global.u32 %r1, [%rd0];", ACCESS_READ, ORDER_RELAXED, SCOPE_CTA},
    {"ld.acquire.gpu.global.u32 %r1, [%rd0];", ACCESS_READ, ORDER_ACQUIRE, SCOPE_GPU},
    {"ld.mmio.relaxed.sys.global.u32 %r1, [%rd0];", ACCESS_READ, ORDER_MMIO, SCOPE_SYS},
    {"st.release.sys.global.u32 [%rd0], %r1;", ACCESS_WRITE, ORDER_RELEASE, SCOPE_SYS},
    {"st.relaxed.cluster.global.u32 [%rd0], %r1;", ACCESS_WRITE, ORDER_RELAXED, SCOPE_CLUSTER},
    {"atom.global.add.u32 %r1, [%rd0], %r2;", ACCESS_REDUCE, ORDER_RELAXED, SCOPE_GPU},
    {"atom.acq_rel.cluster.global.exch.b32 %r1, [%rd0], %r2;", ACCESS_REDUCE, ORDER_ACQ_REL, SCOPE_CLUSTER},
    {"red.release.cta.global.or.b32 [%rd0], %r2;", ACCESS_REDUCE, ORDER_RELEASE, SCOPE_CTA},
};

struct heard {
    struct access last;
    int count;
};

static void hear(void *context, const struct event *event)
{
    struct heard *heard = context;
    if (event->kind != EVENT_ACCESS || event->access.bytes != 4) return; // not the parameter
    heard->last = event->access;
    heard->count++;
}

LOOP_TEST(accesses_are_told_with_their_order_and_scope, 0, ROWS_OF(accesses))
{
    char text[TEXT_BYTES];
    struct heard heard = {0};
    const struct observer observer = {&heard, hear};
    snprintf(text, sizeof text, "%smov.u32 %%r2, 1;\nmov.u32 %%r1, 0;\n%s\nret;\n}\n", ENTRY, accesses[_i].row);
    run_well(text, (struct launch_of){.block = 3, .observer = &observer});
    ck_assert_int_eq(heard.count, 3); // one of each lane
    ck_assert_msg(heard.last.kind == accesses[_i].kind && heard.last.order == accesses[_i].order &&
                      heard.last.scope == accesses[_i].scope && heard.last.bytes == 4,
                  "%s: kind %d, order %d, scope %d", accesses[_i].row, (int)heard.last.kind, (int)heard.last.order,
                  (int)heard.last.scope);
}

// How many events of a kind a warp's row makes; of accesses those of 16 bytes.
static const struct {
    const char *row;
    enum event_kind kind;
    int count;
} events[] = {
    {"mov.u32 %r1, 0;", EVENT_RUN, 4}, // the kernel begins and ends, its threads and their CTA exit
    {"griddepcontrol.wait;\ngriddepcontrol.launch_dependents;", EVENT_RUN, 6},
    {"membar.gl;", EVENT_FENCE, 1},
    {"fence.acq_rel.cta;", EVENT_FENCE, 1},
    {"fence.proxy.async;", EVENT_FENCE, 1},
    {"fence.proxy.tensormap::generic.acquire.gpu [%rd0], 128;", EVENT_FENCE, LANES},
    {"bar.warp.sync -1;", EVENT_MEETING, 2},
    {"bar.sync 0;", EVENT_MEETING, 2},
    {"barrier.cluster.arrive;\nbarrier.cluster.wait;", EVENT_MEETING, 2},
    {"barrier.cluster.wait;", EVENT_MEETING, 0}, // who has not arrived does not wait
    {"cp.async.commit_group;", EVENT_GROUP, LANES},
    {"wgmma.fence.sync.aligned;", EVENT_GROUP, 1},
    {"cp.async.ca.shared.global [s], [%rd0], 16;\ncp.async.wait_all;", EVENT_ACCESS, 2 * LANES},
    {"mov.u32 %r1, s;\nldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r2}, [%r1];", EVENT_ACCESS, 8},
    {"mov.u32 %r1, s;\nmapa.shared::cluster.u32 %r1, %r1, 0;\nst.shared::cluster.v2.u64 [%r1], {%rd0, %rd0};",
     EVENT_ACCESS, LANES},
    {"st.shared.v2.u64 [s], {%rd0, %rd0};\nst.local.v2.u64 [0], {%rd0, %rd0};", EVENT_ACCESS, LANES},
};

struct counted {
    enum event_kind kind;
    int count;
};

static void count_event(void *context, const struct event *event)
{
    struct counted *counted = context;
    counted->count += event->kind == counted->kind && (event->kind != EVENT_ACCESS || event->access.bytes == 16);
}

LOOP_TEST(events_are_told_of_rows, 0, ROWS_OF(events))
{
    char text[TEXT_BYTES];
    struct counted counted = {events[_i].kind, 0};
    const struct observer observer = {&counted, count_event};
    snprintf(text, sizeof text,
             "%s%s.visible .entry k(.param .u64 out)\n{\n.local .align 16 .b8 l[16];\n%s%s\nret;\n}\n", HEAD, SHARED,
             REGISTERS, events[_i].row);
    run_well(text, (struct launch_of){.block = LANES, .observer = &observer});
    ck_assert_msg(counted.count == events[_i].count, "%s: %d events", events[_i].row, counted.count);
}
