// SPDX-License-Identifier: MIT
// Weights of 8 bits come by bulk copies, warps widen them into a second ring, others add them up, one stores. A warp hands out tiles.
#include "hang.cuh"

namespace mixed {
using u32 = uint32_t;
constexpr int TILES = 7, STEPS = 5, W = 128, RAW = 3, WIDE = 2, BOX = 2;
template <int N> struct Ring {
    uint64_t full[N], empty[N];
};
struct Cursor {
    int slot; u32 phase;
    template <int N> __device__ __forceinline__ void advance()
    {
        slot++;
        if (slot >= N) { slot = 0; phase = phase ^ 1; }
    }
};
__device__ __forceinline__ u32 cast(const void *p) { return static_cast<u32>(__cvta_generic_to_shared(p)); }
struct bar {
    static __device__ void init(uint64_t *b, int n) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" :: "r"(cast(b)), "r"(n)); }
    static __device__ void wait(uint64_t *b, u32 phase)
    {
        asm volatile("{\n.reg .pred P;\nL:\nmbarrier.try_wait.parity.acquire.cta.shared::cta.b64 P, [%0], %1, 10000;\n@!P bra L;\n}"
                     :: "r"(cast(b)), "r"(phase) : "memory");
    }
    static __device__ void arrive(uint64_t *b)
    {
        asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];"
                     :: "r"(cast(b)) : "memory");
    }
    static __device__ void arrive_tx(uint64_t *b, u32 bytes)
    {
        asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;"
                     :: "r"(cast(b)), "r"(bytes) : "memory");
    }
};
struct Storage {
    alignas(128) uint8_t raw[RAW][W];
    alignas(128) float wide[WIDE][W];
    alignas(128) float result[W];
    Ring<RAW> q; Ring<WIDE> f; Ring<BOX> box;
    uint64_t out_full, out_empty;
    int tile[BOX];
};
__device__ int next_tile(Storage &s, Cursor &c) // what all but the scheduler do
{
    bar::wait(&s.box.full[c.slot], c.phase); //@ boxfull: wait
    const int tile = s.tile[c.slot];
    __syncwarp();
    if (threadIdx.x % 32 == 0) if (!(threadIdx.x / 32 == 3 && tile == 4 && ALTER(1, 0, 1))) bar::arrive(&s.box.empty[c.slot]); //@ boxempty: arrive
    c.advance<BOX>();
    return tile;
}
__device__ void scheduler(Storage &s, int *counter)
{
    Cursor c{0, ALTER(1, 1u, 0u)}; //@ boxempty: parity
    for (;;) {
        bar::wait(&s.box.empty[c.slot], c.phase); //@ boxempty: wait
        const int t = atomicAdd(counter, 1);
        s.tile[c.slot] = t < TILES ? t : -1;
        if (!(t == 3 && ALTER(1, 0, 1))) bar::arrive(&s.box.full[c.slot]); //@ boxfull: arrive
        c.advance<BOX>(); //@ boxfull boxempty: parity
        if (t >= ALTER(1, TILES, TILES - 1)) break; //@ boxfull: rounds
    }
}
__device__ void loader(Storage &s, const uint8_t *weights)
{
    Cursor c{0, 1}, b{0, 0};
    for (int tile = next_tile(s, b); tile >= 0; tile = next_tile(s, b))
        for (int k = 0; k < STEPS; ++k) {
            bar::wait(&s.q.empty[c.slot], ALTER(1, c.phase, c.phase ^ 1)); //@ qempty: wait
            if (threadIdx.x % 32 == 0) {
                bar::arrive_tx(&s.q.full[c.slot], ALTER(1, W, W * 4)); //@ qfull: expect
                copy(s.raw[c.slot], weights + (tile * STEPS + k) * W, W, //@ qfull: copy
                     &s.q.full[ALTER(1, c.slot, (c.slot + (tile == 2)) % RAW)]); //@ qfull: copy
            }
            __syncwarp();
            c.advance<RAW>();
        }
}
__device__ void converter(Storage &s)
{
    const int t = threadIdx.x % 64;
    Cursor in{0, 0}, out{0, 1}, b{0, 0};
    while (next_tile(s, b) >= 0)
        for (int k = 0; k < ALTER(1, STEPS, (t < 32 ? STEPS : STEPS - 1)); ++k) { //@ qempty ffull: rounds
            bar::wait(&s.q.full[in.slot], in.phase); //@ qfull: wait
            const float x = s.raw[in.slot][t], y = s.raw[in.slot][t + 64];
            DROP(bar::arrive(&s.q.empty[in.slot])) //@ qempty: arrive
            in.advance<RAW>();
            bar::wait(&s.f.empty[out.slot], ALTER(1, out.phase, 1)); //@ fempty: wait
            s.wide[out.slot][t] = x;
            s.wide[out.slot][t + 64] = y;
            if (k != ALTER(1, -1, 2) || t != 5) bar::arrive(&s.f.full[out.slot]); //@ ffull: arrive
            out.advance<WIDE>();
        }
}
__device__ void math(Storage &s)
{
    const int t = threadIdx.x % 128;
    Cursor in{0, ALTER(1, 0u, 1u)}, b{0, 0}; //@ ffull: parity
    u32 phase = 0;
    for (int tile = next_tile(s, b); tile >= 0; tile = next_tile(s, b)) {
        float sum = 0;
        for (int k = 0; k < STEPS; ++k) {
            bar::wait(&s.f.full[in.slot], in.phase); //@ ffull: wait
            sum += s.wide[in.slot][t];
            if (t % 32 == 0) bar::arrive(&s.f.empty[ALTER(1, in.slot, 1 - in.slot)]); //@ fempty: arrive
            in.advance<WIDE>();
            if (tile == 1 && k == 1 && ALTER(1, 0, 1)) in.phase ^= 1; //@ ffull: parity
        }
        bar::wait(&s.out_empty, phase ^ 1); //@ outempty: wait
        s.result[t] = sum;
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        bar::arrive(&s.out_full);
        DROP(phase ^= 1) //@ outempty: parity
    }
}
__device__ void store(Storage &s, float *y)
{
    Cursor b{0, 0};
    u32 phase = 0;
    for (int tile = next_tile(s, b); tile >= 0; tile = next_tile(s, b), phase ^= 1) {
        bar::wait(&s.out_full, phase); //@ outfull: wait
        if (threadIdx.x % 32 == 0) {
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 512;"
                         :: "l"(y + tile * W), "r"(cast(s.result)) : "memory");
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
            if (tile < ALTER(1, TILES, 3)) bar::arrive(&s.out_empty); //@ outempty: arrive
        }
        __syncwarp();
    }
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
__global__ void __launch_bounds__(288) widen(const float *weights, float *y)
{
    __shared__ Storage s;
    const int warp = threadIdx.x / 32;
    if (threadIdx.x == 0) {
        for (int i = 0; i < RAW; ++i) {
            bar::init(&s.q.full[i], 1); //@ qfull: init count
            bar::init(&s.q.empty[i], ALTER(1, 64, 2)); //@ qempty: init count
        }
        for (int i = 0; i < WIDE; ++i) {
            bar::init(&s.f.full[i], ALTER(1, 64, 128)); //@ ffull: init count
            bar::init(&s.f.empty[i], ALTER(1, 4, 3)); //@ fempty: init count
        }
        for (int i = 0; i < BOX; ++i) {
            bar::init(&s.box.full[i], 1); //@ boxfull: init count
            bar::init(&s.box.empty[i], ALTER(1, 8, 9)); //@ boxempty: init count
        }
        bar::init(&s.out_full, 128);
        bar::init(&s.out_empty, ALTER(1, 1, 2)); //@ outempty: init count
    }
    __syncthreads();
    if (warp == 8) { if (threadIdx.x % 32 == 0) scheduler(s, (int *)y + 100000); }
    else if (warp >= 4) math(s);
    else if (warp >= 2) converter(s);
    else if (warp == 1) store(s, y);
    else loader(s, (const uint8_t *)weights);
}
}

RUN(mixed::widen, 2, 288)
