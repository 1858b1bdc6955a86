// SPDX-License-Identifier: MIT
// A persistent product with classes as CUTLASS has them, registers moved between warpgroups, and results stored by bulk copies.
#include "hang.cuh"

namespace arch {
struct ClusterBarrier {
    uint64_t word;
    __device__ uint32_t at() const { return (uint32_t)__cvta_generic_to_shared(&word); }
    __device__ void init(uint32_t count) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at()), "r"(count)); }
    __device__ void wait(uint32_t phase) const
    {
        asm volatile("{\n.reg .pred P1;\nLAB_WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n@P1 bra DONE;\nbra LAB_WAIT;\nDONE:\n}"
                     ::"r"(at()), "r"(phase) : "memory");
    }
    __device__ void arrive() const { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at()) : "memory"); }
};
struct ClusterTransactionBarrier : ClusterBarrier {
    __device__ void arrive_and_expect_tx(uint32_t bytes) const
    {
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
                     ::"r"(at()), "r"(bytes) : "memory");
    }
};
template <int N> __device__ void reg_alloc() { asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(N)); }
template <int N> __device__ void reg_dealloc() { asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(N)); }
}
template <int Stages> struct PipelineState {
    int index_ = 0; uint32_t phase_ = 0;
    __device__ PipelineState(int i, uint32_t p) : index_(i), phase_(p) {}
    __device__ int index() const { return index_; }
    __device__ uint32_t phase() const { return phase_; }
    __device__ void operator++() { if (++index_ == Stages) { index_ = 0; phase_ ^= ALTER(1, 1, 0); } } //@ full empty: parity
};
template <int Stages> struct Pipeline {
    struct Storage { arch::ClusterTransactionBarrier full[Stages]; arch::ClusterBarrier empty[Stages]; };
    Storage &s; uint32_t bytes;
    __device__ Pipeline(Storage &storage, uint32_t bytes_, uint32_t consumers) : s(storage), bytes(bytes_)
    {
        if (threadIdx.x == 0)
            for (int i = 0; i < ALTER(3, Stages, Stages - 1); i++) { //@ full empty: init count
                s.full[i].init(ALTER(1, 1, 2)); //@ full: init count
                s.empty[i].init(ALTER(1, consumers, consumers * 128)); //@ empty: init count
            }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __device__ void producer_acquire(PipelineState<Stages> p)
    {
        s.empty[p.index()].wait(p.phase()); //@ empty: wait
        s.full[p.index()].arrive_and_expect_tx(bytes); //@ full: expect
    }
    __device__ void consumer_wait(PipelineState<Stages> p) { s.full[p.index()].wait(p.phase()); } //@ full: wait
    __device__ void consumer_release(PipelineState<Stages> p)
    {
        if (threadIdx.x % 128 == 0) DROP(s.empty[p.index()].arrive()) //@ empty: arrive
    }
};
constexpr int STAGES = 4, K = 6, TILES = 7, TILE = 256; // floats
struct Shared {
    alignas(128) float a[STAGES][TILE];
    alignas(128) float out[2][TILE / 2];
    Pipeline<STAGES>::Storage pipe;
};
__device__ void bulk(void *to, const void *from, uint32_t bytes, arch::ClusterBarrier &b)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 ::"r"((uint32_t)__cvta_generic_to_shared(to)), "l"(from), "r"(bytes), "r"(b.at()) : "memory");
}
__device__ void NamedBarrierSync(uint32_t threads, uint32_t id) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory"); }

__global__ void __launch_bounds__(384) classes(const float *A, float *C)
{
    __shared__ Shared sh;
    Pipeline<STAGES> pipe(sh.pipe, ALTER(1, TILE * 4, TILE * 2), //@ full: expect
                          ALTER(2, 2, 1)); //@ empty: init count
    __syncthreads();
    const int group = threadIdx.x / 128;
    if (group == 0) {
        arch::reg_dealloc<40>();
        if (threadIdx.x == 0) {
            PipelineState<STAGES> write(0, ALTER(1, 1, 0)); //@ empty: parity
            for (int tile = blockIdx.x; tile < ALTER(1, TILES, TILES - 3); tile += gridDim.x) //@ full empty: rounds
                for (int k = 0; k < K; ++k, ++write) {
                    pipe.producer_acquire(write); //@ empty full: wait
                    bulk(sh.a[write.index()], A + (tile * K + k) * TILE, //@ full: copy
                         ALTER(1, TILE * 4, TILE * 4 - 16), sh.pipe.full[ALTER(2, write.index(), 0)]); //@ full: copy
                }
        }
    } else {
        arch::reg_alloc<232>();
        PipelineState<STAGES> read(0, ALTER(1, 0, 1)); //@ full: parity
        const int me = threadIdx.x % 128, c = group - 1;
        for (int tile = blockIdx.x; tile < TILES; tile += gridDim.x) {
            float sum = 0;
            for (int k = 0; k < ALTER(1, K, (tile > 3 ? K - 1 : K)); ++k) { //@ full empty: rounds
                pipe.consumer_wait(read); //@ full: wait
                sum += sh.a[read.index()][c * 128 + me];
                if (!(k == 2 && c == 1 && ALTER(1, 0, 1))) pipe.consumer_release(read); //@ empty: arrive
                ++read; //@ full: parity
                if (tile == 1 && k == 3 && ALTER(1, 0, 1)) break; //@ full empty: rounds
            }
            asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
            NamedBarrierSync(ALTER(1, 128, 256), ALTER(2, 1 + c, 1)); //@ n1 n2: sync
            sh.out[c][me] = sum;
            asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
            NamedBarrierSync(128, ALTER(1, 1 + c, 1 + (c & me < 64))); //@ n1 n2: sync
            if (me == 0) {
                asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;"
                             ::"l"(C + tile * TILE + c * 128), "r"((uint32_t)__cvta_generic_to_shared(sh.out[c])), "r"(512) : "memory");
                asm volatile("cp.async.bulk.commit_group;" ::: "memory");
            }
        }
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}

RUN(classes, 2, 384)
