// SPDX-License-Identifier: MIT
// The rules of linking, as nvlink of CUDA 13.0 has them.
#include "link_rules.h"

enum { KEPT_BITS = 32 }; // narrower parameters are passed in as many

// How much a definition counts; 0: it is a declaration.
enum { DECLARED, COMMON, WEAK, STRONG };

static int weight_of(enum ptx_linkage linkage)
{
    if (linkage == PTX_LINK_EXTERN) return DECLARED;
    if (linkage == PTX_LINK_COMMON) return COMMON;
    return linkage == PTX_LINK_WEAK ? WEAK : STRONG;
}

// --- Functions -------------------------------------------------------------------------------------------------------

// Integers and bits are the same; floats are apart from 32 bits on. Alignments may differ.
static bool is_float(const struct ptx_type_row *row)
{
    return row->kind == PTX_KIND_FLOAT && row->bits >= KEPT_BITS;
}

static bool same_parameter(const struct ptx_variable *a, const struct ptx_variable *b)
{
    const struct ptx_type_row *row = ptx_type_row((enum ptx_type)a->type),
                              *other = ptx_type_row((enum ptx_type)b->type);
    return a->bytes == b->bytes && a->is_array == b->is_array && row->bits == other->bits &&
           is_float(row) == is_float(other);
}

static bool same_prototype(const struct ptx_function *a, const struct ptx_function *b)
{
    if (a->returns != b->returns || a->parameters != b->parameters) return false;
    for (uint32_t i = 0; i < a->returns + a->parameters; i++)
        if (!same_parameter(&a->variable[i], &b->variable[i])) return false;
    return true;
}

static int weight_of_function(const struct ptx_function *function)
{
    return function->has_body ? weight_of((enum ptx_linkage)function->linkage) : DECLARED;
}

const char *ptx_link_clash_of_functions(const struct ptx_function *first, const struct ptx_function *second)
{
    if (first->is_entry != second->is_entry) return "is a kernel in only one unit; the other is";
    if (!first->is_entry && !same_prototype(first, second)) return "has other parameters or results in";
    return weight_of_function(first) == STRONG && weight_of_function(second) == STRONG ? "is defined a second time in"
                                                                                       : NULL;
}

bool ptx_link_takes_function(const struct ptx_function *first, const struct ptx_function *second)
{
    return weight_of_function(second) > weight_of_function(first);
}

// --- Variables -------------------------------------------------------------------------------------------------------

static int weight_of_variable(const struct ptx_variable *variable)
{
    return weight_of((enum ptx_linkage)variable->linkage);
}

// .common ones may grow among themselves, and may be smaller than what has a value.
static bool sizes_fit(const struct ptx_variable *first, const struct ptx_variable *second)
{
    const int a = weight_of_variable(first), b = weight_of_variable(second);
    if (first->is_unsized || second->is_unsized || first->bytes == second->bytes) return true;
    if (a == COMMON && b == COMMON) return true;
    if (a == COMMON && b > COMMON) return first->bytes < second->bytes;
    return b == COMMON && a > COMMON && second->bytes < first->bytes;
}

const char *ptx_link_clash_of_variables(const struct ptx_variable *first, const struct ptx_variable *second)
{
    if (first->space != second->space) return "is in another memory space in";
    if (first->is_managed != second->is_managed) return "is managed in only one unit; the other is";
    if (!sizes_fit(first, second)) return "has another size in";
    return weight_of_variable(first) == STRONG && weight_of_variable(second) == STRONG ? "is defined a second time in"
                                                                                       : NULL;
}

bool ptx_link_takes_variable(const struct ptx_variable *first, const struct ptx_variable *second)
{
    const int a = weight_of_variable(first), b = weight_of_variable(second);
    if (a != b) return b > a;
    return a < WEAK && second->bytes > first->bytes;
}
