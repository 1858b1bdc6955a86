// SPDX-License-Identifier: MIT
// What edits of a tensor map tell whoever listens: the accesses to its 128 bytes. Read event.h of core.
#ifndef TMAREF_TELL_MAP_H
#define TMAREF_TELL_MAP_H

#include "event.h"

// One tensormap.replace of the map at `address`: a weak read and write of all 128 bytes, whatever the field.
//   source  PTX ISA 9.1 tensormap.replace (#data-movement-and-conversion-instructions-tensormap-replace)
void map_replace_observe(enum access_space space, uint64_t address, const struct teller *teller);

// One tensormap.cp_fenceproxy: the map is read at shared address `from` and written at global address `to`.
void map_copy_observe(uint32_t from, uint64_t to, const struct teller *teller);

#endif
