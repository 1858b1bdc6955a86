// SPDX-License-Identifier: MIT
// `tmaref diagnose`: what explains a tile that is wrong in shared memory. This file has the options; see
// diagnose_command.h for the rest and harness/diagnose/ for the search.
#include <stdio.h>
#include <stdlib.h>

#include "command.h"
#include "diagnose_command.h"

enum {
    OPTION_JSON = 256,
    OPTION_CAUSES,
    OPTION_MAP,
    OPTION_COORD,
    OPTION_OFFSETS,
    OPTION_SHARED,
    OPTION_SLICES,
    OPTION_DUMP,
    OPTION_DUMP_AT,
    OPTION_TILE,
    OPTION_TENSOR,
    OPTION_TENSOR_AT,
    OPTION_FILL,
    OPTION_BEFORE,
    OPTION_BARRIER,
    OPTION_EXPECT,
    OPTION_OTHER,
    OPTION_STORE
};

static const struct argp_option options[] = {
    {"map", OPTION_MAP, "MAP", 0, "the map as hex digits, a JSON call, or a file with one of them", 2},
    {NULL, 0, NULL, 0, "The copy as it was meant:", 4},
    {"store", OPTION_STORE, NULL, 0, "it is a store: the tile is known, the dump is of the tensor", 0},
    {"coord", OPTION_COORD, "LIST", 0, "coordinates of the box, innermost first (default 0)", 0},
    {"offsets", OPTION_OFFSETS, "LIST", 0, "im2colOffsets, W first (default 0)", 0},
    {"shared", OPTION_SHARED, "ADDRESS", 0, "where the box goes in shared memory (default: where the dump begins)", 0},
    {"slices", OPTION_SLICES, "N,DIM", 0, "the tile is N boxes along dimension DIM, one after the other (multicast)",
     0},
    {"expect", OPTION_EXPECT, "BYTES", 0, "what arrive.expect_tx announced", 0},
    {NULL, 0, NULL, 0, "What was found:", 5},
    {"dump", OPTION_DUMP, "FILE", 0,
     "raw bytes of shared memory, or a file of tmaref_dump(); of a store: the tensor's, raw or .npy", 0},
    {"dump-at", OPTION_DUMP_AT, "ADDRESS", 0,
     "address of the first byte of raw bytes (default: --shared; of a store: the tensor's)", 0},
    {"barrier", OPTION_BARRIER, "WORD", 0, "the barrier's word", 0},
    {"before", OPTION_BEFORE, "WHAT", 0,
     "what lay there before: a byte (0xcd), poison (of tmaref_poison()), or a file as long as the dump", 0},
    {NULL, 0, NULL, 0, "What was copied:", 6},
    {"tensor", OPTION_TENSOR, "FILE", 0, "raw bytes of global memory, or a .npy file", 0},
    {"tile", OPTION_TILE, "FILE", 0, "of a store: shared memory from --shared on, or a file of tmaref_dump()", 0},
    {"other", OPTION_OTHER, "FILE", 0,
     "bytes that may have come in their place: another operand (laid out alike), or the dump of another stage; again "
     "for "
     "more",
     0},
    {"tensor-at", OPTION_TENSOR_AT, "ADDRESS", 0, "global address of their first byte (default: the tensor's)", 0},
    {"fill", OPTION_FILL, "RULE", 0,
     "in place of a file: iota (element n in memory is the integer n) or words (distinct 64-bit words)", 0},
    {NULL, 0, NULL, 0, "The output:", 7},
    {"json", OPTION_JSON, NULL, 0, "print a JSON object", 0},
    {"causes", OPTION_CAUSES, NULL, 0, "list the causes that are tried, and nothing else", 0},
    {0},
};

static error_t parse(int key, char *value, struct argp_state *state)
{
    struct diagnose_options *to = state->input;
    const char **const texts[] = {&to->map_text, &to->coord,   &to->offsets, &to->shared, &to->slices,
                                  &to->dump,     &to->dump_at, &to->tile,    &to->tensor, &to->tensor_at,
                                  &to->fill,     &to->before,  &to->barrier, &to->expect};
    if (key >= OPTION_MAP && key <= OPTION_EXPECT) {
        *texts[key - OPTION_MAP] = value;
        return 0;
    }
    switch (key) {
    case ARGP_KEY_INIT:
        *to = (struct diagnose_options){0};
        state->child_inputs[0] = &to->map;
        return 0;
    case OPTION_OTHER:
        if (to->others == DIAGNOSE_MAX_OTHERS) argp_error(state, "--other: at most %d files", DIAGNOSE_MAX_OTHERS);
        to->other[to->others++] = value;
        return 0;
    case OPTION_STORE:
        to->is_store = 1;
        return 0;
    case OPTION_JSON:
        to->json = 1;
        return 0;
    case OPTION_CAUSES:
        to->causes = 1;
        return 0;
    case ARGP_KEY_ARG:
        argp_error(state, "takes no argument '%s'", value);
        return 0;
    case ARGP_KEY_END:
        if (to->causes) return 0;
        if (to->dump == NULL) argp_error(state, "--dump is needed");
        if (to->is_store && (to->tile == NULL) == (to->fill == NULL))
            argp_error(state, "with --store, --tile or --fill is needed, not both");
        if (to->is_store && to->tensor != NULL)
            argp_error(state, "with --store the tensor's bytes are the dump: --dump, not --tensor");
        if (!to->is_store && to->tile != NULL) argp_error(state, "--tile is for stores: --store");
        if (!to->is_store && (to->tensor == NULL) == (to->fill == NULL))
            argp_error(state, "--tensor or --fill is needed, not both");
        if (to->map_text != NULL && to->map.given != 0) argp_error(state, "--map, or the options of a map, not both");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

int command_diagnose(int argc, char **argv)
{
    static const struct argp_child children[] = {{&map_argp, 0, NULL, 0}, {0}};
    static const struct argp argp = {
        options,
        parse,
        NULL,
        "Say what explains a tile that is wrong in shared memory, or a tensor after a store: the copy as meant, and "
        "each "
        "cause that tmaref knows, alone and with another, are run and compared with the dump.\vA dump of tmaref_dump() "
        "(tmaref_dump.h) brings map, coordinates and "
        "addresses along; options that are given count in their place. Exit status: 0 the dump is as meant; 1 it is "
        "not, "
        "or the copy would fault; 2 wrong arguments.",
        children,
        NULL,
        NULL};
    struct diagnose_options to;
    struct diagnose_room room = {0};
    struct diagnose question;
    struct diagnosis answer;
    if (argp_parse(&argp, argc, argv, 0, NULL, &to) != 0) return EXIT_USAGE;
    if (to.causes) {
        diagnose_print_causes(to.json);
        return EXIT_AGREE;
    }
    int status = diagnose_read(&to, &question, &room);
    if (status == EXIT_AGREE && !diagnose(&question, &answer)) status = command_usage("diagnose", "not enough memory");
    if (status == EXIT_AGREE) {
        if (to.json)
            diagnose_print_json(&question, &answer);
        else
            diagnose_print(&question, &answer);
        status = diagnosis_is_clean(&answer) ? EXIT_AGREE : EXIT_MISMATCH;
    }
    free(room.dump);
    free(room.source);
    for (int i = 0; i < DIAGNOSE_MAX_OTHERS; i++) free(room.other[i]);
    free(room.before);
    return status;
}
