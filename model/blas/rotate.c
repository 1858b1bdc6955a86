// SPDX-License-Identifier: MIT
// Level 1 with two vectors that both change: rot, rotm, swap; and the numbers of a rotation: rotg, rotmg.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "dense.h"
#include "queue.h"
#include "vector.h"

// A rotation, or the swap of two vectors. cosine and sine: of rot, where they lie when it runs if not here; parameters:
// of rotm.
struct rotation {
    struct vector x, y;
    bool is_swap;
    int parameter_type;
    struct factor cosine, sine;
    struct factor parameters[5];
};

static struct complex_number value_of(const struct factor *factor)
{
    double pair[2] = {factor->value[0], factor->value[1]};
    if (factor->device != NULL)
        numbers_widen(numbers_real(factor->type), factor->device, 0, 1, 1 + numbers_is_complex(factor->type), pair);
    return (struct complex_number){pair[0], pair[1]};
}

static struct complex_number get(const struct matrix *from, int64_t i)
{
    const int reals = 1 + numbers_is_complex(from->type);
    double pair[2] = {0, 0};
    numbers_widen(numbers_real(from->type), from->at, reals * i * from->row_step, 1, reals, pair);
    return (struct complex_number){pair[0], pair[1]};
}

static void put(const struct matrix *to, int64_t i, struct complex_number value)
{
    const int reals = 1 + numbers_is_complex(to->type);
    numbers_put(numbers_real(to->type), to->at, reals * i * to->row_step, value.re);
    if (reals == 2) numbers_put(numbers_real(to->type), to->at, reals * i * to->row_step + 1, value.im);
}

// The matrix {h11, h12, h21, h22} of x' = h11 x + h12 y, y' = h21 x + h22 y. rotm's flag says which of its four numbers
// are stored.
static bool matrix_of(const struct rotation *job, struct complex_number h[4])
{
    enum { FLAG, H11, H21, H12, H22 };
    const struct complex_number one = {1, 0}, minus = {-1, 0};
    if (job->parameter_type < 0) {
        const struct complex_number sine = value_of(&job->sine);
        h[0] = h[3] = value_of(&job->cosine), h[1] = sine;
        h[2] = complex_product(minus, complex_adjoint(sine));
        return true;
    }
    const double flag = value_of(&job->parameters[FLAG]).re;
    h[0] = value_of(&job->parameters[H11]), h[1] = value_of(&job->parameters[H12]);
    h[2] = value_of(&job->parameters[H21]), h[3] = value_of(&job->parameters[H22]);
    if (flag == 0) h[0] = h[3] = one;
    if (flag == 1) h[1] = one, h[2] = minus;
    return flag == 0 || flag == 1 || flag == -1;
}

static void rotate(void *its_job)
{
    const struct rotation *job = its_job;
    const struct matrix x = vector_column(&job->x), y = vector_column(&job->y);
    struct complex_number h[4] = {{0, 0}};
    if (!job->is_swap && !matrix_of(job, h)) return; // rotm's flag -2: nothing is done
    for (int64_t i = 0; i < job->x.count; i++) {
        const struct complex_number a = get(&x, i), b = get(&y, i);
        put(&x, i, job->is_swap ? b : complex_sum(complex_product(h[0], a), complex_product(h[1], b)));
        put(&y, i, job->is_swap ? a : complex_sum(complex_product(h[2], a), complex_product(h[3], b)));
    }
}

static enum cublas_status check_vector(const char *call, const char *what, const struct vector *vector)
{
    const int64_t bytes = (int64_t)numbers_bytes(vector->type), span = (vector->count - 1) * llabs(vector->step) + 1;
    return blas_check_memory(call, what, vector->at, (size_t)(span * bytes));
}

static enum cublas_status submit(const char *call, const struct blas_handle *handle, const struct rotation *job)
{
    enum cublas_status error = CUBLAS_STATUS_SUCCESS;
    if (job->x.count <= 0) return error;
    if (!queue_is_captured(handle->base.stream)) {
        error = check_vector(call, "x", &job->x);
        if (error == CUBLAS_STATUS_SUCCESS) error = check_vector(call, "y", &job->y);
    }
    return error != CUBLAS_STATUS_SUCCESS ? error : blas_submit(call, handle->base.stream, rotate, job, sizeof *job);
}

