// SPDX-License-Identifier: MIT
// Gathers A and B, multiplies, and puts D where the fragments have it. Shared memory is read in pieces of 16 bytes, as
// swizzles move them: 16 bytes of K of one row, or 8 rows at one k where an operand is MN-major.
#include "wgmma.h"

#include <stddef.h>
#include <string.h>

#include "arithmetic.h"
#include "descriptor.h"
#include "fragments.h"

enum { PIECE_BYTES = 16, ROW_BYTES = 32, PIECE_ROWS = 8 };

// --- Shared memory ---------------------------------------------------------------------------------------------------

static int rows_of(const struct wgmma *w, int operand)
{
    return operand == 0 ? WGMMA_M : w->n;
}

static int pieces_of(const struct wgmma *w, int operand)
{
    return rows_of(w, operand) * ROW_BYTES / PIECE_BYTES;
}

// Where piece `index` of an operand lies; 0 is the first row's, or the first 8 rows', first k.
static uint32_t piece_address(const struct wgmma *w, int operand, const struct wgmma_descriptor *d, int index)
{
    int k = wgmma_types_row(w->types)->k;
    if (w->is_transposed[operand]) return wgmma_address_mn_major(d, index / k * PIECE_ROWS, index % k);
    return wgmma_address_k_major(d, index / 2, index % 2 * PIECE_BYTES);
}

void wgmma_reach(const struct wgmma *w, int operand, uint64_t descriptor, uint32_t *first, uint32_t *end)
{
    const struct wgmma_descriptor d = wgmma_descriptor_unpack(descriptor);
    *first = UINT32_MAX;
    *end = 0;
    for (int i = 0; i < pieces_of(w, operand); i++) {
        uint32_t address = piece_address(w, operand, &d, i);
        if (address < *first) *first = address;
        if (address + PIECE_BYTES > *end) *end = address + PIECE_BYTES;
    }
}

// --- Checks ----------------------------------------------------------------------------------------------------------

static void broken(struct findings *findings, enum rule *first, struct finding finding)
{
    if (*first == RULE_OK && !rule_is_warning(finding.rule)) *first = finding.rule;
    finding_add(findings, finding);
}

// What the assembler refuses.
static void check_form(const struct wgmma *w, enum rule *first, struct findings *findings)
{
    static const char *const trans[] = {"imm-trans-a", "imm-trans-b"}, *const scale[] = {"imm-scale-a", "imm-scale-b"};
    enum wgmma_format a = wgmma_types_row(w->types)->a;
    uint64_t n = w->n < 0 ? 0 : (uint64_t)w->n, step = wgmma_is_integer(w->types) && n > 32 ? 16 : 8;
    uint64_t nearest = n < 8 ? 8 : n > WGMMA_MAX_N ? WGMMA_MAX_N : n / step * step;
    if (!wgmma_n_is_legal(w->types, w->n))
        broken(findings, first, (struct finding){RULE_WGMMA_N, "N", -1, 0, n, step, nearest});
    for (int i = 0; i < 2; i++) {
        int may = wgmma_may_transpose(w->types) && (i == 1 || !w->a_in_registers);
        if (w->is_transposed[i] && !may)
            broken(findings, first, (struct finding){RULE_WGMMA_TRANSPOSE, trans[i], -1, 0, 1, 0, 0});
        if (w->negate[i] && wgmma_is_integer(w->types))
            broken(findings, first, (struct finding){RULE_WGMMA_SCALE, scale[i], -1, 1, (uint64_t)-1, 1, 1});
    }
    if (w->satfinite && a != WGMMA_S8 && a != WGMMA_U8)
        broken(findings, first, (struct finding){RULE_WGMMA_SATFINITE, ".satfinite", -1, 0, 1, 0, 0});
}

static void check_memory(const struct wgmma *w, const struct wgmma_operands *o, enum rule *first,
                         struct findings *findings)
{
    static const char *const names[] = {"a-desc", "b-desc"};
    for (int i = w->a_in_registers ? 1 : 0; i < 2; i++) {
        uint32_t low, end;
        uint64_t limit = o->shared->base + o->shared->size_bytes;
        wgmma_reach(w, i, o->descriptor[i], &low, &end);
        if (o->descriptor[i] & WGMMA_DESCRIPTOR_IGNORED)
            broken(findings, first,
                   (struct finding){RULE_WGMMA_DESCRIPTOR_BITS, names[i], -1, 0, o->descriptor[i],
                                    WGMMA_DESCRIPTOR_IGNORED, o->descriptor[i] & ~WGMMA_DESCRIPTOR_IGNORED});
        if (end > limit)
            broken(findings, first,
                   (struct finding){RULE_WGMMA_SMEM_BOUNDS, names[i], -1, 0, end - PIECE_BYTES, limit,
                                    limit - PIECE_BYTES});
    }
}

