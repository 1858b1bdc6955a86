// SPDX-License-Identifier: MIT
#include "order.cuh"

RUN(order::device_kernel<order::Product>, 2, 384)
