// SPDX-License-Identifier: MIT
// The descriptors of cuBLASLt: made, set, asked and destroyed.
#include <stdlib.h>
#include <string.h>

#include "lt.h"

// One attribute: its number in cublasLt.h, and where it is kept.
struct attribute {
    int number;
    size_t offset, bytes;
};

#define ATTRIBUTE(number, type, member)                                                                                \
    {                                                                                                                  \
        number, offsetof(struct type, member), sizeof(((struct type *)0)->member)                                      \
    }
#define OF(number, member) ATTRIBUTE(number, blas_descriptor, member)

static const struct attribute descriptor_attributes[] = {
    OF(0, compute_type),
    OF(1, scale_type),
    OF(2, pointer_mode),
    OF(3, operation[0]),
    OF(4, operation[1]),
    OF(5, operation[2]),
    OF(6, fill_mode),
    OF(7, epilogue),
    OF(8, bias),
    OF(10, bias_batch_step),
    OF(11, aux),
    OF(12, aux_leading),
    OF(13, aux_batch_step),
    OF(14, alpha_batch_step),
    OF(15, multiprocessors),
    OF(17, scale[LT_SCALE_A]),
    OF(18, scale[LT_SCALE_B]),
    OF(19, scale[LT_SCALE_C]),
    OF(20, scale[LT_SCALE_D]),
    OF(21, amax),
    OF(22, aux_type),
    OF(23, aux_scale),
    OF(24, aux_amax),
    OF(25, has_fast_sums),
    OF(26, bias_type),
    OF(31, scale_mode[LT_SCALE_A]),
    OF(32, scale_mode[LT_SCALE_B]),
    OF(33, scale_mode[LT_SCALE_C]),
    OF(34, scale_mode[LT_SCALE_D]),
    OF(35, scale_mode[LT_SCALES]),
};

#undef OF
#define OF(number, member) ATTRIBUTE(number, blas_layout, member)

static const struct attribute layout_attributes[] = {
    OF(0, type),    OF(1, order),   OF(2, rows),       OF(3, columns),
    OF(4, leading), OF(5, batches), OF(6, batch_step), OF(7, plane_offset),
};

enum {
    DESCRIPTOR_ATTRIBUTES = sizeof descriptor_attributes / sizeof descriptor_attributes[0],
    LAYOUT_ATTRIBUTES = sizeof layout_attributes / sizeof layout_attributes[0]
};

static const struct attribute *find(const struct attribute *rows, int count, int number)
{
    for (int i = 0; i < count; i++)
        if (rows[i].number == number) return &rows[i];
    return NULL;
}

static enum cublas_status set(const char *call, const struct attribute *attribute, int number, void *of,
                              const void *value, size_t bytes)
{
    if (of == NULL || value == NULL) return CUBLAS_STATUS_INVALID_VALUE;
    if (attribute == NULL)
        return blas_refuse(call, CUBLAS_STATUS_INVALID_VALUE, "tmaref exec does not have the attribute %d", number);
    if (bytes != attribute->bytes)
        return blas_refuse(call, CUBLAS_STATUS_INVALID_VALUE, "the attribute %d takes %zu bytes, not %zu", number,
                           attribute->bytes, bytes);
    memcpy((char *)of + attribute->offset, value, bytes);
    return CUBLAS_STATUS_SUCCESS;
}

// With 0 bytes it tells how many there are.
static enum cublas_status get(const struct attribute *attribute, const void *of, void *value, size_t bytes,
                              size_t *written)
{
    if (of == NULL || attribute == NULL || (bytes == 0 && written == NULL)) return CUBLAS_STATUS_INVALID_VALUE;
    if (written != NULL) *written = attribute->bytes;
    if (bytes == 0) return CUBLAS_STATUS_SUCCESS;
    if (value == NULL || bytes < attribute->bytes) return CUBLAS_STATUS_INVALID_VALUE;
    memcpy(value, (const char *)of + attribute->offset, attribute->bytes);
    return CUBLAS_STATUS_SUCCESS;
}

static enum cublas_status make(void **to, const void *value, size_t bytes)
{
    if (to == NULL) return CUBLAS_STATUS_INVALID_VALUE;
    *to = malloc(bytes);
    if (*to == NULL) return CUBLAS_STATUS_ALLOC_FAILED;
    memcpy(*to, value, bytes);
    return CUBLAS_STATUS_SUCCESS;
}

// The same in the program's own bytes.
static enum cublas_status place(void *to, size_t room, const void *value, size_t bytes)
{
    if (to == NULL || room < bytes) return CUBLAS_STATUS_INVALID_VALUE;
    memset(to, 0, room);
    memcpy(to, value, bytes);
    return CUBLAS_STATUS_SUCCESS;
}

