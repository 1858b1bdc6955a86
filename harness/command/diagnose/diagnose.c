// SPDX-License-Identifier: MIT
// `tmaref diagnose`: what explains a tile that is wrong in shared memory. This file has the options; see
// diagnose_command.h for the rest and harness/diagnose/ for the search.
#include <stdio.h>
#include <stdlib.h>

#include "command.h"
#include "command_option.h"
#include "diagnose_command.h"

static void take_other(const struct command_option *option, void *line, char *value, struct argp_state *state)
{
    struct diagnose_options *to = line;
    (void)option;
    if (to->others == DIAGNOSE_MAX_OTHERS) argp_error(state, "--other: at most %d files", DIAGNOSE_MAX_OTHERS);
    to->other[to->others++] = value;
}

#define TO struct diagnose_options
static const struct command_option options[] = {
    OPTION_TEXT(0, "map", "MAP", map_text,
                "replaces all other options of this group: hex digits, a JSON call, or a file with one of them",
                .group = 1),
    OPTION_TITLE(4, "The intended copy:"),
    OPTION_FLAG(0, "store", is_store, "the copy is a store: the tile is known, and the dump is of the tensor"),
    OPTION_TEXT(0, "coord", "LIST", coord, "coordinates of the box, innermost first (default 0)"),
    OPTION_TEXT(0, "offsets", "LIST", offsets, "im2colOffsets, W first (default 0)"),
    OPTION_TEXT(0, "shared", "ADDRESS", shared, "address of the box in shared memory (default: start of the dump)"),
    OPTION_TEXT(0, "slices", "N,DIM", slices,
                "the tile is N boxes along dimension DIM, one after the other (multicast)"),
    OPTION_TEXT(0, "expect", "BYTES", expect, "what arrive.expect_tx announced"),
    OPTION_TITLE(5, "What was found:"),
    OPTION_TEXT(0, "dump", "FILE", dump,
                "raw bytes of shared memory, or a file of tmaref_dump(); for a store: the tensor, raw or .npy"),
    OPTION_TEXT(0, "dump-at", "ADDRESS", dump_at,
                "address of the first byte of raw bytes (default: --shared; for a store: the tensor's)"),
    OPTION_TEXT(0, "barrier", "WORD", barrier, "the barrier's word"),
    OPTION_TEXT(0, "before", "WHAT", before,
                "the earlier bytes: a byte (0xcd), poison (of tmaref_poison()), or a file as long as the dump"),
    OPTION_TITLE(6, "What was copied:"),
    OPTION_TEXT(0, "tensor", "FILE", tensor, "raw bytes of global memory, or a .npy file"),
    OPTION_TEXT(0, "tile", "FILE", tile, "for a store: shared memory from --shared on, or a file of tmaref_dump()"),
    OPTION_TAKEN(0, "other", "FILE", take_other,
                 "bytes that may have arrived instead: another operand (with the same layout), or the dump of another "
                 "stage; again for more"),
    OPTION_TEXT(0, "tensor-at", "ADDRESS", tensor_at, "global address of their first byte (default: the tensor's)"),
    OPTION_TEXT(0, "fill", "RULE", fill,
                "in place of a file: iota (element n in memory is the integer n) or words (distinct 64-bit words)"),
    OPTION_TITLE(7, "The output:"),
    OPTION_FLAG(0, "json", json, "print a JSON object"),
    OPTION_FLAG(0, "causes", causes, "list the causes, and do nothing else"),
    OPTION_END,
};

static void check_line(const void *line, struct argp_state *state)
{
    const struct diagnose_options *to = line;
    if (to->causes) return;
    if (to->dump == NULL) argp_error(state, "--dump is needed");
    if (to->is_store && (to->tile == NULL) == (to->fill == NULL))
        argp_error(state, "with --store, --tile or --fill is needed%s", to->fill == NULL ? "" : ", not both");
    if (to->is_store && to->tensor != NULL)
        argp_error(state, "with --store the tensor's bytes are the dump: --dump, not --tensor");
    if (!to->is_store && to->tile != NULL) argp_error(state, "--tile is for stores: --store");
    if (!to->is_store && (to->tensor == NULL) == (to->fill == NULL))
        argp_error(state, "--tensor or --fill is needed%s", to->fill == NULL ? "" : ", not both");
    if (to->map_text != NULL && to->map.given != 0) argp_error(state, "--map, or the options of a map, not both");
}

int command_diagnose(int argc, char **argv)
{
    static const struct command_line line = {
        .help = "Find the cause of a wrong tile in shared memory, or of a wrong tensor after a store. The copy as "
                "intended, and each cause that tmaref knows, alone and in pairs, run on the model and are compared "
                "with the "
                "dump.\vA dump of tmaref_dump() (tmaref_dump.h) contains map, coordinates and addresses; options "
                "on the command line replace these. Exit status: 0 the dump is as intended; 1 it is not, or the copy "
                "would fault; 2 wrong arguments.",
        .options = options,
        .end = check_line,
        .part = &map_line,
        .part_at = offsetof(TO, map),
    };
    struct diagnose_options to = {0};
    struct diagnose_room room = {0};
    struct diagnose question;
    struct diagnosis answer;
    command_line_read(&line, argc, argv, &to);
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
