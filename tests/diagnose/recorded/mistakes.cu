// SPDX-License-Identifier: MIT
// Mistakes as people make them with TMA, made on a GPU: loads, multicast, im2col and interleaved loads, stores. Each is
// run until its bytes differ from those of the right run, and kept as files that `tmaref diagnose` takes: NAME.dump of a
// load; NAME.tile, NAME.after and NAME.other of a store. recorded.sh asks what is wrong with them. Every wait is bounded.
// Build: nvcc -std=c++17 -arch=sm_90a -I../../../harness/dump mistakes.cu -o mistakes; run: ./mistakes DIRECTORY
#include <cuda.h>
#include <cuda_runtime.h>
#include <string>
#include <vector>

#include "kernels.cuh"

// --- maps ------------------------------------------------------------------------------------------------------------

static void *entry(const char *name)
{
    void *found = nullptr;
    cudaDriverEntryPointQueryResult result;
    cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &result);
    return found;
}

// What an encode call is given; the right one, of 16-bit numbers, of loads is 256 x 64, of stores 64 x 64.
struct call {
    CUtensorMapDataType type = CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    int rank = 2, offset = 0;
    cuuint64_t dim[5] = {256, 64}, stride[4] = {512};
    cuuint32_t box[5] = {64, 16}, every[5] = {1, 1, 1, 1, 1};
    CUtensorMapInterleave interleave = CU_TENSOR_MAP_INTERLEAVE_NONE;
    CUtensorMapSwizzle swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
    CUtensorMapFloatOOBfill fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE;
    int lower[3] = {}, upper[3] = {}, channels = 0, pixels = 0;
};

static bool encode(CUtensorMap *map, const call &c, char *tensor)
{
    CUresult result;
    if (c.pixels > 0)
        result = ((decltype(&cuTensorMapEncodeIm2col))entry("cuTensorMapEncodeIm2col"))(
            map, c.type, c.rank, tensor + c.offset, c.dim, c.stride, c.lower, c.upper, c.channels, c.pixels, c.every,
            c.interleave, c.swizzle, CU_TENSOR_MAP_L2_PROMOTION_NONE, c.fill);
    else
        result = ((decltype(&cuTensorMapEncodeTiled))entry("cuTensorMapEncodeTiled"))(
            map, c.type, c.rank, tensor + c.offset, c.dim, c.stride, c.box, c.every, c.interleave, c.swizzle,
            CU_TENSOR_MAP_L2_PROMOTION_NONE, c.fill);
    return result == CUDA_SUCCESS;
}

// --- runs ------------------------------------------------------------------------------------------------------------

enum { TENSOR_BYTES = 1 << 17, STORED_BYTES = 64 * 64 * 2, DUMP_BYTES = TMAREF_DUMP_BYTES(SHARED_BYTES) };
static char *tensor, *dump, *other, *after;
static std::string directory;

typedef std::vector<char> bytes;

static bytes fetch(const char *from, size_t count)
{
    bytes host(count);
    cudaError_t error = cudaMemcpy(host.data(), from, count, cudaMemcpyDeviceToHost);
    if (error != cudaSuccess) {
        printf("%s\n", cudaGetErrorString(error));
        exit(1);
    }
    return host;
}

// Numbers counted up: `--fill iota`.
static void fill_tensor()
{
    std::vector<uint16_t> numbers(TENSOR_BYTES / 2);
    for (size_t i = 0; i < numbers.size(); i++) numbers[i] = (uint16_t)i;
    cudaMemcpy(tensor, numbers.data(), TENSOR_BYTES, cudaMemcpyHostToDevice);
}

static void save_dump(const std::string &name, const bytes &dump)
{
    if (!tmaref_dump_save(dump.data(), (directory + "/" + name).c_str())) printf("%s cannot be written\n", name.c_str());
}

static void save_raw(const std::string &name, const bytes &raw)
{
    FILE *file = fopen((directory + "/" + name).c_str(), "wb");
    if (file == NULL || fwrite(raw.data(), 1, raw.size(), file) != raw.size()) printf("%s cannot be written\n", name.c_str());
    if (file != NULL) fclose(file);
}

// The bytes of a dump without its head, which has a clock.
static bytes body(const bytes &dump)
{
    return bytes(dump.begin() + sizeof(tmaref_dump_head), dump.end());
}

