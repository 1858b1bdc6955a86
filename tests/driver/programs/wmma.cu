// SPDX-License-Identifier: MIT
// Every product of nvcuda::wmma: A from global memory, B from shared memory, two products on one accumulator. Prints a
// digest of D for each, which does not depend on how fragments lie in registers. And mma of f16 and f64, by
// registers: m8n8k4 of f16, and the four shapes of f64 in each rounding mode.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <type_traits>
#include <vector>

#include "check.h"

using namespace nvcuda;
using rows = wmma::row_major;
using columns = wmma::col_major;

enum { STRIDE = 48, ROOM = 32 * STRIDE };

// What a fragment of T is loaded from.
template <class T> struct stored {
    using type = T;
};
template <> struct stored<wmma::precision::tf32> {
    using type = float;
};

template <int M, int N, int K, class T, class D, class A, class B>
__global__ void product(const typename stored<T>::type *a, const typename stored<T>::type *b, const D *c, D *d)
{
    __shared__ alignas(32) typename stored<T>::type near[ROOM];
    wmma::fragment<wmma::matrix_a, M, N, K, T, A> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, T, B> fb;
    wmma::fragment<wmma::accumulator, M, N, K, D> fd;
    for (int i = threadIdx.x; i < ROOM; i += 32) near[i] = b[i];
    __syncwarp();
    const wmma::layout_t layout = std::is_same<A, rows>::value ? wmma::mem_row_major : wmma::mem_col_major;
    const wmma::layout_t other = std::is_same<A, rows>::value ? wmma::mem_col_major : wmma::mem_row_major;
    wmma::load_matrix_sync(fa, a, STRIDE);
    wmma::load_matrix_sync(fb, near, STRIDE);
    wmma::load_matrix_sync(fd, c, STRIDE, layout);
    for (int i = 0; i < 2; i++) wmma::mma_sync(fd, fa, fb, fd);
    wmma::store_matrix_sync(d, fd, STRIDE, other);
}

static uint32_t state = 1;
static uint32_t number()
{
    state = state * 1664525 + 1013904223;
    return state >> 8;
}

// Between -1 and 1, of many magnitudes.
static double real()
{
    const double sign = number() & 1 ? -1 : 1, size = 1.0 / (1 << number() % 8);
    return sign * size * (number() % 2048) / 2048;
}

template <class T> static T element()
{
    if (std::is_same<T, signed char>::value || std::is_same<T, unsigned char>::value) return (T)(int)number();
    if (std::is_same<T, int>::value) return (T)(int)(number() - (1 << 23));
    return (T)(float)real();
}
template <> double element<double>()
{
    return real() + real() / (1 << 30);
}

template <class T> static T *filled()
{
    std::vector<T> host(ROOM);
    T *device;
    for (T &each : host) each = element<T>();
    CUDA(cudaMalloc(&device, ROOM * sizeof(T)));
    CUDA(cudaMemcpy(device, host.data(), ROOM * sizeof(T), cudaMemcpyDefault));
    return device;
}

template <class T> static uint64_t digest(const T *device)
{
    std::vector<unsigned char> host(ROOM * sizeof(T));
    uint64_t hash = 0xcbf29ce484222325u;
    CUDA(cudaMemcpy(host.data(), device, host.size(), cudaMemcpyDefault));
    for (unsigned char byte : host) hash = (hash ^ byte) * 0x100000001b3u;
    return hash;
}

template <int M, int N, int K, class T, class D, class A, class B> static void show(const char *name)
{
    using S = typename stored<T>::type;
    S *a = filled<S>(), *b = filled<S>();
    D *c = filled<D>(), *d = filled<D>();
    product<M, N, K, T, D, A, B><<<1, 32>>>(a, b, c, d);
    CUDA(cudaDeviceSynchronize());
    printf("m%dn%dk%d %s %s %016llx\n", M, N, K, name, std::is_same<A, rows>::value ? "row" : "col",
           (unsigned long long)digest(d));
    cudaFree(a), cudaFree(b), cudaFree(c), cudaFree(d);
}

