// SPDX-License-Identifier: MIT
// `tmaref explain`: what a rule or a CUDA error means; which element of a tensor lies at which byte of a box in shared
// memory, and what a store of it writes; which box each CTA of a tiling loads, and what the CTAs of a cluster load
// for each other. This file reads the question, explain_*.c answer it.
#include "explain_command.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "explain_layout.h"
#include "map_options.h"
#include "near_lists.h"
#include "parse_number.h"

struct explain_options {
    struct map_options map;
    const char *rule, *map_text, *coord, *offsets, *reduce, *shared, *byte, *element;
    const char *cluster, *multicast, *tile, *slices, *layout;
    int modes;
    uint64_t cta;
    bool has_cta;
    int inner_first, table, store, tiles, numbers, accesses, all, json;
};

static const char *const orders[] = {"outer", "inner", NULL};

#define TO struct explain_options
static const struct command_option options[] = {
    OPTION_TEXT(0, "map", "MAP", map_text,
                "replaces all other options of this group: hex digits, a JSON call, or a file with one of them",
                .group = 1),
    OPTION_TITLE(4, "One box in shared memory:"),
    OPTION_TEXT(0, "coord", "LIST", coord, "coordinates of the box, innermost first (default 0)"),
    OPTION_FLAG(0, "store", store, "the copy stores the box to global memory"),
    OPTION_TEXT(0, "reduce", "OP", reduce, "the copy is a reduction: add, min, max, inc, dec, and, or, xor"),
    OPTION_TEXT(0, "offsets", "LIST", offsets, "im2colOffsets of an im2col load, W first (default 0)"),
    OPTION_TEXT(0, "shared", "ADDRESS", shared, "address of the box in shared memory (default 0)"),
    OPTION_TEXT(0, "byte", "ADDRESS", byte, "which element lies at this shared address?"),
    OPTION_TEXT(0, "element", "LIST", element, "where does this element of the tensor lie?"),
    OPTION_FLAG(0, "table", table, "print the whole box, one line for each contiguous piece"),
    OPTION_TITLE(5, "The tiles of the whole tensor:"),
    OPTION_FLAG(0, "tiles", tiles, "how many boxes cover the tensor, and their coordinates"),
    OPTION_NUMBER(0, "cta", "N", cta, 0, UINT64_MAX, "the coordinates that CTA N loads, as CuTe prints them",
                  .counted_at = offsetof(TO, has_cta)),
    OPTION_WORD(0, "order", "WHICH", inner_first, orders,
                "dimension that CTA numbers run along first: outer (default) or inner"),
    OPTION_TITLE(6, "A tile that the CTAs of a cluster load for each other, the map's box being one slice:"),
    OPTION_TEXT(0, "cluster", "XxYxZ", cluster, "the cluster's dimensions: 2, 2x1 or 2x2x1"),
    OPTION_TEXT(0, "multicast", "WHICH", multicast,
                "directions along which CTAs share a tile: x, y, z or more of them (default: all)"),
    OPTION_TEXT(0, "tile", "LIST", tile,
                "the tile, innermost first (default: slices follow along the outermost dimension)"),
    OPTION_TEXT(0, "slices", "LIST", slices, "the slice that each CTA loads (default: the right ones)"),
    OPTION_FLAG(0, "numbers", numbers, "what each CTA holds at the end, as element numbers"),
    OPTION_TITLE(7, "A CuTe layout in place of a map, with --element, --tile, --cta and --table:"),
    OPTION_TEXT(0, "layout", "LAYOUT", layout, "the layout as CuTe prints it; with --dtype, a layout of shared memory"),
    OPTION_NUMBER(0, "modes", "N", modes, 1, TENSORMAP_MAX_RANK,
                  "its first N modes are dimensions of the tensor, the others stages (default: all of them)"),
    OPTION_TITLE(8, "The output:"),
    OPTION_FLAG(0, "accesses", accesses, "list reads and writes, range by range, with their proxy"),
    OPTION_FLAG(0, "all", all, "print complete lists"),
    OPTION_FLAG(0, "json", json, "print a JSON object"),
    OPTION_END,
};

// A layout is asked about by itself: of the options of a map only the type goes with it.
static void check_layout(const struct explain_options *to, struct argp_state *state)
{
    if (to->layout == NULL) argp_error(state, "--modes goes with --layout");
    if (to->modes != 0 && to->map.data_type == NULL) argp_error(state, "--modes goes with --dtype");
    if (to->rule != NULL || to->map_text != NULL || to->map.given > (to->map.data_type != NULL))
        argp_error(state, "--layout stands in place of a map or a rule; of a map's options it takes --dtype alone");
    if (to->coord != NULL || to->store || to->reduce != NULL || to->offsets != NULL || to->shared != NULL ||
        to->byte != NULL || to->tiles || to->inner_first || to->cluster != NULL || to->multicast != NULL ||
        to->slices != NULL || to->numbers || to->accesses || to->all)
        argp_error(state, "--layout takes --dtype, --modes, --element, --tile, --cta, --table and --json beside it");
}

