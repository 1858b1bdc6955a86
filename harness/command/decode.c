// SPDX-License-Identifier: MIT
// `tmaref decode`: the fields of 128 bytes, the call that makes them, and what no encoder would have set; or a matrix
// descriptor of wgmma.
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "command_option.h"
#include "copy.h"
#include "descriptor.h"
#include "json.h"
#include "map_bytes.h"
#include "map_text.h"
#include "parse_number.h"
#include "replace.h"
#include "swizzle_names.h"
#include "types.h"
#include "wgmma.h"

enum { MAX_EDITS = 64 };

// --- A matrix descriptor of wgmma ------------------------------------------------------------------------------------

// The descriptor, and the operand that it is for: `rows` of M or N, of these types, K-major or MN-major.
struct descriptor_question {
    uint64_t bits;
    enum wgmma_types types;
    int rows, is_mn_major;
};

enum { STEP_BYTES = 32, PIECE_BYTES = 16, GROUP_ROWS = 8, STEP_K = 16 }; // one instruction's depth; MN-major is 16-bit

// The operand taken apart.
struct answer {
    const struct descriptor_question *question;
    struct wgmma_descriptor descriptor;
    struct findings findings;
    uint32_t first, end, next_start;
    bool leaves_span;
};

// It is judged as B: the layouts of A are the same.
static struct wgmma instruction_of(const struct descriptor_question *q)
{
    return (struct wgmma){.types = q->types, .n = q->rows, .a_in_registers = 1, .is_transposed = {0, q->is_mn_major}};
}

// Where the next instruction along K begins, before swizzling; of K-major rows not behind the end of the span.
static void find_next(struct answer *answer)
{
    const struct wgmma_descriptor *d = &answer->descriptor;
    uint32_t span = wgmma_span_bytes(d), next = answer->question->is_mn_major ? wgmma_address_mn_major(d, 0, STEP_K)
                                                                              : wgmma_address_k_major(d, 0, STEP_BYTES);
    answer->next_start = wgmma_unswizzled(d, next);
    answer->leaves_span = !answer->question->is_mn_major && d->swizzle != WGMMA_SWIZZLE_NONE &&
                          d->start_bytes % span + STEP_BYTES >= span;
}

static struct answer answer_of(const struct descriptor_question *q)
{
    static uint8_t bytes[SM_SHARED_BYTES];
    const struct memory shared = {bytes, 0, sizeof bytes};
    const struct wgmma instruction = instruction_of(q);
    const struct wgmma_operands operands = {.descriptor = {0, q->bits}, .shared = &shared};
    struct answer answer = {.question = q, .descriptor = wgmma_descriptor_unpack(q->bits)};
    wgmma_check(&instruction, &operands, &answer.findings);
    wgmma_reach(&instruction, 1, q->bits, &answer.first, &answer.end);
    find_next(&answer);
    return answer;
}

static uint64_t next_bits(const struct answer *answer)
{
    struct wgmma_descriptor next = answer->descriptor;
    next.start_bytes = answer->next_start;
    return wgmma_descriptor_pack(&next) | (answer->question->bits & WGMMA_DESCRIPTOR_IGNORED);
}

// Pieces of 16 bytes stand in lines: of a K-major operand a line is a row, and K runs along it; of an MN-major one a
// line is one k, and rows run along it.
static int lines(const struct answer *answer)
{
    return answer->question->is_mn_major ? STEP_K : answer->question->rows;
}

static int pieces(const struct answer *answer)
{
    return answer->question->is_mn_major ? answer->question->rows / GROUP_ROWS : STEP_BYTES / PIECE_BYTES;
}

static uint32_t piece_address(const struct answer *answer, int line, int piece)
{
    if (answer->question->is_mn_major) return wgmma_address_mn_major(&answer->descriptor, piece * GROUP_ROWS, line);
    return wgmma_address_k_major(&answer->descriptor, line, piece * PIECE_BYTES);
}

// --- For people ------------------------------------------------------------------------------------------------------