static enum cublas_status destroy(void *it)
{
    free(it);
    return CUBLAS_STATUS_SUCCESS;
}

// --- Descriptors of products -----------------------------------------------------------------------------------------

static struct blas_descriptor new_descriptor(int compute_type, int scale_type)
{
    enum { EPILOGUE_DEFAULT = 1, FILL_FULL = 2 };
    return (struct blas_descriptor){.compute_type = compute_type,
                                    .scale_type = scale_type,
                                    .fill_mode = FILL_FULL,
                                    .epilogue = EPILOGUE_DEFAULT,
                                    .aux_type = -1,
                                    .bias_type = -1};
}

BLAS_VISIBLE enum cublas_status cublasLtMatmulDescCreate(void **to, int compute_type, int scale_type)
{
    const struct blas_descriptor descriptor = new_descriptor(compute_type, scale_type);
    return make(to, &descriptor, sizeof descriptor);
}

BLAS_VISIBLE enum cublas_status cublasLtMatmulDescInit_internal(void *to, size_t room, int compute_type, int scale_type)
{
    const struct blas_descriptor descriptor = new_descriptor(compute_type, scale_type);
    return place(to, room, &descriptor, sizeof descriptor);
}

BLAS_VISIBLE enum cublas_status cublasLtMatmulDescDestroy(void *descriptor)
{
    return destroy(descriptor);
}

BLAS_VISIBLE enum cublas_status cublasLtMatmulDescSetAttribute(void *descriptor, int number, const void *value,
                                                               size_t bytes)
{
    return set(__func__, find(descriptor_attributes, DESCRIPTOR_ATTRIBUTES, number), number, descriptor, value, bytes);
}

BLAS_VISIBLE enum cublas_status cublasLtMatmulDescGetAttribute(const void *descriptor, int number, void *value,
                                                               size_t bytes, size_t *written)
{
    return get(find(descriptor_attributes, DESCRIPTOR_ATTRIBUTES, number), descriptor, value, bytes, written);
}

// --- Layouts ---------------------------------------------------------------------------------------------------------

BLAS_VISIBLE enum cublas_status cublasLtMatrixLayoutCreate(void **to, int type, uint64_t rows, uint64_t columns,
                                                           int64_t leading)
{
    const struct blas_layout layout = {
        .type = type, .rows = rows, .columns = columns, .leading = leading, .batches = 1};
    return make(to, &layout, sizeof layout);
}

BLAS_VISIBLE enum cublas_status cublasLtMatrixLayoutInit_internal(void *to, size_t room, int type, uint64_t rows,
                                                                  uint64_t columns, int64_t leading)
{
    const struct blas_layout layout = {
        .type = type, .rows = rows, .columns = columns, .leading = leading, .batches = 1};
    return place(to, room, &layout, sizeof layout);
}

BLAS_VISIBLE enum cublas_status cublasLtMatrixLayoutDestroy(void *layout)
{
    return destroy(layout);
}

BLAS_VISIBLE enum cublas_status cublasLtMatrixLayoutSetAttribute(void *layout, int number, const void *value,
                                                                 size_t bytes)
{
    return set(__func__, find(layout_attributes, LAYOUT_ATTRIBUTES, number), number, layout, value, bytes);
}

BLAS_VISIBLE enum cublas_status cublasLtMatrixLayoutGetAttribute(const void *layout, int number, void *value,
                                                                 size_t bytes, size_t *written)
{
    return get(find(layout_attributes, LAYOUT_ATTRIBUTES, number), layout, value, bytes, written);
}

// --- Preferences -----------------------------------------------------------------------------------------------------

BLAS_VISIBLE enum cublas_status cublasLtMatmulPreferenceCreate(void **to)
{
    const struct blas_preference preference = {0};
    return make(to, &preference, sizeof preference);
}

BLAS_VISIBLE enum cublas_status cublasLtMatmulPreferenceDestroy(void *preference)
{
    return destroy(preference);
}

BLAS_VISIBLE enum cublas_status cublasLtMatmulPreferenceSetAttribute(struct blas_preference *preference, int number,
                                                                     const void *value, size_t bytes)
{
    if (preference == NULL || value == NULL || number < 0 || number >= LT_PREFERENCES || bytes > sizeof(uint64_t))
        return CUBLAS_STATUS_INVALID_VALUE;
    memcpy(&preference->value[number], value, bytes);
    return CUBLAS_STATUS_SUCCESS;
}
