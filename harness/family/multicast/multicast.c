// SPDX-License-Identifier: MIT
// Family "multicast": the loads of one cluster. Each CTA's result is its barrier's word and its shared memory around
// all boxes: a CTA that is in no mask must not change.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "box.h"
#include "bulk.h"
#include "copy.h"
#include "family.h"
#include "feature.h"
#include "field.h"
#include "load_job.h"
#include "load_launch.h"
#include "mbarrier.h"
#include "multicast_case.h"
#include "rules/multicast.h"

enum { GUARD_BYTES = 256, WORD_BYTES = 8, RANKS_MAX = 255 };
_Static_assert(sizeof(struct multicast_job) % 64 == 0, "the map of each job has the alignment of maps");

static const char *const mode_names[] = {"tile", "im2col", "bulk", NULL};

uint32_t multicast_ranks(const struct multicast_case *c)
{
    return c->cluster > 0 ? c->cluster : 1;
}

bool multicast_map(const struct multicast_case *c, struct tensormap *map)
{
    return c->mode != MULTICAST_BULK && map_args_made(&c->map, map);
}

// --- JSON ------------------------------------------------------------------------------------------------------------

static int mode_of(const void *test_case)
{
    return 1 << ((const struct multicast_case *)test_case)->mode;
}

static uint32_t ranks_of(const void *test_case)
{
    return multicast_ranks(test_case);
}

static const char *map_illegal(const void *test_case)
{
    const struct map_args *map = &((const struct multicast_case *)test_case)->map;
    return map->function != MAP_REPLACE_ADDRESS && map->rank >= 1 && map->rank <= TENSORMAP_MAX_RANK
               ? NULL
               : "map is not an encode call with a rank of 1 to 5";
}

static const char *dims_illegal(const void *test_case)
{
    const struct multicast_case *c = test_case;
    return c->mode == LOAD_IM2COL && c->dims - 2 > IM2COL_MAX_SPATIAL ? "\"dims\" is 3 to 5 with this \"load_mode\""
                                                                      : NULL;
}

static const char *issue_illegal(const void *test_case, uint32_t i)
{
    const struct multicast_case *c = test_case;
    return c->issue[i].issuer < multicast_ranks(c) ? NULL : "\"issuer\" is a rank of the cluster";
}

#define BULK               .is_there = mode_of, .only = 1 << MULTICAST_BULK, .asks_whole = 1, .where = "the mode bulk"
#define OF(bits, of_which) .is_there = mode_of, .only = bits, .where = of_which
#define CASE               struct multicast_issue
static const struct field issue_field[] = {
    FIELD_NUMBER("issuer", issuer, 0, MULTICAST_CTAS - 1, "rank of the CTA that issues the load"),
    FIELD_NUMBER("ctaMask", mask, 0, UINT16_MAX, "a bit for each CTA that receives it; left out: no multicast",
                 .presence_at = offsetof(CASE, is_multicast)),
    FIELD_NUMBER("to_rank", to_rank, 0, RANKS_MAX, "rank in the address of the destination"),
    FIELD_NUMBER("barrier_rank", barrier_rank, 0, RANKS_MAX, "rank in the address of the barrier"),
    FIELD_NUMBER("shared", shared, LOAD_WINDOW_START, 0x3ffff, "destination in shared memory"),
    FIELD_NUMBER("from", from, 0, UINT64_MAX, "address of the source", BULK),
    FIELD_NUMBER("size", size_bytes, 0, UINT32_MAX, "bytes", BULK),
    FIELD_NUMBERS_SIGNED("tensorCoords", coord, 0, "as many as the map has dimensions",
                         OF(~(1 << MULTICAST_BULK), "the other modes"), .asks_whole = 1,
                         .count_at = offsetof(struct multicast_case, map.rank)),
    FIELD_NUMBERS("im2colOffsets", offset, 0, 0, UINT16_MAX, "as many as the instruction has",
                  OF(1 << LOAD_IM2COL, "the mode im2col"), .asks_whole = 1,
                  .count_at = offsetof(struct multicast_case, dims), .count_less = 2),
    FIELD_END,
};
#undef CASE

