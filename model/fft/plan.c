// SPDX-License-Identifier: MIT
// Plans and what the library says of itself. A plan needs no work area: its size is always 0.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "fft_grid.h"
#include "queue.h"
#include "refusal.h"

enum { VERSION_MAJOR = 12, VERSION_MINOR = 0, VERSION_PATCH = 0 };

// --- Refusals --------------------------------------------------------------------------------------------------------

int fft_missing(const char *call, int *was_told)
{
    refusal_missing(call, "CUFFT_NOT_SUPPORTED (16)", "", was_told);
    return CUFFT_NOT_SUPPORTED;
}

// --- Handles ---------------------------------------------------------------------------------------------------------

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct fft_plan **plans; // of handle h at h - 1; NULL: it was destroyed
static int handles;

static struct fft_plan *plan_at(int handle)
{
    return handle >= 1 && handle <= handles ? plans[handle - 1] : NULL;
}

static enum cufft_result unknown(const char *call, int handle)
{
    return fft_refuse(call, CUFFT_INVALID_PLAN, "plan %d was never made, or was destroyed", handle);
}

enum cufft_result fft_plan_of(int handle, const char *call, struct fft_plan *plan)
{
    pthread_mutex_lock(&lock);
    const struct fft_plan *known = plan_at(handle);
    if (known != NULL) *plan = *known;
    pthread_mutex_unlock(&lock);
    return known != NULL && plan->is_made ? CUFFT_SUCCESS : unknown(call, handle);
}

static int add_plan(struct fft_plan *plan)
{
    return ARRAY_ADD(plans, handles, plan) ? handles : 0;
}

FFT_VISIBLE enum cufft_result cufftCreate(int *handle)
{
    if (handle == NULL) return CUFFT_INVALID_VALUE;
    if (!queue_make_ready()) return CUFFT_SETUP_FAILED;
    struct fft_plan *plan = calloc(1, sizeof *plan);
    if (plan == NULL) return CUFFT_ALLOC_FAILED;
    pthread_mutex_lock(&lock);
    *handle = add_plan(plan);
    pthread_mutex_unlock(&lock);
    return *handle != 0 ? CUFFT_SUCCESS : CUFFT_ALLOC_FAILED;
}

FFT_VISIBLE enum cufft_result cufftDestroy(int handle)
{
    pthread_mutex_lock(&lock);
    struct fft_plan *plan = plan_at(handle);
    if (plan != NULL) plans[handle - 1] = NULL;
    pthread_mutex_unlock(&lock);
    free(plan);
    return plan != NULL ? CUFFT_SUCCESS : unknown("cufftDestroy", handle);
}

// Writes what was made over the plan of the handle, but for its stream.
static enum cufft_result keep(const char *call, int handle, const struct fft_plan *made)
{
    pthread_mutex_lock(&lock);
    struct fft_plan *plan = plan_at(handle);
    if (plan != NULL) {
        struct CUstream_st *stream = plan->stream;
        *plan = *made;
        plan->stream = stream;
    }
    pthread_mutex_unlock(&lock);
    return plan != NULL ? CUFFT_SUCCESS : unknown(call, handle);
}

// --- What a program asks for -----------------------------------------------------------------------------------------

struct request {
    const char *call;
    int64_t rank, batch;
    const int64_t *n, *from_embed, *to_embed; // without both layouts the data are packed
    int64_t from_step, from_apart, to_step, to_apart;
    int from_type, to_type; // cudaDataType
};

// The number type of which a transform's type is made; 0 if there is no such type of transform.
static bool side_of(int type, struct fft_side *side)
{
    enum { C_16F = 6, C_16BF = 15 };
    side->is_complex = type == CUDA_C_32F || type == CUDA_C_64F || type == C_16F || type == C_16BF;
    side->real = type == C_16F ? CUDA_R_16F : type == C_16BF ? CUDA_R_16BF : numbers_real(type);
    return side->real == CUDA_R_32F || side->real == CUDA_R_64F || side->real == CUDA_R_16F ||
           side->real == CUDA_R_16BF;
}

static bool types_of(int type, struct request *request)
{
    const bool is_double = (type & 0x40) != 0;
    const int real = is_double ? CUDA_R_64F : CUDA_R_32F, both = is_double ? CUDA_C_64F : CUDA_C_32F;
    const int plain = type & ~0x40;
    request->from_type = plain == CUFFT_R2C ? real : both;
    request->to_type = plain == CUFFT_C2R ? real : both;
    return plain == CUFFT_C2C || plain == CUFFT_R2C || plain == CUFFT_C2R;
}