static enum cublas_status rot(const char *call, void *its_handle, struct rotation job, const void *cosine,
                              const void *sine)
{
    const struct blas_handle *handle = blas_handle_of(its_handle, call);
    if (handle == NULL) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (cosine == NULL || sine == NULL) return CUBLAS_STATUS_INVALID_VALUE;
    job.cosine = blas_factor(handle->pointer_mode, job.cosine.type, cosine);
    job.sine = blas_factor(handle->pointer_mode, job.sine.type, sine);
    return submit(call, handle, &job);
}

static enum cublas_status rotm(const char *call, void *its_handle, struct rotation job, const void *parameters)
{
    const struct blas_handle *handle = blas_handle_of(its_handle, call);
    if (handle == NULL) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (parameters == NULL) return CUBLAS_STATUS_INVALID_VALUE;
    for (size_t i = 0; i < 5; i++)
        job.parameters[i] = blas_factor(handle->pointer_mode, job.parameter_type,
                                        (const uint8_t *)parameters + i * numbers_bytes(job.parameter_type));
    return submit(call, handle, &job);
}

static enum cublas_status swap(const char *call, void *its_handle, const struct rotation *job)
{
    const struct blas_handle *handle = blas_handle_of(its_handle, call);
    if (handle == NULL) return CUBLAS_STATUS_NOT_INITIALIZED;
    if (numbers_bytes(job->x.type) == 0 || job->x.type != job->y.type) return CUBLAS_STATUS_NOT_SUPPORTED;
    return submit(call, handle, job);
}

// --- The numbers of a rotation ---------------------------------------------------------------------------------------

// Where the numbers lie: a, b, cosine, sine of rotg; d1, d2, x1, y1, parameters of rotmg.
struct numbers_of_rotation {
    void *at[5];
    int type;
};

static double number_at(const struct numbers_of_rotation *job, int which)
{
    double value;
    numbers_widen(numbers_real(job->type), job->at[which], 0, 1, 1, &value);
    return value;
}

static void put_number(const struct numbers_of_rotation *job, int which, int index, double value)
{
    numbers_put(numbers_real(job->type), job->at[which], index, value);
}

// b becomes what the sine and the cosine can be had of again, as BLAS has it.
static void make_real(const struct numbers_of_rotation *job)
{
    const double a = number_at(job, 0), b = number_at(job, 1), greater = fabs(a) > fabs(b) ? a : b;
    const double length = copysign(hypot(a, b), greater);
    const double cosine = length == 0 ? 1 : a / length, sine = length == 0 ? 0 : b / length;
    double both = 1;
    if (fabs(a) > fabs(b))
        both = sine;
    else if (cosine != 0)
        both = 1 / cosine;
    put_number(job, 0, 0, length);
    put_number(job, 1, 0, length == 0 ? 0 : both);
    put_number(job, 2, 0, cosine);
    put_number(job, 3, 0, sine);
}

static void make_complex(const struct numbers_of_rotation *job)
{
    double a[2], b[2];
    numbers_widen(numbers_real(job->type), job->at[0], 0, 1, 2, a);
    numbers_widen(numbers_real(job->type), job->at[1], 0, 1, 2, b);
    const double size = hypot(a[0], a[1]), length = hypot(size, hypot(b[0], b[1]));
    if (size == 0) {
        for (int i = 0; i < 2; i++) put_number(job, 0, i, b[i]), put_number(job, 3, i, i == 0);
        put_number(job, 2, 0, 0);
        return;
    }
    const struct complex_number phase = {a[0] / size, a[1] / size};
    const struct complex_number sine =
        complex_times(complex_product(phase, (struct complex_number){b[0], -b[1]}), 1 / length);
    put_number(job, 0, 0, phase.re * length);
    put_number(job, 0, 1, phase.im * length);
    put_number(job, 2, 0, size / length);
    put_number(job, 3, 0, sine.re);
    put_number(job, 3, 1, sine.im);
}

