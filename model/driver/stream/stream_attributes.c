// SPDX-License-Identifier: MIT
// Attributes of streams: about caches, priorities and how the host waits. They are kept; nothing depends on them here.
#include <string.h>

#include "work.h"

enum { WINDOW = 1, SYNC_POLICY = 3, PRIORITY = 8, SYNC_DOMAIN_MAP = 9, SYNC_DOMAIN = 10 };

// Where an attribute is kept in the stream, NULL if streams have none of that number.
static union stream_attribute *kept_at(struct CUstream_st *stream, uint32_t attribute)
{
    static const uint32_t number[STREAM_ATTRIBUTES] = {WINDOW, SYNC_POLICY, SYNC_DOMAIN_MAP, SYNC_DOMAIN};
    for (int i = 0; i < STREAM_ATTRIBUTES; i++)
        if (number[i] == attribute) return &stream->attribute[i];
    return NULL;
}

void stream_attributes_begin(struct CUstream_st *stream)
{
    kept_at(stream, SYNC_POLICY)->number = UINT32_MAX; // none was set
    kept_at(stream, SYNC_DOMAIN_MAP)->domain[1] = 1;
}

static bool is_value(uint32_t attribute, const union stream_attribute *value)
{
    enum { POLICIES = 4, DOMAINS = 2, MAPPED_DOMAINS = 4 };
    switch (attribute) {
    case SYNC_POLICY:
        return value->number >= 1 && value->number <= POLICIES;
    case SYNC_DOMAIN_MAP:
        return value->domain[0] < MAPPED_DOMAINS && value->domain[1] < MAPPED_DOMAINS;
    case SYNC_DOMAIN:
        return value->number < DOMAINS;
    default:
        return true;
    }
}

DRIVER_VISIBLE enum cuda_result cuStreamSetAttribute(struct CUstream_st *handle, uint32_t attribute, const void *value)
{
    DRIVER_USE_OF_OR_RETURN(driver, handle);
    struct CUstream_st *stream = stream_of(driver, handle);
    union stream_attribute given;
    if (stream == NULL) return CUDA_ERROR_INVALID_HANDLE;
    if (value == NULL) return CUDA_ERROR_INVALID_VALUE;
    if (attribute == PRIORITY) {
        memcpy(&stream->priority, value, sizeof stream->priority);
        return CUDA_SUCCESS;
    }
    union stream_attribute *kept = kept_at(stream, attribute);
    if (kept == NULL) return CUDA_ERROR_INVALID_VALUE;
    memset(&given, 0, sizeof given);
    memcpy(&given, value, attribute == WINDOW ? sizeof given : sizeof given.domain);
    if (!is_value(attribute, &given)) return CUDA_ERROR_INVALID_VALUE;
    *kept = given;
    return CUDA_SUCCESS;
}

DRIVER_VISIBLE enum cuda_result cuStreamGetAttribute(struct CUstream_st *handle, uint32_t attribute, void *value)
{
    DRIVER_USE_OF_OR_RETURN(driver, handle);
    struct CUstream_st *stream = stream_of(driver, handle);
    if (stream == NULL) return CUDA_ERROR_INVALID_HANDLE;
    if (value == NULL) return CUDA_ERROR_INVALID_VALUE;
    const union stream_attribute *kept = kept_at(stream, attribute);
    if (attribute == PRIORITY)
        memcpy(value, &stream->priority, sizeof stream->priority);
    else if (kept != NULL)
        memcpy(value, kept, attribute == WINDOW ? sizeof *kept : sizeof kept->domain);
    return attribute == PRIORITY || kept != NULL ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

DRIVER_VISIBLE enum cuda_result cuStreamCopyAttributes(struct CUstream_st *to_handle, struct CUstream_st *from_handle)
{
    DRIVER_USE_OF_OR_RETURN(driver, to_handle);
    struct CUstream_st *to = stream_of(driver, to_handle);
    const struct CUstream_st *from = stream_of(driver, from_handle);
    if (to == NULL || from == NULL) return CUDA_ERROR_INVALID_HANDLE;
    memcpy(to->attribute, from->attribute, sizeof to->attribute);
    to->priority = from->priority;
    return CUDA_SUCCESS;
}
