// SPDX-License-Identifier: MIT
// How the copy engine reads shared-memory operands.
#include "operand.h"

#include "broken.h"
#include "rules/mbarrier.h"
#include "rules/operand.h"

enum { BARRIER_BYTES = 8 };

// The warning that bits 18 to 23 are not 0: `rule` is OPERAND_NOWHERE or OPERAND_BARRIER_NOWHERE.
static void check_nowhere(uint32_t address, const char *argument, enum rule rule, struct findings *findings,
                          enum rule *first)
{
    const uint32_t limit = 1u << OPERAND_PLACE_BITS;
    if (!operand_is_nowhere(address)) return;
    finding_broken(findings, first,
                   FINDING(rule, argument, .value = address, .limit = limit, .nearest = operand_place(address)));
}

void operand_check(uint32_t address, const char *argument, struct findings *findings, enum rule *first)
{
    const uint32_t limit = 1u << SHARED_RANK_SHIFT;
    if (address >= limit)
        finding_broken(
            findings, first,
            FINDING(RULE_OPERAND_RANK, argument, .value = address, .limit = limit, .nearest = address % limit));
    check_nowhere(address, argument, RULE_OPERAND_NOWHERE, findings, first);
}

int operand_fits(uint32_t address, uint64_t bytes, const struct memory *memory)
{
    uint32_t place = operand_place(address);
    uint64_t end = memory->base + memory->size_bytes;
    if (operand_is_nowhere(address)) return place <= end && bytes <= end - place;
    return memory_holds(memory, place, bytes);
}

enum rule operand_check_barrier(uint32_t address, const struct memory *memory, struct findings *findings)
{
    enum rule first = RULE_OK;
    findings_clear(findings);
    uint32_t place = operand_place(address);
    if (address % BARRIER_BYTES != 0)
        finding_broken(findings, &first, finding_of_align(RULE_MBARRIER_ADDRESS_ALIGN, "mbar", address, BARRIER_BYTES));
    if (!operand_fits(address, BARRIER_BYTES, memory))
        finding_broken(findings, &first,
                       finding_of_bounds(RULE_OPERAND_BARRIER_BOUNDS, "mbar", memory, place, BARRIER_BYTES));
    check_nowhere(address, "mbar", RULE_OPERAND_BARRIER_NOWHERE, findings, &first);
    return first;
}
