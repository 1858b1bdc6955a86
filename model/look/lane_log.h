// SPDX-License-Identifier: MIT
// The latest accesses of one warp to global memory, to find another lane's to the same bytes. Each stands in a chain of
// its line of 128 bytes, the newest first; reads and writes have chains of their own, because reads need no other
// reads.
#ifndef TMAREF_LOOK_LANE_LOG_H
#define TMAREF_LOOK_LANE_LOG_H

#include <stdint.h>

#pragma GCC visibility push(hidden)

// The bytes from `begin` to `end`, of several lanes `each` bytes, side by side in their order; or each of them has all.
// at: the count of the launch's instructions; line: of the PTX. rows, rise: as a looker hears them (looker.h), of the
// lanes of `lanes` from the lowest on; in the log one row. is_strong: atomic, or volatile; reduces: it is an atomic
struct lane_use {
    uint64_t begin, end, at;
    uint32_t each, lanes, line;
    int32_t rise;
    uint8_t rows, writes, is_strong, reduces;
};

// The older of two accesses: its count, its line, a lane of each, whether the older writes, and whether it is strong.
// is_stepped: the warp has executed an atomic, or several lanes a fence, since. is_update: it reads, and several
// lanes write the byte at once. address, bytes: of the newer lane; bytes 0: of its whole event, which
// all lanes have alike.
struct sanitize_lane {
    uint64_t address, at;
    uint32_t bytes, line;
    uint8_t lane, newer_lane, writes, is_strong, is_update, is_stepped;
};

struct lane_log;
struct lane_log *lane_log_open(void); // NULL without memory

// Has another lane used the bytes in an earlier instruction than the newer's and a later one than `met`, and one of the
// two writes? Of so many accesses at the same place as the log has room for.
int lane_log_clashes(const struct lane_log *log, const struct lane_use *newer, uint64_t met,
                     struct sanitize_lane *older);
void lane_log_add(struct lane_log *log, const struct lane_use *use);

#pragma GCC visibility pop

#endif
