// SPDX-License-Identifier: MIT
// The nvidia-smi of `tmaref exec`: scripts ask a program of that name which GPU there is. It asks the simulated NVML,
// as NVIDIA's asks the driver's.
//   smi.c          the command line
//   smi_fields.c   what --query-gpu can ask for
//   smi_pages.c    what a person reads: the table, -L, -q
#ifndef TMAREF_SMI_H
#define TMAREF_SMI_H

#include <stddef.h>

#include "nvml.h"

typedef const struct nvmlDevice_st *smi_device;

// The statuses that scripts know.
enum { SMI_OK = 0, SMI_FAILED = 1, SMI_BAD_ARGUMENT = 2, SMI_NOT_SUPPORTED = 3, SMI_NOT_FOUND = 6 };

enum { SMI_TEXT = 128 };

// What a field of --query-gpu is called, in which unit it is, and how its value is written.
struct smi_field {
    const char *name, *other, *unit; // other: an older name, or NULL; unit: "" for none
    void (*write)(smi_device device, char text[SMI_TEXT]);
};

// The field of a name of `bytes` bytes; NULL: there is none.
const struct smi_field *smi_find(const char *name, size_t bytes);

// The value of a field that is there.
void smi_value(smi_device device, const char *name, char text[SMI_TEXT]);

// One line for each field: what --help-query-gpu prints.
void smi_list_fields(void);

void smi_page_table(smi_device device);
void smi_page_names(smi_device device); // -L
void smi_page_long(smi_device device);  // -q
void smi_page_version(void);            // --version
void smi_page_topology(void);           // topo -m

#endif