static const struct fields issue_fields = {
    .name = "an issue", .field = issue_field, .bytes = sizeof(struct multicast_issue)};

#define CASE struct multicast_case
static const struct field field[] = {
    FIELD_NUMBER("cluster", cluster, 0, MULTICAST_CTAS, "CTAs of the cluster; 0: the launch has none"),
    FIELD_ONE_OF("load_mode", mode, mode_names, "the mode of the instruction"),
    FIELD_MAP_OF(map, "the map of all loads", .illegal = map_illegal,
                 OF(~(1 << MULTICAST_BULK), "the modes tile and im2col")),
    FIELD_NUMBER("dims", dims, 1, TENSORMAP_MAX_RANK, "the .Nd of the instruction", .illegal = dims_illegal,
                 OF(~(1 << MULTICAST_BULK), "the modes tile and im2col")),
    FIELD_NUMBER("barrier", barrier, LOAD_BARRIER, LOAD_WINDOW_START - WORD_BYTES,
                 "address of the mbarrier, the same in each CTA", .multiple = WORD_BYTES),
    FIELD_NUMBERS_OF("expect", expect, ranks_of, 0, UINT32_MAX, "bytes that the barrier of each CTA expects"),
    FIELD_LIST_OF("issues", issue, issues, &issue_fields, 1, MULTICAST_ISSUES, "the loads in order",
                  .illegal_each = issue_illegal),
    FIELD_END,
};
#undef CASE
#undef OF
#undef BULK

// --- What is where ---------------------------------------------------------------------------------------------------

struct multicast_bytes multicast_bytes_of(const struct multicast_case *c, const struct tensormap *map,
                                          const struct multicast_issue *issue)
{
    if (c->mode == MULTICAST_BULK) {
        uint32_t moved = bulk_moved_bytes(BULK_GLOBAL_TO_SHARED, issue->size_bytes);
        return (struct multicast_bytes){moved, moved};
    }
    struct box box;
    box_start(&box, map->mode, map, issue->coord, issue->offset);
    return (struct multicast_bytes){box_extent_bytes(&box), box_transaction_bytes(&box)};
}

// The shared addresses that the result holds of each CTA.
static struct load_window multicast_window(const struct multicast_case *c)
{
    struct tensormap map = {0};
    uint64_t low = MULTICAST_SHARED_END, high = LOAD_WINDOW_START;
    if (c->mode != MULTICAST_BULK && !multicast_map(c, &map)) return (struct load_window){LOAD_WINDOW_START, 0};
    for (uint32_t i = 0; i < c->issues; i++) {
        uint64_t first = c->issue[i].shared, past = first + multicast_bytes_of(c, &map, &c->issue[i]).extent;
        if (first < low) low = first;
        if (past > high) high = past;
    }
    low = low / 128 * 128 - GUARD_BYTES;
    high = (high + 127) / 128 * 128 + GUARD_BYTES;
    if (low < LOAD_WINDOW_START) low = LOAD_WINDOW_START;
    if (high > MULTICAST_SHARED_END) high = MULTICAST_SHARED_END;
    return (struct load_window){(uint32_t)low, high > low ? (uint32_t)(high - low) : 0};
}

// Bytes of the barrier words, an even number of them so that the windows are aligned.
static uint32_t words_bytes(uint32_t ranks)
{
    return (ranks + 1) / 2 * 2 * WORD_BYTES;
}