template <int M, int N, int K, class T, class D> static void show_layouts(const char *name)
{
    show<M, N, K, T, D, rows, columns>(name);
    show<M, N, K, T, D, columns, rows>(name);
}

template <int M, int N> static void show_shape()
{
    show_layouts<M, N, 16, half, half>("f16 f16");
    show_layouts<M, N, 16, half, float>("f32 f16");
    show_layouts<M, N, 16, __nv_bfloat16, float>("f32 bf16");
    show_layouts<M, N, 16, signed char, int>("s32 s8");
    show_layouts<M, N, 16, unsigned char, int>("s32 u8");
}

// --- C and D of different types --------------------------------------------------------------------------------------

template <int M, int N, class C, class D, class A, class B>
__global__ void mixed(const half *a, const half *b, const C *c, D *d)
{
    wmma::fragment<wmma::matrix_a, M, N, 16, half, A> fa;
    wmma::fragment<wmma::matrix_b, M, N, 16, half, B> fb;
    wmma::fragment<wmma::accumulator, M, N, 16, C> fc;
    wmma::fragment<wmma::accumulator, M, N, 16, D> fd;
    wmma::load_matrix_sync(fa, a, STRIDE);
    wmma::load_matrix_sync(fb, b, STRIDE);
    wmma::load_matrix_sync(fc, c, STRIDE, wmma::mem_row_major);
    wmma::mma_sync(fd, fa, fb, fc);
    wmma::store_matrix_sync(d, fd, STRIDE, wmma::mem_row_major);
}

template <int M, int N, class C, class D, class A, class B> static void show_mixed(const char *name)
{
    half *a = filled<half>(), *b = filled<half>();
    C *c = filled<C>();
    D *d = filled<D>();
    mixed<M, N, C, D, A, B><<<1, 32>>>(a, b, c, d);
    CUDA(cudaDeviceSynchronize());
    printf("m%dn%dk16 %s %s %016llx\n", M, N, name, std::is_same<A, rows>::value ? "row" : "col",
           (unsigned long long)digest(d));
    cudaFree(a), cudaFree(b), cudaFree(c), cudaFree(d);
}

template <int M, int N> static void show_mixtures()
{
    show_mixed<M, N, half, float, rows, columns>("f32 f16 on f16");
    show_mixed<M, N, half, float, columns, rows>("f32 f16 on f16");
    show_mixed<M, N, float, half, rows, columns>("f16 f16 on f32");
    show_mixed<M, N, float, half, columns, rows>("f16 f16 on f32");
}

// --- 4 bits and 1 bit ------------------------------------------------------------------------------------------------

// `first`: of 4 bits to saturate, of 1 bit to and instead of xor; C from its columns.
template <int K, class T, bool first> __global__ void narrow(const void *a, const void *b, const int *c, int *d)
{
    wmma::fragment<wmma::matrix_a, 8, 8, K, T, rows> fa;
    wmma::fragment<wmma::matrix_b, 8, 8, K, T, columns> fb;
    wmma::fragment<wmma::accumulator, 8, 8, K, int> fd;
    wmma::load_matrix_sync(fa, a, 2 * K);
    wmma::load_matrix_sync(fb, b, 2 * K);
    wmma::load_matrix_sync(fd, c, STRIDE, first ? wmma::mem_col_major : wmma::mem_row_major);
    if constexpr (K == 128)
        wmma::bmma_sync(fd, fa, fb, fd, first ? wmma::experimental::bmmaBitOpAND : wmma::experimental::bmmaBitOpXOR);
    else
        wmma::mma_sync(fd, fa, fb, fd, first);
    wmma::store_matrix_sync(d, fd, STRIDE, wmma::mem_row_major);
}

