// SPDX-License-Identifier: MIT
// Inside a program under `tmaref exec`: copies of the CUDA runtime, the driver, cuBLAS, cuBLASLt and cuFFT that are not
// ours, because nvcc linked the runtime statically, or the loader took a file by its path. Each of their public
// functions, found by name in the symbol table of the file, begins with a jump to ours before any code of that file
// runs. Nothing else of them is changed, and nothing of the driver's private interface is needed.
//   takeover.c   hears of every file that the loader maps, and looks for our names in it
//   entries.c    the functions of our libraries, and the code through which the jumps reach them
//   jump.c       writes a jump over the first instructions of a function
//   stripped.c   finds the functions of a runtime whose names were stripped, with the archive that was linked
//   named.c      finds them without it
//   closed.c     the same for cuDNN, which does not run, for those who want no more of it than a handle
#ifndef TMAREF_TAKEOVER_H
#define TMAREF_TAKEOVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum takeover_library {
    TAKEOVER_RUNTIME,
    TAKEOVER_DRIVER,
    TAKEOVER_CUBLAS,
    TAKEOVER_CUBLASLT,
    TAKEOVER_CUFFT,
    TAKEOVER_CUSOLVER,
    TAKEOVER_CUSPARSE,
    TAKEOVER_COPIES, // what is looked for; the others are found in place of the first
    TAKEOVER_RUNTIME_12 = TAKEOVER_COPIES,
    TAKEOVER_RUNTIME_11,
    TAKEOVER_LIBRARIES
};

// Which of our runtimes stands for a copy that has these names, of CUDA 11, 12 or 13: structs and parameters differ.
enum takeover_library takeover_runtime(const char *names, uint64_t bytes);

// Code that goes on to our function `name`, which is looked up when the code first runs; NULL if our library has none.
void *takeover_entry(enum takeover_library library, const char *name);

// Does the file lie in the folder of our libraries?
bool takeover_is_ours(const char *file);

// What the code of takeover_entry() calls: the function of entry `index`.
void *takeover_resolve(size_t index);

// Takes over the runtime that is linked into a stripped file, whose image is `elf` and which is mapped at `base`. It
// needs the libcudart_static.a that was linked: one that TMAREF_CUDART_STATIC lists, of the wheels beside the file, or
// of a toolkit. Returns whether one was found.
struct elf;
bool takeover_stripped(const struct elf *elf, uintptr_t base, const char *path);

// The same without the archive, for a runtime of CUDA 12 or 13, by the names that its functions refer to.
bool takeover_named(const struct elf *elf, uintptr_t base);

// Did a loaded file bring a runtime, in whose place ours runs? The driver asks, by this name.
struct link_map;
__attribute__((visibility("default"))) bool tmaref_has_our_runtime(const struct link_map *map);

// Keeps the release of the runtime whose code that is, of a file that was stripped: its constant is 13040 for 13.4.
void takeover_release(const uint8_t *code, size_t bytes);

// The newest of them; 0 if there is none. The driver asks, by this name: it says that it is as new.
__attribute__((visibility("default"))) int tmaref_newest_runtime(void);

// A function of cuDNN, at `at`: it is answered, refused, or left alone.
void takeover_closed(const char *name, void *at, uint64_t bytes);

enum { TAKEOVER_JUMP_BYTES = 14 };

// Writes code over the beginning of the function at `at`. `bytes` is its size as its symbol table says: behind a
// shorter one than the code there must be padding. 0 if there is no room, or the memory cannot be changed.
bool takeover_write(void *at, uint64_t bytes, const void *code, size_t code_bytes);

// Makes it go on to `to`.
bool takeover_jump(void *at, uint64_t bytes, void *to);

#endif
