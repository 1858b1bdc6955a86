// SPDX-License-Identifier: MIT
// One copy of cp.async: where it reads, whether it may, and the move.
#include "cp_async.h"

#include "broken.h"
#include "cp_async_check.h"
#include "global_check.h"
#include "hopper.h"
#include "linear.h"
#include "rules/cp.h"

static bool is_ignored(const struct cp_async *copy)
{
    if (copy->form == CP_ASYNC_IGNORE_SRC) return copy->operand != 0;
    return copy->form == CP_ASYNC_SRC_SIZE && copy->operand == 0;
}

// The assembler adds the bytes to be zeroed to the address, modulo cp-size, and the hardware takes the low bits of the
// sum as their number: an address that is not aligned makes more of them.
void cp_async_source(const struct cp_async *copy, uint64_t *start, uint32_t *bytes)
{
    uint32_t mask = copy->size_bytes - 1;
    uint64_t sum = copy->from;
    if (copy->form == CP_ASYNC_SRC_SIZE) sum += (copy->size_bytes - copy->operand) & mask;
    *start = sum & ~(uint64_t)mask;
    *bytes = is_ignored(copy) ? 0 : copy->size_bytes - (uint32_t)(sum & mask);
}

// What the source breaks before the destination is looked at, and the warnings.
static void check_operand(const struct cp_async *copy, enum rule *first, struct findings *findings)
{
    uint64_t size = copy->size_bytes, nearest = copy->from & ~(size - 1);
    bool has_size = copy->form == CP_ASYNC_SRC_SIZE;
    if (has_size && copy->operand > size)
        finding_broken(
            findings, first,
            FINDING(RULE_CP_ASYNC_SRC_SIZE, "src-size", .value = copy->operand, .limit = size, .nearest = size));
    if (is_ignored(copy) || copy->from % size == 0) return;
    enum rule rule = has_size ? RULE_CP_ASYNC_SRC_SIZE_ALIGN : RULE_CP_ASYNC_SRC_ALIGN;
    finding_broken(findings, first, FINDING(rule, "src", .value = copy->from, .limit = size, .nearest = nearest));
}

static void check_destination(const struct cp_async *copy, enum rule *first, struct findings *findings)
{
    uint64_t to = copy->to, size = copy->size_bytes, end = copy->shared->base + copy->shared->size_bytes;
    uint64_t nearest = to < copy->shared->base ? copy->shared->base : end - size;
    if (to >= SHARED_WINDOW_BYTES)
        finding_broken(
            findings, first,
            FINDING(RULE_CP_ASYNC_WINDOW, "dst", .value = to, .limit = SHARED_WINDOW_BYTES, .nearest = nearest));
    else if (!memory_holds(copy->shared, to - to % size, size))
        finding_broken(findings, first,
                       FINDING(RULE_CP_ASYNC_SMEM_BOUNDS, "dst", .value = to, .limit = end, .nearest = nearest));
    if (to % size != 0) finding_broken(findings, first, finding_of_align(RULE_CP_ASYNC_ALIGN, "dst", to, size));
}

enum rule cp_async_check_in(const struct cp_async *copy, const struct global_memory *global, struct findings *findings)
{
    enum rule first = RULE_OK;
    uint32_t size = copy->size_bytes;
    findings_clear(findings);
    if ((unsigned)copy->form >= CP_ASYNC_FORMS) return finding_of_form(findings, "form", (uint64_t)copy->form);
    if (size != 4 && size != 8 && size != 16) return finding_of_form(findings, "cp-size", size);
    uint64_t start;
    uint32_t bytes;
    check_operand(copy, &first, findings);
    check_destination(copy, &first, findings);
    cp_async_source(copy, &start, &bytes);
    if (bytes > 0 && !global_is_usable(global, start, bytes, MEMORY_READS)) {
        struct finding finding = global_finding(global, RULE_CP_ASYNC_UNMAPPED, "src", start, size);
        finding.value = copy->from;
        finding_broken(findings, &first, finding);
    }
    return first;
}

enum rule cp_async_check(const struct cp_async *copy, struct findings *findings)
{
    const struct region region = {*copy->global, 0};
    const struct global_memory global = {&region, 1};
    return cp_async_check_in(copy, &global, findings);
}

enum rule cp_async_copy(const struct cp_async *copy, struct findings *findings)
{
    enum rule rule = cp_async_check(copy, findings);
    if (rule != RULE_OK) return rule;
    const struct region region = {*copy->global, 0};
    const struct global_memory global = {&region, 1};
    linear_copy(copy, &global, memory_at(copy->shared, copy->to, copy->size_bytes));
    return RULE_OK;
}
