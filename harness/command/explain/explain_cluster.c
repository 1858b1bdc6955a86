// SPDX-License-Identifier: MIT
// A tile that the CTAs of a cluster load for each other: which slice each CTA issues, to whom, and what every CTA holds
// in the end, with the right slices or with wrong ones. The cuts are slice.h's.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "copy.h"
#include "explain_command.h"
#include "json.h"
#include "map_text.h"
#include "slice.h"

enum { MAX_CTAS = 16, SHARED_WINDOW_BYTES = TENSORMAP_MAX_BOX_BYTES };

// `load[rank]` is what CTA `rank` issues; `gets[rank]` counts how often each slice of its tile arrives there.
struct issue {
    uint32_t index, mask;
    struct slice slice;
};

struct sharing {
    const struct explain *question;
    uint32_t ctas, slices;
    uint64_t slice_bytes, tile_bytes, expect_bytes;
    uint32_t first_group; // the ranks that share the tile at --coord
    struct issue load[MAX_CTAS];
    uint32_t gets[MAX_CTAS][MAX_CTAS];
    struct findings findings;
};

static int check_question(const struct explain *question, const struct sharing *sharing)
{
    uint32_t group = slice_group_ctas(&question->cluster, question->along);
    if (sharing->ctas > MAX_CTAS || sharing->ctas == 0)
        return command_usage("explain", "--cluster: a cluster has 1 to %d CTAs, not %" PRIu32, MAX_CTAS, sharing->ctas);
    if (sharing->slices != group)
        return command_usage("explain",
                             "--tile: boxes of the map cut it into %" PRIu32 " slices, the %" PRIu32
                             " CTAs of a group want one each",
                             sharing->slices, group);
    for (uint32_t i = 0; question->has_slices && i < sharing->ctas; i++)
        if (question->slices[i] >= sharing->slices)
            return command_usage("explain", "--slices: slices are 0 to %" PRIu32, sharing->slices - 1);
    return EXIT_AGREE;
}

// The check of one slice's load, as explain_box.c does it.
static void check_load(struct sharing *sharing, const struct issue *load)
{
    const struct memory shared = {NULL, 0, SHARED_WINDOW_BYTES};
    const struct tensormap *map = &sharing->question->map;
    uint64_t to = sharing->question->shared + load->slice.offset_bytes;
    if (sharing->findings.count > 0) return;
    tile_load_check(map, map->rank, load->slice.coord, NULL, &shared, (uint32_t)to, &sharing->findings);
}

static void share(struct sharing *sharing)
{
    const struct explain *question = sharing->question;
    const struct cluster_shape *cluster = &question->cluster;
    for (uint32_t rank = 0; rank < sharing->ctas; rank++) {
        struct issue *load = &sharing->load[rank];
        load->index =
            question->has_slices ? (uint32_t)question->slices[rank] : slice_group_index(cluster, question->along, rank);
        load->mask = slice_group_mask(cluster, question->along, rank);
        load->slice = slice_of(&question->map, question->coord, question->tile, load->index);
        for (uint32_t to = 0; to < sharing->ctas; to++) sharing->gets[to][load->index] += load->mask >> to & 1;
        check_load(sharing, load);
    }
    sharing->first_group = sharing->load[0].mask;
}

static int is_complete(const struct sharing *sharing, uint32_t rank)
{
    for (uint32_t slice = 0; slice < sharing->slices; slice++)
        if (sharing->gets[rank][slice] != 1) return 0;
    return 1;
}

// --- Text ------------------------------------------------------------------------------------------------------------

// "0, 1, 5"
static void print_ranks(uint32_t mask)
{
    for (uint32_t rank = 0, seen = 0; rank < MAX_CTAS; rank++)
        if (mask >> rank & 1) printf("%s%" PRIu32, seen++ > 0 ? ", " : "", rank);
}