static void print_descriptor(const struct answer *answer)
{
    const struct wgmma_descriptor *d = &answer->descriptor;
    const struct descriptor_question *q = answer->question;
    printf("start address        0x%x\n", d->start_bytes);
    printf("leading offset       %u bytes\n", d->leading_bytes);
    printf("stride offset        %u bytes\n", d->stride_bytes);
    printf("base offset          %u lines of 128 bytes\n", d->base_offset);
    const enum tensormap_swizzle mode = swizzle_of_wgmma(d->swizzle);
    printf("swizzle              %s (%d here, %d in a tensor map)\n", swizzle_plain_name(mode), (int)d->swizzle,
           (int)mode);
    if (q->bits & WGMMA_DESCRIPTOR_IGNORED)
        printf("ignored bits         0x%" PRIx64 "\n", q->bits & WGMMA_DESCRIPTOR_IGNORED);
    printf("operand              %d rows of M or N, %s, of %s\n", q->rows, q->is_mn_major ? "MN-major" : "K-major",
           wgmma_types_row(q->types)->name);
    printf("reads                0x%x to 0x%x\n", answer->first, answer->end - 1);
    if (answer->leaves_span)
        printf("next along K         in the next box: the span of %u bytes ends here\n", wgmma_span_bytes(d));
    else
        printf("next along K         0x%016" PRIx64 ": the start is %d bytes on\n", next_bits(answer),
               (int)(answer->next_start - d->start_bytes));
}

static void print_pieces(const struct answer *answer)
{
    printf("\n%s", answer->question->is_mn_major ? "  k " : " row");
    for (int p = 0; p < pieces(answer); p++) {
        int first = p * (answer->question->is_mn_major ? GROUP_ROWS : PIECE_BYTES),
            last = first + (answer->question->is_mn_major ? GROUP_ROWS : PIECE_BYTES) - 1;
        printf("  %s %d-%d", answer->question->is_mn_major ? "rows" : "K bytes", first, last);
    }
    printf("\n");
    for (int line = 0; line < lines(answer); line++) {
        printf("%4d", line);
        for (int p = 0; p < pieces(answer); p++)
            printf("%*s0x%05x", p == 0 ? 2 : answer->question->is_mn_major ? 5 : 8, "", piece_address(answer, line, p));
        printf("\n");
    }
}

// --- For programs ----------------------------------------------------------------------------------------------------

static json_t *piece_table(const struct answer *answer)
{
    json_t *table = json_array();
    for (int line = 0; line < lines(answer); line++) {
        json_t *row = json_array();
        for (int p = 0; p < pieces(answer); p++)
            json_array_append_new(row, json_integer(piece_address(answer, line, p)));
        json_array_append_new(table, row);
    }
    return table;
}

static void print_descriptor_json(const struct answer *answer)
{
    const struct wgmma_descriptor *d = &answer->descriptor;
    json_t *json =
        json_pack("{s:s, s:o, s:i, s:i, s:i, s:i, s:s, s:i, s:b, s:i, s:i}", "types",
                  wgmma_types_row(answer->question->types)->name, "descriptor", json_u64(answer->question->bits),
                  "start", (int)d->start_bytes, "leading", (int)d->leading_bytes, "stride", (int)d->stride_bytes,
                  "baseOffset", (int)d->base_offset, "swizzle", swizzle_plain_name(swizzle_of_wgmma(d->swizzle)),
                  "rows", answer->question->rows, "mnMajor", answer->question->is_mn_major, "first", (int)answer->first,
                  "end", (int)answer->end);
    if (!answer->leaves_span) json_object_set_new(json, "next", json_u64(next_bits(answer)));
    json_object_set_new(json, "pieces", piece_table(answer));
    json_object_set_new(json, "findings", findings_array(&answer->findings));
    json_print(json, JSON_INDENT(2));
}

// Prints the answer. Returns the exit status: a finding is a mismatch.
static int descriptor_answer(const struct descriptor_question *question, int as_json)
{
    const struct answer answer = answer_of(question);
    if (as_json) {
        print_descriptor_json(&answer);
    } else {
        print_descriptor(&answer);
        findings_print(&answer.findings, stdout);
        print_pieces(&answer);
    }
    return findings_first_broken(&answer.findings) == RULE_OK ? EXIT_AGREE : EXIT_MISMATCH;
}

// --- A map -----------------------------------------------------------------------------------------------------------

struct decode_options {
    const char *input;
    int json, edits;
    struct replace_op edit[MAX_EDITS];
    bool is_descriptor;
    const char *of_descriptor; // an option that was given and means nothing without --descriptor, or NULL
    struct descriptor_question descriptor;
};

