// SPDX-License-Identifier: MIT
// Matrix instructions of a warp that are done at once: mma.sync, dense and sparse, ldmatrix, stmatrix and movmatrix.
#include <string.h>

#include "cluster.h"
#include "form_number.h"
#include "handler.h"
#include "kept.h"
#include "late_reads.h"
#include "matrix.h"
#include "mma.h"
#include "number_type.h"
#include "octet.h"
#include "veil.h"

enum { OF_D, OF_A, OF_B, OF_C, OF_METADATA, OF_SELECTOR };

// --- mma -------------------------------------------------------------------------------------------------------------

static enum mma_tail tail_of(const struct ptx_choice *choice)
{
    if (choice->word[PTX_CLASS_SATFINITE] != 0) return MMA_SATFINITE;
    if (choice->word[PTX_CLASS_OPERATION] == PTX_AND) return MMA_AND;
    return choice->word[PTX_CLASS_OPERATION] == PTX_XOR ? MMA_XOR : MMA_PLAIN;
}

static enum number_rounding rounding_of(const struct ptx_choice *choice)
{
    switch (choice->word[PTX_CLASS_ROUND]) {
    case PTX_RZ:
        return NUMBER_TOWARD_ZERO;
    case PTX_RM:
        return NUMBER_DOWN;
    case PTX_RP:
        return NUMBER_UP;
    default:
        return NUMBER_NEAREST;
    }
}

// The model's form of an instruction; MMA_FORMS if it has none.
static enum mma_form search(const struct ptx_choice *choice)
{
    enum mma_form form = 0;
    for (; form < MMA_FORMS; form++) {
        const struct mma_row *row = mma_row(form);
        if (row->m == choice->shape[0] && row->k == choice->shape[2] && row->tail == tail_of(choice) &&
            row->is_sparse == (choice->word[PTX_CLASS_SPARSE] != 0) &&
            (int)row->d == machine_number_format(choice, 0) && (int)row->a == machine_number_format(choice, 1) &&
            (int)row->b == machine_number_format(choice, 2))
            break;
    }
    return form;
}

// The last answers, by all that the search looks at.
static enum mma_form form_of(const struct ptx_choice *choice)
{
    enum { PLACES = 16 };
    static _Thread_local struct {
        uint64_t key;
        enum mma_form form;
    } seen[PLACES];
    uint64_t key = (uint64_t)choice->form << 48 | (uint64_t)choice->type[0] << 40 | (uint64_t)choice->type[1] << 32 |
                   (uint64_t)choice->type[2] << 24 | (uint64_t)tail_of(choice) << 8 | 1;
    uint64_t place = key * UINT64_C(0x9e3779b97f4a7c15) >> 60;
    if (seen[place].key != key) {
        seen[place].key = key;
        seen[place].form = search(choice);
    }
    return seen[place].form;
}

// The words of `registers` registers from operand `at` on: 32 lanes of one, then those of the next.
static void gather(const struct machine_strand *strand, const struct machine_code *code, uint32_t at, int registers,
                   size_t bytes, uint32_t *words)
{
    for (int r = 0; r < registers; r++)
        memcpy((uint8_t *)words + (size_t)r * bytes, machine_lanes(strand, code, at + (uint32_t)r), bytes);
}

static enum machine_next multiply(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    enum { MOST_WORDS = 2 * MMA_LANES * MMA_MAX_REGISTERS };
    static _Thread_local struct mma_kept kept; // a warp multiplies one A by several B
    uint32_t a[MOST_WORDS], b[MOST_WORDS], d[MOST_WORDS], metadata[MMA_LANES];
    const enum mma_form form = form_of(code->choice);
    if (form == MMA_FORMS) return machine_unsupported(strand, code, lanes);
    if (!machine_is_converged(strand, lanes)) return MACHINE_WAIT;
    const struct mma_row *row = mma_row(form);
    const size_t bytes = MMA_LANES * (row->d == NUMBER_F64 ? sizeof(uint64_t) : sizeof(uint32_t));
    gather(strand, code, machine_operand_at(code, OF_A), row->registers[MMA_OF_A], bytes, a);
    gather(strand, code, machine_operand_at(code, OF_B), row->registers[MMA_OF_B], bytes, b);
    gather(strand, code, machine_operand_at(code, OF_C), row->registers[MMA_OF_D], bytes, d);
    if (row->is_sparse) {
        gather(strand, code, machine_operand_at(code, OF_METADATA), 1, sizeof metadata, metadata);
        const struct machine_operand *selector = &code->operand[machine_operand_at(code, OF_SELECTOR)];
        mma_execute_sparse(form, (int)machine_value(strand, selector, (uint32_t)__builtin_ctz(lanes)), metadata, a, b,
                           d, NULL);
    } else {
        mma_execute_keeping(form, rounding_of(code->choice), a, b, d, &kept);
    }
    for (int r = 0; r < row->registers[MMA_OF_D]; r++)
        memcpy(machine_lanes(strand, code, (uint32_t)r), (uint8_t *)d + (size_t)r * bytes, bytes);
    return MACHINE_NEXT;
}

