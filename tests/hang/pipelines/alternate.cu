// SPDX-License-Identifier: MIT
#include "alternate.cuh"

RUN(order::device_kernel<order::Product>, 2, 384)