// The value of a field: a number, or the name of an element type.
static bool read_value(const char *text, struct replace_op *op)
{
    enum dtype dtype = dtype_find(text);
    if (parse_u64(text, UINT64_MAX, &op->value)) return true;
    if (op->field != REPLACE_ELEMTYPE || dtype == DTYPE_COUNT) return false;
    op->value = replace_elemtype(dtype);
    return true;
}

// FIELD=VALUE or FIELD:ORDINAL=VALUE, as tensormap.replace takes them; 0 with a sentence in `why`.
static int replace_option_read(const char *text, struct replace_op *op, struct text *why)
{
    char name[64];
    const char *value = strchr(text, '=');
    uint64_t ordinal = 0;
    snprintf(name, sizeof name, "%.*s", (int)(value != NULL ? value - text : 0), text);
    char *colon = strchr(name, ':');
    if (colon != NULL) *colon = '\0';
    op->field = replace_field_find(name);
    if (value == NULL || op->field == REPLACE_FIELDS)
        return text_fail(why, "'%s' is not FIELD=VALUE or FIELD:ORDINAL=VALUE with a field of tensormap.replace", text);
    bool ok = (colon == NULL || parse_u64(colon + 1, REPLACE_ORDINALS - 1, &ordinal)) && read_value(value + 1, op);
    op->ordinal = (uint32_t)ordinal;
    if (ok && replace_is_legal(op)) return 1;
    return text_fail(why, "'%s': the assembler takes no such ordinal or value for %s", text, name);
}

static void take_edit(const struct command_option *option, void *line, char *value, struct argp_state *state)
{
    struct decode_options *to = line;
    struct text why;
    (void)option;
    if (to->edits == MAX_EDITS) argp_error(state, "at most %d times --replace", MAX_EDITS);
    if (!replace_option_read(value, &to->edit[to->edits++], &why)) argp_error(state, "--replace=%s", why.at);
}

static void take_descriptor(const struct command_option *option, void *line, char *value, struct argp_state *state)
{
    struct decode_options *to = line;
    (void)option;
    if (!parse_u64(value, UINT64_MAX, &to->descriptor.bits))
        argp_error(state, "--descriptor takes a number of 64 bits, not '%s'", value);
    to->is_descriptor = true;
}

static void take_types(const struct command_option *option, void *line, char *value, struct argp_state *state)
{
    struct decode_options *to = line;
    (void)option;
    to->descriptor.types = wgmma_types_find(value);
    if (to->descriptor.types == WGMMA_TYPES_COUNT)
        argp_error(state, "--types takes the types of a wgmma, D, A and B, as f32.bf16.bf16, not '%s'", value);
}

static void check_line(const void *line, struct argp_state *state)
{
    const struct decode_options *to = line;
    if (to->of_descriptor != NULL && !to->is_descriptor)
        argp_error(state, "--%s goes with --descriptor", to->of_descriptor);
    if (to->input == NULL && !to->is_descriptor)
        argp_error(state, "say which map: 256 hex digits, a file, or - for standard input");
    if (to->is_descriptor && (to->input != NULL || to->edits > 0))
        argp_error(state, "--descriptor stands in place of a map: leave out MAP and --replace");
    if (to->is_descriptor && !wgmma_n_is_legal(to->descriptor.types, to->descriptor.rows))
        argp_error(state, "%s has no operand of %d rows: 8 to 256 in steps of 8, and of 16 above 32 for integers",
                   wgmma_types_row(to->descriptor.types)->name, to->descriptor.rows);
    if (to->descriptor.is_mn_major && !wgmma_may_transpose(to->descriptor.types))
        argp_error(state, "only operands of 16 bits may be MN-major");
}

#define TO            struct decode_options
#define OF_DESCRIPTOR .named_at = offsetof(TO, of_descriptor)
static const struct command_option options[] = {
    OPTION_TAKEN(0, "replace", "FIELD[:ORDINAL]=VALUE", take_edit,
                 "first edit the map as tensormap.replace does (may be repeated)"),
    OPTION_FLAG(0, "json", json, "print a JSON object"),
    OPTION_TITLE(1, "A matrix descriptor of wgmma, in place of a map:"),
    OPTION_TAKEN(0, "descriptor", "BITS", take_descriptor, "its 64 bits"),
    OPTION_FLAG(0, "mn-major", descriptor.is_mn_major, "the operand is MN-major (default K-major)", OF_DESCRIPTOR),
    OPTION_NUMBER(0, "rows", "N", descriptor.rows, 8, WGMMA_MAX_N, "rows of M or N of the operand (default 64)",
                  OF_DESCRIPTOR),
    OPTION_TAKEN(0, "types", "TYPES", take_types, "types of the instruction: D, A, B (default f32.bf16.bf16)",
                 OF_DESCRIPTOR),
    OPTION_END,
};

