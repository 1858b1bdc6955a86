// SPDX-License-Identifier: MIT
// `tmaref explain`: what a rule or a CUDA error means; which element of a tensor lies at which byte of a box in shared
// memory, and what a store of it writes; which box each CTA of a tiling loads, and what the CTAs of a cluster load
// for each other. This file reads the question, explain_*.c answer it.
#include "explain.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "map_options.h"
#include "map_question.h"
#include "number_list.h"

enum {
    OPTION_JSON = 256,
    OPTION_MAP,
    OPTION_COORD,
    OPTION_OFFSETS,
    OPTION_REDUCE,
    OPTION_SHARED,
    OPTION_BYTE,
    OPTION_ELEMENT,
    OPTION_TABLE,
    OPTION_STORE,
    OPTION_TILES,
    OPTION_CTA,
    OPTION_ORDER,
    OPTION_CLUSTER,
    OPTION_MULTICAST,
    OPTION_TILE,
    OPTION_SLICES,
    OPTION_NUMBERS,
    OPTION_ALL,
    OPTION_ACCESSES
};

struct explain_options {
    struct map_options map;
    const char *rule, *map_text, *coord, *offsets, *reduce, *shared, *byte, *element, *cta, *order;
    const char *cluster, *multicast, *tile, *slices;
    int table, store, tiles, numbers, accesses, all, json;
};

static const struct argp_option options[] = {
    {"map", OPTION_MAP, "MAP", 0, "the map as hex digits, a JSON call, or a file with one of them", 2},
    {NULL, 0, NULL, 0, "One box in shared memory:", 4},
    {"coord", OPTION_COORD, "LIST", 0, "coordinates of the box, innermost first (default 0)", 0},
    {"store", OPTION_STORE, NULL, 0, "the box is stored to global memory, not loaded", 0},
    {"reduce", OPTION_REDUCE, "OP", 0, "it is reduced: add, min, max, inc, dec, and, or, xor", 0},
    {"offsets", OPTION_OFFSETS, "LIST", 0, "im2colOffsets of an im2col load, W first (default 0)", 0},
    {"shared", OPTION_SHARED, "ADDRESS", 0, "its address in shared memory (default 0)", 0},
    {"byte", OPTION_BYTE, "ADDRESS", 0, "which element lies at this shared address?", 0},
    {"element", OPTION_ELEMENT, "LIST", 0, "where does this element of the tensor lie?", 0},
    {"table", OPTION_TABLE, NULL, 0, "the whole box, a line for each piece that lies together", 0},
    {NULL, 0, NULL, 0, "The tiles of the whole tensor:", 5},
    {"tiles", OPTION_TILES, NULL, 0, "how many boxes cover the tensor, and their coordinates", 0},
    {"cta", OPTION_CTA, "N", 0, "the coordinates that CTA N loads, as CuTe prints them", 0},
    {"order", OPTION_ORDER, "WHICH", 0, "dimension that CTA numbers run along first: outer (default) or inner", 0},
    {NULL, 0, NULL, 0, "A tile that the CTAs of a cluster load for each other, the map's box being one slice:", 6},
    {"cluster", OPTION_CLUSTER, "XxYxZ", 0, "the cluster's dimensions: 2, 2x1 or 2x2x1", 0},
    {"multicast", OPTION_MULTICAST, "WHICH", 0,
     "directions along which CTAs share a tile: x, y, z or more of them (default: all)", 0},
    {"tile", OPTION_TILE, "LIST", 0, "the tile, innermost first (default: slices follow along the outermost dimension)",
     0},
    {"slices", OPTION_SLICES, "LIST", 0, "the slice that each CTA loads (default: the right ones)", 0},
    {"numbers", OPTION_NUMBERS, NULL, 0, "what each CTA holds in the end, as element numbers", 0},
    {NULL, 0, NULL, 0, "The output:", 7},
    {"accesses", OPTION_ACCESSES, NULL, 0, "what is read and written, range by range, and by which proxy", 0},
    {"all", OPTION_ALL, NULL, 0, "print lists to their end", 0},
    {"json", OPTION_JSON, NULL, 0, "print a JSON object", 0},
    {0},
};

