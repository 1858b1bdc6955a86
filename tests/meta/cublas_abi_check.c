// SPDX-License-Identifier: MIT
// Does harness/bench/cublas.h agree with the toolkit's cublasLt.h? If this file compiles, it does. Built only where
// cublasLt.h is found.
#include <cublasLt.h>

#define TMAREF_CUBLAS_ABI_CHECK
#include "cublas.h"

#define X(name, value) _Static_assert((int)(name) == (value), #name);
CUBLAS_VALUE_ROWS(X)
#undef X

#define SAME(ours, theirs) _Static_assert(sizeof(ours) == sizeof(theirs), #theirs);
#define SAME_FIELD(field, their_field)                                                                                 \
    _Static_assert(offsetof(struct cublas_heuristic, field) == offsetof(cublasLtMatmulHeuristicResult_t, their_field), \
                   #their_field);
SAME(struct cublas_algo, cublasLtMatmulAlgo_t)
SAME(struct cublas_heuristic, cublasLtMatmulHeuristicResult_t)
SAME_FIELD(algo, algo)
SAME_FIELD(workspace_bytes, workspaceSize)
SAME_FIELD(state, state)
SAME_FIELD(waves, wavesCount)

// The enumerations travel as int, the descriptors as void *.
SAME(int, cublasStatus_t)
SAME(int, cudaDataType)
SAME(int, cublasComputeType_t)
SAME(int, cublasLtMatmulDescAttributes_t)
SAME(int, cublasLtMatmulPreferenceAttributes_t)
SAME(void *, cublasLtHandle_t)
SAME(void *, cublasLtMatmulDesc_t)
SAME(void *, cublasLtMatrixLayout_t)
SAME(void *, cublasLtMatmulPreference_t)
