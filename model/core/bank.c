// SPDX-License-Identifier: MIT
#include "bank.h"

#include <stdbool.h>
#include <string.h>

#include "rules/instruction.h"
#include "rules/shared.h"

static bool is_active(uint32_t active, int lane)
{
    return (int)(active >> lane & true);
}

// Whether a lower active lane of the phase already wants `word`: then it is a broadcast.
static bool is_wanted(const uint32_t *address, uint32_t active, int first_lane, int lane, uint32_t bytes, uint32_t word)
{
    for (int l = first_lane; l < lane; l++)
        if (is_active(active, l) && address[l] / BANK_BYTES <= word && word <= (address[l] + bytes - 1) / BANK_BYTES)
            return true;
    return false;
}

static void count_phase(const uint32_t *address, uint32_t active, uint32_t bytes, struct bank_phase *phase)
{
    for (int lane = phase->first_lane; lane < phase->end_lane; lane++) {
        if (!is_active(active, lane)) continue;
        uint32_t last_word = (address[lane] + bytes - 1) / BANK_BYTES;
        for (uint32_t word = address[lane] / BANK_BYTES; word <= last_word; word++) {
            uint32_t bank = word % BANKS;
            phase->lanes[bank] |= 1u << lane;
            if (!is_wanted(address, active, phase->first_lane, lane, bytes, word)) phase->words[bank]++;
            if (phase->words[bank] > phase->wavefronts) phase->wavefronts = phase->words[bank];
        }
    }
}

// Do all lanes l and l ^ bit that are both active want the same?
static bool is_paired(const uint32_t *address, uint32_t active, int bit)
{
    for (int lane = 0; lane < WARP_LANES; lane++)
        if (is_active(active, lane) && is_active(active, lane ^ bit) && address[lane] != address[lane ^ bit])
            return false;
    return true;
}

static int lanes_together(enum bank_access access, const uint32_t *address, uint32_t active, uint32_t bytes)
{
    if (bytes <= BANK_BYTES) return WARP_LANES;
    int lanes = WARP_LANES * BANK_BYTES / (int)bytes;
    return access == BANK_LOAD && (is_paired(address, active, 1) || is_paired(address, active, 2)) ? 2 * lanes : lanes;
}

enum rule bank_count(enum bank_access access, const uint32_t *address, uint32_t active, uint32_t bytes,
                     struct bank_report *report)
{
    memset(report, 0, sizeof *report);
    if (bytes < 1 || bytes > 16 || (bytes & (bytes - 1)) != 0) return RULE_INSTRUCTION_FORM;
    for (int lane = 0; lane < WARP_LANES; lane++)
        if (is_active(active, lane) && address[lane] % bytes != 0) return RULE_SHARED_ACCESS_ALIGN;

    int together = lanes_together(access, address, active, bytes);
    for (int first = 0; first < WARP_LANES; first += together) {
        struct bank_phase *phase = &report->phase[report->phases];
        phase->first_lane = first;
        phase->end_lane = first + together;
        while (phase->end_lane > first && !is_active(active, phase->end_lane - 1)) phase->end_lane--;
        count_phase(address, active, bytes, phase);
        report->wavefronts += phase->wavefronts;
        if (phase->wavefronts > 0) report->phases++;
    }
    report->ideal = report->phases;
    int least = access == BANK_LOAD ? WARP_LANES / together : 0;
    report->clocks = report->wavefronts > least ? report->wavefronts : least;
    return RULE_OK;
}
