// SPDX-License-Identifier: MIT
// `tmaref swizzle MODE`: with this swizzle mode, where does each 16-byte chunk and each bank land, and what does an
// access of a warp cost? Reads the arguments and refuses what no tensor copy would take; the answer is made in
// harness/picture (tile_layout.h, warp_access.h, bank.h, which states the wavefront rule) and drawn there.
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "command_option.h"
#include "files.h"
#include "json.h"
#include "map_names.h"
#include "near.h"
#include "picture.h"
#include "rules/load.h"
#include "rules/map.h"
#include "swizzle_find.h"

enum { MAX_ROWS = 1024, MAX_ELEMENT_BYTES = 16, MAX_BOX_ELEMENTS = 256, DEFAULT_ROWS = 8 };

// The arguments as given; NULL where they were not.
struct arguments {
    const char *mode, *row_bytes, *rows, *base, *element_bytes, *dtype, *access, *svg;
    int json;
};

#define TO struct arguments
static const struct command_option options[] = {
    OPTION_TEXT('w', "row-bytes", "N", row_bytes, "Bytes of a row of the box (default: the span, 128 for none)"),
    OPTION_TEXT('n', "rows", "N", rows, "Rows of the box (default: 8, or as many as --access needs)"),
    OPTION_TEXT('b', "base", "ADDRESS", base, "Absolute shared address of the box, a multiple of 128 (default 0)"),
    OPTION_TEXT('e', "element-bytes", "N", element_bytes, "Label elements of 1, 2, 4, 8 or 16 bytes instead of chunks"),
    OPTION_TEXT('t', "dtype", "TYPE", dtype, "The same, by data type: f16, u8, FLOAT32, ...",
                .words = map_words[MAP_DATA_TYPE]),
    OPTION_TEXT('a', "access", "PATTERN", access,
                "Count the wavefronts when each lane l of a warp reads what PATTERN says"),
    OPTION_TEXT(0, "svg", "FILE", svg, "Draw the picture into FILE ('-': standard output) instead of the terminal"),
    OPTION_FLAG(0, "json", json, "Print a JSON object"),
    OPTION_END,
};

static const char help[] =
    "Draw where each 16-byte chunk of a box and each bank lands in shared memory.\n\n"
    "MODE is none, 32B, 64B, 128B, or a name from elsewhere: CU_TENSOR_MAP_SWIZZLE_128B, 'Swizzle<3,4,3>', "
    "Layout_K_SW128_Atom, map:3, ptx:3 (tensormap.replace), wgmma:1 (matrix descriptor).\v"
    "PATTERN is column, row, transpose, ldmatrix, or pairs such as row=l%8,chunk=l/8,bytes=16. Keys: row, chunk (of 16 "
    "bytes), byte and element (added to it), bytes (1, 2, 4, 8, 16; default 16), lanes (default 32). Values: numbers, "
    "l, chunks (of a row), + - * / % ^ & ( ), with C's precedence.\n\n"
    "The wavefront rule: 32 banks of 4 bytes, bank = address / 4 % 32. A wavefront delivers one word of each bank. "
    "16-byte accesses are served a quarter warp at a time, 8-byte ones a half warp, smaller ones the whole warp; "
    "twice as many lanes if they agree in pairs. A word that several lanes read is a broadcast; different words of one "
    "bank take one wavefront each.\n\n"
    "Colours appear on a terminal only, and not when NO_COLOR is set. Exit status: 0, or 2 for wrong arguments.";

static void check_line(const void *line, struct argp_state *state)
{
    const struct arguments *to = line;
    if (to->mode == NULL) argp_error(state, "say which MODE: none, 32B, 64B or 128B");
    if (to->json && to->svg != NULL) argp_error(state, "--json or --svg, not both");
}

static int refuse(enum rule rule, const char *option, const char *value, const char *nearest)
{
    return command_usage("swizzle", "%s %s: %s Legal: %s. (rule %s)", option, value, rule_row(rule)->sentence, nearest,
                         rule_row(rule)->id);
}

