// SPDX-License-Identifier: MIT
// What the handles of cuBLAS, cuSOLVER and cuSPARSE have alike. A library describes its own in one struct.
#ifndef TMAREF_BLAS_HANDLE_H
#define TMAREF_BLAS_HANDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct CUstream_st;

// The first member of each handle. `mark`: the library's; 0 of one that was destroyed.
struct handle {
    uint32_t mark;
    struct CUstream_st *stream;
};

// Statuses as the library numbers them; success is 0 everywhere. made_by: the call that makes handles.
struct handle_kind {
    uint32_t mark;
    const char *made_by;
    int not_initialized, no_memory, invalid;
    int version[3]; // major, minor, patch
};

// Makes one of `bytes` bytes, all 0 but the mark, and the driver and a context ready. Returns the status.
int handle_make(const struct handle_kind *kind, void *to, size_t bytes);

// Is it one of the library's? If not, says on standard error what it is, and `call` returns not_initialized.
bool handle_is(const struct handle_kind *kind, const void *handle, const char *call);

int handle_destroy(const struct handle_kind *kind, void *handle, const char *call);

// One of the three numbers of the version.
int handle_version(const struct handle_kind *kind, int property, int *value);

// Two calls: a setting of the handle, and how it is asked for. `declare`: what stands before their names; `kind`: the
// struct above.
#define HANDLE_SETTING(declare, kind, handle_type, set, get, type, member, is_allowed)                                 \
    declare set(handle_type *handle, type value)                                                                       \
    {                                                                                                                  \
        if (!handle_is(&(kind), handle, __func__)) return (kind).not_initialized;                                      \
        if (!(is_allowed)) return (kind).invalid;                                                                      \
        handle->member = value;                                                                                        \
        return 0;                                                                                                      \
    }                                                                                                                  \
    declare get(handle_type *handle, type *value)                                                                      \
    {                                                                                                                  \
        if (!handle_is(&(kind), handle, __func__)) return (kind).not_initialized;                                      \
        if (value == NULL) return (kind).invalid;                                                                      \
        *value = handle->member;                                                                                       \
        return 0;                                                                                                      \
    }

#endif