static bytes run_loads(const call &c, const loads &job)
{
    CUtensorMap map;
    fill_tensor();
    if (!encode(&map, c, tensor)) return bytes();
    cudaMemset(dump, 0, DUMP_BYTES);
    load_kernel<<<1, THREADS>>>(map, job, dump);
    return fetch(dump, DUMP_BYTES);
}

static void keep_loads(const char *name, const call &right, const loads &meant, const call &wrong, const loads &done)
{
    bytes reference = run_loads(right, meant);
    for (int i = 1; i <= TRIES && !reference.empty(); i++) {
        bytes found = run_loads(wrong, done);
        if (found.empty()) break;
        if (i < TRIES && body(found) == body(reference)) continue;
        save_dump(std::string(name) + ".dump", found);
        printf("%s: try %d%s\n", name, i, i == TRIES ? ", never seen" : "");
        return;
    }
    printf("%s: the map is refused\n", name);
}

static bytes run_slices(const call &c, const slices &job)
{
    CUtensorMap map;
    fill_tensor();
    if (!encode(&map, c, tensor)) return bytes();
    cudaMemset(dump, 0, DUMP_BYTES);
    multicast_kernel<<<CLUSTER, THREADS>>>(map, job, dump);
    bytes found = fetch(dump, TMAREF_DUMP_BYTES(CLUSTER * SLICE_BYTES));
    return found;
}

static void keep_slices(const char *name, const slices &done)
{
    call c;
    c.box[0] = 32, c.box[1] = 8, c.swizzle = CU_TENSOR_MAP_SWIZZLE_64B;
    bytes found = run_slices(c, done);
    if (found.empty()) return (void)printf("%s: the map is refused\n", name);
    save_dump(std::string(name) + ".dump", found);
    printf("%s: try 1\n", name);
}

static bytes run_stores(const call &c, const stores &job)
{
    CUtensorMap map;
    cudaMemset(tensor, 0x11, TENSOR_BYTES);
    if (!encode(&map, c, tensor)) return bytes();
    store_kernel<<<1, THREADS>>>(map, job, dump, other, (const uint4 *)tensor, (uint4 *)after, STORED_BYTES / 16);
    return fetch(after, STORED_BYTES);
}

static call stored()
{
    call c;
    c.dim[0] = 64, c.stride[0] = 128, c.box[0] = 32, c.box[1] = 8, c.swizzle = CU_TENSOR_MAP_SWIZZLE_64B;
    return c;
}

static void keep_stores(const char *name, const stores &meant, const call &wrong, const stores &done,
                        const call &right = stored())
{
    bytes reference = run_stores(right, meant);
    for (int i = 1; i <= TRIES; i++) {
        bytes found = run_stores(wrong, done);
        if (found.empty()) return (void)printf("%s: the map is refused\n", name);
        if (i < TRIES && found == reference) continue;
        save_raw(std::string(name) + ".after", found);
        save_dump(std::string(name) + ".tile", fetch(dump, DUMP_BYTES));
        save_dump(std::string(name) + ".other", fetch(other, DUMP_BYTES));
        printf("%s: try %d%s\n", name, i, i == TRIES ? ", never seen" : "");
        return;
    }
}

// --- the mistakes ----------------------------------------------------------------------------------------------------

