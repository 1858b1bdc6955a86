// SPDX-License-Identifier: MIT
// What is asked of kernels: attributes, occupancy.
#include "api.h"

static const char kernels[] =
    ".const .align 2 .b8 small[3];\n.const .align 8 .b8 eight[8];\n.global .u32 none;\n"
    ".visible .entry plain(.param .u64 to, .param .u32 value)\n{\nret;\n}\n"
    ".visible .entry bounded()\n.maxntid 128, 1, 1\n{\n.shared .align 16 .b8 room[1024];\n"
    ".local .align 8 .b8 own[40];\nret;\n}\n"
    ".visible .entry paired()\n.reqnctapercluster 2, 1, 1\n{\nret;\n}\n"
    ".visible .entry explicit()\n.explicitcluster\n{\nret;\n}\n"
    ".visible .entry large()\n{\n.shared .align 16 .b8 room[49152];\n.reg .b32 %r<300>;\nret;\n}\n";

static struct CUfunc_st *plain, *bounded, *paired, *explicit, *large;

static void load(void)
{
    struct CUmod_st *module = api_module(kernels);
    WORKS(cuModuleGetFunction(&plain, module, "plain"));
    WORKS(cuModuleGetFunction(&bounded, module, "bounded"));
    WORKS(cuModuleGetFunction(&paired, module, "paired"));
    WORKS(cuModuleGetFunction(&explicit, module, "explicit"));
    WORKS(cuModuleGetFunction(&large, module, "large"));
}

static size_t quarter_kibibyte_a_thread(int threads)
{
    return 256 * (size_t)threads;
}

static int ctas_of(struct CUfunc_st *function, int threads, size_t dynamic_bytes)
{
    int ctas = -1;
    WORKS(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&ctas, function, threads, dynamic_bytes, 1));
    return ctas;
}

static void show_blocks(void)
{
    int ctas, grid, block;
    REQUIRE(ctas_of(plain, 32, 0) == 32 && ctas_of(plain, 1024, 0) == 2 && ctas_of(plain, 1025, 0) == 0);
    REQUIRE(ctas_of(plain, 128, 49152) == 4 && ctas_of(plain, 128, 49153) == 0); // more was not asked for
    WORKS(cuFuncSetAttribute(plain, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 232448));
    REQUIRE(ctas_of(plain, 128, 100000) == 2 && ctas_of(plain, 128, 233000) == 0);
    REFUSES(ERROR_INVALID_VALUE, cuOccupancyMaxActiveBlocksPerMultiprocessor(NULL, plain, 32, 0));
    REFUSES(ERROR_INVALID_VALUE, cuOccupancyMaxActiveBlocksPerMultiprocessor(&ctas, plain, 0, 0));
    REFUSES(ERROR_INVALID_HANDLE, cuOccupancyMaxActiveBlocksPerMultiprocessor(&ctas, NULL, 32, 0));
    REFUSES(ERROR_INVALID_VALUE, cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&ctas, plain, 32, 0, 2));
    WORKS(cuOccupancyMaxPotentialBlockSize(&grid, &block, plain, NULL, 0, 0));
    REQUIRE(block == 1024 && grid == 2 * 132);
    WORKS(cuOccupancyMaxPotentialBlockSize(&grid, &block, plain, NULL, 0, 100)); // at most 100 threads
    REQUIRE(block == 64 && grid == 32 * 132);
    WORKS(cuOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, plain, quarter_kibibyte_a_thread, 0, 0, 0));
    REQUIRE((size_t)grid / 132 * (quarter_kibibyte_a_thread(block) + 1024) <= 233472);
    WORKS(cuOccupancyMaxPotentialBlockSize(&grid, &block, plain, NULL, 300000, 0)); // nothing fits
    REQUIRE(grid == 0 && block == 0);
    REFUSES(ERROR_INVALID_VALUE, cuOccupancyMaxPotentialBlockSizeWithFlags(&grid, &block, plain, NULL, 0, 0, 2));
    REFUSES(ERROR_INVALID_VALUE, cuOccupancyMaxPotentialBlockSize(NULL, &block, plain, NULL, 0, 0));
    REFUSES(ERROR_INVALID_VALUE, cuOccupancyMaxPotentialBlockSize(&grid, NULL, plain, NULL, 0, 0));
    REFUSES(ERROR_INVALID_HANDLE, cuOccupancyMaxPotentialBlockSize(&grid, &block, NULL, NULL, 0, 0));
}

