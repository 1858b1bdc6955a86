// SPDX-License-Identifier: MIT
#include "family.h"

#include <stdlib.h>
#include <string.h>

// What instructions do, then the articles' kernels.
extern const struct family family_encode, family_load, family_im2col, family_store, family_im2col_store, family_bulk,
    family_multicast, family_async, family_mbarrier, family_cluster, family_replace, family_misuse, family_diagnose,
    family_bank, family_wgmma, family_wgmma_sparse, family_wgmma_order, family_mma, family_matrix, family_copy,
    family_rmw, family_prefetch, family_transpose, family_maps, family_histogram, family_softmax, family_gemm,
    family_gemm_layout, family_setmaxnreg;

const struct family *const families[] = {
    &family_encode,       &family_load,        &family_im2col,   &family_store,       &family_im2col_store,
    &family_bulk,         &family_multicast,   &family_async,    &family_mbarrier,    &family_cluster,
    &family_replace,      &family_misuse,      &family_diagnose, &family_bank,        &family_wgmma,
    &family_wgmma_sparse, &family_wgmma_order, &family_mma,      &family_matrix,      &family_setmaxnreg,
    &family_copy,         &family_rmw,         &family_prefetch, &family_transpose,   &family_maps,
    &family_histogram,    &family_softmax,     &family_gemm,     &family_gemm_layout, NULL,
};

const struct family *family_find(const char *name)
{
    for (int i = 0; families[i] != NULL; i++)
        if (strcmp(families[i]->name, name) == 0) return families[i];
    return NULL;
}

enum rule family_rule(const struct family *family, const void *test_case)
{
    uint8_t *scratch = malloc(family->result_bytes(test_case) + 16);
    struct result result = {.free_bytes = scratch};
    if (scratch == NULL) return RULE_OK;
    family->run_model(test_case, &result);
    free(scratch);
    return result.rule;
}

int family_is_fatal(enum rule rule)
{
    enum outcome outcome = rule_row(rule)->sm_90a;
    return outcome == OUTCOME_FAULT || outcome == OUTCOME_CRASH;
}
