// SPDX-License-Identifier: MIT
// Do the rows of nvml_calls.def have the parameters of a toolkit's nvml.h? As toolkit_check.c. NVML's handles are not
// constant there.
#define NVML_NO_UNVERSIONED_FUNC_DEFS // all versions of a call are declared, and none is a macro
#define const
#include <nvml.h>

#define nvml_memory      nvmlMemory_st
#define nvml_memory_v2   nvmlMemory_v2_st
#define nvml_pci         nvmlPciInfo_st
#define nvml_utilization nvmlUtilization_st

#define CALL(name, since, streams, parameters)                                                                         \
    _Static_assert(__builtin_types_compatible_p(__typeof__(name), nvmlReturn_t parameters),                            \
                   "the header has other parameters than its row: " #name);
#define VALUE(name, since, streams, type, value) CALL(name, since, , (struct nvmlDevice_st * device, type * result))
#include "nvml_rows.def"
