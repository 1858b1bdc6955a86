// SPDX-License-Identifier: MIT
#include "access.h"

const char *access_kind_name(enum access_kind kind)
{
    static const char *const names[] = {"read", "write", "reduce"};
    return names[kind];
}

const char *access_order_name(enum access_order order)
{
    static const char *const names[] = {"weak", "relaxed", "acquire", "release", "acq_rel", "sc", "volatile", "mmio"};
    return names[order];
}

const char *access_scope_name(enum access_scope scope)
{
    static const char *const names[] = {"none", "cta", "cluster", "gpu", "sys"};
    return names[scope];
}

const char *access_proxy_name(enum access_proxy proxy)
{
    static const char *const names[] = {"generic", "async", "tensormap", "alias"};
    return names[proxy];
}

const char *access_space_name(enum access_space space)
{
    static const char *const names[] = {"global", "shared"};
    return names[space];
}