static void all_loads()
{
    const call right;
    const loads meant = {2, 1, 0, {{64, 16}}, {}, {0}, BOX_BYTES, {0}};
    call c;
    loads job = meant;
    job.coord[0][0] = 16, job.coord[0][1] = 64;
    keep_loads("load_swapped", right, meant, right, job);
    job = meant, job.coord[0][1] = 1;
    keep_loads("load_tile_numbers", right, meant, right, job);
    job = meant, job.coord[0][0] = 128;
    keep_loads("load_bytes", right, meant, right, job);
    job = meant, job.coord[0][1] = 17;
    keep_loads("load_row_off", right, meant, right, job);
    c = right, c.swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
    keep_loads("load_swizzle", right, meant, c, meant);
    c = right, c.stride[0] = 544;
    keep_loads("load_pitch", right, meant, c, meant);
    c = right, c.offset = 4096;
    keep_loads("load_pointer", right, meant, c, meant);
    c = right, c.every[1] = 2;
    keep_loads("load_element_stride", right, meant, c, meant);
    c = right, c.box[1] = 8;
    job = meant, job.expect = 1024;
    keep_loads("load_box", right, meant, c, job);
    c = right, c.dim[1] = 24;
    keep_loads("load_bounds", right, meant, c, meant);
    c = right, c.type = CU_TENSOR_MAP_DATA_TYPE_UINT8, c.dim[0] = 512, c.box[0] = 128;
    keep_loads("load_type", right, meant, c, meant);

    loads edge = meant; // half of the box is out of bounds
    edge.coord[0][1] = 56;
    c = right, c.fill = CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA;
    keep_loads("load_fill", right, edge, c, edge);

    job = meant, job.place[0] = 384; // dumped as if the buffer began there
    keep_loads("load_unaligned", right, meant, right, job);
    job = meant, job.place[0] = 2048;
    keep_loads("load_other_stage", right, meant, right, job);
    job = meant, job.parity[0] = -1;
    keep_loads("load_no_wait", right, meant, right, job);
    job = meant, job.expect = BOX_BYTES / 2;
    keep_loads("load_expect_half", right, meant, right, job);

    const loads two = {2, 2, 0, {{0, 16}, {64, 16}}, {}, {0, 0}, BOX_BYTES, {0, 1}};
    job = two, job.parity[1] = 0;
    keep_loads("load_parity", right, two, right, job);
    const loads stages = {2, 2, 0, {{64, 16}, {128, 16}}, {}, {0, BOX_BYTES}, BOX_BYTES, {0, 1}};
    job = stages, job.place[1] = BOX_BYTES / 2;
    keep_loads("load_stages_overlap", right, stages, right, job);
}

// A picture of 32 channels (two slices of 16), 16 x 8 pixels, 2 of them.
static void all_other_layouts()
{
    call tap;
    tap.rank = 4, tap.swizzle = CU_TENSOR_MAP_SWIZZLE_64B;
    const cuuint64_t dim[] = {32, 16, 8, 2}, stride[] = {64, 1024, 8192};
    memcpy(tap.dim, dim, sizeof dim), memcpy(tap.stride, stride, sizeof stride);
    tap.lower[0] = tap.lower[1] = -1, tap.upper[0] = tap.upper[1] = -1;
    tap.channels = 32, tap.pixels = 32;
    const loads meant = {4, 1, 1, {{0, 3, 2, 1}}, {2, 1}, {0}, BOX_BYTES, {0}};
    loads job = meant;
    call c = tap;
    job.offset[0] = 1, job.offset[1] = 2;
    keep_loads("im2col_taps_swapped", tap, meant, tap, job);
    job = meant, job.offset[0] = 0;
    keep_loads("im2col_tap", tap, meant, tap, job);
    c.upper[0] = 0;
    keep_loads("im2col_corner", tap, meant, c, meant);
    job = meant, job.coord[0][3] = 0;
    keep_loads("im2col_picture", tap, meant, tap, job);
    c = tap, c.swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
    keep_loads("im2col_swizzle", tap, meant, c, meant);

    call sliced; // pixels, rows, slices of 16 channels, pictures
    const cuuint64_t slice_dim[] = {32, 8, 2, 2}, slice_stride[] = {1024, 8192, 16384};
    const cuuint32_t box[] = {16, 4, 1, 1};
    sliced.rank = 4, sliced.interleave = CU_TENSOR_MAP_INTERLEAVE_32B, sliced.swizzle = CU_TENSOR_MAP_SWIZZLE_32B;
    memcpy(sliced.dim, slice_dim, sizeof slice_dim), memcpy(sliced.stride, slice_stride, sizeof slice_stride);
    memcpy(sliced.box, box, sizeof box);
    const loads of_slices = {4, 1, 0, {{4, 2, 1, 1}}, {}, {0}, BOX_BYTES, {0}};
    job = of_slices, job.coord[0][0] = 2, job.coord[0][1] = 4;
    keep_loads("interleave_swapped", sliced, of_slices, sliced, job);
    job = of_slices, job.coord[0][2] = 0;
    keep_loads("interleave_slice", sliced, of_slices, sliced, job);
    c = sliced, c.stride[0] = 512;
    keep_loads("interleave_pitch", sliced, of_slices, c, of_slices);
    sliced.swizzle = CU_TENSOR_MAP_SWIZZLE_NONE;
    c = sliced, c.interleave = CU_TENSOR_MAP_INTERLEAVE_16B;
    job = of_slices, job.expect = BOX_BYTES / 2;
    keep_loads("interleave_16", sliced, of_slices, c, job);
}