template <int K, class T, bool first> static void show_narrow(const char *name)
{
    int *a = filled<int>(), *b = filled<int>(), *c = filled<int>(), *d = filled<int>();
    narrow<K, T, first><<<1, 32>>>(a, b, c, d);
    CUDA(cudaDeviceSynchronize());
    printf("m8n8k%d s32 %s %016llx\n", K, name, (unsigned long long)digest(d));
    cudaFree(a), cudaFree(b), cudaFree(c), cudaFree(d);
}

// --- mma.m8n8k4 of f16 -----------------------------------------------------------------------------------------------

#define OF_F16(layouts)                                                                                                \
    asm("mma.sync.aligned.m8n8k4." layouts ".f16.f16.f16.f16 {%0,%1,%2,%3}, {%4,%5}, {%6,%7}, {%0,%1,%2,%3};"          \
        : "+r"(x[0]), "+r"(x[1]), "+r"(x[2]), "+r"(x[3])                                                               \
        : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]))
#define OF_F32(layouts)                                                                                                \
    asm("mma.sync.aligned.m8n8k4." layouts ".f32.f16.f16.f32 {%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9}, {%10,%11}, "          \
        "{%0,%1,%2,%3,%4,%5,%6,%7};"                                                                                   \
        : "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3]), "+f"(f[4]), "+f"(f[5]), "+f"(f[6]), "+f"(f[7])               \
        : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]))
#define OF_BOTH(layouts)                                                                                               \
    asm("mma.sync.aligned.m8n8k4." layouts ".f32.f16.f16.f16 {%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9}, {%10,%11}, "          \
        "{%12,%13,%14,%15};"                                                                                           \
        : "=f"(f[0]), "=f"(f[1]), "=f"(f[2]), "=f"(f[3]), "=f"(f[4]), "=f"(f[5]), "=f"(f[6]), "=f"(f[7])               \
        : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(b[1]), "r"(x[0]), "r"(x[1]), "r"(x[2]), "r"(x[3]))

__device__ void octets(int layouts, const uint32_t *a, const uint32_t *b, uint32_t *x, float *f)
{
#define OCTETS(number, layouts)                                                                                        \
    case number:                                                                                                       \
        OF_F32(layouts);                                                                                               \
        for (int i = 0; i < 8; i++) f[8 + i] = f[i];                                                                   \
        OF_BOTH(layouts);                                                                                              \
        OF_F16(layouts);                                                                                               \
        break
    switch (layouts) {
        OCTETS(0, "row.row");
        OCTETS(1, "row.col");
        OCTETS(2, "col.row");
        OCTETS(3, "col.col");
    }
}

// D of eight f32, of eight f32 on C of f16, of four pairs of f16: 20 words of each lane.
__global__ void octet(int layouts, const uint32_t *factors, const uint32_t *halves, const float *singles, uint32_t *d)
{
    const int t = threadIdx.x;
    uint32_t x[4];
    float f[16];
    for (int i = 0; i < 4; i++) x[i] = halves[i * 32 + t];
    for (int i = 0; i < 8; i++) f[i] = singles[i * 32 + t];
    const uint32_t a[] = {factors[t], factors[32 + t]}, b[] = {factors[64 + t], factors[96 + t]};
    octets(layouts, a, b, x, f);
    for (int i = 0; i < 16; i++) d[i * 32 + t] = __float_as_uint(f[i]);
    for (int i = 0; i < 4; i++) d[(16 + i) * 32 + t] = x[i];
}

static void show_octets(int layouts)
{
    half *factors = filled<half>(), *halves = filled<half>();
    float *singles = filled<float>(), *d = filled<float>();
    octet<<<1, 32>>>(layouts, (const uint32_t *)factors, (const uint32_t *)halves, singles, (uint32_t *)d);
    CUDA(cudaDeviceSynchronize());
    printf("m8n8k4 f16 %d %016llx\n", layouts, (unsigned long long)digest(d));
    cudaFree(factors), cudaFree(halves), cudaFree(singles), cudaFree(d);
}

// --- mma of f64 in four rounding modes -------------------------------------------------------------------------------

#define OF_F64(shape, round, of_d, of_a, of_b)                                                                         \
    asm("mma.sync.aligned." shape ".row.col." round ".f64.f64.f64.f64 " of_d ", " of_a ", " of_b ", " of_d ";"         \
        : "+d"(x[0]), "+d"(x[1]), "+d"(x[2]), "+d"(x[3])                                                               \
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]), "d"(b[0]),           \
          "d"(b[1]), "d"(b[2]), "d"(b[3]))
