// SPDX-License-Identifier: MIT
// What the measurement of `tmaref diagnose` shares: wrong tiles with a known cause, and where their dumps come from.
#ifndef TMAREF_MEASURE_H
#define TMAREF_MEASURE_H

#include "diagnose_case.h"

// A dump: the whole window of a case as the reader sees it, what was there before, and the barrier's word.
struct measured {
    struct diagnose_case test_case;
    struct load_window window;
    uint8_t bytes[LOAD_SHARED_BYTES], before[LOAD_SHARED_BYTES];
    uint64_t word;
};

// Case `index` of `seed`, done by the slow model (tests/slow): no code of model/ has a part in the bytes. A dump that
// is taken early holds a part of what the last load wrote, drawn at random. `is_clean`: the tile is loaded as it was
// meant. Returns 0 if the slow model refuses.
bool measure_slow(uint64_t seed, uint64_t index, bool is_clean, struct measured *measured);

#endif
