// SPDX-License-Identifier: MIT
// The suite `matrix_case`: what random cases of the family "matrix" lean to.
#include "family.h"
#include "matrix_case.h"
#include "rule_most.h"
#include "rules/matrix.h"

enum { CASES = 4000 };

static int shares_rows(const struct matrix_case *c)
{
    int count = matrix_form_row(c->form)->count * MATRIX_ROWS;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++)
            if (c->address[i] == c->address[j]) return 1;
    return 0;
}

// Every form; rows on top of each other; lanes whose address is nonsense; all faults.
TEST(matrix_cases_reach_everything)
{
    int forms[MATRIX_FORM_COUNT] = {0}, shared[2] = {0}, nonsense = 0, faults[RULE_MOST] = {0};
    for (uint64_t i = 0; i < CASES; i++) {
        struct random random = random_for(9, i);
        struct matrix_case c;
        uint8_t bytes[MATRIX_OUTPUT_BYTES];
        struct result result = result_at(bytes);
        matrix_generate(&random, &c);
        family_run_model(family_find("matrix"), &c, &result);
        const struct matrix_form_row *row = matrix_form_row(c.form);
        forms[c.form]++;
        shared[row->is_store] += shares_rows(&c);
        nonsense += row->count < 4 && c.address[31] >= MATRIX_SHARED_END;
        faults[result.rule]++;
    }
    for (int i = 0; i < MATRIX_FORM_COUNT; i++) ck_assert_int_gt(forms[i], CASES / 24);
    ck_assert_int_gt(shared[0], CASES / 50);
    ck_assert_int_gt(shared[1], CASES / 50);
    ck_assert_int_gt(nonsense, CASES / 20);
    ck_assert_int_gt(faults[RULE_MATRIX_ROW_ALIGN], CASES / 400);
    ck_assert_int_gt(faults[RULE_MATRIX_ROW_RANK], CASES / 1000);
    ck_assert_int_gt(faults[RULE_MATRIX_ROW_BOUNDS], CASES / 400);
}
