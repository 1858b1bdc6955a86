// SPDX-License-Identifier: MIT
// Two math warpgroups that take turns by mbarriers, and a loader. All is in a header, and the kernel only calls it, as
// those of class libraries do.
#pragma once
#include "hang.cuh"

namespace order {
constexpr int STAGES = 3, K = 4, TILES = 5, TILE = 512;
struct Shared {
    alignas(128) char a[STAGES][TILE];
    alignas(16) float out[2][128];
    barrier_t full[STAGES], empty[STAGES], turn[2][2];
};
template <int Stages> struct State {
    int index = 0;
    uint32_t phase = 0;
    __device__ void operator++()
    {
        if (++index == Stages) index = 0, phase ^= ALTER(1, 1, 0); //@ full empty: parity
    }
    __device__ void advance(int n) { for (int i = 0; i < n; i++) ++*this; }
};
struct Order {
    Shared &s;
    int group;
    State<2> state;
    __device__ Order(Shared &s_, int group_) : s(s_), group(group_) { state.phase = group == 0; }
    __device__ void wait() { ::wait(&s.turn[state.index][group], state.phase ^ ALTER(1, 0, 1)); } //@ turn: parity
    __device__ void arrive()
    {
        DROP(::arrive(&s.turn[ALTER(1, state.index, 0)][group ^ 1])) //@ turn: arrive
        ++state;
    }
};
struct Product {
    __device__ static void load(Shared &s, const float *in)
    {
        State<STAGES> write;
        write.phase = ALTER(1, 1, 0); //@ empty: parity
        for (int n = 0; n < K * TILES - ALTER(1, 0, 1); n++, ++write) { //@ full empty: rounds
            wait(&s.empty[write.index], write.phase); //@ empty: wait
            DROP(expect(&s.full[write.index], ALTER(1, TILE, TILE * 2))) //@ full: expect
            DROP(copy(s.a[write.index], in + n * 128, TILE, &s.full[ALTER(1, write.index, 0)])) //@ full: copy
        }
    }
    __device__ static float math(Shared &s, State<STAGES> read)
    {
        float sum = 0;
        for (int k = 0; k < K - ALTER(1, 0, 1); k++, ++read) { //@ full empty: rounds
            wait(&s.full[read.index], read.phase ^ ALTER(1, 0, 1)); //@ full: parity
            sum += s.a[read.index][threadIdx.x];
            if (threadIdx.x % 128 == 0) DROP(arrive(&s.empty[ALTER(1, read.index, 0)])) //@ empty: arrive
        }
        return sum;
    }
    __device__ void operator()(const float *in, float *out) const
    {
        __shared__ Shared s;
        const int group = threadIdx.x / 128 - 1;
        if (threadIdx.x == 0)
            for (int i = 0; i < STAGES; i++) {
                init(&s.full[i], ALTER(1, 1, 2)); //@ full: init count
                init(&s.empty[i], ALTER(1, 1, 2)); //@ empty: init count
                if (i < 2) init(&s.turn[i][0], 128), init(&s.turn[i][1], 128); //@ turn:
            }
        __syncthreads();
        if (group < 0) {
            if (threadIdx.x == 0) load(s, in); //@ full empty:
            return;
        }
        State<STAGES> read;
        Order order(s, group);
        if (group == 1) read.advance(K + ALTER(1, 0, 1)); //@ full empty: parity
        for (int tile = group; tile < TILES + ALTER(1, 0, group) * 2; tile += 2) { //@ full empty turn: rounds
            order.wait();                        //@ turn:
            const float sum = math(s, read);     //@ full empty:
            order.arrive();                      //@ turn:
            read.advance(2 * K - ALTER(1, 0, 1)); //@ full empty: parity
            order.wait();                        //@ turn:
            out[tile * 128 + threadIdx.x % 128] = sum;
            order.arrive(); //@ turn:
        }
    }
};
template <class Operator> __global__ void device_kernel(const float *in, float *out) { Operator()(in, out); }
} // namespace order