static enum cufft_result check_sizes(const struct request *request)
{
    enum { MOST_BITS = 40 };
    int64_t elements = 1;
    if (request->rank < 1 || request->rank > FFT_MOST_RANK)
        return fft_refuse(request->call, CUFFT_INVALID_SIZE, "the rank is %lld; it is 1 to 3",
                          (long long)request->rank);
    if (request->n == NULL) return CUFFT_INVALID_VALUE;
    if (request->batch < 1)
        return fft_refuse(request->call, CUFFT_INVALID_SIZE, "the batch is %lld", (long long)request->batch);
    for (int i = 0; i < request->rank; i++) {
        const int64_t n = request->n[i];
        if (n < 1 || n > ((int64_t)1 << MOST_BITS) / elements)
            return fft_refuse(request->call, CUFFT_INVALID_SIZE, "dimension %d has the size %lld", i, (long long)n);
        elements *= n;
    }
    return CUFFT_SUCCESS;
}

static enum cufft_result check_types(const struct request *request, const struct fft_plan *plan)
{
    const bool is_small = plan->from.real == CUDA_R_16F || plan->from.real == CUDA_R_16BF;
    if (plan->from.real != plan->to.real || (!plan->from.is_complex && !plan->to.is_complex))
        return fft_refuse(request->call, CUFFT_INVALID_TYPE, "no transform is from the type %d to the type %d",
                          request->from_type, request->to_type);
    for (int i = 0; is_small && i < plan->rank; i++)
        if ((plan->n[i] & (plan->n[i] - 1)) != 0)
            return fft_refuse(request->call, CUFFT_NOT_SUPPORTED,
                              "cuFFT transforms 16-bit numbers only of sizes that are powers of two, and a size is "
                              "%lld",
                              (long long)plan->n[i]);
    return CUFFT_SUCCESS;
}

static enum cufft_result lay_out(const struct request *request, struct fft_plan *plan)
{
    plan->is_packed = request->from_embed == NULL || request->to_embed == NULL;
    grid_pack(plan, false);
    if (plan->is_packed) return CUFFT_SUCCESS;
    if (request->from_step < 1 || request->to_step < 1 || request->from_apart < 0 || request->to_apart < 0)
        return fft_refuse(request->call, CUFFT_INVALID_VALUE, "strides of %lld and %lld, batches %lld and %lld apart",
                          (long long)request->from_step, (long long)request->to_step, (long long)request->from_apart,
                          (long long)request->to_apart);
    for (int i = 0; i < plan->rank; i++) {
        plan->from.embed[i] = request->from_embed[i];
        plan->to.embed[i] = request->to_embed[i];
    }
    plan->from.step = request->from_step, plan->from.apart = request->from_apart;
    plan->to.step = request->to_step, plan->to.apart = request->to_apart;
    return CUFFT_SUCCESS;
}

static enum cufft_result plan_for(const struct request *request, struct fft_plan *plan)
{
    enum cufft_result error = check_sizes(request);
    *plan = (struct fft_plan){.is_made = true, .rank = (int)request->rank, .batch = request->batch};
    for (int i = 0; error == CUFFT_SUCCESS && i < plan->rank; i++) plan->n[i] = request->n[i];
    if (error == CUFFT_SUCCESS && (!side_of(request->from_type, &plan->from) || !side_of(request->to_type, &plan->to)))
        error = fft_refuse(request->call, CUFFT_INVALID_TYPE, "no transform is from the type %d to the type %d",
                           request->from_type, request->to_type);
    if (error == CUFFT_SUCCESS) error = check_types(request, plan);
    return error == CUFFT_SUCCESS ? lay_out(request, plan) : error;
}

// For a handle, or of no plan at all (0): then only what it would need is asked.
static enum cufft_result make(int handle, const struct request *request, size_t *work_bytes)
{
    struct fft_plan plan;
    const enum cufft_result error = plan_for(request, &plan);
    if (error != CUFFT_SUCCESS) return error;
    if (work_bytes != NULL) *work_bytes = 0;
    return handle == 0 ? CUFFT_SUCCESS : keep(request->call, handle, &plan);
}

static enum cufft_result make_typed(int handle, int type, struct request *request, size_t *work_bytes)
{
    if (!types_of(type, request))
        return fft_refuse(request->call, CUFFT_INVALID_TYPE, "0x%x is no type of a transform", (unsigned)type);
    return make(handle, request, work_bytes);
}

