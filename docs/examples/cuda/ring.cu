// A sum over tiles: warp 0 brings them into a ring of two stages, warp 1 adds them up.
// -DMISTAKE=N, 1 to 4, plants one of the mistakes of docs/tutorial.md; 0 none.
#include <cstdio>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

constexpr int TILE = 256, TILES = 8, STAGES = 2;
#ifndef MISTAKE
#define MISTAKE 1
#endif

__global__ void ring(const int *tiles, int *sum)
{
    __shared__ alignas(128) int stage[STAGES][TILE];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    if (threadIdx.x == 0)
        for (int s = 0; s < STAGES; s++) {
            ptx::mbarrier_init(&full[s], 1);
            ptx::mbarrier_init(&empty[s], 32);
        }
    __syncthreads();

    if (threadIdx.x == 0) { // the producer
        for (int i = 0; i < TILES; i++) {
            int s = i % STAGES, parity = i / STAGES & 1;
            while (!ptx::mbarrier_try_wait_parity(&empty[s], MISTAKE == 2 ? parity : parity ^ 1)) {}
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[s],
                                           MISTAKE == 3 ? sizeof stage : sizeof stage[s]);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, stage[s], tiles + i * TILE, sizeof stage[s], &full[s]);
        }
    } else if (threadIdx.x >= 32) { // the consumers
        int mine = 0;
        for (int i = 0; i < TILES; i++) {
            int s = i % STAGES, parity = i / STAGES & 1;
            while (!ptx::mbarrier_try_wait_parity(&full[s], parity)) {}
            if (MISTAKE == 4) ptx::mbarrier_arrive(&empty[s]);
            for (int j = threadIdx.x - 32; j < TILE; j += 32) mine += stage[s][j];
            if (MISTAKE != 4 && !(MISTAKE == 1 && i == 5)) ptx::mbarrier_arrive(&empty[s]);
        }
        atomicAdd(sum, mine);
    }
}

int main()
{
    static int host[TILE * TILES];
    int *tiles, *sum, result = 0, wanted = 0;
    for (int i = 0; i < TILE * TILES; i++) wanted += host[i] = i % 97;
    cudaMalloc(&tiles, sizeof host);
    cudaMalloc(&sum, sizeof *sum);
    cudaMemset(sum, 0, sizeof *sum);
    cudaMemcpy(tiles, host, sizeof host, cudaMemcpyHostToDevice);
    ring<<<1, 64>>>(tiles, sum);
    cudaError_t error = cudaMemcpy(&result, sum, sizeof result, cudaMemcpyDeviceToHost);
    printf("%s: %d, wanted %d\n", cudaGetErrorName(error), result, wanted);
    return error != cudaSuccess || result != wanted;
}
