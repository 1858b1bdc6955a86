// SPDX-License-Identifier: MIT
// The check of an operation is a list of parts, each about one of its operands. Where all are fine that is all; where
// not, the findings of all parts are put in the order in which the hardware looks.
#include "broken.h"
#include "operation.h"

#include "bulk_check.h"
#include "cp_async_check.h"
#include "move.h"
#include "operand.h"
#include "operation_part.h"
#include "prefetch.h"
#include "rules/bulk.h"
#include "rules/cluster.h"
#include "rules/load.h"
#include "rules/map.h"
#include "rules/multicast.h"
#include "transfer_check.h"

enum { MOST_PARTS = 6 };
enum { ERROR_UNMAPPED = 700, ERROR_MISALIGNED = 716, ERROR_LAUNCH = 719 };

// --- Where it goes ---------------------------------------------------------------------------------------------------

// From shared memory or registers to a CTA of the cluster.
static bool is_send(enum operation_kind kind)
{
    return kind == OPERATION_BULK_SEND || kind == OPERATION_BULK_SEND_REDUCE || operation_is_register(kind);
}

int operation_has_barrier(enum operation_kind kind)
{
    return operation_is_load(kind) || is_send(kind);
}

uint32_t operation_targets(const struct operation *o)
{
    uint32_t rank = operation_destination_rank(o);
    if (o->kind == OPERATION_CP_ASYNC) return UINT32_C(1) << o->issuer;
    if (!operation_has_barrier(o->kind)) return 0;
    if (operation_is_load(o->kind) && o->is_multicast) return o->mask & UINT16_MAX;
    return rank < CLUSTER_MEMORY_MAX_CTAS ? UINT32_C(1) << rank : 0;
}

// Is it a bulk operation between global and shared memory that moves no byte?
static bool is_empty_bulk(const struct operation *o)
{
    bool is_bulk = o->kind >= OPERATION_BULK_LOAD && o->kind <= OPERATION_BULK_PREFETCH;
    return is_bulk && bulk_moved_bytes(BULK_GLOBAL_TO_SHARED, o->size_bytes) == 0;
}

// A multicast to nobody does nothing, whatever else is wrong with it; nor does a bulk load of no bytes.
static bool is_empty(const struct operation *o)
{
    if (o->kind == OPERATION_BULK_LOAD && is_empty_bulk(o)) return true;
    return operation_is_load(o->kind) && o->is_multicast && (o->mask & UINT16_MAX) == 0;
}

// Does a load stay in the issuing CTA, by the way of a CTA alone? A multicast to itself does not.
static bool is_local(const struct question *q)
{
    if (!q->memories->cluster->is_cluster) return true;
    return !q->operation->is_multicast && operation_rank(operation_destination(q->operation)) == q->operation->issuer;
}

// The memory of the CTA that issues; all are of one size, so it answers for the others too.
static const struct memory *own_memory(const struct question *q)
{
    return &q->memories->cluster->cta[q->operation->issuer];
}

// The operand of a source in shared memory: in a cluster the CTA's own rank may stand in it, no other.
static uint32_t own_address(const struct question *q, uint32_t address)
{
    bool is_own = q->memories->cluster->is_cluster && operation_rank(address) == q->operation->issuer;
    return is_own ? operation_place(address) : address;
}

// --- The parts -------------------------------------------------------------------------------------------------------

static enum rule broken(struct findings *findings, struct finding finding)
{
    finding_add(findings, finding);
    return rule_is_warning(finding.rule) ? RULE_OK : finding.rule;
}

static enum rule earlier(enum rule one, enum rule other)
{
    return one != RULE_OK ? one : other;
}

// Where the map lies, before its bytes are read: rules MAP_LOCATION_*.
static enum rule check_map_place(const struct question *q, struct findings *findings)
{
    const struct operation *o = q->operation;
    findings_clear(findings);
    return o->map_address != 0 ? map_location_check(o->map_location, o->map_address, q->memories->global, findings)
                               : RULE_OK;
}

