// SPDX-License-Identifier: MIT
// What the tests of this folder share. Each SECTION(name) is a process of its own, in which cuInit was not called. A
// test says what a program sees: values, errors by name, and the reason that is printed.
#ifndef TMAREF_TESTS_API_H
#define TMAREF_TESTS_API_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_api.h"
#include "runtime_api.h"
#include "section.h"

#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (condition) break;                                                                                          \
        printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                                               \
        api_fail();                                                                                                    \
    } while (0)

// A call of either API, and the error that it returns, without its CUDA_: REFUSES(ERROR_INVALID_VALUE, cuInit(1)).
#define WORKS(call)          api_expect(__FILE__, __LINE__, #call, (int)(call), CUDA_SUCCESS)
#define REFUSES(error, call) api_expect(__FILE__, __LINE__, #call, (int)(call), (int)CUDA_##error)

// What was printed on standard error since it was last asked has this text in it, or is nothing at all.
#define SAYS(text)     api_said(__FILE__, __LINE__, text)
#define SAYS_NOTHING() api_said(__FILE__, __LINE__, NULL)

void api_fail(void); // ends the test, but with --real
void api_expect(const char *file, int line, const char *call, int got, int expected);
void api_said(const char *file, int line, const char *text);

// cuInit, and the primary context made current.
struct CUctx_st *api_ready(void);

// A module of PTX behind the head that all have; its kernel of that name.
#define PTX_HEAD ".version 8.0\n.target sm_90a\n.address_size 64\n"
struct CUmod_st *api_module(const char *body);
struct CUfunc_st *api_kernel(const char *body, const char *name);

// Memory of the device with these bytes everywhere, and a byte of it.
unsigned long long api_memory(size_t bytes, unsigned char value);
unsigned char api_byte(unsigned long long address);
uint32_t api_word(unsigned long long address);

// A fat binary as nvcc packs them, and one more entry of it; `text_bytes` is what that unpacks to.
enum { PTX = 1, CUBIN = 2, LZ4 = 0x2000, ZSTD = 0x8000, OF_ARCH = 0x100000 };
enum { HEADER = 16, ENTRY = 64, API_ROOM = 8192 };
struct api_fatbin {
    unsigned char bytes[API_ROOM];
    size_t used;
};
void api_put(unsigned char *to, uint64_t value, size_t bytes);
void api_fatbin_add(struct api_fatbin *fatbin, unsigned kind, uint32_t gpu, uint64_t flags, const void *payload,
                    size_t payload_bytes, size_t text_bytes);

// What __cudaRegisterFatBinary takes: a fat binary of this PTX.
void *api_image(const char *ptx);

static const struct dim3 one_cta = {1, 1, 1};

#endif
