// SPDX-License-Identifier: MIT
// A load in a cluster is the load of a CTA alone, done once for each CTA that it goes to. What is new is which CTAs
// these are, and the faults of that: they come between those of the instruction and those of memory.
#include "multicast.h"

#include "bulk.h"
#include "copy.h"
#include "move.h"

// The faults that the hardware finds before it looks at ranks: of the instruction and of alignment.
enum { ERROR_INSTRUCTION = 715, ERROR_MISALIGNED = 716 };

enum { RANK_LIMIT = 31 }; // the greatest that an address of shared memory may name, whatever the cluster

static int is_empty(const struct cluster_load *load)
{
    return load->is_multicast && (load->mask & UINT16_MAX) == 0;
}

uint32_t multicast_targets(const struct cluster_load *load)
{
    if (load->is_multicast) return load->mask & UINT16_MAX;
    return load->to_rank < CLUSTER_MEMORY_MAX_CTAS ? (uint32_t)1 << load->to_rank : 0;
}

// Does it stay in the issuing CTA, by the way of a CTA alone? A multicast to itself does not.
static int is_local(const struct cluster_load *load)
{
    return !load->cluster.is_cluster || (!load->is_multicast && load->to_rank == load->issuer);
}

// Rule LOAD_OTHER_BARRIER, a warning.
static void check_barrier(const struct cluster_load *load, struct findings *findings)
{
    uint32_t to = load->is_multicast ? load->issuer : load->to_rank;
    if (load->barrier_rank != to)
        finding_add(findings,
                    (struct finding){RULE_LOAD_OTHER_BARRIER, "rank of mbar", -1, 0, load->barrier_rank, to, to});
}

// The 715 faults: rules LOAD_OTHER_RANK_LIMIT, MULTICAST_NO_CLUSTER, LOAD_OTHER_NO_CLUSTER.
static void check_launch(const struct cluster_load *load, struct findings *findings)
{
    if (!load->is_multicast && load->to_rank > RANK_LIMIT)
        finding_add(findings, (struct finding){RULE_LOAD_OTHER_RANK_LIMIT, "rank of dstMem", -1, 0, load->to_rank,
                                               RANK_LIMIT, load->cluster.ctas - 1});
    if (load->cluster.is_cluster) return;
    if (load->is_multicast && load->mask != 1)
        finding_add(findings, (struct finding){RULE_MULTICAST_NO_CLUSTER, "ctaMask", -1, 0, load->mask, 1, 1});
    if (!load->is_multicast && load->to_rank != 0)
        finding_add(findings,
                    (struct finding){RULE_LOAD_OTHER_NO_CLUSTER, "rank of dstMem", -1, 0, load->to_rank, 0, 0});
}

// The ranks that are no CTA of the cluster, or one that has exited: rules MULTICAST_MASK, LOAD_OTHER_RANK,
// CLUSTER_EXITED.
static void check_ranks(const struct cluster_load *load, struct findings *findings)
{
    uint32_t ctas = load->cluster.ctas, all = ((uint32_t)1 << ctas) - 1, to = multicast_targets(load);
    if (load->is_multicast && (load->mask & ~all) != 0)
        finding_add(findings,
                    (struct finding){RULE_MULTICAST_MASK, "ctaMask", -1, 0, load->mask, all, load->mask & all});
    if (!load->is_multicast && load->to_rank >= ctas)
        finding_add(findings,
                    (struct finding){RULE_LOAD_OTHER_RANK, "rank of dstMem", -1, 0, load->to_rank, ctas - 1, ctas - 1});
    if ((to & all & load->cluster.exited) != 0)
        finding_add(findings, (struct finding){RULE_CLUSTER_EXITED, load->is_multicast ? "ctaMask" : "rank of dstMem",
                                               -1, 0, to, load->cluster.exited, to & ~load->cluster.exited});
}

// Does the finding say that the box leaves the shared memory of its CTA?
static int is_bounds(const struct finding *finding)
{
    return finding->rule == RULE_LOAD_SMEM_BOUNDS || finding->rule == RULE_BULK_REMOTE_BOUNDS ||
           finding->rule == RULE_BULK_REMOTE_LIMIT;
}

// The findings of the load itself that are early, about its bounds, or neither.
enum stage { EARLY, BOUNDS, SOURCE };

static enum stage stage_of(const struct finding *finding)
{
    int error = rule_cuda_error(finding->rule);
    if (error == 0 || error == ERROR_INSTRUCTION || error == ERROR_MISALIGNED) return EARLY;
    return is_bounds(finding) ? BOUNDS : SOURCE;
}

// Appends those of one stage. What a tensor load breaks at the end of its own CTA's memory has other rules, and errors,
// in other CTAs: LOAD_REMOTE_BOUNDS, LOAD_REMOTE_LIMIT. `past` is the end of what is written.
static void take(const struct findings *own, enum stage stage, uint64_t past, struct findings *to)
{
    for (int i = 0; i < own->count && i < FINDINGS_MAX; i++) {
        struct finding finding = own->item[i];
        if (stage_of(&finding) != stage) continue;
        if (finding.rule == RULE_LOAD_SMEM_BOUNDS)
            finding.rule = past <= SM_SHARED_BYTES ? RULE_LOAD_REMOTE_BOUNDS : RULE_LOAD_REMOTE_LIMIT;
        finding_add(to, finding);
    }
}

