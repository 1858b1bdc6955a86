// SPDX-License-Identifier: MIT
// Gathers A and B, multiplies, and puts D where the fragments have it. Shared memory is read in pieces of 16 bytes, as
// swizzles move them: 16 bytes of K of one row, or 8 rows at one k where an operand is MN-major.
#include "wgmma.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "broken.h"
#include "chain.h"
#include "descriptor.h"
#include "float_environment.h"
#include "fragments.h"
#include "rules/wgmma.h"
#include "tiles.h"

enum { PIECE_BYTES = 16, MAX_ROW_BYTES = 64, PIECE_ROWS = 8 };

// --- Shared memory ---------------------------------------------------------------------------------------------------

static int rows_of(const struct wgmma *w, int operand)
{
    return operand == 0 ? WGMMA_M : w->n;
}

// How many times as deep as a dense operand it is.
static int depth_of(const struct wgmma *w, int operand)
{
    return w->is_sparse && operand == 1 ? 2 : 1;
}

static int pieces_of_row(const struct wgmma *w, int operand)
{
    return 2 * depth_of(w, operand);
}

static int pieces_of(const struct wgmma *w, int operand)
{
    return rows_of(w, operand) * pieces_of_row(w, operand);
}

// Where piece `index` of an operand lies; 0 is the first row's, or the first 8 rows', first k.
static uint32_t piece_address(const struct wgmma *w, int operand, const struct wgmma_descriptor *d, int index)
{
    int k = wgmma_types_row(w->types)->k * depth_of(w, operand), pieces = pieces_of_row(w, operand);
    if (w->is_transposed[operand]) return wgmma_address_mn_major(d, index / k * PIECE_ROWS, index % k);
    return wgmma_address_k_major(d, index / pieces, index % pieces * PIECE_BYTES);
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

static void tell_operand(const struct wgmma *w, int operand, const struct wgmma_operands *o,
                         const struct teller *teller)
{
    const struct access read = {
        .proxy = PROXY_ASYNC, .space = SPACE_SHARED, .rank = teller->origin.rank, .kind = ACCESS_READ};
    const struct wgmma_descriptor d = wgmma_descriptor_unpack(o->descriptor[operand]);
    uint32_t start = 0, end = 0;
    for (int i = 0; i < pieces_of(w, operand); i++) {
        uint32_t address = piece_address(w, operand, &d, i);
        if (memory_at(o->shared, address, PIECE_BYTES) == NULL) continue;
        if (address != end) {
            event_tell_access(teller, read, start, end - start);
            start = address;
        }
        end = address + PIECE_BYTES;
    }
    event_tell_access(teller, read, start, end - start);
}

void wgmma_observe(const struct wgmma *w, const struct wgmma_operands *o, const struct teller *teller)
{
    for (int i = w->a_in_registers ? 1 : 0; i < 2 && teller != NULL; i++) tell_operand(w, i, o, teller);
}

// The end of what is checked: of each 8 rows (of K, where an operand is MN-major) the first one alone, and of that a
// whole row of the pattern from each piece on, where it lies without the swizzle.
static uint32_t checked_end(const struct wgmma *w, int operand, uint64_t descriptor)
{
    const struct wgmma_descriptor d = wgmma_descriptor_unpack(descriptor);
    const int each = w->is_transposed[operand] ? 1 : pieces_of_row(w, operand); // of a row; K is a multiple of 8
    uint32_t end = 0;
    for (int first = 0; first < pieces_of(w, operand); first += PIECE_ROWS * each)
        for (int i = first; i < first + each; i++) {
            uint32_t from = wgmma_unswizzled(&d, piece_address(w, operand, &d, i));
            if (from + wgmma_span_bytes(&d) > end) end = from + wgmma_span_bytes(&d);
        }
    return end;
}

// --- Checks ----------------------------------------------------------------------------------------------------------

// What the assembler refuses.
static void check_form(const struct wgmma *w, enum rule *first, struct findings *findings)
{
    static const char *const trans[] = {"imm-trans-a", "imm-trans-b"}, *const scale[] = {"imm-scale-a", "imm-scale-b"};
    enum number_format a = wgmma_types_row(w->types)->a;
    uint64_t n = w->n < 0 ? 0 : (uint64_t)w->n, step = wgmma_is_integer(w->types) && n > 32 ? 16 : 8;
    uint64_t nearest = n < 8 ? 8 : n > WGMMA_MAX_N ? WGMMA_MAX_N : n / step * step;
    if (!wgmma_n_is_legal(w->types, w->n))
        finding_broken(findings, first, FINDING(RULE_WGMMA_N, "N", .value = n, .limit = step, .nearest = nearest));
    for (int i = 0; i < 2; i++) {
        bool may = wgmma_may_transpose(w->types) && (i == 1 || !w->a_in_registers);
        if (w->is_transposed[i] && !may)
            finding_broken(findings, first, FINDING(RULE_WGMMA_TRANSPOSE, trans[i], .value = 1));
        if (w->negate[i] && wgmma_is_integer(w->types))
            finding_broken(
                findings, first,
                FINDING(RULE_WGMMA_SCALE, scale[i], .is_signed = 1, .value = (uint64_t)-1, .limit = 1, .nearest = 1));
    }
    if (w->satfinite && a != NUMBER_S8 && a != NUMBER_U8)
        finding_broken(findings, first, FINDING(RULE_WGMMA_SATFINITE, ".satfinite", .value = 1));
}

static void check_sparse(const struct wgmma *w, enum rule *first, struct findings *findings)
{
    uint64_t most = (uint64_t)number_most_selector(wgmma_sparsity(w->types)), selector = (uint64_t)w->selector;
    if (wgmma_types_row(w->types)->a == NUMBER_B1)
        finding_broken(findings, first, FINDING(RULE_WGMMA_SPARSE_TYPES, ".b1", .value = 1));
    if (selector > most)
        finding_broken(
            findings, first,
            FINDING(RULE_WGMMA_SPARSE_SELECTOR, "sp-sel", .value = selector, .limit = most, .nearest = most));
}

// The first chunk whose bits mean nothing in PTX; the finding's index is its row.
static void check_metadata(const struct wgmma *w, const struct wgmma_operands *o, enum rule *first,
                           struct findings *findings)
{
    const struct number_sparsity sparsity = wgmma_sparsity(w->types);
    for (int i = 0; i < WGMMA_M * sparsity.chunks; i++) {
        int row = i / sparsity.chunks, chunk = i % sparsity.chunks;
        uint32_t bits = number_chunk_bits(sparsity, w->selector, o->metadata, row, chunk);
        if (number_chunk_is_legal(sparsity, bits)) continue;
        finding_broken(
            findings, first,
            FINDING_AT(RULE_WGMMA_SPARSE_METADATA, "sp-meta", row, .value = bits, .limit = 0x4, .nearest = 0x4));
        return;
    }
}

static void check_memory(const struct wgmma *w, const struct wgmma_operands *o, enum rule *first,
                         struct findings *findings)
{
    static const char *const names[] = {"a-desc", "b-desc"};
    for (int i = w->a_in_registers ? 1 : 0; i < 2; i++) {
        uint32_t end = checked_end(w, i, o->descriptor[i]);
        uint64_t limit = o->shared->base + o->shared->size_bytes;
        if (o->descriptor[i] & WGMMA_DESCRIPTOR_IGNORED)
            finding_broken(findings, first,
                           FINDING(RULE_WGMMA_DESCRIPTOR_BITS, names[i], .value = o->descriptor[i],
                                   .limit = WGMMA_DESCRIPTOR_IGNORED,
                                   .nearest = o->descriptor[i] & ~WGMMA_DESCRIPTOR_IGNORED));
        if (end > limit)
            finding_broken(findings, first,
                           FINDING(RULE_WGMMA_SMEM_BOUNDS, names[i], .value = end - PIECE_BYTES, .limit = limit,
                                   .nearest = limit - PIECE_BYTES));
    }
}

enum rule wgmma_check(const struct wgmma *w, const struct wgmma_operands *o, struct findings *findings)
{
    enum rule first = RULE_OK;
    findings_clear(findings);
    if ((unsigned)w->types >= WGMMA_TYPES_COUNT) return finding_of_form(findings, "types", (uint64_t)w->types);
    check_form(w, &first, findings);
    if (w->is_sparse) check_sparse(w, &first, findings);
    if (first == RULE_OK && w->is_sparse) check_metadata(w, o, &first, findings);
    if (first == RULE_OK) check_memory(w, o, &first, findings);
    return first;
}

// --- What is not mapped ----------------------------------------------------------------------------------------------

static bool is_mapped(const struct memory *shared, uint32_t address)
{
    return address >= shared->base && address - shared->base + PIECE_BYTES <= shared->size_bytes;
}

void wgmma_mark_outside(const struct wgmma *w, const struct wgmma_operands *o, int operand,
                        uint8_t is_outside[WGMMA_MAX_N])
{
    const struct wgmma_descriptor d = wgmma_descriptor_unpack(o->descriptor[operand]);
    int k = wgmma_types_row(w->types)->k * depth_of(w, operand), pieces = pieces_of_row(w, operand);
    if (operand == 0 && w->a_in_registers) return;
    for (int i = 0; i < pieces_of(w, operand); i++) {
        uint32_t address = piece_address(w, operand, &d, i);
        if (is_mapped(o->shared, address)) continue;
        if (w->is_transposed[operand])
            memset(is_outside + i / k * PIECE_ROWS, 1, PIECE_ROWS);
        else
            is_outside[i / pieces] = 1;
    }
}

// --- Operands --------------------------------------------------------------------------------------------------------

// One operand as bytes: row r of A, or column r of B, is bytes[r]; K runs along it.
struct matrix {
    uint8_t bytes[WGMMA_MAX_N][MAX_ROW_BYTES];
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
    int k = wgmma_types_row(w->types)->k * depth_of(w, operand), pieces = pieces_of_row(w, operand);
    for (int i = 0; i < pieces_of(w, operand); i++) {
        uint8_t piece[PIECE_BYTES];
        read_piece(o->shared, piece_address(w, operand, &d, i), piece);
        if (!w->is_transposed[operand])
            memcpy(matrix->bytes[i / pieces] + i % pieces * PIECE_BYTES, piece, PIECE_BYTES);
        for (int row = 0; w->is_transposed[operand] && row < PIECE_ROWS; row++)
            memcpy(matrix->bytes[i / k * PIECE_ROWS + row] + i % k * 2, piece + row * 2, 2);
    }
}

static void read_registers(const struct wgmma *w, const struct wgmma_operands *o, struct matrix *matrix)
{
    for (int thread = 0; thread < WGMMA_THREADS; thread++) {
        for (int i = 0; i < 4; i++) {
            struct number_place place = wgmma_place_a(w->types, thread, i, 0);
            memcpy(matrix->bytes[place.row] + place.column * wgmma_unit_bytes(w->types), &o->a[thread][i], 4);
        }
    }
}

static void read_operand(const struct wgmma *w, const struct wgmma_operands *o, int operand, struct matrix *matrix)
{
    if (operand == 0 && w->a_in_registers)
        read_registers(w, o, matrix);
    else
        read_shared(w, o, operand, matrix);
}

static void units_of_row(const struct wgmma *w, int operand, const struct matrix *matrix, int row, uint32_t *units)
{
    size_t bytes = (size_t)wgmma_unit_bytes(w->types);
    for (int i = 0; i < wgmma_units(w->types) * depth_of(w, operand); i++) {
        units[i] = 0;
        memcpy(&units[i], matrix->bytes[row] + (size_t)i * bytes, bytes);
    }
}

enum { GROUPS = NUMBER_MAX_TERMS / NUMBER_LANES };

// What is multiplied for 8 columns of D: rows of A, and terms of columns of B. Of a sparse instruction these are all
// that may be picked, and picks[] says what each row does.
struct factors {
    struct number_factors a[WGMMA_M * GROUPS], b[NUMBER_MAX_CANDIDATES];
    uint8_t picks[WGMMA_M * NUMBER_MAX_TERMS];
};

static bool has_pairs(const struct wgmma *w)
{
    return wgmma_is_integer(w->types) && wgmma_types_row(w->types)->a != NUMBER_B1 && !w->is_sparse;
}

static struct number_bytes bytes_of(const struct wgmma *w, int operand, const struct matrix *matrix, int first)
{
    const struct wgmma_types_row *row = wgmma_types_row(w->types);
    return (struct number_bytes){.format = operand == 0 ? row->a : row->b,
                                 .reading = has_pairs(w) ? NUMBER_PAIRS : NUMBER_IN_ORDER,
                                 .units = wgmma_units(w->types) * depth_of(w, operand),
                                 .negate = w->negate[operand],
                                 .bytes = matrix->bytes[first],
                                 .pitch = MAX_ROW_BYTES};
}

static void read_rows(const struct wgmma *w, const struct wgmma_operands *o, struct factors *factors)
{
    struct matrix matrix;
    read_operand(w, o, 0, &matrix);
    const struct number_bytes of = bytes_of(w, 0, &matrix, 0);
    number_read_rows(&of, WGMMA_M, factors->a);
    for (int row = 0; w->is_sparse && row < WGMMA_M; row++)
        number_picks(wgmma_sparsity(w->types), w->selector, o->metadata, row, factors->picks + row * NUMBER_MAX_TERMS);
}

// Returns how many terms there are.
static int read_columns(const struct wgmma *w, const struct matrix *matrix, int first, struct number_factors *terms)
{
    uint32_t units[2 * NUMBER_MAX_TERMS], candidates[NUMBER_LANES][NUMBER_MAX_CANDIDATES];
    struct number_bytes of = bytes_of(w, 1, matrix, first);
    for (int j = 0; w->is_sparse && of.format == NUMBER_TF32 && j < NUMBER_LANES; j++) {
        units_of_row(w, 1, matrix, first + j, units);
        const int count = number_candidates(wgmma_sparsity(w->types), units, candidates[j]);
        if (j < NUMBER_LANES - 1) continue;
        of.units = count;
        of.bytes = (const uint8_t *)candidates;
        of.pitch = sizeof candidates[0];
    }
    number_read_columns(&of, terms);
    return of.reading == NUMBER_PAIRS ? of.units / 2 : of.units;
}

void wgmma_factors_of(const struct wgmma *w, const struct wgmma_operands *o, int row, int column, uint32_t a[32],
                      uint32_t b[32])
{
    struct matrix matrix;
    uint32_t units[2 * NUMBER_MAX_TERMS];
    read_operand(w, o, 0, &matrix);
    units_of_row(w, 0, &matrix, row, a);
    read_operand(w, o, 1, &matrix);
    units_of_row(w, 1, &matrix, column, w->is_sparse ? units : b);
    if (w->is_sparse) number_pick(wgmma_sparsity(w->types), w->selector, o->metadata, row, units, b);
}

// --- The instruction -------------------------------------------------------------------------------------------------

// Columns `first` .. `first` + 7 of D.
static void multiply_columns(const struct wgmma *w, const struct wgmma_operands *o, const struct matrix *matrix,
                             int first, struct factors *factors, uint32_t *const (*d)[WGMMA_PARTS])
{
    uint32_t columns[WGMMA_M][NUMBER_LANES];
    struct number_block block = {.sum = wgmma_sum(w->types, w->satfinite), .rows = WGMMA_M, .steps = 1};
    block.a = factors->a;
    block.b = factors->b;
    block.picks = w->is_sparse ? factors->picks : NULL;
    block.b_step = (size_t)read_columns(w, matrix, first, factors->b);
    if (has_pairs(w)) block.sum.terms = (int)block.b_step;
    block.a_row = (size_t)number_groups(block.sum.terms);
    if (o->scale_d)
        wgmma_columns_of_d(w->types, first, d, columns);
    else
        memset(columns, 0, sizeof columns);
    (has_pairs(w) ? number_multiply_pairs : number_multiply)(&block, columns);
    wgmma_columns_to_d(w->types, first, columns, d);
}

static __attribute__((noinline)) void multiply_all(const struct wgmma *w, const struct wgmma_operands *o,
                                                   uint32_t *const (*d)[WGMMA_PARTS])
{
    struct factors factors;
    struct matrix matrix;
    read_rows(w, o, &factors);
    read_operand(w, o, 1, &matrix);
    for (int first = 0; first < w->n; first += NUMBER_LANES) multiply_columns(w, o, &matrix, first, &factors, d);
}

// To read operands takes the host's FPU too: a subnormal factor is an exception of it.
static void multiply(const struct wgmma *w, const struct wgmma_operands *o, uint32_t *const (*d)[WGMMA_PARTS])
{
    const struct float_environment caller = float_environment_set_default();
    multiply_all(w, o, d);
    float_environment_put_back(&caller);
}

enum rule wgmma_execute_at(const struct wgmma *w, const struct wgmma_operands *o, uint32_t *const (*d)[WGMMA_PARTS],
                           struct findings *findings)
{
    enum rule rule = wgmma_check(w, o, findings);
    if (rule == RULE_OK) multiply(w, o, d);
    return rule;
}

enum rule wgmma_execute(const struct wgmma *w, const struct wgmma_operands *o, uint32_t *d, struct findings *findings)
{
    uint32_t *at[WGMMA_MAX_D][WGMMA_PARTS];
    enum rule rule = wgmma_check(w, o, findings);
    if (rule != RULE_OK) return rule;
    for (int r = 0; r < wgmma_d_registers(w->types, w->n); r++)
        for (int warp = 0; warp < WGMMA_PARTS; warp++)
            at[r][warp] = d + WGMMA_THREADS * r + WGMMA_THREADS / WGMMA_PARTS * warp;
    multiply(w, o, (uint32_t *const(*)[WGMMA_PARTS])at);
    return RULE_OK;
}