// mma.m8n8k4 of f16.
static enum machine_next multiply_octets(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    enum { MOST_WORDS = MMA_LANES * MMA_MAX_REGISTERS, OF_FACTOR = 2 };
    uint32_t a[MOST_WORDS], b[MOST_WORDS], c[MOST_WORDS], d[MOST_WORDS] = {0};
    const struct ptx_choice *choice = code->choice;
    const struct octet octet = {.a_is_column = choice->word[PTX_CLASS_LAYOUT] == PTX_COL,
                                .b_is_row = choice->second == PTX_ROW,
                                .d_is_f32 = choice->type[0] == PTX_TYPE_f32,
                                .c_is_f32 = choice->type[3] == PTX_TYPE_f32};
    const size_t bytes = MMA_LANES * sizeof *a;
    if (!machine_is_converged(strand, lanes)) return MACHINE_WAIT;
    gather(strand, code, machine_operand_at(code, OF_A), OF_FACTOR, bytes, a);
    gather(strand, code, machine_operand_at(code, OF_B), OF_FACTOR, bytes, b);
    gather(strand, code, machine_operand_at(code, OF_C), octet.c_is_f32 ? 8 : 4, bytes, c);
    octet_execute(&octet, a, b, c, d);
    for (int r = 0; r < (octet.d_is_f32 ? 8 : 4); r++)
        memcpy(machine_lanes(strand, code, (uint32_t)r), d + r * MMA_LANES, bytes);
    return MACHINE_NEXT;
}

// --- ldmatrix and stmatrix -------------------------------------------------------------------------------------------

// The rows that the lanes point at. A generic address of the own shared memory is one of its CTA.
static void rows_of(const struct machine_strand *strand, const struct machine_code *code, uint32_t operand,
                    uint32_t rows[MATRIX_LANES])
{
    const enum ptx_word space = (enum ptx_word)code->choice->space[0];
    uint64_t address[MACHINE_LANES];
    machine_addresses(strand, &code->operand[operand], address);
    for (int lane = 0; lane < MATRIX_LANES; lane++) {
        struct machine_place place = machine_place(strand, space, address[lane]);
        if (place.space == PTX_SHARED_CLUSTER) place = machine_place(strand, PTX_SHARED, place.address);
        rows[lane] = place.space == PTX_SHARED ? (uint32_t)place.address : UINT32_MAX;
    }
}

// The rows that ldmatrix has read: a bulk load may overtake it.
static void note_late(const struct machine_strand *strand, const struct machine_code *code,
                      const uint32_t rows[MATRIX_LANES], int count)
{
    const struct machine_cta *cta = strand->warp->cta;
    const struct memory *shared = &cta->cluster->memory[cta->rank];
    const uint8_t *at[MACHINE_LANES] = {NULL};
    if (cta->cluster->veil == NULL) return;
    for (int row = 0; row < count * MATRIX_ROWS; row++) at[row] = memory_at(shared, rows[row], MATRIX_ROW_BYTES);
    machine_reads_note_rows(strand, code, (uint32_t)(count * MATRIX_ROWS), at);
}

// The rows that stmatrix is about to write.
static void note_rows(const struct machine_warp *warp, const uint32_t rows[MATRIX_LANES], int count)
{
    const struct memory *shared = &warp->cta->cluster->memory[warp->cta->rank];
    for (int row = 0; row < count * MATRIX_ROWS; row++) {
        const uint8_t *at = memory_at(shared, rows[row], MATRIX_ROW_BYTES);
        if (at != NULL) machine_veil_write(warp, at, MATRIX_ROW_BYTES);
    }
}

// The lane that gives the address of the row is the index of the finding.
static enum machine_next refuse(struct machine_strand *strand, const struct machine_code *code,
                                const uint32_t rows[MATRIX_LANES], int count)
{
    const struct machine_cta *cta = strand->warp->cta;
    struct findings findings;
    const enum rule rule = matrix_check(&cta->cluster->memory[cta->rank], rows, count, &findings);
    const struct finding *finding = findings_of_rule(&findings, rule);
    return machine_fault_found(strand, code, (uint32_t)finding->index, finding, MATRIX_ROW_BYTES);
}