static error_t parse_flag(int key, struct explain_options *to)
{
    switch (key) {
    case OPTION_TABLE:
        to->table = 1;
        return 0;
    case OPTION_STORE:
        to->store = 1;
        return 0;
    case OPTION_TILES:
        to->tiles = 1;
        return 0;
    case OPTION_NUMBERS:
        to->numbers = 1;
        return 0;
    case OPTION_ACCESSES:
        to->accesses = 1;
        return 0;
    case OPTION_ALL:
        to->all = 1;
        return 0;
    case OPTION_JSON:
        to->json = 1;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse(int key, char *value, struct argp_state *state)
{
    struct explain_options *to = state->input;
    const char **const texts[] = {
        [OPTION_MAP - OPTION_MAP] = &to->map_text,        [OPTION_COORD - OPTION_MAP] = &to->coord,
        [OPTION_OFFSETS - OPTION_MAP] = &to->offsets,     [OPTION_REDUCE - OPTION_MAP] = &to->reduce,
        [OPTION_SHARED - OPTION_MAP] = &to->shared,       [OPTION_BYTE - OPTION_MAP] = &to->byte,
        [OPTION_ELEMENT - OPTION_MAP] = &to->element,     [OPTION_CTA - OPTION_MAP] = &to->cta,
        [OPTION_ORDER - OPTION_MAP] = &to->order,         [OPTION_CLUSTER - OPTION_MAP] = &to->cluster,
        [OPTION_MULTICAST - OPTION_MAP] = &to->multicast, [OPTION_TILE - OPTION_MAP] = &to->tile,
        [OPTION_SLICES - OPTION_MAP] = &to->slices};
    if (key >= OPTION_MAP && key <= OPTION_SLICES && texts[key - OPTION_MAP] != NULL) {
        *texts[key - OPTION_MAP] = value;
        return 0;
    }
    switch (key) {
    case ARGP_KEY_INIT:
        *to = (struct explain_options){0};
        state->child_inputs[0] = &to->map;
        return 0;
    case ARGP_KEY_ARG:
        if (to->rule != NULL) argp_error(state, "one rule or error at a time, not also '%s'", value);
        to->rule = value;
        return 0;
    case ARGP_KEY_END:
        if (to->map_text != NULL && to->map.given != 0) argp_error(state, "--map, or the options of a map, not both");
        if (to->rule != NULL && (to->map_text != NULL || to->map.given != 0))
            argp_error(state, "a rule, or a map, not both");
        if (to->rule == NULL && to->map_text == NULL && to->map.given == 0)
            argp_error(state, "say what: a rule, a CUDA error, or a map");
        return 0;
    default:
        return parse_flag(key, to);
    }
}

static int read_coord(const struct explain_options *from, struct explain *to)
{
    int64_t coord[TENSORMAP_MAX_RANK] = {0};
    int status = EXIT_AGREE;
    if (from->coord != NULL)
        status = index_read("explain", "coord", from->coord, to->map.rank, "the rank", INT32_MIN, INT32_MAX, coord);
    for (int i = 0; i < TENSORMAP_MAX_RANK; i++) to->coord[i] = (int32_t)coord[i];
    return status;
}

static int read_offsets(const struct explain_options *from, struct explain *to)
{
    int64_t offset[TENSORMAP_MAX_RANK] = {0};
    if (from->offsets == NULL) return EXIT_AGREE;
    if (to->map.mode != TENSORMAP_IM2COL || to->operation != EXPLAIN_LOAD)
        return command_usage("explain", "--offsets: only loads of im2col maps have them");
    int status = index_read("explain", "offsets", from->offsets, to->map.rank - 2, "rank - 2", 0, UINT16_MAX, offset);
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

static int read_order(const char *order, struct explain *to)
{
    if (order == NULL || strcmp(order, "outer") == 0) return EXIT_AGREE;
    to->inner_first = 1;
    return strcmp(order, "inner") == 0 ? EXIT_AGREE
                                       : command_usage("explain", "--order: takes outer or inner, not '%s'", order);
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
    if (parse_u64_list(numbers, 16, 3, size, &why) == 0) return command_usage("explain", "--cluster: %s", why.at);
    for (int i = 0; i < 3; i++) {
        if (size[i] == 0) return command_usage("explain", "--cluster: a dimension is 1 to 16, not 0");
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
    int status = index_read("explain", "tile", from->tile, map->rank, "the rank", 1, (int64_t)1 << 31, tile);
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
    to->has_slices = 1;
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
                           .wants_tiles = from->tiles || from->cta != NULL,
                           .wants_cta = from->cta != NULL,
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
        status = index_read("explain", "element", from->element, to->map.rank, "the rank", INT32_MIN, (int64_t)1 << 33,
                            to->element);
    if (status == EXIT_AGREE && from->cta != NULL && !parse_u64(from->cta, UINT64_MAX, &to->cta))
        status = command_usage("explain", "--cta: '%s' is not a whole number", from->cta);
    if (status == EXIT_AGREE) status = read_cluster(from, to);
    return status == EXIT_AGREE ? read_order(from->order, to) : status;
}

int command_explain(int argc, char **argv)
{
    static const struct argp_child children[] = {{&map_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        options,
        parse,
        "RULE|ERROR\nMAP-OPTION...",
        "Say what a rule or a CUDA error means, which element of a tensor lies where in shared memory, what a store "
        "writes, or which box each CTA loads.\vExit status: 0 answered; 1 the map is refused, the copy would fault, or "
        "the box does not "
        "hold what was asked for; 2 wrong arguments.",
        children,
        NULL,
        NULL};
    struct explain_options to;
    struct explain question;
    if (argp_parse(&argp, argc, argv, 0, NULL, &to) != 0) return EXIT_USAGE;
    if (to.rule != NULL) return explain_rule(to.rule, to.json);
    int status = read_question(&to, &question);
    if (status != EXIT_AGREE) return status;
    if (question.wants_cluster) return explain_cluster(&question);
    if (question.wants_accesses) return explain_accesses(&question);
    return question.wants_tiles ? explain_tiles(&question) : explain_box(&question);
}
