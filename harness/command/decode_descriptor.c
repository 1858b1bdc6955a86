// SPDX-License-Identifier: MIT
#include "decode_descriptor.h"

#include <inttypes.h>
#include <stdio.h>

#include "command.h"
#include "descriptor.h"
#include "json.h"
#include "map_text.h"
#include "picture/swizzle_names.h"
#include "wgmma.h"

enum { STEP_BYTES = 32, PIECE_BYTES = 16, GROUP_ROWS = 8, STEP_K = 16 }; // one instruction's depth; MN-major is 16-bit

// The operand taken apart.
struct answer {
    const struct descriptor_question *question;
    struct wgmma_descriptor descriptor;
    struct findings findings;
    uint32_t first, end, next_start;
    int leaves_span;
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

static void print_fields(const struct answer *answer)
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

static void print_json(const struct answer *answer)
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

int descriptor_answer(const struct descriptor_question *question, int as_json)
{
    const struct answer answer = answer_of(question);
    if (as_json) {
        print_json(&answer);
    } else {
        print_fields(&answer);
        findings_print(&answer.findings, stdout);
        print_pieces(&answer);
    }
    return findings_first_broken(&answer.findings) == RULE_OK ? EXIT_AGREE : EXIT_MISMATCH;
}
