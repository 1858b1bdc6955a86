// SPDX-License-Identifier: MIT
// What the simulated GPUs say of themselves. The attributes are in attributes.def.
#ifndef TMAREF_DEVICE_H
#define TMAREF_DEVICE_H

#include <stdbool.h>
#include <stdint.h>

struct device_facts {
    const char *name;
    uint64_t memory_bytes;
    int column;          // of attributes.def
    uint32_t pci_device; // as the public list of PCI ids has it
};

// The driver whose answers are given, and the version of CUDA that it has.
#define DEVICE_DRIVER "580.159.04"
enum { DRIVER_VERSION = 13000 };

// The device that the option `device` names, by the word's place.
const struct device_facts *device_of_option(int number);

// The value of an attribute: 1, or 0 if there is none of that number.
bool device_attribute(const struct device_facts *device, int attribute, int *value);

void device_uuid(uint8_t bytes[16]);

// Is its place on the bus written so: domain:bus:device.function, without the domain, or without the function?
bool device_is_at(const char *text);

#endif
