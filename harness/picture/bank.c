// SPDX-License-Identifier: MIT
#include "picture/bank.h"

#include <string.h>

// Whether a lower lane of the phase already wants `word`: then it is a broadcast.
static int is_wanted(const uint32_t *address, int first_lane, int lane, uint32_t bytes, uint32_t word)
{
    for (int l = first_lane; l < lane; l++)
        if (address[l] / BANK_BYTES <= word && word <= (address[l] + bytes - 1) / BANK_BYTES) return 1;
    return 0;
}

static void count_phase(const uint32_t *address, uint32_t bytes, struct bank_phase *phase)
{
    for (int lane = phase->first_lane; lane < phase->end_lane; lane++) {
        uint32_t last_word = (address[lane] + bytes - 1) / BANK_BYTES;
        for (uint32_t word = address[lane] / BANK_BYTES; word <= last_word; word++) {
            uint32_t bank = word % BANKS;
            phase->lanes[bank] |= 1u << lane;
            if (!is_wanted(address, phase->first_lane, lane, bytes, word)) phase->words[bank]++;
            if (phase->words[bank] > phase->wavefronts) phase->wavefronts = phase->words[bank];
        }
    }
}

void bank_count(const uint32_t *address, int lanes, uint32_t bytes, struct bank_report *report)
{
    int together = bytes == 16 ? WARP_LANES / 4 : bytes == 8 ? WARP_LANES / 2 : WARP_LANES;
    memset(report, 0, sizeof *report);
    for (int first = 0; first < lanes; first += together) {
        struct bank_phase *phase = &report->phase[report->phases++];
        phase->first_lane = first;
        phase->end_lane = first + together < lanes ? first + together : lanes;
        count_phase(address, bytes, phase);
        report->wavefronts += phase->wavefronts;
    }
    report->ideal = report->phases;
}
