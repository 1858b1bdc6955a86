// SPDX-License-Identifier: MIT
// Inside a program under `tmaref exec`: cuRAND's generators for the device. cuRAND has the same generators for the host
// (curandCreateGeneratorHost), which need no GPU. So the program's own libcurand makes the numbers: each generator is
// one for the host, and each call that makes numbers is a function of the host in the generator's stream. Device memory
// is host memory here. Seeds, offsets, orderings and dimensions are cuRAND's own calls.
#ifndef TMAREF_CURAND_H
#define TMAREF_CURAND_H

#include <stddef.h>
#include <stdint.h>

#include "interpose.h"

struct CUstream_st;

// As curand.h declares them, but for the names of types.
#define CURAND_ROWS(ROW)                                                                                               \
    ROW(curandCreateGenerator, (void **generator, int type))                                                           \
    ROW(curandDestroyGenerator, (void *generator))                                                                     \
    ROW(curandSetStream, (void *generator, struct CUstream_st *stream))                                                \
    ROW(curandGenerate, (void *generator, uint32_t *to, size_t n))                                                     \
    ROW(curandGenerateLongLong, (void *generator, uint64_t *to, size_t n))                                             \
    ROW(curandGenerateUniform, (void *generator, float *to, size_t n))                                                 \
    ROW(curandGenerateUniformDouble, (void *generator, double *to, size_t n))                                          \
    ROW(curandGenerateNormal, (void *generator, float *to, size_t n, float mean, float deviation))                     \
    ROW(curandGenerateNormalDouble, (void *generator, double *to, size_t n, double mean, double deviation))            \
    ROW(curandGenerateLogNormal, (void *generator, float *to, size_t n, float mean, float deviation))                  \
    ROW(curandGenerateLogNormalDouble, (void *generator, double *to, size_t n, double mean, double deviation))         \
    ROW(curandGeneratePoisson, (void *generator, uint32_t *to, size_t n, double lambda))

#define CURAND_DECLARED(name, parameters)                                                                              \
    typedef int(*name##_fn) parameters;                                                                                \
    __attribute__((visibility("default"))) int name parameters;
CURAND_ROWS(CURAND_DECLARED)
#undef CURAND_DECLARED

// The row of one of these names; NULL for any other.
struct interposed *curand_find(const char *name);

#endif