// --- Plans of whole numbers of 32 bits -------------------------------------------------------------------------------

static enum cufft_result make_plain(const char *call, int handle, const int64_t *n, int64_t rank, int type,
                                    int64_t batch, size_t *work_bytes)
{
    struct request request = {.call = call, .rank = rank, .batch = batch, .n = n};
    return make_typed(handle, type, &request, work_bytes);
}

#define DIMENSIONS(rank, ...) (const int64_t[]){__VA_ARGS__}, rank
#define MAKE_1D(name, handle_parameter, handle)                                                                        \
    FFT_VISIBLE enum cufft_result name(handle_parameter int nx, int type, int batch, size_t *work)                     \
    {                                                                                                                  \
        return make_plain(__func__, handle, DIMENSIONS(1, nx), type, batch, work);                                     \
    }
#define MAKE_2D(name, handle_parameter, handle)                                                                        \
    FFT_VISIBLE enum cufft_result name(handle_parameter int nx, int ny, int type, size_t *work)                        \
    {                                                                                                                  \
        return make_plain(__func__, handle, DIMENSIONS(2, nx, ny), type, 1, work);                                     \
    }
#define MAKE_3D(name, handle_parameter, handle)                                                                        \
    FFT_VISIBLE enum cufft_result name(handle_parameter int nx, int ny, int nz, int type, size_t *work)                \
    {                                                                                                                  \
        return make_plain(__func__, handle, DIMENSIONS(3, nx, ny, nz), type, 1, work);                                 \
    }
#define HANDLE int plan,
#define UNUSED __attribute__((unused)) int plan,
MAKE_1D(cufftMakePlan1d, HANDLE, plan)
MAKE_2D(cufftMakePlan2d, HANDLE, plan)
MAKE_3D(cufftMakePlan3d, HANDLE, plan)
MAKE_1D(cufftGetSize1d, UNUSED, 0)
MAKE_2D(cufftGetSize2d, UNUSED, 0)
MAKE_3D(cufftGetSize3d, UNUSED, 0)
MAKE_1D(cufftEstimate1d, , 0)
MAKE_2D(cufftEstimate2d, , 0)
MAKE_3D(cufftEstimate3d, , 0)

// A plan that could not be made is none.
static enum cufft_result or_none(int *plan, enum cufft_result error)
{
    if (error == CUFFT_SUCCESS) return error;
    cufftDestroy(*plan);
    *plan = 0;
    return error;
}

#define PLAN(name, parameters, make_it)                                                                                \
    FFT_VISIBLE enum cufft_result name parameters                                                                      \
    {                                                                                                                  \
        const enum cufft_result error = cufftCreate(plan);                                                             \
        return error != CUFFT_SUCCESS ? error : or_none(plan, make_it);                                                \
    }
PLAN(cufftPlan1d, (int *plan, int nx, int type, int batch), cufftMakePlan1d(*plan, nx, type, batch, NULL))
PLAN(cufftPlan2d, (int *plan, int nx, int ny, int type), cufftMakePlan2d(*plan, nx, ny, type, NULL))
PLAN(cufftPlan3d, (int *plan, int nx, int ny, int nz, int type), cufftMakePlan3d(*plan, nx, ny, nz, type, NULL))

// --- Plans with layouts ----------------------------------------------------------------------------------------------

// Three lists of 32-bit numbers; a rank that is not legal is refused before they are read.
struct lists {
    int64_t n[FFT_MOST_RANK], from[FFT_MOST_RANK], to[FFT_MOST_RANK];
};

static const int64_t *widen(int rank, const int *from, int64_t *to)
{
    for (int i = 0; from != NULL && i < rank && i < FFT_MOST_RANK; i++) to[i] = from[i];
    return from == NULL ? NULL : to;
}

#define LAYOUT_32                                                                                                      \
    int rank, const int *n, const int *inembed, int istride, int idist, const int *onembed, int ostride, int odist
#define REQUEST_32                                                                                                     \
    {                                                                                                                  \
        .call = __func__, .rank = rank, .batch = batch, .n = widen(rank, n, lists.n),                                  \
        .from_embed = widen(rank, inembed, lists.from), .to_embed = widen(rank, onembed, lists.to),                    \
        .from_step = istride, .from_apart = idist, .to_step = ostride, .to_apart = odist                               \
    }
