// SPDX-License-Identifier: MIT
// traces/<arch>/MANIFEST: one line per trace file, made by `tmaref record`: name, family, cases, device, toolkit,
// kernel digest, date, seed; separated by tabs.
#ifndef TMAREF_MANIFEST_H
#define TMAREF_MANIFEST_H

#include "family.h"
#include "trace_file.h"

// Replaces or adds the line of the trace at `path` in the MANIFEST of its folder.
int manifest_update(const char *path, const struct trace_header *header, struct text *why);

enum { KERNEL_DIGEST_BYTES = 17 };

// 16 hexadecimal digits; empty for a family of the driver alone. 0 with `why` if a cubin is not there.
bool kernel_digest(const struct family *family, char digest[KERNEL_DIGEST_BYTES], struct text *why);

// Which nvcc built the kernels that are there, such as "nvcc 13.0.88"; empty if nobody knows.
void kernel_toolkit(char *text, size_t text_bytes);

#endif
