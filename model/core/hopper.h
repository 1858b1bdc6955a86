// SPDX-License-Identifier: MIT
// What the documents leave open and sm_90a chooses, or what nobody knows and the model chooses: each with its evidence.
// Read rule.h for what they do not leave open.
#ifndef TMAREF_HOPPER_H
#define TMAREF_HOPPER_H

// How an asynchronous copy tells its mbarrier. PTX says only that complete_tx has the bytes that were copied. An H200
// takes them off in pieces while a copy runs: multiples of 32 bytes were seen by reading tx during copies of 4 KiB and
// more, a different sequence each time. Smaller copies do it too: a barrier that expected 16 bytes too few completed
// early in one of seven tries. So a piece is any multiple of 32 bytes, and the last is what is left; in which order the
// bytes arrive, and whether the copies of a multicast keep step, is not known. Not known either, and taken to be alike:
// pieces of bulk copies between CTAs, and of stores, which tell nobody. st.async, red.async and cp.async are one piece.
enum { PIECE_UNIT_BYTES = 32 };

#endif