static bool is_map_place(enum rule rule)
{
    return rule == RULE_MAP_LOCATION_ALIGN || rule == RULE_MAP_LOCATION_SPACE || rule == RULE_MAP_LOCATION_UNMAPPED;
}

// A bulk operation that moves no byte takes any: trace misuse_policy_fault.
static enum rule check_policy(const struct question *q, struct findings *findings)
{
    findings_clear(findings);
    return q->operation->has_policy && !is_empty_bulk(q->operation) ? cache_policy_check(q->operation->policy, findings)
                                                                    : RULE_OK;
}

// The launch of a load: rules LOAD_OTHER_BARRIER (a warning), LOAD_OTHER_RANK_LIMIT, MULTICAST_NO_CLUSTER,
// LOAD_OTHER_NO_CLUSTER.
static enum rule check_load_launch(const struct question *q, struct findings *findings)
{
    const struct operation *o = q->operation;
    const struct cluster_memory *cluster = q->memories->cluster;
    uint32_t rank = operation_rank(operation_destination(o)), barrier_rank = operation_rank(o->barrier);
    uint32_t told = o->is_multicast ? o->issuer : rank, mask = o->mask;
    enum rule rule = RULE_OK;
    findings_clear(findings);
    if (barrier_rank != told)
        broken(findings,
               FINDING(RULE_LOAD_OTHER_BARRIER, "rank of mbar", .value = barrier_rank, .limit = told, .nearest = told));
    if (!o->is_multicast && rank > SHARED_MOST_RANK)
        rule = broken(findings, FINDING(RULE_LOAD_OTHER_RANK_LIMIT, "rank of dstMem", .value = rank,
                                        .limit = SHARED_MOST_RANK, .nearest = cluster->ctas - 1));
    if (cluster->is_cluster) return rule;
    if (o->is_multicast && mask != 1)
        rule = earlier(rule, broken(findings, FINDING(RULE_MULTICAST_NO_CLUSTER, "ctaMask", .value = mask, .limit = 1,
                                                      .nearest = 1)));
    if (!o->is_multicast && rank != 0)
        rule = earlier(rule, broken(findings, FINDING(RULE_LOAD_OTHER_NO_CLUSTER, "rank of dstMem", .value = rank)));
    return rule;
}

// The CTAs that a load reaches: rules MULTICAST_MASK, LOAD_OTHER_RANK, CLUSTER_EXITED.
static enum rule check_load_ranks(const struct question *q, struct findings *findings)
{
    const struct operation *o = q->operation;
    const struct cluster_memory *cluster = q->memories->cluster;
    uint32_t ctas = cluster->ctas, all = (UINT32_C(1) << ctas) - 1, to = operation_targets(o);
    uint32_t rank = operation_rank(operation_destination(o));
    enum rule rule = RULE_OK;
    findings_clear(findings);
    if (is_local(q)) return RULE_OK;
    if (o->is_multicast && (o->mask & ~all) != 0)
        rule = broken(findings, FINDING(RULE_MULTICAST_MASK, "ctaMask", .value = o->mask, .limit = all,
                                        .nearest = o->mask & all));
    if (!o->is_multicast && rank >= ctas)
        rule = broken(findings, FINDING(RULE_LOAD_OTHER_RANK, "rank of dstMem", .value = rank, .limit = ctas - 1,
                                        .nearest = ctas - 1));
    if ((to & all & cluster->exited) != 0)
        rule = earlier(
            rule, broken(findings, FINDING(RULE_CLUSTER_EXITED, o->is_multicast ? "ctaMask" : "rank of dstMem",
                                           .value = to, .limit = cluster->exited, .nearest = to & ~cluster->exited)));
    return rule;
}

