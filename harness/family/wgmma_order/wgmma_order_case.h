// SPDX-License-Identifier: MIT
// wgmma in flight as data, and what may come of it.
#ifndef TMAREF_WGMMA_ORDER_CASE_H
#define TMAREF_WGMMA_ORDER_CASE_H

#include "family.h"
#include "wgmma_order_job.h"
#include <jansson.h>

// What struct wgmma_order_job has of the same names.
struct wgmma_order_case {
    uint32_t kind, newest, victim, target, omission, load, seed;
};

// Warps whose part of D may show what overwrites group `victim`: bit w for warp w. 0 of a case that leaves out.
unsigned wgmma_order_open_warps(const struct wgmma_order_case *test_case);

// Whether every element of D is one that can be: of the open warps' rows of the victim, made of old and new pieces of 8
// bytes in any mix, of all others of what was there before.
int wgmma_order_is_legal(const void *test_case, const struct result *result);

// A result in words and back: for a case that varies a line for each group, "old" or a digit for each element of D:
// which of its four pieces along K are new (bit i: piece i). Other cases have no words.
json_t *wgmma_order_describe(const void *test_case, const struct result *result);
int wgmma_order_restore(const void *test_case, const json_t *text, struct result *result);

#endif