// Addresses are of the shared::cluster window.
static void multicast_windows(const void *test_case, struct result *result)
{
    static const char *const names[MULTICAST_CTAS] = {"cta0",  "cta1",  "cta2",  "cta3", "cta4",  "cta5",
                                                      "cta6",  "cta7",  "cta8",  "cta9", "cta10", "cta11",
                                                      "cta12", "cta13", "cta14", "cta15"};
    const struct multicast_case *c = test_case;
    struct load_window window = multicast_window(c);
    uint32_t ranks = multicast_ranks(c);
    result_window(result, "mbarriers", c->barrier, ranks * WORD_BYTES);
    result->free_bytes += words_bytes(ranks) - ranks * WORD_BYTES;
    for (uint32_t rank = 0; rank < ranks; rank++)
        result_window(result, names[rank], rank << 24 | window.base, window.size_bytes);
}

// --- The model -------------------------------------------------------------------------------------------------------

struct cluster_load multicast_load_of(uint32_t cluster, const struct multicast_issue *issue, const struct memory *ctas)
{
    return (struct cluster_load){.cluster.cta = ctas,
                                 .cluster.ctas = cluster > 0 ? cluster : 1,
                                 .cluster.is_cluster = cluster > 0,
                                 .issuer = issue->issuer,
                                 .is_multicast = (int)issue->is_multicast,
                                 .mask = issue->mask,
                                 .to_rank = issue->to_rank,
                                 .shared = issue->shared,
                                 .barrier_rank = issue->barrier_rank};
}

// One issue on the model; `map` is that of the case (unused for bulk copies). Returns the first rule broken.
static enum rule run_issue(const struct multicast_case *c, const struct tensormap *map,
                           const struct multicast_issue *issue, const struct memory *ctas, uint32_t *bytes)
{
    struct cluster_load load = multicast_load_of(c->cluster, issue, ctas);
    const int dims = (int)c->dims;
    if (c->mode == MULTICAST_BULK)
        return multicast_bulk_load(issue->from, issue->size_bytes, arena(), &load, bytes, NULL);
    if (c->mode == LOAD_IM2COL)
        return multicast_im2col_load(map, dims, issue->coord, issue->offset, arena(), &load, bytes, NULL);
    return multicast_tile_load(map, dims, issue->coord, arena(), &load, bytes, NULL);
}

// The kernel's order: the encode, arrive.expect_tx in every CTA, the loads, their complete_tx.
static enum rule run_issues(const struct multicast_case *c, const struct memory *ctas, uint64_t *words)
{
    struct tensormap map = {0};
    uint32_t ranks = multicast_ranks(c), bytes;
    enum rule rule = c->mode == MULTICAST_BULK ? RULE_OK : map_args_make(&c->map, &map);
    if (rule != RULE_OK) return rule;
    for (uint32_t rank = 0; rank < ranks; rank++) {
        struct mbarrier_transaction announce = {.arrivals = 1, .expect_bytes = c->expect[rank]};
        words[rank] = mbarrier_init(1);
        if ((rule = mbarrier_transact(&words[rank], &announce)) != RULE_OK) return rule;
    }
    for (uint32_t i = 0; i < c->issues; i++) {
        const struct multicast_issue *issue = &c->issue[i];
        rule = run_issue(c, &map, issue, ctas, &bytes);
        if (rule != RULE_OK) return rule;
        struct cluster_load load = multicast_load_of(c->cluster, issue, ctas);
        uint32_t targets = multicast_targets(&load);
        for (uint32_t rank = 0; rank < ranks && bytes > 0; rank++)
            if (targets >> rank & 1)
                mbarrier_transact_remote(&words[rank], &(struct mbarrier_transaction){.complete_bytes = bytes});
    }
    return RULE_OK;
}

