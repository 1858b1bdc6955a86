// SPDX-License-Identifier: MIT
// Handles, parameters of calls, and what the library says of itself.
#include <stdlib.h>

#include "queue.h"
#include "solver.h"

enum { MARK = 0x736f6c76, VERSION_MAJOR = 12, VERSION_MINOR = 0, VERSION_PATCH = 4 };

struct solver_handle *solver_handle_of(void *handle, const char *call)
{
    struct solver_handle *known = handle;
    if (known != NULL && known->mark == MARK) return known;
    solver_refuse(call, CUSOLVER_STATUS_NOT_INITIALIZED,
                  "the handle was never made by cusolverDnCreate, or was destroyed");
    return NULL;
}

SOLVER_VISIBLE enum cusolver_status cusolverDnCreate(struct solver_handle **handle)
{
    if (handle == NULL) return CUSOLVER_STATUS_INVALID_VALUE;
    if (!queue_make_ready()) return CUSOLVER_STATUS_NOT_INITIALIZED;
    *handle = calloc(1, sizeof **handle);
    if (*handle == NULL) return CUSOLVER_STATUS_ALLOC_FAILED;
    (*handle)->mark = MARK;
    return CUSOLVER_STATUS_SUCCESS;
}

SOLVER_VISIBLE enum cusolver_status cusolverDnDestroy(struct solver_handle *handle)
{
    if (solver_handle_of(handle, __func__) == NULL) return CUSOLVER_STATUS_NOT_INITIALIZED;
    handle->mark = 0;
    free(handle);
    return CUSOLVER_STATUS_SUCCESS;
}

// A setting of the handle, and how it is asked for.
#define SETTING(set, get, type, member)                                                                                \
    SOLVER_VISIBLE enum cusolver_status set(struct solver_handle *handle, type value)                                  \
    {                                                                                                                  \
        if (solver_handle_of(handle, __func__) == NULL) return CUSOLVER_STATUS_NOT_INITIALIZED;                        \
        handle->member = value;                                                                                        \
        return CUSOLVER_STATUS_SUCCESS;                                                                                \
    }                                                                                                                  \
    SOLVER_VISIBLE enum cusolver_status get(struct solver_handle *handle, type *value)                                 \
    {                                                                                                                  \
        if (solver_handle_of(handle, __func__) == NULL) return CUSOLVER_STATUS_NOT_INITIALIZED;                        \
        if (value == NULL) return CUSOLVER_STATUS_INVALID_VALUE;                                                       \
        *value = handle->member;                                                                                       \
        return CUSOLVER_STATUS_SUCCESS;                                                                                \
    }
SETTING(cusolverDnSetStream, cusolverDnGetStream, struct CUstream_st *, stream)
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
    static const int properties[] = {VERSION_MAJOR, VERSION_MINOR, VERSION_PATCH};
    if (value == NULL || property < 0 || property > 2) return CUSOLVER_STATUS_INVALID_VALUE;
    *value = properties[property];
    return CUSOLVER_STATUS_SUCCESS;
}