// What the edits did, in the order of the instructions.
static void print_edits(const struct decode_options *from, const struct findings *findings)
{
    for (int i = 0; i < from->edits; i++) {
        const struct replace_op *op = &from->edit[i];
        printf("tensormap.replace %s:%u = %" PRIu64, replace_field_name((enum replace_field)op->field), op->ordinal,
               op->value);
        uint64_t becomes = replace_becomes(op);
        if (becomes != op->value) printf(" becomes %" PRIu64, becomes);
        printf("\n");
    }
    findings_print(findings, stdout);
    if (from->edits > 0) printf("\n");
}

// Nothing for a map that can be loaded through.
static void print_faults(const struct findings *faults)
{
    if (faults->count == 0) return;
    printf("\nA load through these bytes faults, whatever its coordinates: %s (%d)\n",
           cuda_error_name(rule_cuda_error(faults->item[0].rule)), rule_cuda_error(faults->item[0].rule));
    findings_print(faults, stdout);
}

static void print_text(const struct tensormap *map, const struct findings *findings)
{
    struct map_args args;
    map_print_fields(map, stdout);
    printf("\n");
    if (map_args_of(map, &args))
        map_print_call(&args, stdout);
    else
        printf("No encode call makes a map with these fields.\n");
    if (findings->count != 0) printf("\nNo encode call makes these bytes:\n");
    findings_print(findings, stdout);
}

static void print_json(const struct tensormap_image *image, const struct tensormap *map,
                       const struct findings *findings, const struct findings *edits, const struct findings *faults)
{
    json_t *json = map_json(image, map);
    json_object_set_new(json, "findings", findings_array(findings));
    if (edits->count > 0) json_object_set_new(json, "edits", findings_array(edits));
    if (faults->count > 0) json_object_set_new(json, "faults", findings_array(faults));
    json_print(json, JSON_INDENT(2));
}

int command_decode(int argc, char **argv)
{
    static const struct command_line line = {
        .usage = "MAP\n--descriptor=BITS",
        .help =
            "Name the fields of a tensor map's 128 bytes and the call that makes it, or what a matrix descriptor of "
            "wgmma "
            "reads.\vMAP is 256 hex digits (lowest "
            "byte first), or a file with them, with 128 raw bytes, or with a dump of cuda-gdb (x/16gx, p/x); '-' is "
            "standard input. FIELD is global_address, rank, box_dim, global_dim, global_stride, element_stride, "
            "elemtype, interleave_layout, swizzle_mode or fill_mode, VALUE what the instruction takes. Exit status: 0 "
            "a map, or a descriptor that works; 1 bytes that no encoder makes, or a descriptor that faults; 2 wrong "
            "arguments.",
        .options = options,
        .twice = "one map at a time, not also '%s'; put digits with blanks between quotes",
        .argument_at = offsetof(TO, input),
        .end = check_line,
    };
    struct decode_options to = {.descriptor = {.types = WGMMA_F32_BF16_BF16, .rows = 64}};
    struct tensormap_image image;
    struct tensormap map;
    struct findings findings = {0}, edits = {0}, faults = {0};
    struct text why;
    command_line_read(&line, argc, argv, &to);
    if (to.is_descriptor) return descriptor_answer(&to.descriptor, to.json);
    if (!map_bytes_read(to.input, &image, &why)) return command_usage("decode", "%s", why.at);
    for (int i = 0; i < to.edits; i++) {
        tensormap_replace(&image, &to.edit[i], &findings);
        for (int j = 0; j < findings.count; j++) finding_add(&edits, findings.item[j]);
    }
    enum rule rule = tensormap_decode(&image, &map, &findings);
    tile_map_check(&map, &faults);
    if (to.json) {
        print_json(&image, &map, &findings, &edits, &faults);
    } else {
        print_edits(&to, &edits);
        print_text(&map, &findings);
        print_faults(&faults);
    }
    return rule == RULE_OK ? EXIT_AGREE : EXIT_MISMATCH;
}
