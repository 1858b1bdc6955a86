// SPDX-License-Identifier: MIT
// What the simulated GPUs say of themselves. The attributes are in attributes.def.
#ifndef TMAREF_DEVICE_H
#define TMAREF_DEVICE_H

#include <stdint.h>

struct device_facts {
    const char *name;
    uint64_t memory_bytes;
    int column; // of attributes.def
};

// The device that the option `device` names, by the word's place.
const struct device_facts *device_of_option(int number);

// The value of an attribute: 1, or 0 if there is none of that number.
int device_attribute(const struct device_facts *device, int attribute, int *value);

#endif