#define MAKE_MANY(name, handle_parameter, handle)                                                                      \
    FFT_VISIBLE enum cufft_result name(handle_parameter LAYOUT_32, int type, int batch, size_t *work)                  \
    {                                                                                                                  \
        struct lists lists;                                                                                            \
        struct request request = REQUEST_32;                                                                           \
        return make_typed(handle, type, &request, work);                                                               \
    }
MAKE_MANY(cufftMakePlanMany, HANDLE, plan)
MAKE_MANY(cufftGetSizeMany, UNUSED, 0)
MAKE_MANY(cufftEstimateMany, , 0)
PLAN(cufftPlanMany, (int *plan, LAYOUT_32, int type, int batch),
     cufftMakePlanMany(*plan, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, NULL))

#define REQUEST_64                                                                                                     \
    {                                                                                                                  \
        .call = __func__, .rank = rank, .batch = batch, .n = n, .from_embed = inembed, .to_embed = onembed,            \
        .from_step = istride, .from_apart = idist, .to_step = ostride, .to_apart = odist                               \
    }
#define MAKE_MANY_64(name, handle_parameter, handle)                                                                   \
    FFT_VISIBLE enum cufft_result name(handle_parameter int rank, const int64_t *n, const int64_t *inembed,            \
                                       int64_t istride, int64_t idist, const int64_t *onembed, int64_t ostride,        \
                                       int64_t odist, int type, int64_t batch, size_t *work)                           \
    {                                                                                                                  \
        struct request request = REQUEST_64;                                                                           \
        return make_typed(handle, type, &request, work);                                                               \
    }
MAKE_MANY_64(cufftMakePlanMany64, HANDLE, plan)
MAKE_MANY_64(cufftGetSizeMany64, UNUSED, 0)

// With the types of both sides. What is computed is in double precision, whatever the program asks for.
#define MAKE_XT(name, handle_parameter, handle)                                                                        \
    FFT_VISIBLE enum cufft_result name(handle_parameter int rank, const int64_t *n, const int64_t *inembed,            \
                                       int64_t istride, int64_t idist, int from_type, const int64_t *onembed,          \
                                       int64_t ostride, int64_t odist, int to_type, int64_t batch, size_t *work,       \
                                       int execution_type)                                                             \
    {                                                                                                                  \
        struct request request = REQUEST_64;                                                                           \
        (void)execution_type;                                                                                          \
        request.from_type = from_type;                                                                                 \
        request.to_type = to_type;                                                                                     \
        return make(handle, &request, work);                                                                           \
    }
MAKE_XT(cufftXtMakePlanMany, HANDLE, plan)
MAKE_XT(cufftXtGetSizeMany, UNUSED, 0)

// --- Settings --------------------------------------------------------------------------------------------------------

FFT_VISIBLE enum cufft_result cufftSetStream(int handle, struct CUstream_st *stream)
{
    pthread_mutex_lock(&lock);
    struct fft_plan *plan = plan_at(handle);
    if (plan != NULL) plan->stream = stream;
    pthread_mutex_unlock(&lock);
    return plan != NULL ? CUFFT_SUCCESS : unknown(__func__, handle);
}

static enum cufft_result is_known(const char *call, int handle)
{
    pthread_mutex_lock(&lock);
    const struct fft_plan *plan = plan_at(handle);
    pthread_mutex_unlock(&lock);
    return plan != NULL ? CUFFT_SUCCESS : unknown(call, handle);
}

FFT_VISIBLE enum cufft_result cufftSetAutoAllocation(int handle, int is_automatic)
{
    (void)is_automatic;
    return is_known(__func__, handle);
}

FFT_VISIBLE enum cufft_result cufftSetWorkArea(int handle, void *area)
{
    (void)area;
    return is_known(__func__, handle);
}

FFT_VISIBLE enum cufft_result cufftGetSize(int handle, size_t *work_bytes)
{
    if (work_bytes == NULL) return CUFFT_INVALID_VALUE;
    *work_bytes = 0;
    return is_known(__func__, handle);
}

FFT_VISIBLE enum cufft_result cufftGetVersion(int *version)
{
    if (version == NULL) return CUFFT_INVALID_VALUE;
    *version = VERSION_MAJOR * 1000 + VERSION_MINOR * 100 + VERSION_PATCH;
    return CUFFT_SUCCESS;
}

FFT_VISIBLE enum cufft_result cufftGetProperty(int property, int *value)
{
    static const int properties[] = {VERSION_MAJOR, VERSION_MINOR, VERSION_PATCH};
    if (value == NULL || property < 0 || property > 2) return CUFFT_INVALID_VALUE;
    *value = properties[property];
    return CUFFT_SUCCESS;
}
