// SPDX-License-Identifier: MIT
// Dumps of tmaref_dump.h and a buffer of results, for `tmaref compare`: on an H200 it wrote recorded_dumps.tar.gz.
// usage: dumps FOLDER; writes FOLDER/swizzled.dump, outside.dump, plain.dump and sums.f32
#include <cuda.h>
#include <string>
#include <vector>

#include "check.h"
#include "tmaref_dump.h"

enum { COLUMNS = 96, ROWS = 40, TILE_BYTES = 8192, ELEMENTS = COLUMNS * ROWS };

// How a tile is loaded: the box, where it begins, and how it lies in shared memory.
struct tile {
    const char *name;
    CUtensorMapDataType type;
    cuuint64_t element_bytes;
    cuuint32_t box[2];
    int coord[2];
    CUtensorMapSwizzle swizzle;
    CUtensorMapFloatOOBfill fill;
};

static const tile tiles[] = {
    {"swizzled", CU_TENSOR_MAP_DATA_TYPE_UINT16, 2, {64, 16}, {16, 8}, CU_TENSOR_MAP_SWIZZLE_128B,
     CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE},
    {"outside", CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, {16, 24}, {-4, 29}, CU_TENSOR_MAP_SWIZZLE_64B,
     CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA},
    {"plain", CU_TENSOR_MAP_DATA_TYPE_INT32, 4, {20, 12}, {84, 3}, CU_TENSOR_MAP_SWIZZLE_NONE,
     CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE},
};

// Loads the tile, waits for at most a million clocks, and dumps it with the barrier's word.
__global__ void load(const __grid_constant__ CUtensorMap map, int x, int y, unsigned bytes, void *dump,
                     unsigned long long dump_bytes)
{
    __shared__ alignas(1024) char buffer[TILE_BYTES];
    __shared__ uint64_t barrier;
    unsigned bar = (unsigned)__cvta_generic_to_shared(&barrier), at = (unsigned)__cvta_generic_to_shared(buffer);
    if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(bar) : "memory");
    tmaref_poison(buffer, sizeof buffer);
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(bar), "r"(bytes) : "memory");
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], "
                     "[%4];" ::"r"(at),
                     "l"(&map), "r"(x), "r"(y), "r"(bar)
                     : "memory");
    }
    unsigned done = 0;
    for (long long start = clock64(); !done && clock64() - start < 1000000;)
        asm volatile("{\n.reg .pred p;\nmbarrier.test_wait.parity.shared.b64 p, [%1], 0;\nselp.u32 %0, 1, 0, p;\n}"
                     : "=r"(done)
                     : "r"(bar)
                     : "memory");
    __syncthreads();
    tmaref_copy copy = {&map, buffer, &barrier, bytes, 2, {x, y}};
    copy.give_up_barrier = copy.poisoned = true;
    tmaref_dump(dump, dump_bytes, buffer, sizeof buffer, copy);
}

__global__ void sums(const float *from, float *to)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (unsigned k = 0; i < ELEMENTS && k < 16; k++) sum = fmaf(sum, 0.5f, __expf(-from[(i + 7 * k) % ELEMENTS]));
    if (i < ELEMENTS) to[i] = sum;
}

static CUtensorMap map_of(const tile &t, void *address)
{
    void *function;
    cudaDriverEntryPointQueryResult found;
    CUDA(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &found));
    REQUIRE(found == cudaDriverEntryPointSuccess);
    CUtensorMap map;
    cuuint64_t dim[] = {COLUMNS, ROWS}, stride[] = {COLUMNS * t.element_bytes};
    cuuint32_t step[] = {1, 1};
    REQUIRE(((decltype(&cuTensorMapEncodeTiled))function)(
                &map, t.type, 2, address, dim, stride, t.box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, t.swizzle,
                CU_TENSOR_MAP_L2_PROMOTION_NONE, t.fill) == CUDA_SUCCESS);
    return map;
}

static void save_tile(const tile &t, const std::string &folder)
{
    std::vector<unsigned> numbers(ELEMENTS);
    for (unsigned i = 0; i < ELEMENTS; i++) numbers[i] = i * 0x01000193u ^ 0x3f800000u;
    const size_t bytes = TMAREF_DUMP_BYTES(TILE_BYTES);
    std::vector<char> host(bytes);
    void *tensor, *dump;
    CUDA(cudaMalloc(&tensor, numbers.size() * 4));
    CUDA(cudaMalloc(&dump, bytes));
    CUDA(cudaMemset(dump, 0, bytes));
    CUDA(cudaMemcpy(tensor, numbers.data(), numbers.size() * 4, cudaMemcpyHostToDevice));
    load<<<1, 64>>>(map_of(t, tensor), t.coord[0], t.coord[1], (unsigned)(t.box[0] * t.box[1] * t.element_bytes), dump,
                    bytes);
    CUDA(cudaMemcpy(host.data(), dump, bytes, cudaMemcpyDeviceToHost));
    REQUIRE(tmaref_dump_save(host.data(), (folder + "/" + t.name + ".dump").c_str()));
    CUDA(cudaFree(tensor));
    CUDA(cudaFree(dump));
}

static void save_sums(const std::string &path)
{
    std::vector<float> numbers(ELEMENTS);
    for (unsigned i = 0; i < ELEMENTS; i++) numbers[i] = (float)(i % 977) * 0.01f;
    float *from, *to;
    CUDA(cudaMalloc(&from, ELEMENTS * sizeof(float)));
    CUDA(cudaMalloc(&to, ELEMENTS * sizeof(float)));
    CUDA(cudaMemcpy(from, numbers.data(), ELEMENTS * sizeof(float), cudaMemcpyHostToDevice));
    sums<<<(ELEMENTS + 127) / 128, 128>>>(from, to);
    CUDA(cudaMemcpy(numbers.data(), to, ELEMENTS * sizeof(float), cudaMemcpyDeviceToHost));
    FILE *file = fopen(path.c_str(), "wb");
    REQUIRE(file != nullptr && fwrite(numbers.data(), sizeof(float), ELEMENTS, file) == ELEMENTS && fclose(file) == 0);
}

int main(int argc, char **argv)
{
    REQUIRE(argc == 2);
    for (const tile &t : tiles) save_tile(t, argv[1]);
    save_sums(std::string(argv[1]) + "/sums.f32");
}