static void check_line(const void *line, struct argp_state *state)
{
    const struct explain_options *to = line;
    if (to->layout != NULL || to->modes != 0) {
        check_layout(to, state);
        return;
    }
    if (to->map_text != NULL && to->map.given != 0) argp_error(state, "--map, or the options of a map, not both");
    if (to->rule != NULL && (to->map_text != NULL || to->map.given != 0))
        argp_error(state, "a rule, or a map, not both");
    if (to->rule == NULL && to->map_text == NULL && to->map.given == 0)
        argp_error(state, "say what: a rule, a CUDA error, or a map");
}

static int read_coord(const struct explain_options *from, struct explain *to)
{
    int64_t coord[TENSORMAP_MAX_RANK] = {0};
    int status = EXIT_AGREE;
    if (from->coord != NULL)
        status = index_read("explain", "coord", from->coord,
                            &(struct indices){to->map.rank, "the rank", INT32_MIN, INT32_MAX}, coord);
    for (int i = 0; i < TENSORMAP_MAX_RANK; i++) to->coord[i] = (int32_t)coord[i];
    return status;
}

static int read_offsets(const struct explain_options *from, struct explain *to)
{
    int64_t offset[TENSORMAP_MAX_RANK] = {0};
    if (from->offsets == NULL) return EXIT_AGREE;
    if (to->map.mode != TENSORMAP_IM2COL || to->operation != EXPLAIN_LOAD)
        return command_usage("explain", "--offsets: only loads of im2col maps have them");
    int status = index_read("explain", "offsets", from->offsets,
                            &(struct indices){to->map.rank - 2, "rank - 2", 0, UINT16_MAX}, offset);
    for (int k = 0; k < IM2COL_MAX_SPATIAL; k++) to->offset[k] = (uint16_t)offset[k];
    return status;
}

static int read_operation(const struct explain_options *from, struct explain *to)
{
    to->operation = from->reduce != NULL ? EXPLAIN_REDUCE : from->store ? EXPLAIN_STORE : EXPLAIN_LOAD;
    if (from->reduce != NULL && from->store) return command_usage("explain", "--store, or --reduce, not both");
    if (from->reduce != NULL) to->op = reduce_op_find(from->reduce);
    if (to->op == REDUCE_OPS)
        return command_usage("explain", "--reduce: takes add, min, max, inc, dec, and, or, xor, not '%s'",
                             from->reduce);
    if (to->wants_tiles && to->map.mode != TENSORMAP_TILED)
        return command_usage("explain", "--tiles and --cta are of tiled maps; this is an im2col map");
    return EXIT_AGREE;
}

static int answer_layout(const struct explain_options *from)
{
    const struct explain_layout question = {from->layout, from->map.data_type, from->element, from->tile, from->cta,
                                            from->modes,  from->has_cta,       from->table,   from->json};
    return explain_layout(&question);
}

// "2x1x1": up to three numbers, 1 where one is left out.
static int read_shape(const char *text, struct cluster_shape *shape)
{
    char numbers[64];
    uint64_t size[3] = {1, 1, 1};
    struct text why;
    snprintf(numbers, sizeof numbers, "%s", text);
    for (char *at = numbers; *at != '\0'; at++)
        if (*at == 'x') *at = ',';
    if (parse_u64_list(numbers, UINT64_MAX, 3, size, &why) == 0)
        return command_usage("explain", "--cluster: %s", why.at);
    for (int i = 0; i < 3; i++) {
        if (size[i] < 1 || size[i] > 16)
            return command_usage("explain", "--cluster: a dimension is 1 to 16, not %llu", (unsigned long long)size[i]);
        shape->size[i] = (uint32_t)size[i];
    }
    return EXIT_AGREE;
}

static int read_along(const char *text, int *along)
{
    *along = text == NULL ? SLICE_XYZ : 0;
    for (; text != NULL && *text != '\0'; text++) {
        if (*text < 'x' || *text > 'z')
            return command_usage("explain", "--multicast: takes x, y, z or more of them, not '%s'", text);
        *along |= 1 << (*text - 'x');
    }
    return EXIT_AGREE;
}

