// SPDX-License-Identifier: MIT
// CUB's histogram as a C function of a shared library: an opponent of the benchmarks. It brings its own runtime, which
// works in the primary context that the benchmark works in.
#include <cub/device/device_histogram.cuh>

// Counts `count` values of 0 to nbins - 1 into `bins`. With `temporary` NULL only says in *temporary_bytes what memory
// that takes. Returns the CUDA error.
extern "C" __attribute__((visibility("default"))) int tmaref_cub_histogram(void *temporary, size_t *temporary_bytes,
                                                                           const int *values, int count,
                                                                           unsigned *bins, int nbins, void *stream)
{
    return static_cast<int>(cub::DeviceHistogram::HistogramEven(temporary, *temporary_bytes, values, bins, nbins + 1, 0,
                                                                nbins, count, static_cast<cudaStream_t>(stream)));
}