static void make(void *its_job)
{
    const struct numbers_of_rotation *job = its_job;
    if (numbers_is_complex(job->type))
        make_complex(job);
    else
        make_real(job);
}

struct modified {
    double d1, d2, x1, flag, h11, h12, h21, h22;
};

// Keeps d1 and d2 near 1: a power of 4096 goes from one side to the other.
static void rescale(struct modified *to)
{
    enum { GAMMA = 4096 };
    const double gamma = GAMMA, square = gamma * gamma;
    while (to->d1 != 0 && (to->d1 <= 1 / square || to->d1 >= square)) {
        const double by = to->d1 <= 1 / square ? gamma : 1 / gamma;
        to->d1 *= by * by, to->x1 /= by, to->h11 /= by, to->h12 /= by, to->flag = -1;
    }
    while (to->d2 != 0 && (fabs(to->d2) <= 1 / square || fabs(to->d2) >= square)) {
        const double by = fabs(to->d2) <= 1 / square ? gamma : 1 / gamma;
        to->d2 *= by * by, to->h21 /= by, to->h22 /= by, to->flag = -1;
    }
}

static struct modified modified_of(double d1, double d2, double x1, double y1)
{
    const struct modified nothing = {.flag = -1};
    const double p2 = d2 * y1, p1 = d1 * x1, q2 = p2 * y1, q1 = p1 * x1;
    struct modified to = {.d1 = d1, .d2 = d2, .x1 = x1, .flag = -2, .h11 = 1, .h22 = 1};
    if (d1 < 0) return nothing;
    if (p2 == 0) return to;
    if (fabs(q1) > fabs(q2)) {
        to.h21 = -y1 / x1, to.h12 = p2 / p1;
        const double u = 1 - to.h12 * to.h21;
        if (u <= 0) return nothing;
        to.flag = 0, to.d1 = d1 / u, to.d2 = d2 / u, to.x1 = x1 * u;
    } else {
        if (q2 < 0) return nothing;
        to.flag = 1, to.h11 = p1 / p2, to.h22 = x1 / y1, to.h12 = 1, to.h21 = -1;
        const double u = 1 + to.h11 * to.h22;
        to.d1 = d2 / u, to.d2 = d1 / u, to.x1 = y1 * u;
    }
    rescale(&to);
    return to;
}

static void make_modified(void *its_job)
{
    const struct numbers_of_rotation *job = its_job;
    const struct modified to = modified_of(number_at(job, 0), number_at(job, 1), number_at(job, 2), number_at(job, 3));
    const bool has_corners = to.flag == -1 || to.flag == 1, has_others = to.flag == -1 || to.flag == 0;
    put_number(job, 0, 0, to.d1);
    put_number(job, 1, 0, to.d2);
    put_number(job, 2, 0, to.x1);
    put_number(job, 4, 0, to.flag);
    if (has_corners) put_number(job, 4, 1, to.h11), put_number(job, 4, 4, to.h22);
    if (has_others) put_number(job, 4, 2, to.h21), put_number(job, 4, 3, to.h12);
}

static enum cublas_status make_numbers(const char *call, void *its_handle, const struct numbers_of_rotation *job,
                                       void (*run)(void *))
{
    const struct blas_handle *handle = blas_handle_of(its_handle, call);
    if (handle == NULL) return CUBLAS_STATUS_NOT_INITIALIZED;
    for (int i = 0; i < (run == make ? 4 : 5); i++)
        if (job->at[i] == NULL) return CUBLAS_STATUS_INVALID_VALUE;
    return vector_result(call, handle, blas_submit(call, handle->base.stream, run, job, sizeof *job));
}

// --- The calls: of 32 bits, and of 64 (_64) --------------------------------------------------------------------------

#define VECTORS(type) .x = {x, type, n, incx}, .y = {y, type, n, incy}
#define ROT(name, size, vector_type, cosine_type, sine_type)                                                           \
    BLAS_VISIBLE enum cublas_status name(void *handle, size n, void *x, size incx, void *y, size incy, const void *c,  \
                                         const void *s)                                                                \
    {                                                                                                                  \
        return rot(__func__, handle,                                                                                   \
                   (struct rotation){VECTORS(vector_type), .parameter_type = -1, .cosine = {.type = cosine_type},      \
                                     .sine = {.type = sine_type}},                                                     \
                   c, s);                                                                                              \
    }