static void print_header(const struct sharing *sharing)
{
    const struct explain *question = sharing->question;
    const struct tensormap *map = &question->map;
    const uint32_t *size = question->cluster.size;
    uint64_t box[TENSORMAP_MAX_RANK];
    for (int i = 0; i < map->rank; i++) box[i] = slice_extent(map, i);
    printf("%-20s %" PRIu32 " x %" PRIu32 " x %" PRIu32 ", groups of %" PRIu32 " CTAs share a tile\n", "cluster",
           size[0], size[1], size[2], sharing->slices);
    printf("%-20s %s at (%s): %" PRIu32 " slices of %s, %" PRIu64 " bytes each\n", "tile",
           text_numbers(NUMBERS(question->tile, map->rank), " x ").at,
           text_numbers(NUMBERS(question->coord, map->rank), ", ").at, sharing->slices,
           text_numbers(NUMBERS(box, map->rank), " x ").at, sharing->slice_bytes);
    printf("%-20s 0x%" PRIx32 " to 0x%" PRIx64 " of every CTA\n", "shared memory", question->shared,
           question->shared + sharing->tile_bytes - 1);
    printf("%-20s %" PRIu64 " bytes in every CTA\n\n", "expect_tx", sharing->expect_bytes);
}

static void print_issue(const struct sharing *sharing, uint32_t rank)
{
    const struct issue *load = &sharing->load[rank];
    printf("CTA %-3" PRIu32 " loads slice %" PRIu32, rank, load->index);
    if (sharing->first_group >> rank & 1)
        printf(" at (%s)", text_numbers(NUMBERS(load->slice.coord, sharing->question->map.rank), ", ").at);
    else
        printf(" of its own group's tile");
    printf(" to 0x%" PRIx64 " of CTAs ", sharing->question->shared + load->slice.offset_bytes);
    print_ranks(load->mask);
    printf(" (ctaMask 0x%04" PRIx32 ")\n", load->mask);
}

static void print_missing(const struct sharing *sharing, uint32_t rank)
{
    uint64_t pitch = slice_pitch_bytes(&sharing->question->map);
    for (uint32_t slice = 0; slice < sharing->slices; slice++) {
        uint64_t from = sharing->question->shared + slice * pitch;
        if (sharing->gets[rank][slice] == 0)
            printf("CTA %-3" PRIu32 " never receives slice %" PRIu32 ": 0x%" PRIx64 " to 0x%" PRIx64
                   " keep what they held\n",
                   rank, slice, from, from + pitch - 1);
        else if (sharing->gets[rank][slice] == 2)
            printf("CTA %-3" PRIu32 " receives slice %" PRIu32 " twice\n", rank, slice);
        else if (sharing->gets[rank][slice] > 2)
            printf("CTA %-3" PRIu32 " receives slice %" PRIu32 " %" PRIu32 " times\n", rank, slice,
                   sharing->gets[rank][slice]);
    }
}

// The number of an element, counted innermost first over the tensor; 0 where nothing came or the tensor ends.
static uint64_t number_of(const struct sharing *sharing, uint32_t rank, const uint64_t *at)
{
    const struct tensormap *map = &sharing->question->map;
    uint64_t number = 0, slice = 0, scale = 1, slices = 1;
    for (int i = 0; i < map->rank; i++) {
        uint64_t extent = slice_extent(map, i);
        int64_t index = sharing->question->coord[i] + (int64_t)at[i];
        if (index < 0 || index >= (int64_t)map->dim[i]) return 0;
        number += (uint64_t)index * scale;
        scale *= map->dim[i];
        slice += at[i] / extent * slices;
        slices *= sharing->question->tile[i] / extent;
    }
    return sharing->gets[rank][slice] > 0 ? number : 0;
}

static void print_numbers(const struct sharing *sharing, uint32_t rank)
{
    const struct explain *question = sharing->question;
    uint64_t rows = 1;
    for (int i = 1; i < question->map.rank; i++) rows *= question->tile[i];
    uint64_t shown = question->all || rows < EXPLAIN_LIST_LINES ? rows : EXPLAIN_LIST_LINES;
    for (uint64_t row = 0; row < shown; row++) {
        uint64_t at[TENSORMAP_MAX_RANK] = {0}, rest = row;
        for (int i = 1; i < question->map.rank; i++) {
            at[i] = rest % question->tile[i];
            rest /= question->tile[i];
        }
        for (; at[0] < question->tile[0]; at[0]++)
            printf("%s%4" PRIu64, at[0] == 0 ? "" : " ", number_of(sharing, rank, at));
        printf("\n");
    }
    if (shown < rows) printf("... only the first %" PRIu64 " rows; --all prints every one\n", shown);
}

