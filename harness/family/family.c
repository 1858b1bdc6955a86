// SPDX-License-Identifier: MIT
#include "family.h"

#include <string.h>

extern const struct family family_bulk, family_cluster, family_diagnose, family_encode, family_load, family_im2col,
    family_mbarrier, family_store, family_im2col_store, family_multicast, family_async, family_replace, family_misuse,
    family_wgmma, family_wgmma_sparse, family_mma, family_rmw, family_prefetch, family_copy, family_histogram,
    family_softmax, family_gemm, family_gemm_layout, family_bank, family_transpose, family_maps;
extern const struct family family_matrix, family_wgmma_order;

const struct family *const families[] = {
    &family_matrix,
    &family_wgmma_order,
    &family_encode,
    &family_load,
    &family_im2col,
    &family_mbarrier,
    &family_store,
    &family_im2col_store,
    &family_bulk,
    &family_multicast,
    &family_async,
    &family_diagnose,
    &family_cluster,
    &family_replace,
    &family_misuse,
    &family_wgmma,
    &family_wgmma_sparse,
    &family_mma,
    &family_rmw,
    &family_prefetch,
    &family_copy,
    &family_histogram,
    &family_softmax,
    &family_gemm,
    &family_gemm_layout,
    &family_bank,
    &family_transpose,
    &family_maps,
    NULL,
};

const struct family *family_find(const char *name)
{
    for (int i = 0; families[i] != NULL; i++)
        if (strcmp(families[i]->name, name) == 0) return families[i];
    return NULL;
}
