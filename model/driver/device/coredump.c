// SPDX-License-Identifier: MIT
// Attributes of core files: kept and told, for the process and for each context. No core file is written, as a kernel
// that fails is reported on standard error.
#include <stdlib.h>
#include <string.h>

#include "driver.h"

enum { ATTRIBUTE_TRIGGER = 4, ATTRIBUTE_FILE = 5, ATTRIBUTE_PIPE = 6, ATTRIBUTE_FLAGS = 7 };
enum { FLAG_NO_ABORT = 16, FLAGS_LIGHTWEIGHT = 47 };

static bool is_text(uint32_t attribute)
{
    return attribute == ATTRIBUTE_FILE || attribute == ATTRIBUTE_PIPE;
}

// Where an attribute is, and how many bytes it has; NULL if there is none of that number.
static void *place_of(struct coredump *of, uint32_t attribute, size_t *bytes)
{
    *bytes = attribute == ATTRIBUTE_FLAGS ? sizeof of->flags : is_text(attribute) ? sizeof of->file : 1;
    switch (attribute) {
    case ATTRIBUTE_FILE:
        return of->file;
    case ATTRIBUTE_PIPE:
        return of->pipe;
    case ATTRIBUTE_FLAGS:
        return &of->flags;
    default:
        return attribute >= 1 && attribute < CORE_SWITCHES ? &of->is_on[attribute] : NULL;
    }
}

// Without a place for the value, how many bytes it has.
static enum cuda_result tell(struct coredump *of, uint32_t attribute, void *value, size_t *bytes)
{
    size_t has;
    const void *from = place_of(of, attribute, &has);
    if (from == NULL || bytes == NULL) return CUDA_ERROR_INVALID_VALUE;
    if (value == NULL) {
        *bytes = has;
        return CUDA_SUCCESS;
    }
    if (!is_text(attribute) && *bytes != has) return CUDA_ERROR_INVALID_VALUE;
    memcpy(value, from, *bytes < has ? *bytes : has);
    return CUDA_SUCCESS;
}

static enum cuda_result take(struct coredump *of, uint32_t attribute, const void *value, const size_t *bytes)
{
    size_t has;
    void *to = place_of(of, attribute, &has);
    if (to == NULL || bytes == NULL) return CUDA_ERROR_INVALID_VALUE;
    if (value == NULL) return CUDA_SUCCESS;
    if (is_text(attribute) ? *bytes >= has : *bytes != has) return CUDA_ERROR_INVALID_VALUE;
    if (is_text(attribute)) memset(to, 0, has);
    memcpy(to, value, *bytes);
    if (attribute != ATTRIBUTE_FLAGS) return CUDA_SUCCESS;
    of->is_on[CORE_TRIGGER_HOST] = !(of->flags & FLAG_NO_ABORT);
    of->is_on[CORE_LIGHTWEIGHT] = (of->flags & FLAGS_LIGHTWEIGHT) == FLAGS_LIGHTWEIGHT;
    return CUDA_SUCCESS;
}

// Those of this thread's context; NULL if there is no memory.
static struct coredump *own(const struct driver *driver)
{
    struct CUctx_st *context = driver_context();
    if (context->coredump != NULL) return context->coredump;
    context->coredump = malloc(sizeof *context->coredump);
    if (context->coredump != NULL) *context->coredump = driver->coredump;
    return context->coredump;
}

// What a user triggers is a matter of the process.
static bool is_of_context(uint32_t attribute)
{
    return attribute != ATTRIBUTE_TRIGGER && attribute != ATTRIBUTE_PIPE;
}

DRIVER_ENTER_CALL(cuCoredumpGetAttributeGlobal, (uint32_t attribute, void *value, size_t *bytes),
                  tell(&driver->coredump, attribute, value, bytes))
DRIVER_ENTER_CALL(cuCoredumpSetAttributeGlobal, (uint32_t attribute, void *value, size_t *bytes),
                  take(&driver->coredump, attribute, value, bytes))

DRIVER_VISIBLE enum cuda_result cuCoredumpGetAttribute(uint32_t attribute, void *value, size_t *bytes)
{
    DRIVER_USE_FAILED_OR_RETURN(driver);
    if (!is_of_context(attribute)) return CUDA_ERROR_INVALID_VALUE;
    if (own(driver) == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
    return tell(own(driver), attribute, value, bytes);
}

DRIVER_VISIBLE enum cuda_result cuCoredumpSetAttribute(uint32_t attribute, void *value, size_t *bytes)
{
    DRIVER_USE_FAILED_OR_RETURN(driver);
    if (!is_of_context(attribute)) return CUDA_ERROR_INVALID_VALUE;
    if (own(driver) == NULL) return CUDA_ERROR_OUT_OF_MEMORY;
    return take(own(driver), attribute, value, bytes);
}