// The CTA that a copy between CTAs, st.async or red.async names: rules CLUSTER_NONE, CLUSTER_RANK_LIMIT (which a copy
// does not have), CLUSTER_RANK_MISSING, CLUSTER_EXITED.
static enum rule check_send_rank(const struct question *q, struct findings *findings)
{
    const struct cluster_memory *cluster = q->memories->cluster;
    uint32_t rank = operation_destination_rank(q->operation);
    enum rule rule = cluster_memory_check(cluster, rank);
    findings_clear(findings);
    if (rank > SHARED_MOST_RANK && operation_is_register(q->operation->kind)) rule = RULE_CLUSTER_RANK_LIMIT;
    if (!cluster->is_cluster) rule = RULE_CLUSTER_NONE;
    if (rule == RULE_OK) return RULE_OK;
    return broken(findings, FINDING(rule, "rank of dstMem", .value = rank, .limit = cluster->ctas - 1,
                                    .nearest = cluster->ctas - 1));
}

static struct transfer transfer_of(const struct question *q, uint32_t shared)
{
    const struct operation *o = q->operation;
    int op = o->kind == OPERATION_TENSOR_REDUCE ? transfer_op(o->op) : NO_OP;
    return (struct transfer){op,    o->mode, &o->map, o->dims, o->coord, o->offset, q->memories->global, own_memory(q),
                             shared};
}

