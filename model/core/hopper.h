// SPDX-License-Identifier: MIT
// What the documents leave open and sm_90a chooses, or what nobody knows and the model chooses: each with its evidence.
// Read rule.h for what they do not leave open.
#ifndef TMAREF_HOPPER_H
#define TMAREF_HOPPER_H

#include <stdint.h>

// How an asynchronous copy tells its mbarrier. PTX says only that complete_tx has the bytes that were copied. An H200
// takes them off in pieces while a copy runs: multiples of 32 bytes were seen by reading tx during copies of 4 KiB and
// more, a different sequence each time. Smaller copies do it too: a barrier that expected 16 bytes too few completed
// early in one of seven tries. So a piece is any multiple of 32 bytes, and the last is what is left; in which order the
// bytes arrive, and whether the copies of a multicast keep step, is not known. Not known either, and taken to be alike:
// pieces of bulk copies between CTAs, and of stores, which tell nobody. st.async, red.async and cp.async are one piece.
enum { PIECE_UNIT_BYTES = 32 };

// How many fraction bits below its greatest exponent a sum of products keeps, and the least exponent that counts as the
// greatest: what is below is cut toward zero. PTX promises no order and no precision. Traces wgmma, wgmma_sparse, mma
// and gemm; docs/wgmma.md, "Numbers", and the rows of docs/hardware.md on fp8 and on one sum for all products.
enum { NUMBER_SUM_BITS = 25, NUMBER_SUM_BITS_FP8 = 13, NUMBER_SUM_FLOOR = -133 };

// The NaN that sums make, in wgmma, mma, reductions and conversions; PTX leaves its payload open. Of f64 it is made by
// inf - inf and 0 * inf alone: a NaN operand passes. Traces wgmma, mma, store and bulk.
enum { HOPPER_F16_NAN = 0x7fff, HOPPER_F32_NAN = 0x7fffffff };
#define HOPPER_F64_NAN 0xfff8000000000000u

// The NaN that a tf32 load makes of any other, and the 16 bits of out-of-bounds elements that are filled with NaN.
// Trace load.
enum { HOPPER_TF32_NAN = 0x7fffe000, HOPPER_FILL_NAN = 0x7ff7 };

// Bits of wgmma's matrix descriptor that mean nothing: they are ignored, not refused. Trace wgmma.
#define WGMMA_DESCRIPTOR_IGNORED (~(uint64_t)0xc00e3fff3fff3fff)

// Shared addresses of a CTA's own end here, before 700 and 716 (715): the bits above are the rank in shared::cluster.
// Traces cluster, cluster_fault and async_fault.
enum { SHARED_RANK_SHIFT = 24, SHARED_WINDOW_BYTES = 1 << SHARED_RANK_SHIFT };

// So many generic addresses are shared memory, from where the window begins, whatever of it is there. Rule
// CLUSTER_WINDOW.
#define SHARED_GENERIC_BYTES ((uint64_t)1 << 32)

// The greatest rank that a shared::cluster address may name, whatever the cluster; a copy between CTAs takes the rank
// modulo 32. Traces multicast_fault, cluster_fault and cluster_rank.
enum { SHARED_MOST_RANK = 31 };

// What an H200 has, as cuDeviceGetAttribute of the driver 580.159.04 says; the calls on occupancy count with it.
enum { H200_SMS = 132, SM_MOST_THREADS = 2048, SM_MOST_CTAS = 32, SM_REGISTERS = 65536 };

#endif