static enum rule multicast_run_model(const void *test_case, struct result *result)
{
    const struct multicast_case *c = test_case;
    struct load_window window = multicast_window(c);
    struct memory ctas[MULTICAST_CTAS];
    uint64_t words[MULTICAST_CTAS];
    uint32_t ranks = multicast_ranks(c), in_cta = window.base - LOAD_SHARED_START;
    uint8_t *bytes = malloc((size_t)ranks * MULTICAST_SHARED_BYTES);
    if (bytes == NULL) abort();
    for (uint32_t rank = 0; rank < ranks; rank++) {
        uint8_t *cta = bytes + (size_t)rank * MULTICAST_SHARED_BYTES;
        ctas[rank] = (struct memory){cta, LOAD_SHARED_START, MULTICAST_SHARED_BYTES};
        load_canaries(rank << 24 | window.base, cta + in_cta, window.size_bytes);
    }
    enum rule rule = run_issues(c, ctas, words);
    if (rule == RULE_OK) memcpy(result->window[0].bytes, words, ranks * WORD_BYTES);
    for (uint32_t rank = 0; rank < ranks; rank++)
        memcpy(result->window[1 + rank].bytes, ctas[rank].bytes + in_cta, window.size_bytes);
    free(bytes);
    return rule;
}

// --- The GPU ---------------------------------------------------------------------------------------------------------

// Will a barrier that expects so much not tell when all bytes are there?
static bool must_settle(const struct multicast_case *c, const struct tensormap *map)
{
    uint64_t bytes[MULTICAST_CTAS] = {0};
    bool is_silent = false;
    for (uint32_t i = 0; i < c->issues; i++) {
        struct cluster_load load = multicast_load_of(c->cluster, &c->issue[i], NULL);
        uint32_t targets = multicast_targets(&load);
        is_silent |= c->issue[i].is_multicast && targets == 0;
        for (int rank = 0; rank < MULTICAST_CTAS; rank++)
            if (targets >> rank & 1) bytes[rank] += multicast_bytes_of(c, map, &c->issue[i]).transaction;
    }
    for (uint32_t rank = 0; rank < multicast_ranks(c); rank++) is_silent |= bytes[rank] != c->expect[rank];
    return is_silent;
}

// Returns the CUDA error of the encode.
static int make_job(const struct gpu_place *place, void *to)
{
    const struct multicast_case *c = place->test_case;
    struct multicast_job *job = to;
    struct map_args args = c->map;
    struct tensormap_image image = {0};
    struct tensormap map = {0};
    struct load_window window = multicast_window(c);
    uint64_t arena_shift = gpu_arena(place->gpu) - ARENA_BASE;
    args.address += arena_shift;
    int error = c->mode == MULTICAST_BULK ? CUDA_SUCCESS : map_args_call(&place->gpu->driver, &args, &image);
    if (error != CUDA_SUCCESS) return error;
    multicast_map(c, &map);
    *job = (struct multicast_job){.output = place->offset,
                                  .mode = c->mode,
                                  .dims = c->mode == MULTICAST_BULK ? 0 : c->dims,
                                  .window = window.base,
                                  .window_end = window.base + window.size_bytes,
                                  .barrier = c->barrier,
                                  .settle = (uint32_t)must_settle(c, &map),
                                  .issues = c->issues};
    memcpy(job->map, image.word, sizeof job->map);
    memcpy(job->expect, c->expect, sizeof job->expect);
    memcpy(job->issue, c->issue, sizeof job->issue);
    for (uint32_t i = 0; i < c->issues; i++) job->issue[i].from += arena_shift;
    return CUDA_SUCCESS;
}

// The jobs of one size of cluster share a launch.
static uint32_t group_of(const void *test_case)
{
    return ((const struct multicast_case *)test_case)->cluster;
}

static const struct gpu_jobs jobs = {GPU_JOBS_OF("multicast", struct multicast_case, struct multicast_job),
                                     .block = MULTICAST_THREADS,
                                     .shared_bytes = MULTICAST_SHARED_BYTES,
                                     .make = make_job,
                                     .groups = MULTICAST_CTAS + 1,
                                     .group = group_of,
                                     .are_clusters = true};

