// SPDX-License-Identifier: MIT
// Why a call of the tables (driver_calls.def, runtime_calls.def) is refused, and what to do instead: what a call says
// behind its name, in both libraries and in the page calls.md.
#ifndef TMAREF_REFUSALS_H
#define TMAREF_REFUSALS_H

// clang-format off
#define WHY_ARRAYS         "; tmaref has CUDA arrays of plain formats, not their planes, sparse ones, or those of other APIs"
#define WHY_CHECKPOINTS    "; tmaref cannot save the state of a process"
#define WHY_DECOMPRESSION  "; tmaref has no decompression engine"
#define WHY_FABRIC         "; tmaref has one device, and no fabric of devices"
#define WHY_GRAPHICS       "; tmaref has no graphics: run the program without a window, if possible"
#define WHY_GREEN_CONTEXTS "; tmaref has green contexts by the calls of the driver alone: use cuGreenCtxCreate"
#define WHY_MULTICAST      "; multicast objects need several devices, and tmaref has one"
#define WHY_ONE_DEVICE     "; tmaref has one device: use cudaLaunchCooperativeKernel"
#define WHY_OTHER_APIS     "; tmaref cannot share memory or semaphores with other APIs"
#define WHY_SHORT          "; its addresses and sizes have 32 bits: ask for the name that ends in _v2, as cuda.h does"
#define WHY_SURFACES       "; tmaref has surface objects, not surface references: use cuSurfObjectCreate"
#define WHY_TEXTURES       "; tmaref has texture objects, not texture references: use cuTexObjectCreate"
#define WHY_UNASKED        "" // no program of docs/programs.md makes the call
// clang-format on

#endif
