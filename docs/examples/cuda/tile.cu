// A tensor load with the 128B swizzle, whose reader forgets the swizzle: the tile looks scrambled. `tmaref demo tile`.
#include <cstdint>
#include <cuda/ptx>
#include <cuda.h>
namespace ptx = cuda::ptx;

constexpr int COLUMNS = 64, ROWS = 32;

extern "C" __global__ void tile(const __grid_constant__ CUtensorMap map, uint16_t *out)
{
    __shared__ alignas(1024) uint16_t stage[ROWS][COLUMNS];
    __shared__ uint64_t full;
    const int32_t coord[2] = {0, 0};
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof stage);
        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, stage, &map, coord, &full);
    }
    __syncthreads();
    while (!ptx::mbarrier_try_wait_parity(&full, 0)) {}
    for (int row = 0; row < ROWS; row++) out[row * COLUMNS + threadIdx.x] = stage[row][threadIdx.x]; // the mistake
}
