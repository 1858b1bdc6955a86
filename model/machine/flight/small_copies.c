// SPDX-License-Identifier: MIT
// cp.async, and the groups of all copies: commit and wait.
#include <string.h>

#include "copy_report.h"
#include "cp_async.h"
#include "each.h"
#include "flight_item.h"
#include "form_number.h"
#include "looker.h"
#include "span.h"

static bool is_ignoring(const struct ptx_choice *choice)
{
    return choice->form == PTX_FORM_CP_ASYNC_CA_IGNORE || choice->form == PTX_FORM_CP_ASYNC_CG_IGNORE;
}

// Tells of each lane for itself: the groups are those of threads. NULL: nobody hears of it.
static const struct teller *teller_of(const struct teller *teller, uint32_t lane, struct teller *room)
{
    if (teller->observer == NULL) return NULL; // most often
    *room = *teller;
    room->origin.lanes = UINT32_C(1) << lane;
    return room;
}

// --- One copy --------------------------------------------------------------------------------------------------------

// The operation of one lane; operands: where to, where from, cp-size, src-size or ignore-src, the policy.
static struct operation operation_of(const struct machine_strand *strand, const struct machine_code *code,
                                     uint32_t lane, uint64_t to, uint64_t from)
{
    const struct machine_operand *size = &code->operand[2], *source = &code->operand[3], *policy = &code->operand[4];
    struct operation o = {.kind = OPERATION_CP_ASYNC, .issuer = strand->warp->cta->rank, .from = from};
    o.to = machine_place(strand, PTX_SHARED, to).address;
    o.size_bytes = (uint32_t)machine_value(strand, size, lane);
    if (source->slot != MACHINE_LEFT_OUT) {
        o.form = is_ignoring(code->choice) ? CP_ASYNC_IGNORE_SRC : CP_ASYNC_SRC_SIZE;
        o.source_operand = (uint32_t)machine_value(strand, source, lane);
    }
    o.has_policy = code->choice->word[PTX_CLASS_CACHE_HINT] != 0;
    if (o.has_policy) o.policy = machine_value(strand, policy, lane);
    return o;
}

// Where its bytes are on the host. What it reads may lie in two regions that touch: they do so on the host too.
static void place(struct flight_copies *copies, const struct machine_strand *strand, const struct operation *o,
                  uint32_t lane)
{
    const struct machine_cluster *cluster = strand->warp->cta->cluster;
    const struct cp_async copy = {NULL, NULL, o->form, o->size_bytes, o->source_operand, o->from, o->to};
    const struct region *region;
    uint32_t bytes;
    cp_async_source(&copy, &copies->from_address[lane], &bytes);
    copies->read[lane] = (uint8_t)bytes;
    region = region_find(&cluster->machine->global, NULL, copies->from_address[lane]);
    copies->from[lane] = bytes == 0 ? NULL : region_at(region, copies->from_address[lane], 1, MEMORY_READS);
    copies->to_address[lane] = (uint32_t)o->to;
    copies->to[lane] = memory_at(&cluster->memory[o->issuer], o->to, o->size_bytes);
}

static enum machine_next issue(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes,
                               struct flight_copies *copies)
{
    struct flight_warp *groups = flight_warp_of(strand->warp);
    struct machine_flights *flights = flights_of(strand->warp);
    const struct teller *of = machine_teller(strand, code, lanes, &copies->head.teller);
    copies->head.teller.origin.operation = ++flights->operations;
    copies->head.async = ASYNC_COPY;
    for (EACH_BIT(lane, lanes)) {
        struct teller room;
        const struct teller *teller = teller_of(of, lane, &room);
        copies->group[lane] = async_issue(&groups->lane[lane], ASYNC_COPY, teller).group;
    }
    flight_issue(&copies->head);
    return MACHINE_NEXT;
}

