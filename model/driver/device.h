// SPDX-License-Identifier: MIT
// What the simulated GPUs say of themselves. The attributes are in attributes.def.
#ifndef TMAREF_DEVICE_H
#define TMAREF_DEVICE_H

#include <stdint.h>

struct device_facts {
    const char *option, *name;
    uint64_t memory_bytes;
    int column; // of attributes.def
};

// The device that an option names; the first for any other word.
const struct device_facts *device_named(const char *option);

// The value of an attribute: 1, or 0 if there is none of that number.
int device_attribute(const struct device_facts *device, int attribute, int *value);

#endif
