// SPDX-License-Identifier: MIT
// Handles, parameters of calls, and what the library says of itself.
#include <stdlib.h>

#include "solver.h"

enum { VERSION_MAJOR = 12, VERSION_MINOR = 0, VERSION_PATCH = 4 };

static const struct handle_kind kind = {0x736f6c76,
                                        "cusolverDnCreate",
                                        CUSOLVER_STATUS_NOT_INITIALIZED,
                                        CUSOLVER_STATUS_ALLOC_FAILED,
                                        CUSOLVER_STATUS_INVALID_VALUE,
                                        {VERSION_MAJOR, VERSION_MINOR, VERSION_PATCH}};

struct solver_handle *solver_handle_of(void *handle, const char *call)
{
    return handle_is(&kind, handle, call) ? handle : NULL;
}

SOLVER_VISIBLE enum cusolver_status cusolverDnCreate(struct solver_handle **handle)
{
    return handle_make(&kind, handle, sizeof **handle);
}

SOLVER_VISIBLE enum cusolver_status cusolverDnDestroy(struct solver_handle *handle)
{
    return handle_destroy(&kind, handle, __func__);
}

#define SETTING(...) HANDLE_SETTING(SOLVER_VISIBLE enum cusolver_status, kind, struct solver_handle, __VA_ARGS__, 1)
SETTING(cusolverDnSetStream, cusolverDnGetStream, struct CUstream_st *, base.stream)
SETTING(cusolverDnSetDeterministicMode, cusolverDnGetDeterministicMode, int, deterministic)

// --- Parameters ------------------------------------------------------------------------------------------------------

// They choose algorithms and tolerances. Here each matrix is solved as exactly as doubles allow, so they change
// nothing.
struct solver_parameters {
    double residual;
    int sweeps;
};

static enum cusolver_status make_parameters(struct solver_parameters **parameters)
{
    if (parameters == NULL) return CUSOLVER_STATUS_INVALID_VALUE;
    *parameters = calloc(1, sizeof **parameters);
    return *parameters != NULL ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED;
}

static enum cusolver_status known_parameters(const struct solver_parameters *parameters)
{
    return parameters != NULL ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INVALID_VALUE;
}

#define PARAMETERS(create, destroy)                                                                                    \
    SOLVER_VISIBLE enum cusolver_status create(struct solver_parameters **parameters)                                  \
    {                                                                                                                  \
        return make_parameters(parameters);                                                                            \
    }                                                                                                                  \
    SOLVER_VISIBLE enum cusolver_status destroy(struct solver_parameters *parameters)                                  \
    {                                                                                                                  \
        free(parameters);                                                                                              \
        return CUSOLVER_STATUS_SUCCESS;                                                                                \
    }
PARAMETERS(cusolverDnCreateParams, cusolverDnDestroyParams)
PARAMETERS(cusolverDnCreateSyevjInfo, cusolverDnDestroySyevjInfo)
PARAMETERS(cusolverDnCreateGesvdjInfo, cusolverDnDestroyGesvdjInfo)

#define PARAMETER(set, type)                                                                                           \
    SOLVER_VISIBLE enum cusolver_status set(struct solver_parameters *parameters, type value)                          \
    {                                                                                                                  \
        (void)value;                                                                                                   \
        return known_parameters(parameters);                                                                           \
    }
PARAMETER(cusolverDnXsyevjSetTolerance, double)
PARAMETER(cusolverDnXsyevjSetMaxSweeps, int)
PARAMETER(cusolverDnXsyevjSetSortEig, int)
PARAMETER(cusolverDnXgesvdjSetTolerance, double)
PARAMETER(cusolverDnXgesvdjSetMaxSweeps, int)
PARAMETER(cusolverDnXgesvdjSetSortEig, int)

SOLVER_VISIBLE enum cusolver_status cusolverDnSetAdvOptions(struct solver_parameters *parameters, int function,
                                                            int algorithm)
{
    (void)function, (void)algorithm;
    return known_parameters(parameters);
}

#define ASKED(name, type, member)                                                                                      \
    SOLVER_VISIBLE enum cusolver_status name(void *handle, struct solver_parameters *parameters, type *value)          \
    {                                                                                                                  \
        if (solver_handle_of(handle, __func__) == NULL) return CUSOLVER_STATUS_NOT_INITIALIZED;                        \
        if (parameters == NULL || value == NULL) return CUSOLVER_STATUS_INVALID_VALUE;                                 \
        *value = parameters->member;                                                                                   \
        return CUSOLVER_STATUS_SUCCESS;                                                                                \
    }
ASKED(cusolverDnXsyevjGetResidual, double, residual)
ASKED(cusolverDnXsyevjGetSweeps, int, sweeps)
ASKED(cusolverDnXgesvdjGetResidual, double, residual)
ASKED(cusolverDnXgesvdjGetSweeps, int, sweeps)

// --- What the library is ---------------------------------------------------------------------------------------------

SOLVER_VISIBLE enum cusolver_status cusolverGetVersion(int *version)
{
    if (version == NULL) return CUSOLVER_STATUS_INVALID_VALUE;
    *version = VERSION_MAJOR * 1000 + VERSION_MINOR * 100 + VERSION_PATCH;
    return CUSOLVER_STATUS_SUCCESS;
}

SOLVER_VISIBLE enum cusolver_status cusolverGetProperty(int property, int *value)
{
    return handle_version(&kind, property, value);
}
