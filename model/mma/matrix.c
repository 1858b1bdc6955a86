// SPDX-License-Identifier: MIT
// Rows and lanes of ldmatrix and stmatrix.
#include "matrix.h"

#include <stdbool.h>
#include <string.h>

#include "broken.h"
#include "hopper.h"
#include "rules/matrix.h"

enum rule matrix_check(const struct memory *shared, const uint32_t address[MATRIX_LANES], int count,
                       struct findings *findings)
{
    enum rule first = RULE_OK;
    findings_clear(findings);
    if (count != 1 && count != 2 && count != 4) return finding_of_form(findings, ".num", (uint64_t)(int64_t)count);
    const uint32_t limit = SHARED_WINDOW_BYTES;
    uint64_t end = shared->base + shared->size_bytes;
    for (int i = 0; i < count * MATRIX_ROWS; i++)
        if (address[i] >= limit)
            finding_broken(findings, &first,
                           FINDING_AT(RULE_MATRIX_ROW_RANK, "p", i, .value = address[i], .limit = limit,
                                      .nearest = address[i] % limit));
    for (int i = 0; i < count * MATRIX_ROWS; i++)
        if (address[i] < limit && address[i] / MATRIX_ROW_BYTES * MATRIX_ROW_BYTES >= end)
            finding_broken(findings, &first,
                           FINDING_AT(RULE_MATRIX_ROW_BOUNDS, "p", i, .value = address[i], .limit = end,
                                      .nearest = end - MATRIX_ROW_BYTES));
    for (int i = 0; i < count * MATRIX_ROWS; i++) {
        uint32_t rest = address[i] % MATRIX_ROW_BYTES;
        if (rest != 0)
            finding_broken(findings, &first,
                           FINDING_AT(RULE_MATRIX_ROW_ALIGN, "p", i, .value = address[i], .limit = MATRIX_ROW_BYTES,
                                      .nearest = address[i] - rest));
    }
    return first;
}

typedef uint16_t tile[MATRIX_ROWS][MATRIX_ROWS];

// How many of the bytes at `address` that a row has are there: none below the CTA's own memory.
static size_t row_bytes(const struct memory *shared, uint32_t address)
{
    if (address < shared->base || !memory_holds(shared, address, 0)) return 0;
    const uint64_t left = shared->size_bytes - (address - shared->base);
    return left < MATRIX_ROW_BYTES ? left / 2 * 2 : MATRIX_ROW_BYTES;
}

static void read_rows(const struct memory *shared, const uint32_t address[MATRIX_ROWS], tile to)
{
    memset(to, 0, sizeof(tile));
    for (int row = 0; row < MATRIX_ROWS; row++) {
        const size_t bytes = row_bytes(shared, address[row]);
        if (bytes == MATRIX_ROW_BYTES)
            memcpy(to[row], shared->bytes + (address[row] - shared->base), MATRIX_ROW_BYTES);
        else if (bytes > 0)
            memcpy(to[row], shared->bytes + (address[row] - shared->base), bytes);
    }
}

// The first of equal rows is kept.
static void write_rows(const struct memory *shared, const uint32_t address[MATRIX_ROWS], tile from)
{
    for (int row = MATRIX_ROWS - 1; row >= 0; row--) {
        const size_t bytes = row_bytes(shared, address[row]);
        if (bytes > 0) memcpy(shared->bytes + (address[row] - shared->base), from[row], bytes);
    }
}

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the first of two elements is the low half of a register");

static void deal(tile rows, bool is_trans, uint32_t lanes[MATRIX_LANES])
{
    if (!is_trans) {
        memcpy(lanes, rows, sizeof(tile));
        return;
    }
    for (int column = 0; column < MATRIX_ROWS; column++)
        for (int pair = 0; pair < MATRIX_ROWS / 2; pair++)
            lanes[4 * column + pair] = rows[2 * pair][column] | (uint32_t)rows[2 * pair + 1][column] << 16;
}

static void collect(tile rows, bool is_trans, const uint32_t lanes[MATRIX_LANES])
{
    if (!is_trans) {
        memcpy(rows, lanes, sizeof(tile));
        return;
    }
    for (int column = 0; column < MATRIX_ROWS; column++)
        for (int pair = 0; pair < MATRIX_ROWS / 2; pair++) {
            rows[2 * pair][column] = (uint16_t)lanes[4 * column + pair];
            rows[2 * pair + 1][column] = (uint16_t)(lanes[4 * column + pair] >> 16);
        }
}

// Lane l has columns 2 (l % 4) and the next of row l / 4; transposed, rows 2 (l % 4) and the next of column l / 4.
enum rule matrix_load(const struct memory *shared, const uint32_t address[MATRIX_LANES], int count, int is_trans,
                      uint32_t registers[][MATRIX_LANES], struct findings *findings)
{
    enum rule rule = matrix_check(shared, address, count, findings);
    tile rows;
    if (rule != RULE_OK) return rule;
    for (int matrix = 0; matrix < count; matrix++) {
        read_rows(shared, address + matrix * MATRIX_ROWS, rows);
        deal(rows, is_trans, registers[matrix]);
    }
    return RULE_OK;
}

enum rule matrix_store(const struct memory *shared, const uint32_t address[MATRIX_LANES], int count, int is_trans,
                       uint32_t registers[][MATRIX_LANES], struct findings *findings)
{
    enum rule rule = matrix_check(shared, address, count, findings);
    tile rows;
    if (rule != RULE_OK) return rule;
    for (int matrix = 0; matrix < count; matrix++) {
        collect(rows, is_trans, registers[matrix]);
        write_rows(shared, address + matrix * MATRIX_ROWS, rows);
    }
    return RULE_OK;
}

void matrix_observe(enum access_kind kind, const uint32_t address[MATRIX_LANES], int count, const struct teller *teller)
{
    if (teller == NULL) return;
    struct teller of_lane = *teller;
    const struct access row = {.kind = kind, .space = SPACE_SHARED, .rank = teller->origin.rank};
    for (int i = 0; i < count * MATRIX_ROWS; i++) {
        of_lane.origin.lanes = UINT32_C(1) << i;
        event_tell_access(&of_lane, row, address[i], MATRIX_ROW_BYTES);
    }
}