static void all_multicasts()
{
    slices meant = {{0, 1, 2, 3}, {0, 1, 2, 3}, 0, {15, 15, 15, 15}, CLUSTER * SLICE_BYTES, 1, {32, 16}};
    slices job = meant;
    keep_slices("multicast_right", job);
    for (int r = 0; r < CLUSTER; r++) job.slot[r] = 0;
    keep_slices("multicast_slice_of_rank_0", job);
    job = meant;
    for (int r = 0; r < CLUSTER; r++) job.place[r] = (r + 1) % CLUSTER;
    keep_slices("multicast_place_of_next", job);
    job = meant, job.dumper = 3;
    for (int r = 0; r < CLUSTER; r++) job.mask[r] = 7;
    keep_slices("multicast_mask_short", job);
    job = meant, job.mask[3] = 0;
    keep_slices("multicast_one_does_not_issue", job);
    job = meant;
    for (int r = 0; r < CLUSTER; r++) job.mask[r] = (uint16_t)(1 << r);
    keep_slices("multicast_only_to_itself", job);
    job = meant;
    for (int r = 0; r < CLUSTER; r++) job.mask[r] = 15, job.place[r] = 0;
    keep_slices("multicast_one_place", job);
    job = meant, job.expect = SLICE_BYTES;
    keep_slices("multicast_expect_own", job);
    job = meant, job.coord[0] = 16, job.coord[1] = 32;
    keep_slices("multicast_swapped", job);
    job = meant, job.is_unmet = 1;
    keep_slices("multicast_no_cluster_sync", job);
}

static void all_stores()
{
    const call right = stored();
    const stores meant = {1, {0, 1, 2, 3}, 0, 0, 0, 0, 0, {32, 16}, {0, 512, 1024, 1536}};
    call c = right;
    stores job = meant;
    keep_stores("store_swapped", meant, right, (job.coord[0] = 16, job.coord[1] = 32, job));
    keep_stores("store_tile_numbers", meant, right, (job = meant, job.coord[1] = 2, job));
    keep_stores("store_row_off", meant, right, (job = meant, job.coord[1] = 15, job));
    keep_stores("store_swizzle", meant, (c.swizzle = CU_TENSOR_MAP_SWIZZLE_NONE, c), meant);
    keep_stores("store_pitch", meant, (c = right, c.stride[0] = 144, c.dim[1] = 56, c), meant);
    keep_stores("store_box", meant, (c = right, c.box[1] = 4, c), meant);
    keep_stores("store_pointer", meant, (c = right, c.offset = 256, c), meant);
    keep_stores("store_bounds", meant, (c = right, c.dim[1] = 20, c), meant);
    keep_stores("store_other_stage", meant, right, (job = meant, job.place[0] = 1024, job));
    c = right, c.type = CU_TENSOR_MAP_DATA_TYPE_UINT32, c.dim[0] = 32, c.box[0] = 16; // 16-bit ones cannot be added
    stores words = meant;
    words.coord[0] = 16;
    keep_stores("store_added", words, c, (job = words, job.is_added = 1, job), c);

    stores four = meant;
    four.slices = 4;
    job = four;
    for (int s = 0; s < CLUSTER; s++) job.slot[s] = (s + 1) % CLUSTER;
    keep_stores("store_slices_turned", four, right, job);
    for (int s = 0; s < CLUSTER; s++) job.slot[s] = 0;
    keep_stores("store_slice_of_rank_0", four, right, job);
    keep_stores("store_three_slices", four, right, (job = four, job.slices = 3, job));
    keep_stores("store_buffer_reused", four, right, (job = four, job.is_reused = 1, job));
    keep_stores("store_read_early", four, right, (job = four, job.is_unwaited = 1, job));
    keep_stores("store_no_barrier", four, right, (job = four, job.is_unfenced = job.is_unsynced = 1, job));
    keep_stores("store_no_fence", four, right, (job = four, job.is_unfenced = 1, job));
}

int main(int argc, char **argv)
{
    directory = argc > 1 ? argv[1] : ".";
    cudaMalloc(&tensor, TENSOR_BYTES), cudaMalloc(&dump, DUMP_BYTES), cudaMalloc(&other, DUMP_BYTES);
    if (cudaMalloc(&after, STORED_BYTES) != cudaSuccess) return printf("there is no GPU\n"), 2;
    all_loads();
    all_other_layouts();
    all_multicasts();
    all_stores();
    return 0;
}
