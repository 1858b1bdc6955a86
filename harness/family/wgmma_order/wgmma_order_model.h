// SPDX-License-Identifier: MIT
// D of a wgmma_order job.
#ifndef TMAREF_WGMMA_ORDER_MODEL_H
#define TMAREF_WGMMA_ORDER_MODEL_H

#include <stdint.h>

// `kind` and `seed` as in struct wgmma_order_job; WGMMA_ORDER_OUTPUT_WORDS words of D, all from old contents.
void wgmma_order_compute(uint32_t kind, uint32_t seed, uint32_t *d);

#endif