// Past the end of its own CTA's memory a load breaks one rule, of the memory of others two: which, depends on where it
// ends. A swizzle moves bytes within their lines.
static enum rule remote_bounds_rule(const struct question *q)
{
    uint64_t past = operation_place(q->operation->shared) + box_extent_bytes(q->box);
    if (q->operation->map.swizzle != SWIZZLE_NONE) past = (past + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    return past <= SM_SHARED_BYTES ? RULE_LOAD_REMOTE_BOUNDS : RULE_LOAD_REMOTE_LIMIT;
}

// The box is made where the bounds were looked at, and not before.
static void rename_remote_bounds(const struct question *q, struct findings *findings)
{
    for (int i = 0; i < findings->count && i < FINDINGS_MAX; i++)
        if (findings->item[i].rule == RULE_LOAD_SMEM_BOUNDS) findings->item[i].rule = remote_bounds_rule(q);
}

static enum rule check_tensor_load(const struct question *q, struct findings *findings)
{
    uint32_t place = operation_place(q->operation->shared);
    struct transfer transfer =
        transfer_of(q, q->has_barrier ? operand_with_barrier(place, q->operation->barrier) : place);
    enum rule rule = transfer_check_load(&transfer, q->box, findings);
    if (findings != NULL && !is_local(q)) rename_remote_bounds(q, findings);
    return rule;
}

static enum rule check_tensor_store(const struct question *q, struct findings *findings)
{
    struct transfer transfer = transfer_of(q, own_address(q, q->operation->shared));
    return transfer_check_store(&transfer, q->box, findings);
}

static enum rule check_tensor_prefetch(const struct question *q, struct findings *findings)
{
    struct transfer transfer = transfer_of(q, 0);
    return transfer_check_prefetch(&transfer, q->box, findings);
}

// The form of a bulk operation, which depends on whose memory its addresses name.
static enum bulk_form form_of(const struct question *q)
{
    switch (q->operation->kind) {
    case OPERATION_BULK_LOAD:
        return is_local(q) ? BULK_GLOBAL_TO_SHARED : BULK_GLOBAL_TO_OTHER;
    case OPERATION_BULK_STORE:
    case OPERATION_BULK_STORE_REDUCE:
        return BULK_SHARED_TO_GLOBAL;
    case OPERATION_BULK_SEND:
    case OPERATION_BULK_SEND_REDUCE:
        return operation_destination_rank(q->operation) == q->operation->issuer ? BULK_SHARED_TO_OWN
                                                                                : BULK_SHARED_TO_OTHER;
    default:
        return BULK_REGISTERS_TO_OTHER;
    }
}

static struct bulk bulk_of(const struct question *q)
{
    const struct operation *o = q->operation;
    enum bulk_form form = form_of(q);
    struct bulk bulk = {form, own_memory(q), own_memory(q), o->from, o->to, o->size_bytes};
    if (!bulk_is_from_global(form)) bulk.from = own_address(q, (uint32_t)o->from);
    if (!bulk_is_to_global(form)) bulk.to = operation_place((uint32_t)o->to);
    if (form == BULK_GLOBAL_TO_SHARED && q->has_barrier) bulk.to = operand_with_barrier((uint32_t)bulk.to, o->barrier);
    return bulk;
}

static enum rule check_bulk(const struct question *q, struct findings *findings)
{
    const struct operation *o = q->operation;
    struct bulk bulk = bulk_of(q);
    bool is_reduction = o->kind == OPERATION_BULK_STORE_REDUCE || o->kind == OPERATION_BULK_SEND_REDUCE ||
                        o->kind == OPERATION_RED_ASYNC;
    enum rule rule = bulk_check_in(&bulk, q->memories->global, findings);
    if (!is_reduction) return rule;
    if (bulk_reduce_is_legal(bulk.form, o->op, o->dtype))
        return o->kind == OPERATION_RED_ASYNC && o->size_bytes != dtype_row(o->dtype)->size_bytes
                   ? finding_of_form(findings, "size", o->size_bytes)
                   : rule;
    return earlier(rule, broken(findings, FINDING(RULE_BULK_REDUCE_TYPE, "type", .value = o->dtype)));
}

// An operation that moves nothing looks at no address, that of the barrier included.
static enum rule check_barrier(const struct question *q, struct findings *findings)
{
    const struct operation *o = q->operation;
    findings_clear(findings);
    if (!q->has_barrier) return RULE_OK;
    if (o->kind == OPERATION_TENSOR_LOAD) return operand_check_barrier(o->barrier, own_memory(q), findings);
    if (bulk_moved_bytes(form_of(q), o->size_bytes) == 0) return RULE_OK;
    return bulk_check_barrier(form_of(q), o->barrier, own_memory(q), findings);
}

static enum rule check_bulk_prefetch(const struct question *q, struct findings *findings)
{
    return bulk_prefetch_check(q->operation->from, q->operation->size_bytes, findings);
}

static enum rule check_cp_async(const struct question *q, struct findings *findings)
{
    const struct operation *o = q->operation;
    uint64_t to = o->to > UINT32_MAX ? o->to : own_address(q, (uint32_t)o->to);
    const struct cp_async copy = {NULL, own_memory(q), o->form, o->size_bytes, o->source_operand, o->from, to};
    return cp_async_check_in(&copy, q->memories->global, findings);
}

typedef enum rule part(const struct question *, struct findings *);

// The parts of each kind; NULL ends a list.
static part *const parts[OPERATION_KINDS][MOST_PARTS] = {
    [OPERATION_TENSOR_LOAD] = {check_map_place, check_policy, check_load_launch, check_tensor_load, check_barrier,
                               check_load_ranks},
    [OPERATION_TENSOR_STORE] = {check_map_place, check_policy, check_tensor_store},
    [OPERATION_TENSOR_REDUCE] = {check_map_place, check_policy, check_tensor_store},
    [OPERATION_TENSOR_PREFETCH] = {check_map_place, check_policy, check_tensor_prefetch},
    [OPERATION_BULK_LOAD] = {check_policy, check_load_launch, check_bulk, check_barrier, check_load_ranks},
    [OPERATION_BULK_STORE] = {check_policy, check_bulk},
    [OPERATION_BULK_STORE_REDUCE] = {check_policy, check_bulk},
    [OPERATION_BULK_SEND] = {check_bulk, check_barrier, check_send_rank},
    [OPERATION_BULK_SEND_REDUCE] = {check_bulk, check_barrier, check_send_rank},
    [OPERATION_BULK_PREFETCH] = {check_policy, check_bulk_prefetch},
    [OPERATION_ST_ASYNC] = {check_bulk, check_barrier, check_send_rank},
    [OPERATION_RED_ASYNC] = {check_bulk, check_barrier, check_send_rank},
    [OPERATION_CP_ASYNC] = {check_policy, check_cp_async},
};

// --- The order -------------------------------------------------------------------------------------------------------

static bool is_remote_bounds(enum rule rule)
{
    return rule == RULE_LOAD_REMOTE_BOUNDS || rule == RULE_LOAD_REMOTE_LIMIT || rule == RULE_BULK_REMOTE_BOUNDS ||
           rule == RULE_BULK_REMOTE_LIMIT;
}

// When the hardware reports it. What is equally late keeps the order of the parts; cp.async has one part, whose order
// is its own: source before window and bounds before destination.
enum lateness { EARLY, MISALIGNED, BOUNDS_FIRST, UNMAPPED, RANKS, SOURCE_LAST, BOUNDS_LAST };

static enum lateness lateness_of(const struct question *q, enum rule rule)
{
    int error = rule_cuda_error(rule);
    bool is_remote_load = operation_is_load(q->operation->kind) && !is_local(q);
    bool starts_past_limit = operation_place(operation_destination(q->operation)) >= SM_SHARED_BYTES;
    if (q->operation->kind == OPERATION_CP_ASYNC || is_map_place(rule)) return EARLY;
    if (error == ERROR_MISALIGNED) return MISALIGNED;
    if (error < ERROR_UNMAPPED || (error > ERROR_UNMAPPED && error < ERROR_LAUNCH)) return EARLY;
    if (is_remote_load && is_remote_bounds(rule)) return starts_past_limit ? BOUNDS_FIRST : BOUNDS_LAST;
    if (error == ERROR_UNMAPPED) return is_remote_load ? SOURCE_LAST : UNMAPPED;
    return RANKS;
}

// Adds what all parts find to `findings`, one lateness after the other.
static void gather(const struct question *q, struct findings *findings)
{
    struct findings found[MOST_PARTS];
    part *const *list = parts[q->operation->kind];
    int count = 0;
    for (; count < MOST_PARTS && list[count] != NULL; count++) list[count](q, &found[count]);
    for (int late = EARLY; late <= BOUNDS_LAST; late++)
        for (int i = 0; i < count; i++)
            for (int k = 0; k < found[i].count && k < FINDINGS_MAX; k++)
                if (lateness_of(q, found[i].item[k].rule) == (enum lateness)late)
                    finding_add(findings, found[i].item[k]);
}

enum rule operation_question(const struct question *q, struct findings *findings)
{
    struct findings own; // its items are not read before they are written, and clearing them would cost
    struct findings *to = findings != NULL ? findings : &own;
    bool is_fine = findings == NULL;
    findings_clear(findings);
    if ((unsigned)q->operation->kind >= OPERATION_KINDS)
        return finding_of_form(findings, "instruction", (uint64_t)q->operation->kind);
    if (q->operation->issuer >= q->memories->cluster->ctas)
        return finding_of_form(findings, "issuer", q->operation->issuer);
    if (is_empty(q->operation)) return RULE_OK;
    part *const *list = parts[q->operation->kind];
    for (int i = 0; is_fine && i < MOST_PARTS && list[i] != NULL; i++) is_fine = list[i](q, NULL) == RULE_OK;
    if (is_fine) return RULE_OK;
    findings_clear(to);
    gather(q, to);
    return findings_first_broken(to);
}

enum rule operation_check(const struct operation *operation, const struct memories *memories, struct findings *findings)
{
    struct box box;
    const struct question question = {operation, memories, &box, operation_has_barrier(operation->kind)};
    return operation_question(&question, findings);
}
