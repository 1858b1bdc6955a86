// SPDX-License-Identifier: MIT
// What of a kernel fits on an SM. PTX does not say how many registers ptxas takes: an estimate stands for them
// (machine_module_registers()), as far as the largest CTA that the kernel allows still fits.
#ifndef TMAREF_DRIVER_FUNCTION_H
#define TMAREF_DRIVER_FUNCTION_H

#include "driver.h"

uint32_t function_registers(const struct CUfunc_st *function);

// How many CTAs run on one SM at once.
uint32_t function_ctas_of_sm(const struct CUfunc_st *function, uint32_t threads, uint64_t dynamic_bytes);

#endif