enum rule wgmma_check(const struct wgmma *w, const struct wgmma_operands *o, struct findings *findings)
{
    enum rule first = RULE_OK;
    check_form(w, &first, findings);
    if (first == RULE_OK) check_memory(w, o, &first, findings);
    return first;
}

// --- Operands --------------------------------------------------------------------------------------------------------

// One operand as bytes: row r of A, or column r of B, is bytes[r]; K runs along it.
struct matrix {
    uint8_t bytes[WGMMA_MAX_N][ROW_BYTES];
};

static void read_piece(const struct memory *shared, uint32_t address, uint8_t piece[PIECE_BYTES])
{
    const uint8_t *bytes = address < shared->base ? NULL : memory_at(shared, address, PIECE_BYTES);
    if (bytes != NULL)
        memcpy(piece, bytes, PIECE_BYTES);
    else
        memset(piece, 0, PIECE_BYTES);
}

static void read_shared(const struct wgmma *w, const struct wgmma_operands *o, int operand, struct matrix *matrix)
{
    const struct wgmma_descriptor d = wgmma_descriptor_unpack(o->descriptor[operand]);
    int k = wgmma_types_row(w->types)->k;
    for (int i = 0; i < pieces_of(w, operand); i++) {
        uint8_t piece[PIECE_BYTES];
        read_piece(o->shared, piece_address(w, operand, &d, i), piece);
        if (!w->is_transposed[operand]) memcpy(matrix->bytes[i / 2] + i % 2 * PIECE_BYTES, piece, PIECE_BYTES);
        for (int row = 0; w->is_transposed[operand] && row < PIECE_ROWS; row++)
            memcpy(matrix->bytes[i / k * PIECE_ROWS + row] + i % k * 2, piece + row * 2, 2);
    }
}

static void read_registers(const struct wgmma *w, const struct wgmma_operands *o, struct matrix *matrix)
{
    for (int thread = 0; thread < WGMMA_THREADS; thread++) {
        for (int i = 0; i < 4; i++) {
            struct wgmma_place place = wgmma_place_a(w->types, thread, i, 0);
            memcpy(matrix->bytes[place.row] + place.column * wgmma_unit_bytes(w->types), &o->a[thread][i], 4);
        }
    }
}

static void units_of_row(const struct wgmma *w, const uint8_t row[ROW_BYTES], uint32_t units[32])
{
    size_t bytes = (size_t)wgmma_unit_bytes(w->types);
    for (int i = 0; i < wgmma_units(w->types); i++) {
        units[i] = 0;
        memcpy(&units[i], row + (size_t)i * bytes, bytes);
    }
}

static void read_operand(const struct wgmma *w, const struct wgmma_operands *o, int operand, struct matrix *matrix)
{
    if (operand == 0 && w->a_in_registers)
        read_registers(w, o, matrix);
    else
        read_shared(w, o, operand, matrix);
}

void wgmma_units_of(const struct wgmma *w, const struct wgmma_operands *o, int operand, int row, uint32_t units[32])
{
    struct matrix matrix;
    read_operand(w, o, operand, &matrix);
    units_of_row(w, matrix.bytes[row], units);
}

static void read_vectors(const struct wgmma *w, const struct wgmma_operands *o, int operand,
                         struct wgmma_vector *vectors)
{
    const struct wgmma_types_row *row = wgmma_types_row(w->types);
    struct matrix matrix;
    uint32_t units[32];
    read_operand(w, o, operand, &matrix);
    for (int i = 0; i < rows_of(w, operand); i++) {
        units_of_row(w, matrix.bytes[i], units);
        wgmma_vector_read(operand == 0 ? row->a : row->b, wgmma_units(w->types), units, w->negate[operand],
                          &vectors[i]);
    }
}

// --- The instruction -------------------------------------------------------------------------------------------------

enum rule wgmma_execute(const struct wgmma *w, const struct wgmma_operands *o, uint32_t *d)
{
    enum rule rule = wgmma_check(w, o, NULL);
    if (rule != RULE_OK) return rule;

    struct wgmma_vector a[WGMMA_M], b[WGMMA_MAX_N];
    int parts = wgmma_types_row(w->types)->d == WGMMA_F16 ? 2 : 1, bits = 32 / parts;
    uint32_t mask = UINT32_MAX >> (32 - bits);
    read_vectors(w, o, 0, a);
    read_vectors(w, o, 1, b);
    for (int i = 0; i < wgmma_d_registers(w->types, w->n) * WGMMA_THREADS; i++) {
        uint32_t result = 0;
        for (int part = 0; part < parts; part++) {
            struct wgmma_place place = wgmma_place_d(w->types, i % WGMMA_THREADS, i / WGMMA_THREADS, part);
            uint32_t c = d[i] >> (bits * part) & mask;
            result |= wgmma_dot(w->types, &a[place.row], &b[place.column], o->scale_d ? &c : NULL, w->satfinite)
                      << (bits * part);
        }
        d[i] = result;
    }
    return RULE_OK;
}
