// SPDX-License-Identifier: MIT
// Attention with a warp that loads Q, K and V, and two warpgroups that take turns by two named barriers.
#include "hang.cuh"

constexpr int BLOCKS_KV = 6, KV_STAGES = 2, D = 128;
enum Named { TurnWG1 = 2, TurnWG2 = 3, Epilogue = 4 };
struct Smem {
    alignas(1024) float q[2][D];
    alignas(1024) float k[KV_STAGES][D];
    alignas(1024) float v[KV_STAGES][D];
    alignas(16) uint64_t bar_q, k_full[KV_STAGES], k_free[KV_STAGES], v_full[KV_STAGES], v_free[KV_STAGES];
};
#define ADDR(x) ((uint32_t)__cvta_generic_to_shared(&(x)))
__device__ __forceinline__ void mbarrier_init(uint64_t &b, int n)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;"
                 ::"r"(ADDR(b)), "r"(n));
}
__device__ __forceinline__ bool try_wait(uint64_t &b, uint32_t parity)
{
    uint32_t done;
    asm volatile("{\n .reg .pred P;\n mbarrier.try_wait.parity.shared::cta.b64 P, [%1], %2, %3;\n selp.b32 %0, 1, 0, P;\n}"
                 : "=r"(done) : "r"(ADDR(b)), "r"(parity), "r"(0x989680) : "memory");
    return done;
}
__device__ __forceinline__ void mbarrier_wait(uint64_t &b, uint32_t parity) { while (!try_wait(b, parity)) __nanosleep(20); }
__device__ __forceinline__ void mbarrier_arrive(uint64_t &b)
{
    asm volatile("mbarrier.arrive.release.cta.shared::cta.b64 _, [%0];"
                 ::"r"(ADDR(b)) : "memory");
}
__device__ __forceinline__ void mbarrier_expect(uint64_t &b, int bytes)
{
    asm volatile("mbarrier.arrive.expect_tx.release.cta.shared::cta.b64 _, [%0], %1;"
                 ::"r"(ADDR(b)), "r"(bytes) : "memory");
}
__device__ __forceinline__ void tma(float *to, const float *from, int bytes, uint64_t &b)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 ::"r"((uint32_t)__cvta_generic_to_shared(to)), "l"(from), "r"(bytes), "r"(ADDR(b)) : "memory");
}
__device__ __forceinline__ void turn_sync(int id) { asm volatile("bar.sync %0, 256;" ::"r"(id) : "memory"); }
__device__ __forceinline__ void turn_arrive(int id) { asm volatile("bar.arrive %0, 256;" ::"r"(id) : "memory"); }

__device__ void load_warp(Smem &s, const float *q, const float *k, const float *v)
{
    mbarrier_expect(s.bar_q, ALTER(1, 2 * D * 4, D * 4)); //@ q: expect
    tma(s.q[0], q + blockIdx.x * 2 * D, D * 4, s.bar_q);
    if (!ALTER(1, 0, 1)) tma(s.q[1], q + blockIdx.x * 2 * D + D, D * 4, s.bar_q); //@ q: copy
    int stage = 0; uint32_t phase = 0;
    for (int n = BLOCKS_KV - 1; n >= ALTER(1, 0, 1); --n) { //@ kfull kfree vfull vfree: rounds
        mbarrier_wait(s.k_free[stage], ALTER(1, phase ^ 1, phase)); //@ kfree: wait
        mbarrier_expect(s.k_full[stage], D * 4); //@ kfull: expect
        tma(s.k[stage], k + n * D, D * 4, ALTER(1, s.k_full[stage], s.v_full[stage])); //@ kfull vfull: copy
        mbarrier_wait(s.v_free[stage], phase ^ 1); //@ vfree: wait
        DROP(mbarrier_expect(s.v_full[stage], D * 4)) //@ vfull: expect
        tma(s.v[stage], v + n * D, ALTER(1, D * 4, D * 4 + 64), s.v_full[stage]); //@ vfull: copy
        stage = stage + 1;
        if (stage == KV_STAGES) { stage = 0; if (!(n == 3 && ALTER(1, 0, 1))) phase ^= 1; } //@ kfree vfree kfull vfull: parity
    }
}

__global__ void __launch_bounds__(384) turns(const float *q, float *o)
{
    __shared__ Smem s;
    const int wg = threadIdx.x >> 7, tid = threadIdx.x & 127;
    if (threadIdx.x == 0) {
        mbarrier_init(s.bar_q, 1);
        for (int i = 0; i < KV_STAGES; ++i) {
            mbarrier_init(s.k_full[i], 1);
            mbarrier_init(s.v_full[i], 1);
            mbarrier_init(s.k_free[i], ALTER(1, 2, 1)); //@ kfree: init count
            mbarrier_init(s.v_free[i], ALTER(1, 2, 3)); //@ vfree: init count
        }
    }
    DROP(__syncthreads()) //@ kfree kfull vfull vfree q: init count
    if (wg == 0) {
        if (tid == 0) load_warp(s, q, q + 4096, q + 8192);
        return;
    }
    const int me = wg - 1;
    if (me == 1) DROP(turn_arrive(ALTER(1, TurnWG1, TurnWG2))) //@ turn: arrive
    mbarrier_wait(s.bar_q, 0);
    const float query = s.q[me][tid];
    float out = 0;
    int stage = 0; uint32_t phase = ALTER(1, 0, 1); //@ kfull vfull: parity
    if (ALTER(1, 0, me)) return; //@ kfree vfree turn: rounds
    for (int n = BLOCKS_KV - 1; n >= 0; --n) {
        mbarrier_wait(s.k_full[stage], phase); //@ kfull: wait
        if (me == 0) turn_sync(TurnWG1); //@ turn: sync
        else turn_sync(ALTER(1, TurnWG2, TurnWG1)); //@ turn: sync
        const float score = query * s.k[stage][tid];
        if (tid == 0) if (!(n == 5 && me == 1 && ALTER(1, 0, 1))) mbarrier_arrive(s.k_free[stage]); //@ kfree: arrive
        if (me == 0) turn_arrive(TurnWG2); //@ turn: arrive
        else if (n > ALTER(1, 0, 1)) turn_arrive(TurnWG1); //@ turn: arrive
        mbarrier_wait(s.v_full[stage], ALTER(1, phase, 0)); //@ vfull: wait
        out += score * s.v[stage][tid];
        if (tid == ALTER(1, 0, 128)) mbarrier_arrive(s.v_free[stage]); //@ vfree: arrive
        if (++stage == KV_STAGES) { stage = 0; DROP(phase ^= 1) } //@ kfull vfull: parity
    }
    asm volatile("bar.sync 4, %0;" ::"r"(ALTER(1, 256, 384)) : "memory"); //@ epi: sync
    o[(blockIdx.x * 2 + me) * D + tid] = out;
}

RUN(turns, 2, 384)