static json_t *multicast_describe(const void *test_case, const struct result *result)
{
    json_t *lines = json_array();
    (void)test_case;
    for (int i = 1; i < result->windows; i++) load_describe_window(&result->window[i], lines);
    for (uint32_t at = 0; result->windows > 0 && at < result->window[0].size_bytes; at += WORD_BYTES) {
        uint64_t word;
        memcpy(&word, result->window[0].bytes + at, sizeof word);
        json_array_append_new(lines, json_sprintf("cta%u mbar %016llx", at / WORD_BYTES, (unsigned long long)word));
    }
    return lines;
}

// Of the first issue that is a multicast; all of them load boxes of one map.
static int multicast_feature(const void *test_case, struct feature *feature)
{
    const struct multicast_case *c = test_case;
    struct tensormap map;
    if (!multicast_map(c, &map)) return 0;
    for (uint32_t i = 0; i < c->issues; i++) {
        if (!c->issue[i].is_multicast || c->issue[i].mask == 0) continue;
        *feature = feature_of(FEATURE_MULTICAST, &map, c->issue[i].coord,
                              map.mode == TENSORMAP_IM2COL ? c->issue[i].offset : NULL);
        return 1;
    }
    return 0;
}

// --- In words --------------------------------------------------------------------------------------------------------

// The issues whose box holds `shared` of CTA `rank`, one line each. Does it lie in other CTAs only? Then the targets
// are what counts.
static enum rule explain_writers(const struct multicast_case *c, uint32_t rank, uint32_t shared, FILE *out)
{
    struct tensormap map = {0};
    int here = 0, elsewhere = 0;
    if (c->mode != MULTICAST_BULK && !multicast_map(c, &map)) return RULE_MULTICAST_OFFSET;
    for (uint32_t i = 0; i < c->issues; i++) {
        const struct multicast_issue *issue = &c->issue[i];
        struct cluster_load load = multicast_load_of(c->cluster, issue, NULL);
        uint32_t targets = multicast_targets(&load);
        if (shared < issue->shared || shared >= issue->shared + multicast_bytes_of(c, &map, issue).extent) continue;
        fprintf(out, "    issue %u, by CTA %u to CTAs of mask 0x%04x: its box %s\n", i, issue->issuer, targets,
                targets >> rank & 1 ? "lies here" : "lies at this offset, but in other CTAs");
        *(targets >> rank & 1 ? &here : &elsewhere) += 1;
    }
    return here == 0 && elsewhere > 0 ? RULE_MULTICAST_TARGETS : RULE_MULTICAST_OFFSET;
}

enum rule multicast_explain(const void *test_case, const struct difference *difference, FILE *out)
{
    const struct multicast_case *c = test_case;
    if (difference->window == 0) {
        fprintf(out, "    mbarrier of CTA %u: ", difference->at / 8);
        difference_print_barrier(difference, out);
        return RULE_MULTICAST_TX_BYTES;
    }
    uint32_t rank = (uint32_t)difference->window - 1;
    uint32_t shared = ((uint32_t)difference->expected->base & 0xffffff) + difference->at;
    fprintf(out, "    CTA %u shared 0x%x\n", rank, shared);
    return explain_writers(c, rank, shared, out);
}

// Which issues write, or do not write, at `place` of a window.
static enum rule multicast_explain_place(const void *test_case, const struct place *place, FILE *out)
{
    uint32_t address = (uint32_t)place->address;
    if (strncmp(place->window, "cta", 3) != 0) return RULE_MULTICAST_TX_BYTES;
    return explain_writers(test_case, address >> 24, address & 0xffffff, out);
}

const struct family family_multicast = {
    FAMILY_CASES("multicast", struct multicast_case, field),
    .summary = "loads in clusters, with and without multicast: every CTA's shared memory, and its barrier's word",
    .generate = multicast_generate,
    .windows = multicast_windows,
    .run_model = multicast_run_model,
    .jobs = &jobs,
    .kernels = "multicast",
    .describe = multicast_describe,
    .explain = multicast_explain,
    .explain_place = multicast_explain_place,
    .feature = multicast_feature,
};