static enum machine_next refuse(struct machine_strand *strand, const struct machine_code *code, uint32_t lane,
                                const struct operation *o)
{
    char what[2048];
    struct findings findings;
    const enum rule rule = operation_check(o, &flights_of(strand->warp)->memories, &findings);
    const struct finding *finding = findings_of_rule(&findings, rule);
    machine_copy_explain(strand->warp->cta->cluster->machine, o, false, finding, what, sizeof what);
    return machine_fault_with(strand, code, lane, rule, finding->value, what);
}

// --- A warp at once --------------------------------------------------------------------------------------------------

// Do all lanes copy `bytes` bytes, none of them zeros instead, without a policy?
static bool are_whole(const struct machine_strand *strand, const struct machine_code *code, uint32_t lanes,
                      uint32_t bytes)
{
    const struct machine_operand *source = &code->operand[3];
    const uint32_t whole = is_ignoring(code->choice) ? 0 : bytes;
    if (code->choice->word[PTX_CLASS_CACHE_HINT] != 0 || !code->operand[2].is_uniform) return false;
    if (bytes != 4 && bytes != 8 && bytes != 16) return false;
    if (source->slot == MACHINE_LEFT_OUT) return true;
    for (EACH_BIT(lane, source->is_uniform ? lanes & (0 - lanes) : lanes))
        if ((uint32_t)machine_value(strand, source, lane) != whole) return false;
    return true;
}

static enum alu_reach reach(const struct machine_strand *strand, const struct machine_operand *at,
                            struct machine_use use, uint32_t lanes, struct machine_spots *spots)
{
    return machine_reach(strand, at, alu_span()->reach[at->file == PTX_FILE_64], use, lanes, spots);
}

// Where all lanes' bytes are, if nobody hears of them, all of them are copied, and each lane's are where they may be;
// else 0, and they are looked at one by one.
static bool place_all(struct flight_copies *copies, const struct machine_strand *strand,
                      const struct machine_code *code, uint32_t lanes)
{
    struct machine_spots to, from;
    const uint32_t bytes = (uint32_t)machine_value(strand, &code->operand[2], (uint32_t)__builtin_ctz(lanes));
    const struct machine_use writes = {PTX_SHARED, MEMORY_WRITES, bytes}, reads = {PTX_GLOBAL, MEMORY_READS, bytes};
    if (machine_is_heard(strand) || machine_looker(strand->warp->cta->cluster) != NULL) return false;
    if (!are_whole(strand, code, lanes, bytes)) return false;
    const enum alu_reach here = reach(strand, &code->operand[0], writes, lanes, &to);
    const enum alu_reach there = reach(strand, &code->operand[1], reads, lanes, &from);
    copies->bytes = bytes;
    copies->is_row = here == ALU_SIDE_BY_SIDE && there == ALU_SIDE_BY_SIDE;
    copies->to[0] = to.at;
    copies->from[0] = from.at;
    if (copies->is_row) return true;
    if ((here != ALU_SCATTERED && here != ALU_SIDE_BY_SIDE) || (there != ALU_SCATTERED && there != ALU_SIDE_BY_SIDE))
        return false;
    for (EACH_BIT(lane, lanes)) {
        copies->to[lane] = to.at + (here == ALU_SCATTERED ? to.of.offset[lane] : (int32_t)(lane * bytes));
        copies->from[lane] = from.at + (there == ALU_SCATTERED ? from.of.offset[lane] : (int32_t)(lane * bytes));
        copies->read[lane] = (uint8_t)bytes;
    }
    return true;
}

static enum machine_next copy(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    const struct memories *memories = &flights_of(strand->warp)->memories;
    uint64_t to[MACHINE_LANES], from[MACHINE_LANES];
    struct flight_copies *copies = flight_new(strand->warp, FLIGHT_COPIES, lanes, sizeof *copies);
    if (copies == NULL) return machine_stop(strand, code, 0, MACHINE_NO_MEMORY, 0, "not enough memory for a copy");
    if (place_all(copies, strand, code, lanes)) return issue(strand, code, lanes, copies);
    copies->is_row = false;
    machine_addresses(strand, &code->operand[0], to);
    machine_addresses(strand, &code->operand[1], from);
    for (EACH_BIT(lane, lanes)) {
        const struct operation o = operation_of(strand, code, lane, to[lane], from[lane]);
        if (operation_check(&o, memories, NULL) != RULE_OK) {
            flight_free(&copies->head);
            return refuse(strand, code, lane, &o);
        }
        copies->bytes = o.size_bytes;
        place(copies, strand, &o, lane);
    }
    return issue(strand, code, lanes, copies);
}