#define ROTM(name, size, type)                                                                                         \
    BLAS_VISIBLE enum cublas_status name(void *handle, size n, void *x, size incx, void *y, size incy,                 \
                                         const void *parameters)                                                       \
    {                                                                                                                  \
        return rotm(__func__, handle, (struct rotation){VECTORS(type), .parameter_type = type}, parameters);           \
    }
#define SWAP(name, size, type)                                                                                         \
    BLAS_VISIBLE enum cublas_status name(void *handle, size n, void *x, size incx, void *y, size incy)                 \
    {                                                                                                                  \
        return swap(__func__, handle, &(struct rotation){VECTORS(type), .is_swap = 1});                                \
    }
#define SWAP_EX(name, size)                                                                                            \
    BLAS_VISIBLE enum cublas_status name(void *handle, size n, void *x, int x_type, size incx, void *y, int y_type,    \
                                         size incy)                                                                    \
    {                                                                                                                  \
        return swap(__func__, handle,                                                                                  \
                    &(struct rotation){.x = {x, x_type, n, incx}, .y = {y, y_type, n, incy}, .is_swap = 1});           \
    }
#define ROT_EX(name, size)                                                                                             \
    BLAS_VISIBLE enum cublas_status name(void *handle, size n, void *x, int x_type, size incx, void *y, int y_type,    \
                                         size incy, const void *c, const void *s, int type, int execution)             \
    {                                                                                                                  \
        (void)execution;                                                                                               \
        if (numbers_bytes(x_type) == 0 || x_type != y_type || numbers_bytes(type) == 0)                                \
            return CUBLAS_STATUS_NOT_SUPPORTED;                                                                        \
        struct rotation job = {.x = {x, x_type, n, incx}, .y = {y, y_type, n, incy}, .parameter_type = -1};            \
        job.cosine.type = numbers_real(type), job.sine.type = type;                                                    \
        return rot(__func__, handle, job, c, s);                                                                       \
    }
#define ROTG(name, type)                                                                                               \
    BLAS_VISIBLE enum cublas_status name(void *handle, void *a, void *b, void *c, void *s)                             \
    {                                                                                                                  \
        return make_numbers(__func__, handle, &(struct numbers_of_rotation){{a, b, c, s, NULL}, type}, make);          \
    }
#define ROTMG(name, type)                                                                                              \
    BLAS_VISIBLE enum cublas_status name(void *handle, void *d1, void *d2, void *x1, const void *y1, void *parameters) \
    {                                                                                                                  \
        return make_numbers(__func__, handle,                                                                          \
                            &(struct numbers_of_rotation){{d1, d2, x1, (void *)y1, parameters}, type}, make_modified); \
    }

BOTH(ROT, cublasSrot_v2, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F)
BOTH(ROT, cublasDrot_v2, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F)
BOTH(ROT, cublasCrot_v2, CUDA_C_32F, CUDA_R_32F, CUDA_C_32F)
BOTH(ROT, cublasZrot_v2, CUDA_C_64F, CUDA_R_64F, CUDA_C_64F)
BOTH(ROT, cublasCsrot_v2, CUDA_C_32F, CUDA_R_32F, CUDA_R_32F)
BOTH(ROT, cublasZdrot_v2, CUDA_C_64F, CUDA_R_64F, CUDA_R_64F)
BOTH(ROTM, cublasSrotm_v2, CUDA_R_32F)
BOTH(ROTM, cublasDrotm_v2, CUDA_R_64F)
BOTH_ANY(ROT_EX, cublasRotEx)
BOTH_ANY(SWAP_EX, cublasSwapEx)
ROTMG(cublasSrotmg_v2, CUDA_R_32F)
ROTMG(cublasDrotmg_v2, CUDA_R_64F)

#define EACH(x, type)                                                                                                  \
    BOTH(SWAP, cublas##x##swap_v2, type)                                                                               \
    ROTG(cublas##x##rotg_v2, type)
EACH_TYPE(EACH)
