// SPDX-License-Identifier: MIT
// What the kernels of rmw.cu leave, by arithmetic alone: every element 1 higher, canaries around the tiles, and
// barriers after one phase. How bytes move is the business of the PTX machine, which runs the kernels (the executor
// sim).
#include <string.h>

#include "mbarrier.h"
#include "reduce.h"
#include "rmw_case.h"
#include "rules/bulk.h"

uint32_t rmw_element_bytes(enum rmw_type type)
{
#define BYTES(id, name, ctype, bytes) bytes,
    static const uint32_t rows[] = {RMW_TYPES_LIST(BYTES)};
#undef BYTES
    return rows[type];
}

static int asks_for_bulk(enum rmw_form form)
{
#define IS_BULK(id, name, is_bulk) is_bulk,
    static const int rows[] = {RMW_FORMS_LIST(IS_BULK)};
#undef IS_BULK
    return rows[form];
}

enum rmw_path rmw_path(enum rmw_form form, enum rmw_type type)
{
    uint32_t align = rmw_element_bytes(type);
    if (asks_for_bulk(form) || align >= 16) return RMW_BULK;
    return align >= 4 ? RMW_CP_ASYNC : RMW_PLAIN;
}

static void add_integer(uint8_t *element, uint32_t bytes)
{
    uint64_t value = 0;
    memcpy(&value, element, bytes);
    value++;
    memcpy(element, &value, bytes);
}

// A NaN stays the one that it is, made quiet; of the other float types it becomes the canonical one.
static void add_double(uint8_t *element)
{
    const uint64_t magnitude_bits = UINT64_MAX >> 1, infinity = UINT64_C(0x7ff) << 52, quiet_bit = UINT64_C(1) << 51;
    const uint64_t double_1 = UINT64_C(1023) << 52;
    uint64_t bits;
    reduce_apply(REDUCE_ADD, DTYPE_FLOAT64, element, &double_1, 1);
    memcpy(&bits, element, sizeof bits);
    if ((bits & magnitude_bits) > infinity) bits |= quiet_bit;
    memcpy(element, &bits, sizeof bits);
}

void rmw_add_1(enum rmw_type type, uint8_t *element)
{
    static const uint16_t half_1 = 0x3c00;
    static const float float_1 = 1;
    if (type == RMW_F16)
        reduce_apply(REDUCE_ADD, DTYPE_FLOAT16, element, &half_1, 1);
    else if (type == RMW_F32)
        reduce_apply(REDUCE_ADD, DTYPE_FLOAT32, element, &float_1, 1);
    else if (type == RMW_F64)
        add_double(element);
    else if (type == RMW_U32X4)
        for (int i = 0; i < 4; i++) add_integer(element + 4 * i, 4);
    else
        add_integer(element, rmw_element_bytes(type));
}

uint32_t rmw_tile_bytes(const struct rmw_case *c)
{
    return c->tile * rmw_element_bytes((enum rmw_type)c->type);
}

static uint32_t elements_of(const struct rmw_case *c, uint32_t cta)
{
    const uint32_t left = c->count - cta * c->tile;
    return left < c->tile ? left : c->tile;
}

// Does a call ask for a bulk copy of a tile that begins at no multiple of 16? All tiles do if the second one does.
static bool faults(const struct rmw_case *c)
{
    if (!asks_for_bulk((enum rmw_form)c->form)) return false;
    for (uint32_t cta = 0; cta < rmw_ctas(c); cta++)
        if ((c->offset + cta * rmw_tile_bytes(c)) % 16 != 0 &&
            elements_of(c, cta) * rmw_element_bytes((enum rmw_type)c->type) >= 16)
            return true;
    return false;
}

// Its barrier has completed one phase, in which every thread arrived once.
static struct rmw_log log_of(const struct rmw_case *c, uint32_t bytes)
{
    const enum rmw_form form = (enum rmw_form)c->form;
    const enum rmw_path path = rmw_path(form, (enum rmw_type)c->type);
    struct mbarrier_fields end = mbarrier_unpack(mbarrier_init(c->threads));
    end.phase = 1;
    return (struct rmw_log){.word = mbarrier_pack(&end),
                            .bulk_bytes = path == RMW_BULK && form != RMW_MEMCPY_ASYNC_GROUP ? bytes / 16 * 16 : 0,
                            .fulfilled = form == RMW_CP_ASYNC_BULK ? RMW_FULFILLED_UNTOLD
                                         : path == RMW_PLAIN       ? RMW_FULFILLED_NONE
                                                                   : RMW_FULFILLED_ASYNC};
}

// What a CTA leaves: its tile between canaries, as it was loaded and as it is stored, the array, and its log.
static void leave(const struct rmw_case *c, const struct window *w, uint32_t cta)
{
    const uint32_t size = rmw_element_bytes((enum rmw_type)c->type), bytes = elements_of(c, cta) * size;
    const uint32_t guarded = rmw_guarded_bytes(rmw_tile_bytes(c));
    uint8_t *array = w[RMW_WINDOW_ARRAY].bytes + RMW_SURROUND_BYTES + c->offset + cta * rmw_tile_bytes(c);
    uint8_t *before = w[RMW_WINDOW_BEFORE].bytes + cta * guarded, *after = w[RMW_WINDOW_AFTER].bytes + cta * guarded;
    const struct rmw_log log = log_of(c, bytes);
    for (uint32_t at = 0; at < guarded; at += 4) put_u32(before + at, rmw_canary(at));
    memcpy(before + RMW_GUARD_BYTES, array, bytes);
    for (uint32_t at = 0; at < bytes; at += size) rmw_add_1((enum rmw_type)c->type, array + at);
    memcpy(after, before, guarded);
    memcpy(after + RMW_GUARD_BYTES, array, bytes);
    memcpy(w[RMW_WINDOW_LOG].bytes + cta * sizeof log, &log, sizeof log);
}

enum rule rmw_run_model(const void *test_case, struct result *result)
{
    const struct rmw_case *c = test_case;
    if (faults(c)) return RULE_BULK_ALIGN;
    for (uint32_t cta = 0; cta < rmw_ctas(c); cta++) leave(c, result->window, cta);
    return RULE_OK;
}