// CTAs of the first group that hold the same are printed once.
static void print_contents(const struct sharing *sharing)
{
    uint32_t done = 0;
    for (uint32_t rank = 0; rank < sharing->ctas; rank++) {
        uint32_t same = 0;
        if (!(sharing->first_group >> rank & 1) || done >> rank & 1) continue;
        for (uint32_t other = rank; other < sharing->ctas; other++) {
            int is_same = 1;
            for (uint32_t slice = 0; slice < sharing->slices; slice++)
                is_same &= (sharing->gets[rank][slice] > 0) == (sharing->gets[other][slice] > 0);
            if (is_same && sharing->first_group >> other & 1) same |= (uint32_t)1 << other;
        }
        done |= same;
        printf("\nCTAs ");
        print_ranks(same);
        printf(", if element i of the tensor is i and shared memory was 0:\n");
        print_numbers(sharing, rank);
    }
}

static int print_sharing(const struct sharing *sharing)
{
    int incomplete = 0;
    print_header(sharing);
    for (uint32_t rank = 0; rank < sharing->ctas; rank++) print_issue(sharing, rank);
    printf("\n");
    for (uint32_t rank = 0; rank < sharing->ctas; rank++) incomplete |= !is_complete(sharing, rank);
    for (uint32_t rank = 0; rank < sharing->ctas; rank++) print_missing(sharing, rank);
    if (sharing->findings.count > 0)
        printf("A load faults:\n");
    else
        printf(incomplete
                   ? "Each barrier still receives the bytes that it expects: nothing hangs, and nothing faults.\n"
                   : "Every CTA receives its whole tile.\n");
    findings_print(&sharing->findings, stdout);
    if (sharing->question->wants_numbers) print_contents(sharing);
    return incomplete;
}

// --- JSON ------------------------------------------------------------------------------------------------------------

static int print_json(const struct sharing *sharing)
{
    json_t *ctas = json_array();
    int incomplete = 0;
    for (uint32_t rank = 0; rank < sharing->ctas; rank++) {
        const struct issue *load = &sharing->load[rank];
        json_t *cta = json_pack("{s:I, s:I, s:I, s:I, s:o, s:b}", "cta", (json_int_t)rank, "slice",
                                (json_int_t)load->index, "ctaMask", (json_int_t)load->mask, "shared",
                                (json_int_t)(sharing->question->shared + load->slice.offset_bytes), "gets",
                                json_numbers(NUMBERS(sharing->gets[rank], (int)sharing->slices)), "complete",
                                is_complete(sharing, rank));
        if (sharing->first_group >> rank & 1)
            json_object_set_new(cta, "coord", json_numbers(NUMBERS(load->slice.coord, sharing->question->map.rank)));
        json_array_append_new(ctas, cta);
        incomplete |= !is_complete(sharing, rank);
    }
    json_print(json_pack("{s:I, s:I, s:I, s:o, s:o}", "slices", (json_int_t)sharing->slices, "sliceBytes",
                         (json_int_t)sharing->slice_bytes, "expectTx", (json_int_t)sharing->expect_bytes, "ctas", ctas,
                         "findings", findings_array(&sharing->findings)),
               JSON_INDENT(2));
    return incomplete;
}

int explain_cluster(const struct explain *question)
{
    struct sharing sharing = {.question = question, .ctas = slice_cluster_ctas(&question->cluster)};
    sharing.slices = slice_count(&question->map, question->tile);
    int status = check_question(question, &sharing);
    if (status != EXIT_AGREE) return status;
    struct tile box = tile_of(&question->map, question->coord);
    sharing.slice_bytes = tile_transaction_bytes(&box);
    sharing.expect_bytes = sharing.slice_bytes * sharing.slices;
    sharing.tile_bytes = slice_pitch_bytes(&question->map) * sharing.slices;
    if (question->shared + sharing.tile_bytes > (uint64_t)UINT32_MAX + 1)
        return command_usage("explain", "the tile would end past all shared addresses");
    share(&sharing);
    int incomplete = question->json ? print_json(&sharing) : print_sharing(&sharing);
    return incomplete || sharing.findings.count > 0 ? EXIT_MISMATCH : EXIT_AGREE;
}