static int read_element_bytes(const struct arguments *arguments, struct layout *layout)
{
    uint64_t bytes = layout->element_bytes; // what the mode's CuTe name said
    if (arguments->dtype != NULL && dtype_find(arguments->dtype) == DTYPE_COUNT)
        return command_usage("swizzle", "--dtype %s: no data type of a tensor map%s (u8, f16, bf16, f32, f64, ...)",
                             arguments->dtype, near_dtype(arguments->dtype).at);
    if (arguments->dtype != NULL) bytes = dtype_row(dtype_find(arguments->dtype))->size_bytes;
    uint64_t dtype_bytes = bytes;
    if (arguments->element_bytes != NULL &&
        (!parse_u64(arguments->element_bytes, MAX_ELEMENT_BYTES, &bytes) || bytes == 0 || (bytes & (bytes - 1)) != 0))
        return command_usage("swizzle", "--element-bytes %s: an element has 1, 2, 4, 8 or 16 bytes",
                             arguments->element_bytes);
    if ((layout->element_bytes != 0 && bytes != layout->element_bytes) || (dtype_bytes != 0 && bytes != dtype_bytes))
        return command_usage("swizzle",
                             "the element is said to have %u and %u bytes: MODE, --dtype and --element-bytes "
                             "must agree",
                             (unsigned)(layout->element_bytes != 0 ? layout->element_bytes : dtype_bytes),
                             (unsigned)bytes);
    layout->element_bytes = (uint32_t)bytes;
    return 0;
}

static int read_row_bytes(const struct arguments *arguments, struct layout *layout)
{
    char nearest[64];
    uint32_t element_bytes = layout->element_bytes == 0 || layout->element_bytes > 8 ? 8 : layout->element_bytes;
    uint32_t max_bytes =
        layout->mode == SWIZZLE_NONE ? MAX_BOX_ELEMENTS * element_bytes : tensormap_span_bytes(layout->mode);
    uint64_t bytes = layout->mode == SWIZZLE_NONE ? LAYOUT_LINE_BYTES : max_bytes;
    const char *text = arguments->row_bytes;
    snprintf(nearest, sizeof nearest, "16, 32, ... up to %u", max_bytes);
    if (text != NULL && !parse_u64(text, UINT32_MAX, &bytes))
        return command_usage("swizzle", "--row-bytes %s: not a number of bytes; legal: %s", text, nearest);
    if (bytes == 0 || bytes % LAYOUT_CHUNK_BYTES != 0)
        return refuse(RULE_MAP_INNER_BYTES, "--row-bytes", text, nearest);
    if (bytes > max_bytes)
        return refuse(layout->mode == SWIZZLE_NONE ? RULE_MAP_BOX_DIM : RULE_MAP_SWIZZLE_SPAN, "--row-bytes", text,
                      nearest);
    layout->row_bytes = (uint32_t)bytes;
    return 0;
}

static int read_base(const struct arguments *arguments, struct layout *layout)
{
    char nearest[64];
    uint64_t base = 0;
    const char *text = arguments->base == NULL ? "0" : arguments->base;
    if (!parse_u64(text, UINT32_MAX, &base))
        return command_usage(
            "swizzle",
            "--base %s: not a 32-bit shared address; legal: 0 to 0xffffff80 in steps of 128, decimal or "
            "0x..., as __cvta_generic_to_shared() returns it",
            text);
    uint64_t below = base / LAYOUT_LINE_BYTES * LAYOUT_LINE_BYTES;
    snprintf(nearest, sizeof nearest, "0x%x or 0x%x", (uint32_t)below, (uint32_t)below + LAYOUT_LINE_BYTES);
    if (base % LAYOUT_LINE_BYTES != 0) return refuse(RULE_LOAD_SMEM_ALIGN, "--base", text, nearest);
    layout->base = (uint32_t)base;
    return 0;
}

static int read_access(const struct arguments *arguments, const struct layout *layout, struct access *access)
{
    struct expression_error error;
    if (access_parse(arguments->access, layout, access, &error)) return 0;
    if (error.column < 0) return command_usage("swizzle", "--access %s: %s", access->pattern, error.why.at);
    return command_usage("swizzle", "--access: %s\n  %s\n  %*s^", error.why.at, access->pattern, error.column, "");
}

