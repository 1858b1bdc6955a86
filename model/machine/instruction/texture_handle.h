// SPDX-License-Identifier: MIT
// The texture or surface that an instruction names by the handle in a register.
#ifndef TMAREF_MACHINE_TEXTURE_HANDLE_H
#define TMAREF_MACHINE_TEXTURE_HANDLE_H

#include "handler.h"
#include "texture.h"

#pragma GCC visibility push(hidden)

// NULL if there is none of that handle (*handle).
const struct texture *machine_texture(const struct machine_strand *strand, const struct machine_operand *operand,
                                      uint32_t lane, uint64_t *handle);

// The launch ends: nothing is behind the handle.
enum machine_next machine_no_texture(struct machine_strand *strand, const struct machine_code *code, uint32_t lane,
                                     uint64_t handle);

// What an instruction names a texel by: in the order of the rows of forms.def.
struct machine_geometry {
    uint32_t axes;
    bool has_layer, is_cube;
};
const struct machine_geometry *machine_geometry(const struct ptx_choice *choice);

#pragma GCC visibility pop

#endif
