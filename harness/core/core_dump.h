// SPDX-License-Identifier: MIT
// A core dump that the CUDA driver wrote, as structs: the device, its grids, CTAs, warps and lanes with their
// registers, and the memory that is in it. Pointers are into the caller's bytes of the file.
// Source: cudacoredump.h and cudadebugger.h of the CUDA 13.0 toolkit; rows of older drivers are shorter, and what they
// lack is 0. Words are little-endian.
#ifndef TMAREF_CORE_DUMP_H
#define TMAREF_CORE_DUMP_H

#include "elf_file.h"

enum { CORE_LANES = 32 };

// Bytes of memory, and the address of the first.
struct core_bytes {
    const uint8_t *at; // NULL: not in the dump
    uint64_t address, bytes;
};

//   offset     of the pc from the start of its function
//   exception  CUDBGException_t, 0 for none
struct core_lane {
    bool is_there;
    uint64_t pc, offset;
    uint32_t thread[3], exception;
    struct core_bytes registers, frames;
};

//   valid, active   masks of lanes: those that have not exited, those that run together now
struct core_warp {
    uint32_t cta, valid, active;
    bool has_error_pc;
    uint64_t error_pc;
    uint32_t shared_bytes;
    struct core_bytes uniforms;
    struct core_lane lane[CORE_LANES];
};

//   grid           its number in the dump, UINT32_MAX if it is not there
//   cluster        which cluster it is in, and how many CTAs those have; 0: the driver was too old to say
//   warp, warps    its part of the dump's
struct core_cta {
    uint32_t grid, sm, block[3], cluster[3], cluster_dim[3];
    uint64_t grid_id;
    struct core_bytes shared;
    uint32_t warp, warps;
};

struct core_sm {
    uint32_t device, number, exception;
    bool has_error_pc, has_target;
    uint64_t error_pc;
    uint32_t target[3]; // the CTA that a cluster's exception is about
};

struct core_bank {
    uint32_t grid, number, bytes;
    uint64_t address;
};

struct core_grid {
    uint64_t id, entry, module, params_at;
    uint32_t grid[3], block[3], cluster[3], registers;
    struct core_bytes params;
};

struct core_device {
    const char *name, *sm;
    uint32_t number, sms, major, minor;
};

// The machine code of a module.
struct core_image {
    uint64_t module;
    struct core_bytes bytes;
};

struct core_dump {
    struct elf file;
    struct core_device *device;
    struct core_sm *sm;
    struct core_grid *grid;
    struct core_bank *bank;
    struct core_cta *cta;
    struct core_warp *warp;
    struct core_image *image;
    struct core_bytes *global; // and managed
    uint32_t devices, sms, grids, banks, ctas, warps, images, globals;
    uint32_t driver, cuda[2]; // versions; 0 if it does not say
    uint64_t local_window, shared_window;
};

// Reads the dump in `bytes`, which must stay until core_close(). 0 with a sentence: what it is instead, or what is
// broken. A dump without warps is read; core_close() is right after either.
int core_open(struct core_dump *dump, const void *bytes, size_t size_bytes, struct text *why);
void core_close(struct core_dump *dump);

// A register, as far as it is in the dump: 1, and its value. Register 255 is the zero register, of uniforms 63.
bool core_register(const struct core_lane *lane, uint32_t number, uint32_t *value);
bool core_uniform(const struct core_warp *warp, uint32_t number, uint32_t *value);

// `bytes` bytes of a piece of memory at `address`; NULL if not all of them are there.
const uint8_t *core_bytes_at(const struct core_bytes *memory, uint64_t address, uint64_t bytes);

// The same of global memory.
const uint8_t *core_global(const struct core_dump *dump, uint64_t address, uint64_t bytes);

// The name of an exception in the toolkit's words, without CUDBG_EXCEPTION_; "exception 77" for others.
struct text core_exception_name(uint32_t exception);

#endif
