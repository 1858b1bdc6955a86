// SPDX-License-Identifier: MIT
#include "result.h"

#include <assert.h>
#include <stdio.h>

bool result_ends_agree(const struct result *one, const struct result *other)
{
    return result_may_be(one, other->status) || result_may_be(other, one->status);
}

static bool knows_rule(const struct result *result)
{
    return result->rule != RULE_OK || (result->end == RESULT_ANSWERED && result->told[0] != '\0');
}

bool result_rules_agree(const struct result *one, const struct result *other)
{
    return !knows_rule(one) || !knows_rule(other) || one->rule == other->rule;
}

void result_fail(struct result *result, int status)
{
    result_close(result);
    result->status = status;
    result->or_status = result->is_open = false;
}

void result_end(struct result *result, enum result_end end, int status, const char *told)
{
    result_fail(result, status);
    result->rule = RULE_OK;
    result->end = end;
    snprintf(result->told, sizeof result->told, "%s", told);
}

const char *result_end_name(enum result_end end)
{
    static const char *const names[] = {"answered", "unsupported", "crashed", "hung", "garbage"};
    return names[end];
}

uint8_t *result_window(struct result *result, const char *name, uint64_t base, uint32_t size_bytes)
{
    assert(result->windows < RESULT_MAX_WINDOWS);
    uint8_t *bytes = result->free_bytes;
    result->window[result->windows++] = (struct window){name, base, size_bytes, bytes, false, false};
    result->free_bytes += size_bytes;
    return bytes;
}

void result_align(struct result *result, size_t alignment)
{
    size_t used = (size_t)(result->free_bytes - result->first_bytes);
    result->free_bytes += (alignment - used % alignment) % alignment;
}

void result_close(struct result *result)
{
    result->windows = 0;
    result->free_bytes = result->first_bytes;
}

uint8_t *result_open_window(struct result *result, const char *name, uint64_t base, uint32_t size_bytes)
{
    uint8_t *bytes = result_window(result, name, base, size_bytes);
    result->window[result->windows - 1].is_open = true;
    return bytes;
}

uint8_t *result_mixed_window(struct result *result, const char *name, uint64_t base, uint32_t size_bytes)
{
    uint8_t *bytes = result_window(result, name, base, size_bytes);
    result->window[result->windows - 1].is_mixed = true;
    return bytes;
}