// Runs after the access: it says how many rows there must be.
static int read_rows(const struct arguments *arguments, const struct access *access, struct layout *layout)
{
    uint64_t rows = access->rows > DEFAULT_ROWS ? access->rows : DEFAULT_ROWS;
    if (arguments->rows != NULL && (!parse_u64(arguments->rows, MAX_ROWS, &rows) || rows == 0))
        return command_usage("swizzle", "--rows %s: legal is 1 to %d", arguments->rows, MAX_ROWS);
    if (rows < access->rows)
        return command_usage("swizzle", "--rows %s: the access reads row %u; legal is %u to %d", arguments->rows,
                             access->rows - 1, access->rows, MAX_ROWS);
    layout->rows = (uint32_t)rows;
    uint64_t box_bytes = rows * layout_pitch_bytes(layout), end = layout->base + box_bytes;
    if (box_bytes > TENSORMAP_MAX_BOX_BYTES)
        return command_usage("swizzle",
                             "%u rows of %u bytes, %u apart, are %llu bytes; the shared memory of an SM is %d. "
                             "Legal: up to %u rows. (rule MAP_BOX_BYTES)",
                             layout->rows, layout->row_bytes, layout_pitch_bytes(layout), (unsigned long long)box_bytes,
                             TENSORMAP_MAX_BOX_BYTES, TENSORMAP_MAX_BOX_BYTES / layout_pitch_bytes(layout));
    if (end > UINT32_MAX)
        return command_usage("swizzle",
                             "the box ends at 0x%llx, past the 32-bit shared addresses; lower --base or --rows",
                             (unsigned long long)end);
    return 0;
}

static bool wants_colour(void)
{
    const char *no_colour = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return isatty(STDOUT_FILENO) && (no_colour == NULL || no_colour[0] == '\0') &&
           (terminal == NULL || strcmp(terminal, "dumb") != 0);
}

static void write_svg(const void *picture, FILE *out)
{
    picture_svg(picture, out);
}

static int show_svg(const struct picture *picture, const char *path)
{
    if (strcmp(path, "-") == 0) {
        picture_svg(picture, stdout);
        return EXIT_AGREE;
    }
    struct text why;
    return save_written(path, write_svg, picture, &why) ? EXIT_AGREE : command_usage("swizzle", "--svg: %s", why.at);
}

static int show_json(const struct picture *picture)
{
    json_print(picture_json(picture), JSON_INDENT(2));
    return EXIT_AGREE;
}

static int read_layout(const struct arguments *arguments, struct layout *layout)
{
    struct text why;
    if (!swizzle_find(arguments->mode, &layout->mode, &layout->element_bytes, &why))
        return command_usage("swizzle", "%s", why.at);
    int status = read_element_bytes(arguments, layout);
    if (status == 0) status = read_row_bytes(arguments, layout);
    if (status == 0) status = read_base(arguments, layout);
    return status;
}

int command_swizzle(int argc, char **argv)
{
    static const struct command_line line = {
        .usage = "MODE",
        .help = help,
        .options = options,
        .twice = "one MODE at a time, not also '%s'",
        .argument_at = offsetof(TO, mode),
        .end = check_line,
        .words = map_words[MAP_SWIZZLE],
    };
    struct arguments arguments = {0};
    struct picture picture = {0};
    struct access access = {0};
    command_line_read(&line, argc, argv, &arguments);

    int status = read_layout(&arguments, &picture.layout);
    if (status == 0 && arguments.access != NULL) status = read_access(&arguments, &picture.layout, &access);
    if (status == 0) status = read_rows(&arguments, &access, &picture.layout);
    if (status != 0) return status;
    if (arguments.access != NULL) {
        struct layout plain = access_unswizzled(&picture.layout);
        picture.access = &access;
        access_count(&access, &picture.layout, &picture.swizzled);
        access_count(&access, &plain, &picture.unswizzled);
    }
    if (arguments.svg != NULL) return show_svg(&picture, arguments.svg);
    if (arguments.json) return show_json(&picture);
    picture_text(&picture, wants_colour(), stdout);
    return EXIT_AGREE;
}