#define OF_SHAPES(round)                                                                                               \
    switch (k) {                                                                                                       \
    case 0:                                                                                                            \
        OF_F64("m8n8k4", round, "{%0,%1}", "{%4}", "{%12}");                                                           \
        break;                                                                                                         \
    case 4:                                                                                                            \
        OF_F64("m16n8k4", round, "{%0,%1,%2,%3}", "{%4,%5}", "{%12}");                                                 \
        break;                                                                                                         \
    case 8:                                                                                                            \
        OF_F64("m16n8k8", round, "{%0,%1,%2,%3}", "{%4,%5,%6,%7}", "{%12,%13}");                                       \
        break;                                                                                                         \
    default:                                                                                                           \
        OF_F64("m16n8k16", round, "{%0,%1,%2,%3}", "{%4,%5,%6,%7,%8,%9,%10,%11}", "{%12,%13,%14,%15}");                \
    }

// k: 0 is m8n8k4, others m16n8k4 to m16n8k16.
__global__ void doubles(int k, int round, const double *from, double *d)
{
    const int t = threadIdx.x;
    double a[8], b[4], x[4];
    for (int i = 0; i < 8; i++) a[i] = from[i * 32 + t];
    for (int i = 0; i < 4; i++) b[i] = from[(8 + i) * 32 + t], x[i] = from[(12 + i) * 32 + t];
    switch (round) {
    case 0:
        OF_SHAPES("rn");
        break;
    case 1:
        OF_SHAPES("rz");
        break;
    case 2:
        OF_SHAPES("rm");
        break;
    default:
        OF_SHAPES("rp");
    }
    for (int i = 0; i < 4; i++) d[i * 32 + t] = x[i];
}

static void show_doubles(int k)
{
    double *from = filled<double>(), *d = filled<double>();
    for (int round = 0; round < 4; round++) {
        doubles<<<1, 32>>>(k, round, from, d);
        CUDA(cudaDeviceSynchronize());
        printf("%sk%d f64 %c%c %016llx\n", k == 0 ? "m8n8" : "m16n8", k == 0 ? 4 : k, 'r', "nzmp"[round],
               (unsigned long long)digest(d));
    }
    cudaFree(from), cudaFree(d);
}

int main()
{
    show_shape<16, 16>();
    show_shape<32, 8>();
    show_shape<8, 32>();
    show_layouts<16, 16, 8, wmma::precision::tf32, float>("f32 tf32");
    show_layouts<8, 8, 4, double, double>("f64 f64");
    show_mixtures<16, 16>();
    show_mixtures<32, 8>();
    show_mixtures<8, 32>();
    show_narrow<32, wmma::experimental::precision::s4, false>("s4");
    show_narrow<32, wmma::experimental::precision::s4, true>("s4 satfinite");
    show_narrow<32, wmma::experimental::precision::u4, false>("u4");
    show_narrow<32, wmma::experimental::precision::u4, true>("u4 satfinite");
    show_narrow<128, wmma::experimental::precision::b1, false>("b1 xor");
    show_narrow<128, wmma::experimental::precision::b1, true>("b1 and");
    for (int layouts = 0; layouts < 4; layouts++) show_octets(layouts);
    for (int k = 0; k <= 16; k = k == 0 ? 4 : 2 * k) show_doubles(k);
    return 0;
}
