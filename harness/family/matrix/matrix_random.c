// SPDX-License-Identifier: MIT
// Random ldmatrix and stmatrix: rows side by side, a tile's rows apart, swizzled, anywhere, and on top of each other;
// addresses of lanes that do not count are now and then nonsense, and a row is misaligned or outside.
#include "draw.h"
#include "matrix_case.h"

enum { PLACES = MATRIX_SHARED_BYTES / MATRIX_ROW_BYTES };

static uint32_t place(uint32_t index)
{
    return MATRIX_SHARED_START + index % PLACES * MATRIX_ROW_BYTES;
}

// Rows `pitch` 16-byte places apart, matrix after matrix or two matrices side by side, XORed by a swizzle or not.
static void tile(struct random *random, struct matrix_case *c)
{
    static const uint32_t pitches[] = {1, 2, 4, 8, 8, 8, 9, 5};
    uint32_t pitch = random_pick(random, pitches), first = (uint32_t)random_below(random, PLACES);
    uint32_t swizzle = random_chance(random, 50) ? 7 : 0;
    int is_square = random_chance(random, 50);
    if (pitch % 8 == 0) first &= ~7u;
    for (uint32_t lane = 0; lane < MATRIX_LANES; lane++) {
        uint32_t row = is_square ? lane % 16 : lane, column = is_square && pitch > 1 ? lane / 16 : 0;
        uint32_t chunk = pitch % 8 == 0 ? column ^ (row & swizzle) : column;
        c->address[lane] = place(first + row * pitch + chunk);
    }
}

// Different places, in any order.
static void scatter(struct random *random, struct matrix_case *c)
{
    uint32_t first = (uint32_t)random_below(random, PLACES), step = 2 * (uint32_t)random_below(random, PLACES / 2) + 1;
    for (uint32_t lane = 0; lane < MATRIX_LANES; lane++) c->address[lane] = place(first + lane * step);
}

// A row that is not there: misaligned, over an end of shared memory, or far away.
static void spoil(struct random *random, struct matrix_case *c)
{
    uint32_t lane = (uint32_t)random_below(random, (uint64_t)matrix_form_row(c->form)->count * MATRIX_ROWS);
    const uint32_t there = c->address[lane], far = there | (uint32_t)1 << random_range(random, 18, 31);
    c->address[lane] = (uint32_t)DRAW(
        random, {1, BETWEEN(there + 1, there + MATRIX_ROW_BYTES - 1)}, {1, JUST(far)},
        {1, BETWEEN(MATRIX_SHARED_END, MATRIX_SHARED_END + 64 * MATRIX_ROW_BYTES - 1), .unit = MATRIX_ROW_BYTES},
        {1, BETWEEN(MATRIX_SHARED_END - MATRIX_ROW_BYTES + 1, MATRIX_SHARED_END - 1)});
}

void matrix_generate(struct random *random, void *test_case)
{
    struct matrix_case *c = test_case;
    *c = (struct matrix_case){.form = (enum matrix_form)random_below(random, MATRIX_FORM_COUNT)};
    const struct matrix_form_row *row = matrix_form_row(c->form);
    c->seed = (uint32_t)random_u64(random);
    uint64_t kind = random_below(random, 10);
    if (kind < 4)
        tile(random, c);
    else
        scatter(random, c);
    if (kind == 9)
        for (int lane = 0; lane < MATRIX_LANES; lane++) c->address[lane] = place((uint32_t)random_below(random, 6));
    if (random_chance(random, 20))
        for (int lane = row->count * MATRIX_ROWS; lane < MATRIX_LANES; lane++)
            c->address[lane] = (uint32_t)random_u64(random);
    if (random_below(random, 1000) < 15) spoil(random, c);
}