static int count_of(const struct machine_code *code)
{
    const int words = code->choice->word[PTX_CLASS_COUNT];
    return words == PTX_X1 ? 1 : words == PTX_X2 ? 2 : 4;
}

void machine_load_rows(const struct machine_strand *strand, const struct machine_code *code,
                       const uint8_t *const at[MACHINE_LANES])
{
    const struct machine_cta *cta = strand->warp->cta;
    const struct memory *shared = &cta->cluster->memory[cta->rank];
    const int count = count_of(code);
    uint32_t rows[MATRIX_LANES] = {0}, registers[MATRIX_MAX][MATRIX_LANES];
    for (int row = 0; row < count * MATRIX_ROWS; row++)
        rows[row] = (uint32_t)((uint64_t)(at[row] - shared->bytes) + shared->base);
    matrix_load(shared, rows, count, code->choice->word[PTX_CLASS_TRANS] != 0, registers, NULL);
    for (int i = 0; i < count; i++) memcpy(machine_lanes(strand, code, (uint32_t)i), registers[i], sizeof registers[i]);
}

static enum machine_next move(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    const struct machine_cta *cta = strand->warp->cta;
    const struct memory *shared = &cta->cluster->memory[cta->rank];
    const bool is_load = code->choice->form == PTX_FORM_LDMATRIX, is_trans = code->choice->word[PTX_CLASS_TRANS] != 0;
    const int count = count_of(code);
    const uint32_t first = is_load ? 0 : machine_operand_at(code, 1), address = is_load ? (uint32_t)count : 0;
    uint32_t rows[MATRIX_LANES], registers[MATRIX_MAX][MATRIX_LANES];
    struct teller room;
    if (!machine_is_converged(strand, lanes)) return MACHINE_WAIT;
    rows_of(strand, code, address, rows);
    if (!is_load) note_rows(strand->warp, rows, count);
    if (!is_load) gather(strand, code, first, count, sizeof registers[0], registers[0]);
    enum rule rule = is_load ? matrix_load(shared, rows, count, is_trans, registers, NULL)
                             : matrix_store(shared, rows, count, is_trans, registers, NULL);
    if (rule != RULE_OK) return refuse(strand, code, rows, count);
    for (int i = 0; is_load && i < count; i++)
        memcpy(machine_lanes(strand, code, first + (uint32_t)i), registers[i], sizeof registers[i]);
    if (is_load) note_late(strand, code, rows, count);
    if (!is_load) machine_progress(strand);
    if (machine_is_heard(strand))
        matrix_observe(is_load ? ACCESS_READ : ACCESS_WRITE, rows, count, machine_teller(strand, code, lanes, &room));
    return MACHINE_NEXT;
}

// Lane l has columns 2 (l % 4) and the next of row l / 4; behind it rows 2 (l % 4) and the next of column l / 4.
static enum machine_next transpose(struct machine_strand *strand, const struct machine_code *code, uint32_t lanes)
{
    uint16_t element[MATRIX_ROWS][MATRIX_ROWS];
    if (!machine_is_converged(strand, lanes)) return MACHINE_WAIT;
    const uint32_t *from = machine_lanes(strand, code, 1);
    uint32_t *to = machine_lanes(strand, code, 0);
    for (int lane = 0; lane < MATRIX_LANES; lane++) {
        element[lane / 4][lane % 4 * 2] = (uint16_t)from[lane];
        element[lane / 4][lane % 4 * 2 + 1] = (uint16_t)(from[lane] >> 16);
    }
    for (int lane = 0; lane < MATRIX_LANES; lane++)
        to[lane] = element[lane % 4 * 2][lane / 4] | (uint32_t)element[lane % 4 * 2 + 1][lane / 4] << 16;
    return MACHINE_NEXT;
}

machine_handler *machine_matrices_find(const struct ptx_choice *choice)
{
    switch (choice->form) {
    case PTX_FORM_LDMATRIX:
    case PTX_FORM_STMATRIX:
        return move;
    case PTX_FORM_MOVMATRIX:
        return transpose;
    case PTX_FORM_MMA_M8N8K4_F16:
    case PTX_FORM_MMA_M8N8K4_F32:
    case PTX_FORM_MMA_M8N8K4_F32_F32:
        return multiply_octets;
    default:
        break;
    }
    bool is_mma = choice->form >= PTX_FORM_MMA_M16N8K8_F16 && choice->form <= PTX_FORM_MMA_SP_ORDERED_M16N8K64_FP8_F32;
    return is_mma && search(choice) != MMA_FORMS ? multiply : NULL;
}
