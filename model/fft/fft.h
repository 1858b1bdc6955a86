// SPDX-License-Identifier: MIT
// The simulated libcufft: what its calls share. Each execution is a function of the host that its stream runs, in
// double precision, and each result is rounded once.
//   plan.c       plans, their sizes and settings
//   exec.c       the calls that transform
//   grid.c       a transform of one to three dimensions over memory with strides
//   transform.c  one row
#ifndef TMAREF_FFT_FFT_H
#define TMAREF_FFT_FFT_H

#include "cuda_abi.h"
#include "numbers.h"
#include "refusal.h"

#define FFT_VISIBLE __attribute__((visibility("default")))

// cufftResult, as cufft.h has it.
enum cufft_result {
    CUFFT_SUCCESS = 0,
    CUFFT_INVALID_PLAN = 1,
    CUFFT_ALLOC_FAILED = 2,
    CUFFT_INVALID_TYPE = 3,
    CUFFT_INVALID_VALUE = 4,
    CUFFT_EXEC_FAILED = 6,
    CUFFT_SETUP_FAILED = 7,
    CUFFT_INVALID_SIZE = 8,
    CUFFT_NOT_SUPPORTED = 16
};

// cufftType
enum cufft_type {
    CUFFT_C2C = 0x29,
    CUFFT_R2C = 0x2a,
    CUFFT_C2R = 0x2c,
    CUFFT_Z2Z = 0x69,
    CUFFT_D2Z = 0x6a,
    CUFFT_Z2D = 0x6c
};

enum { FFT_MOST_RANK = 3 };

// Where the elements of one side lie: that of batch b and indices x is b * apart + step * (x in an array of `embed`).
struct fft_side {
    enum number_type real; // of which a complex element is a pair
    bool is_complex;
    int64_t embed[FFT_MOST_RANK], step, apart;
};

struct fft_plan {
    bool is_made;
    int rank;
    bool is_packed; // the program gave no layout; then an execution in place pads rows of reals
    int64_t n[FFT_MOST_RANK], batch;
    struct fft_side from, to;
    struct CUstream_st *stream;
};

// Copies the plan of a handle. INVALID_PLAN if it was never made, or was destroyed.
enum cufft_result fft_plan_of(int handle, const char *call, struct fft_plan *plan);

// Says on standard error why a call is refused; returns `result`.
#define fft_refuse(...) refusal_as(__VA_ARGS__)

// What a call that no file defines does.
int fft_missing(const char *call, int *was_told);

#endif