// --- Groups ----------------------------------------------------------------------------------------------------------

static enum async_kind async_of(const struct ptx_choice *choice)
{
    bool is_bulk =
        choice->form == PTX_FORM_CP_ASYNC_BULK_COMMIT_GROUP || choice->form == PTX_FORM_CP_ASYNC_BULK_WAIT_GROUP;
    return is_bulk ? ASYNC_BULK : ASYNC_COPY;
}

static enum machine_next commit(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    struct teller all, one;
    struct flight_warp *groups = flight_warp_of(strand->warp);
    machine_teller(strand, code, lanes, &all);
    groups->whole.kind[async_of(code->choice)].committed++;
    for (EACH_BIT(lane, lanes)) async_commit(&groups->lane[lane], async_of(code->choice), teller_of(&all, lane, &one));
    if (async_of(code->choice) == ASYNC_BULK) flight_commit(strand->warp, lanes);
    return MACHINE_NEXT;
}

static enum machine_next wait_group(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    const enum async_kind async = async_of(code->choice);
    const uint32_t newest = (uint32_t)machine_value(strand, &code->operand[0], (uint32_t)__builtin_ctz(lanes));
    const bool reads = code->choice->word[PTX_CLASS_READ] != 0;
    struct teller all, one;
    enum machine_next next = flight_wait(strand->warp, lanes, async, newest, reads);
    if (next != MACHINE_NEXT) return next;
    machine_teller(strand, code, lanes, &all);
    for (EACH_BIT(lane, lanes)) {
        struct async_groups *groups = &flight_warp_of(strand->warp)->lane[lane];
        const struct teller *teller = teller_of(&all, lane, &one);
        if (reads)
            async_wait_group_read(groups, newest, teller);
        else
            async_wait_group(groups, async, newest, teller);
    }
    return MACHINE_NEXT;
}

// It commits what is not committed, once: what it waits for then is every group.
static enum machine_next wait_all(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    struct teller all, one;
    uint32_t fresh = lanes & ~strand->warp->begun;
    machine_teller(strand, code, lanes, &all);
    if (fresh != 0) commit(strand, code, fresh);
    strand->warp->begun |= lanes;
    enum machine_next next = flight_wait(strand->warp, lanes, ASYNC_COPY, 0, false);
    if (next != MACHINE_NEXT) return next;
    for (EACH_BIT(lane, lanes))
        async_wait_group(&flight_warp_of(strand->warp)->lane[lane], ASYNC_COPY, 0, teller_of(&all, lane, &one));
    strand->warp->begun &= ~lanes;
    return MACHINE_NEXT;
}

machine_handler *machine_small_copies_find(const struct ptx_choice *choice)
{
    switch (choice->form) {
    case PTX_FORM_CP_ASYNC_CA:
    case PTX_FORM_CP_ASYNC_CG:
    case PTX_FORM_CP_ASYNC_CA_IGNORE:
    case PTX_FORM_CP_ASYNC_CG_IGNORE:
        return copy;
    case PTX_FORM_CP_ASYNC_COMMIT_GROUP:
    case PTX_FORM_CP_ASYNC_BULK_COMMIT_GROUP:
        return commit;
    case PTX_FORM_CP_ASYNC_WAIT_GROUP:
    case PTX_FORM_CP_ASYNC_BULK_WAIT_GROUP:
        return wait_group;
    case PTX_FORM_CP_ASYNC_WAIT_ALL:
        return wait_all;
    default:
        return NULL;
    }
}