static void show_clusters(void)
{
    int clusters = -1;
    struct cuda_launch_attribute attribute[2] = {
        {.id = CU_LAUNCH_ATTRIBUTE_PRIORITY},
        {.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, .value.cluster = {4, 1, 1}}};
    struct cuda_launch_config config = {8, 1, 1, 1024, 1, 1, 0, NULL, attribute, 2};
    WORKS(cuOccupancyMaxActiveClusters(&clusters, plain, &config));
    const int of_four = clusters;
    config.attribute_count = 0;
    WORKS(cuOccupancyMaxActiveClusters(&clusters, paired, &config));
    REQUIRE(of_four > 0 && clusters > of_four && clusters <= 132);
    WORKS(cuOccupancyMaxActiveClusters(&clusters, plain, &config)); // none was asked for
    REQUIRE(clusters == 0);
    config.attribute_count = 2;
    config.grid_x = 9; // no whole number of clusters: such a launch is refused
    REFUSES(ERROR_INVALID_CLUSTER_SIZE, cuOccupancyMaxActiveClusters(&clusters, plain, &config));
    config.grid_x = 8;
    for (uint32_t threads = 128; threads <= 1024; threads *= 2) { // at most 8 CTAs on an SM; 8 of a cluster on 4
        const int ctas = threads < 256 ? 8 : 2048 / (int)threads;
        attribute[1].value.cluster.x = 8;
        config.block_x = threads;
        WORKS(cuOccupancyMaxActiveClusters(&clusters, plain, &config));
        REQUIRE(clusters == (ctas >= 4 ? 31 * ctas / 2 : 30));
        attribute[1].value.cluster.x = 2;
        WORKS(cuOccupancyMaxActiveClusters(&clusters, plain, &config));
        REQUIRE(clusters == 66 * ctas);
    }
    attribute[1].value.cluster.x = 16;
    REFUSES(ERROR_INVALID_CLUSTER_SIZE, cuOccupancyMaxActiveClusters(&clusters, plain, &config));
    REFUSES(ERROR_INVALID_VALUE, cuOccupancyMaxActiveClusters(NULL, plain, &config));
    REFUSES(ERROR_INVALID_VALUE, cuOccupancyMaxActiveClusters(&clusters, plain, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuOccupancyMaxActiveClusters(&clusters, NULL, &config));
    WORKS(cuOccupancyMaxPotentialClusterSize(&clusters, plain, &config));
    REQUIRE(clusters == 8);
    WORKS(cuFuncSetAttribute(plain, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1));
    WORKS(cuOccupancyMaxPotentialClusterSize(&clusters, plain, &config));
    REQUIRE(clusters == 16);
    REFUSES(ERROR_INVALID_VALUE, cuOccupancyMaxPotentialClusterSize(NULL, plain, &config));
    REFUSES(ERROR_INVALID_VALUE, cuOccupancyMaxPotentialClusterSize(&clusters, plain, NULL));
    REFUSES(ERROR_INVALID_VALUE, cuOccupancyMaxPotentialClusterSize(&clusters, NULL, &config));
}

SECTION(occupancy)
{
    size_t bytes;
    api_ready();
    load();
    show_blocks();
    show_clusters();
    WORKS(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, bounded, 1, 128));
    REQUIRE(bytes == 48128);
    WORKS(cuOccupancyAvailableDynamicSMemPerBlock(&bytes, bounded, 8, 128));
    REQUIRE(bytes == 233472 / 8 - 1024);
    REFUSES(ERROR_INVALID_VALUE, cuOccupancyAvailableDynamicSMemPerBlock(&bytes, bounded, 31, 128)); // 3968 threads
    REFUSES(ERROR_INVALID_VALUE, cuOccupancyAvailableDynamicSMemPerBlock(&bytes, bounded, 1000, 1));
    REFUSES(ERROR_INVALID_VALUE, cuOccupancyAvailableDynamicSMemPerBlock(NULL, bounded, 1, 128));
    REFUSES(ERROR_INVALID_VALUE, cuOccupancyAvailableDynamicSMemPerBlock(&bytes, bounded, 0, 128));
    REFUSES(ERROR_INVALID_VALUE, cuOccupancyAvailableDynamicSMemPerBlock(&bytes, bounded, 1, 0));
    REFUSES(ERROR_INVALID_HANDLE, cuOccupancyAvailableDynamicSMemPerBlock(&bytes, NULL, 1, 128));
}
