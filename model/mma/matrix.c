// SPDX-License-Identifier: MIT
// Rows and lanes of ldmatrix and stmatrix.
#include "matrix.h"

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
                           (struct finding){RULE_MATRIX_ROW_RANK, "p", i, 0, address[i], limit, address[i] % limit});
    for (int i = 0; i < count * MATRIX_ROWS; i++)
        if (address[i] < limit && address[i] / MATRIX_ROW_BYTES * MATRIX_ROW_BYTES >= end)
            finding_broken(
                findings, &first,
                (struct finding){RULE_MATRIX_ROW_BOUNDS, "p", i, 0, address[i], end, end - MATRIX_ROW_BYTES});
    for (int i = 0; i < count * MATRIX_ROWS; i++) {
        uint32_t rest = address[i] % MATRIX_ROW_BYTES;
        if (rest != 0)
            finding_broken(
                findings, &first,
                (struct finding){RULE_MATRIX_ROW_ALIGN, "p", i, 0, address[i], MATRIX_ROW_BYTES, address[i] - rest});
    }
    return first;
}

// Element `part` of `lane` in the matrix whose rows are at `address`; NULL below the CTA's own memory.
static uint8_t *element_at(const struct memory *shared, const uint32_t *address, int lane, int part, int is_trans)
{
    int row = is_trans ? lane % 4 * 2 + part : lane / 4, column = is_trans ? lane / 4 : lane % 4 * 2 + part;
    if (address[row] < shared->base) return NULL;
    return memory_at(shared, address[row] + (uint32_t)column * 2, 2);
}

enum rule matrix_load(const struct memory *shared, const uint32_t address[MATRIX_LANES], int count, int is_trans,
                      uint32_t registers[][MATRIX_LANES], struct findings *findings)
{
    enum rule rule = matrix_check(shared, address, count, findings);
    if (rule != RULE_OK) return rule;
    for (int i = 0; i < count * MATRIX_LANES; i++) {
        int matrix = i / MATRIX_LANES, lane = i % MATRIX_LANES;
        uint16_t pair[2] = {0, 0};
        for (int part = 0; part < 2; part++) {
            const uint8_t *element = element_at(shared, address + matrix * MATRIX_ROWS, lane, part, is_trans);
            if (element != NULL) memcpy(&pair[part], element, 2);
        }
        registers[matrix][lane] = pair[0] | (uint32_t)pair[1] << 16;
    }
    return RULE_OK;
}

enum rule matrix_store(const struct memory *shared, const uint32_t address[MATRIX_LANES], int count, int is_trans,
                       uint32_t registers[][MATRIX_LANES], struct findings *findings)
{
    enum rule rule = matrix_check(shared, address, count, findings);
    if (rule != RULE_OK) return rule;
    for (int i = 0; i < count * MATRIX_LANES; i++) {
        int matrix = i / MATRIX_LANES, lane = MATRIX_LANES - 1 - i % MATRIX_LANES; // the first of equal rows is kept
        for (int part = 0; part < 2; part++) {
            uint8_t *to = element_at(shared, address + matrix * MATRIX_ROWS, lane, 1 - part, is_trans);
            uint16_t element = (uint16_t)(registers[matrix][lane] >> 16 * (1 - part));
            if (to != NULL) memcpy(to, &element, 2);
        }
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
