// SPDX-License-Identifier: MIT
// A tile that the CTAs of a cluster load for each other: which slice each CTA issues, to whom, and what every CTA holds
// in the end, with the right slices or with wrong ones. The cuts are slice.h's.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "answer.h"
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

static bool is_complete(const struct sharing *sharing, uint32_t rank)
{
    for (uint32_t slice = 0; slice < sharing->slices; slice++)
        if (sharing->gets[rank][slice] != 1) return false;
    return true;
}

// --- Contents --------------------------------------------------------------------------------------------------------

// "0, 1, 5"
static void print_ranks(uint32_t mask)
{
    for (uint32_t rank = 0, seen = 0; rank < MAX_CTAS; rank++)
        if (mask >> rank & 1) printf("%s%" PRIu32, seen++ > 0 ? ", " : "", rank);
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
            bool is_same = true;
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

// --- The answer ------------------------------------------------------------------------------------------------------

static const char text[] =
    "cluster              {cluster*{}| x }, groups of {slices} CTAs share a tile\n"
    "tile                 {tile*{}| x } at ({coord*{}|, }): {slices} slices of {box*{}| x }, {sliceBytes} bytes each\n"
    "shared memory        0x{shared:x} to 0x{last:x} of every CTA\n"
    "expect_tx            {expectTx} bytes in every CTA\n\n"
    "{ctas*CTA {cta:-3} loads slice {slice}{coord? at ({coord*{}|, })}{coord! of its own group's tile} to 0x{shared:x} "
    "of CTAs {for*{}|, } (ctaMask 0x{ctaMask:04x})\n}\n"
    "{ctas*{gets*{=0?CTA {^cta:-3} never receives slice {@}: 0x{^^places.@.first:x} to 0x{^^places.@.last:x} keep what "
    "they held\n}{=0!{=1!CTA {^cta:-3} receives slice {@} {=2?twice}{=2!{} times}\n}}}}"
    "{findings?A load faults:\n}{findings!{complete?Every CTA receives its whole tile.\n}{complete!Each barrier still "
    "receives the bytes that it expects: nothing hangs, and nothing faults.\n}}";

static json_t *cta_json(const struct sharing *sharing, uint32_t rank)
{
    const struct issue *load = &sharing->load[rank];
    json_t *to = json_array();
    for (uint32_t other = 0; other < MAX_CTAS; other++)
        if (load->mask >> other & 1) json_array_append_new(to, json_integer(other));
    json_t *cta = json_pack("{s:I, s:I, s:I, s:o, s:I, s:o, s:b}", "cta", (json_int_t)rank, "slice",
                            (json_int_t)load->index, "ctaMask", (json_int_t)load->mask, "for", to, "shared",
                            (json_int_t)(sharing->question->shared + load->slice.offset_bytes), "gets",
                            json_numbers(NUMBERS(sharing->gets[rank], (int)sharing->slices)), "complete",
                            is_complete(sharing, rank));
    if (sharing->first_group >> rank & 1)
        json_object_set_new(cta, "coord", json_numbers(NUMBERS(load->slice.coord, sharing->question->map.rank)));
    return cta;
}

static json_t *places_json(const struct sharing *sharing)
{
    json_t *places = json_array();
    const uint64_t pitch = slice_pitch_bytes(&sharing->question->map);
    for (uint32_t slice = 0; slice < sharing->slices; slice++) {
        const uint64_t first = sharing->question->shared + slice * pitch;
        json_array_append_new(
            places, json_pack("{s:I, s:I}", "first", (json_int_t)first, "last", (json_int_t)(first + pitch - 1)));
    }
    return places;
}

static json_t *sharing_json(const struct sharing *sharing, bool is_complete)
{
    const struct explain *question = sharing->question;
    const int rank = question->map.rank;
    uint64_t box[TENSORMAP_MAX_RANK];
    for (int i = 0; i < rank; i++) box[i] = slice_extent(&question->map, i);
    json_t *ctas = json_array();
    for (uint32_t cta = 0; cta < sharing->ctas; cta++) json_array_append_new(ctas, cta_json(sharing, cta));
    return json_pack("{s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:b, s:o}", "cluster",
                     json_numbers(NUMBERS(question->cluster.size, 3)), "tile",
                     json_numbers(NUMBERS(question->tile, rank)), "coord", json_numbers(NUMBERS(question->coord, rank)),
                     "box", json_numbers(NUMBERS(box, rank)), "shared", (json_int_t)question->shared, "last",
                     (json_int_t)(question->shared + sharing->tile_bytes - 1), "slices", (json_int_t)sharing->slices,
                     "sliceBytes", (json_int_t)sharing->slice_bytes, "expectTx", (json_int_t)sharing->expect_bytes,
                     "places", places_json(sharing), "ctas", ctas, "complete", is_complete, "findings",
                     findings_array(&sharing->findings));
}

static int answer(const struct sharing *sharing)
{
    const struct explain *question = sharing->question;
    bool complete = true;
    for (uint32_t rank = 0; rank < sharing->ctas; rank++) complete &= is_complete(sharing, rank);
    answer_print(sharing_json(sharing, complete), question->json ? NULL : text, JSON_INDENT(2));
    if (!question->json) findings_print(&sharing->findings, stdout);
    if (question->wants_numbers) print_contents(sharing);
    return complete && sharing->findings.count == 0 ? EXIT_AGREE : EXIT_MISMATCH;
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
    return answer(&sharing);
}