// Puts what the load itself breaks (`own`) and what its CTAs break in the order of the hardware. `past` is the end of
// what is written, in each CTA. Returns the first rule.
static enum rule judge(const struct cluster_load *load, const struct findings *own, uint64_t past,
                       struct findings *findings)
{
    struct findings all = {0};
    int starts_past_limit = load->shared >= SM_SHARED_BYTES;
    check_barrier(load, &all);
    check_launch(load, &all);
    take(own, EARLY, past, &all);
    if (is_local(load)) {
        for (int i = 0; i < own->count && i < FINDINGS_MAX; i++)
            if (stage_of(&own->item[i]) != EARLY) finding_add(&all, own->item[i]);
    } else {
        if (starts_past_limit) take(own, BOUNDS, past, &all);
        check_ranks(load, &all);
        take(own, SOURCE, past, &all);
        if (!starts_past_limit) take(own, BOUNDS, past, &all);
    }
    for (int i = 0; i < all.count && i < FINDINGS_MAX; i++) finding_add(findings, all.item[i]);
    return findings_first_broken(&all);
}

// The end of a box of `extent` bytes; a swizzle moves bytes within their lines.
static uint64_t end_of(const struct cluster_load *load, const struct tensormap *map, uint64_t extent)
{
    uint64_t past = load->shared + extent;
    return map->swizzle == SWIZZLE_NONE ? past : (past + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
}

// Does the load read this map at all? Where not, its first fault says so and its box means nothing.
static int has_box(const struct tensormap *map, enum tensormap_mode mode, int dims, const struct findings *own)
{
    return map->mode == mode && map->rank == dims && (own->count == 0 || own->item[0].rule != RULE_LOAD_MAP_FORMAT);
}

enum rule multicast_tile_load(const struct tensormap *map, int dims, const int32_t *coord,
                              const struct memory *global_memory, const struct cluster_load *load,
                              uint32_t *transaction_bytes, struct findings *findings)
{
    struct findings own = {0};
    uint64_t past = 0;
    *transaction_bytes = 0;
    findings_clear(findings);
    if (is_empty(load)) return RULE_OK;
    tile_load_check(map, dims, coord, global_memory, &load->cluster.cta[0], load->shared, &own);
    if (has_box(map, TENSORMAP_TILED, dims, &own)) {
        struct tile tile = tile_of(map, coord);
        past = end_of(load, map, tile_extent_bytes(&tile));
    }
    enum rule rule = judge(load, &own, past, findings);
    if (rule != RULE_OK) return rule;

    for (uint32_t rank = 0; rank < load->cluster.ctas; rank++)
        if (multicast_targets(load) >> rank & 1)
            tile_load(map, dims, coord, global_memory, &load->cluster.cta[rank], load->shared, transaction_bytes);
    return RULE_OK;
}

enum rule multicast_im2col_load(const struct tensormap *map, int dims, const int32_t *coord, const uint16_t *offset,
                                const struct memory *global_memory, const struct cluster_load *load,
                                uint32_t *transaction_bytes, struct findings *findings)
{
    struct findings own = {0};
    uint64_t past = 0;
    *transaction_bytes = 0;
    findings_clear(findings);
    if (is_empty(load)) return RULE_OK;
    im2col_load_check(map, dims, coord, offset, global_memory, &load->cluster.cta[0], load->shared, &own);
    if (has_box(map, TENSORMAP_IM2COL, dims, &own)) {
        struct im2col column = im2col_of(map, coord, offset);
        past = end_of(load, map, im2col_extent_bytes(&column));
    }
    enum rule rule = judge(load, &own, past, findings);
    if (rule != RULE_OK) return rule;

    for (uint32_t rank = 0; rank < load->cluster.ctas; rank++)
        if (multicast_targets(load) >> rank & 1)
            im2col_load(map, dims, coord, offset, global_memory, &load->cluster.cta[rank], load->shared,
                        transaction_bytes);
    return RULE_OK;
}

enum rule multicast_bulk_load(uint64_t from, uint32_t size_bytes, const struct memory *global_memory,
                              const struct cluster_load *load, uint32_t *transaction_bytes, struct findings *findings)
{
    struct findings own = {0};
    enum bulk_form form = is_local(load) ? BULK_GLOBAL_TO_SHARED : BULK_GLOBAL_TO_OTHER;
    struct bulk bulk = {form, global_memory, &load->cluster.cta[0], from, load->shared, size_bytes};
    *transaction_bytes = 0;
    findings_clear(findings);
    if (is_empty(load) || bulk_moved_bytes(form, size_bytes) == 0) return RULE_OK;
    bulk_check(&bulk, &own);
    enum rule rule = judge(load, &own, 0, findings);
    if (rule != RULE_OK) return rule;

    for (uint32_t rank = 0; rank < load->cluster.ctas; rank++) {
        if (!(multicast_targets(load) >> rank & 1)) continue;
        bulk.destination = &load->cluster.cta[rank];
        bulk_copy(&bulk, transaction_bytes);
    }
    return RULE_OK;
}