// The tile that is asked for, or slices along the outermost dimension.
static int read_tile(const struct explain_options *from, struct explain *to)
{
    const struct tensormap *map = &to->map;
    int64_t tile[TENSORMAP_MAX_RANK];
    for (int i = 0; i < map->rank; i++) to->tile[i] = slice_extent(map, i);
    to->tile[map->rank - 1] *= slice_group_ctas(&to->cluster, to->along);
    if (from->tile == NULL) return EXIT_AGREE;
    int status =
        index_read("explain", "tile", from->tile, &(struct indices){map->rank, "the rank", 1, (int64_t)1 << 31}, tile);
    for (int i = 0; i < map->rank && status == EXIT_AGREE; i++) to->tile[i] = (uint64_t)tile[i];
    return status;
}

static int read_cluster(const struct explain_options *from, struct explain *to)
{
    struct text why;
    if (from->cluster == NULL) {
        if (from->multicast != NULL || from->tile != NULL || from->slices != NULL || from->numbers)
            return command_usage("explain", "--multicast, --tile, --slices and --numbers go with --cluster");
        return EXIT_AGREE;
    }
    if (to->map.mode != TENSORMAP_TILED || to->operation != EXPLAIN_LOAD)
        return command_usage("explain", "--cluster: shows a load of a tiled map");
    if (to->wants_numbers && to->json) return command_usage("explain", "--numbers or --json, not both");
    to->wants_cluster = 1;
    int status = read_shape(from->cluster, &to->cluster);
    if (status == EXIT_AGREE) status = read_along(from->multicast, &to->along);
    if (status == EXIT_AGREE) status = read_tile(from, to);
    if (status != EXIT_AGREE || from->slices == NULL) return status;
    to->has_slices = true;
    int count = parse_u64_list(from->slices, 15, 16, to->slices, &why), ctas = (int)slice_cluster_ctas(&to->cluster);
    if (count == 0) return command_usage("explain", "--slices: %s", why.at);
    if (count != ctas) return command_usage("explain", "--slices: has %d numbers, the cluster %d CTAs", count, ctas);
    return EXIT_AGREE;
}

static int read_question(const struct explain_options *from, struct explain *to)
{
    *to = (struct explain){.wants_byte = from->byte != NULL,
                           .wants_element = from->element != NULL,
                           .wants_table = from->table,
                           .wants_tiles = from->tiles || from->has_cta,
                           .wants_cta = from->has_cta,
                           .cta = from->cta,
                           .inner_first = from->inner_first,
                           .wants_numbers = from->numbers,
                           .wants_accesses = from->accesses,
                           .all = from->all,
                           .json = from->json};
    int status = map_question_read("explain", from->map_text, &from->map, &to->map);
    if (status == EXIT_AGREE) status = read_operation(from, to);
    if (status == EXIT_AGREE) status = read_coord(from, to);
    if (status == EXIT_AGREE) status = read_offsets(from, to);
    if (status == EXIT_AGREE && from->shared != NULL)
        status = address_read("explain", "shared", from->shared, &to->shared);
    if (status == EXIT_AGREE && from->byte != NULL) status = address_read("explain", "byte", from->byte, &to->byte);
    if (status == EXIT_AGREE && from->element != NULL)
        status = index_read("explain", "element", from->element,
                            &(struct indices){to->map.rank, "the rank", INT32_MIN, (int64_t)1 << 33}, to->element);
    return status == EXIT_AGREE ? read_cluster(from, to) : status;
}

int command_explain(int argc, char **argv)
{
    static const struct command_line line = {
        .usage = "RULE|ERROR\nMAP-OPTION...\n--layout=LAYOUT",
        .help = "Explain a rule or a CUDA error. Show which element of a tensor lies where in shared memory, what a "
                "store writes, which box each CTA loads, or which box and swizzle fill a CuTe layout.\vExit status: 0 "
                "answered; 1 the map is refused, the copy would fault, the box does not hold what was asked for, or "
                "no tensor copies fill the layout; 2 wrong arguments.",
        .options = options,
        .twice = "one rule or error at a time, not also '%s'; quotes make one of several words",
        .argument_at = offsetof(TO, rule),
        .value_at = near_rule,
        .end = check_line,
        .part = &map_line,
        .part_at = offsetof(TO, map),
    };
    struct explain_options to = {0};
    struct explain question;
    command_line_read(&line, argc, argv, &to);
    if (to.rule != NULL) return explain_rule(to.rule, to.json);
    if (to.layout != NULL) return answer_layout(&to);
    int status = read_question(&to, &question);
    if (status != EXIT_AGREE) return status;
    if (question.wants_cluster) return explain_cluster(&question);
    if (question.wants_accesses) return explain_accesses(&question);
    return question.wants_tiles ? explain_tiles(&question) : explain_box(&question);
}
