// SPDX-License-Identifier: MIT
// CUDA arrays, texture objects and surface objects.
#include "api.h"

enum { FLOAT = 0x20, BYTES = 0x01, LAYERED = 1, CUBE = 4, ARRAY = 0, LINEAR = 2, PITCH = 3 };

static struct CUarray_st *array_of(size_t width, size_t height, size_t depth, unsigned flags)
{
    struct CUarray_st *array = NULL;
    const struct CUDA_ARRAY3D_DESCRIPTOR_st from = {width, height, depth, FLOAT, 1, flags};
    WORKS(cuArray3DCreate_v2(&array, &from));
    return array;
}

static void refuse_array(size_t width, size_t height, size_t depth, unsigned channels, unsigned flags)
{
    struct CUarray_st *array = NULL;
    const struct CUDA_ARRAY3D_DESCRIPTOR_st from = {width, height, depth, FLOAT, channels, flags};
    REFUSES(ERROR_INVALID_VALUE, cuArray3DCreate_v2(&array, &from));
}

// As an H200's driver has it.
SECTION(arrays)
{
    struct CUDA_ARRAY3D_DESCRIPTOR_st is;
    struct CUmipmappedArray_st *mipmap;
    struct CUarray_st *array, *level;
    api_ready();
    refuse_array(0, 4, 0, 1, 0);
    refuse_array(4, 0, 4, 1, 0);
    refuse_array(8, 8, 0, 3, 0);
    SAYS("format 0x20 with 3 channels");
    refuse_array(8, 8, 0, 1, LAYERED);
    refuse_array(8, 8, 4, 1, CUBE);
    refuse_array(131073, 0, 0, 1, 0);
    SAYS("there is no array of width 131073");
    array = array_of(131072, 0, 0, 0);
    WORKS(cuArray3DGetDescriptor_v2(&is, array));
    REQUIRE(is.Width == 131072 && is.Height == 0 && is.Format == FLOAT && is.NumChannels == 1);
    WORKS(cuArrayDestroy(array));
    REFUSES(ERROR_INVALID_HANDLE, cuArrayDestroy(array));
    const struct CUDA_ARRAY3D_DESCRIPTOR_st from = {9, 5, 0, FLOAT, 1, 0};
    WORKS(cuMipmappedArrayCreate(&mipmap, &from, 99));
    WORKS(cuMipmappedArrayGetLevel(&level, mipmap, 3));
    WORKS(cuArray3DGetDescriptor_v2(&is, level));
    REQUIRE(is.Width == 1 && is.Height == 1);
    REFUSES(ERROR_INVALID_VALUE, cuMipmappedArrayGetLevel(&level, mipmap, 4));
    WORKS(cuMipmappedArrayDestroy(mipmap));
}

SECTION(array_copies)
{
    enum { WIDTH = 5, HEIGHT = 3 };
    float host[HEIGHT][WIDTH], back[HEIGHT][WIDTH];
    api_ready();
    struct CUarray_st *array = array_of(WIDTH, HEIGHT, 0, 0), *row = array_of(WIDTH, 0, 0, 0);
    for (int i = 0; i < WIDTH * HEIGHT; i++) host[i / WIDTH][i % WIDTH] = (float)i;
    struct CUDA_MEMCPY2D_st box = {.srcMemoryType = MEMORY_OF_HOST,
                                   .srcHost = host,
                                   .srcPitch = sizeof host[0],
                                   .dstMemoryType = MEMORY_OF_ARRAY,
                                   .dstArray = array,
                                   .WidthInBytes = sizeof host[0],
                                   .Height = HEIGHT};
    WORKS(cuMemcpy2D_v2(&box));
    box.dstY = 1; // the last row is outside
    REFUSES(ERROR_INVALID_VALUE, cuMemcpy2D_v2(&box));
    WORKS(cuMemcpyAtoA_v2(row, 0, array, 4, 4 * sizeof(float)));
    WORKS(cuMemcpyAtoH_v2(back, row, 0, 4 * sizeof(float)));
    REQUIRE(back[0][0] == 1 && back[0][3] == 4);
    REFUSES(ERROR_INVALID_VALUE, cuMemcpyAtoH_v2(back, row, 4, sizeof host[0]));
    WORKS(cuMemcpyHtoA_v2(row, 8, host, 8));
    const unsigned long long at = api_memory(64, 0);
    WORKS(cuMemcpyAtoD_v2(at, row, 8, 8));
    REQUIRE(api_word(at + 4) == 0x3f800000);
    WORKS(cuMemcpyDtoA_v2(row, 0, at, 4));
    box = (struct CUDA_MEMCPY2D_st){.srcMemoryType = MEMORY_OF_ARRAY,
                                    .srcArray = array,
                                    .srcXInBytes = 8,
                                    .srcY = 1,
                                    .dstMemoryType = MEMORY_OF_HOST,
                                    .dstHost = back,
                                    .dstPitch = sizeof back[0],
                                    .WidthInBytes = 8,
                                    .Height = 2};
    WORKS(cuMemcpy2D_v2(&box));
    REQUIRE(back[0][0] == 7 && back[1][1] == 13);
}

static struct cudaArray *bytes_of(size_t width, size_t height)
{
    const struct cudaChannelFormatDesc byte = {8, 0, 0, 0, 1};
    struct cudaArray *array;
    uint8_t host[32];
    for (int i = 0; i < 32; i++) host[i] = (uint8_t)(i + 1);
    WORKS(cudaMallocArray(&array, &byte, width, height, 0));
    WORKS(cudaMemcpyToArray(array, 0, 0, host, 32, COPY_HOST_TO_DEVICE));
    return array;
}

// Where bytes go that pass the end of a row, as an H200 has it.
SECTION(runtime_arrays)
{
    struct cudaArray *narrow = bytes_of(8, 4), *wide = bytes_of(16, 2), *flat = bytes_of(32, 0);
    uint8_t back[32], nine[9] = {91, 92, 93, 94, 95, 96, 97, 98, 99};
    WORKS(cudaMemcpyFromArray(back, narrow, 5, 0, 22, COPY_DEVICE_TO_HOST)); // the end of a row, two rows, three bytes
    REQUIRE(back[0] == 6 && back[2] == 8 && back[3] == 9 && back[21] == 27);
    WORKS(cudaMemcpyToArray(narrow, 2, 1, nine, 9, COPY_HOST_TO_DEVICE));
    WORKS(cudaMemcpyFromArray(back, narrow, 0, 0, 32, COPY_DEVICE_TO_HOST));
    REQUIRE(back[9] == 10 && back[10] == 91 && back[18] == 99 && back[19] == 20);
    WORKS(cudaMemcpyArrayToArray(narrow, 0, 0, wide, 0, 0, 32, COPY_DEVICE_TO_DEVICE));
    WORKS(cudaMemcpyArrayToArray(narrow, 2, 1, narrow, 5, 1, 9, COPY_BY_POINTERS));
    WORKS(cudaMemcpyArrayToArray(wide, 14, 0, narrow, 5, 0, 5, COPY_DEVICE_TO_DEVICE));
    WORKS(cudaMemcpyFromArray(back, narrow, 0, 0, 32, COPY_DEVICE_TO_HOST));
    REQUIRE(back[0] == 1 && back[10] == 14 && back[12] == 16 && back[19] == 20);
    WORKS(cudaMemcpyFromArray(back, wide, 0, 0, 32, COPY_DEVICE_TO_HOST));
    REQUIRE(back[13] == 14 && back[14] == 6 && back[17] == 9 && back[18] == 10 && back[19] == 20);
    REFUSES(ERROR_INVALID_VALUE, cudaMemcpyArrayToArray(narrow, 0, 3, wide, 0, 0, 16, COPY_DEVICE_TO_DEVICE));
    REFUSES(ERROR_INVALID_VALUE, cudaMemcpyArrayToArray(flat, 30, 0, wide, 0, 0, 8, COPY_DEVICE_TO_DEVICE));
    WORKS(cudaMemcpyFromArray(back, flat, 0, 0, 32, COPY_DEVICE_TO_HOST));
    REQUIRE(back[29] == 30 && back[30] == 1 && back[31] == 2); // what fitted was copied
    REFUSES(ERROR_INVALID_HANDLE, cudaMemcpyArrayToArray(NULL, 0, 0, wide, 0, 0, 8, COPY_DEVICE_TO_DEVICE));
    const enum cudaError wrong = cudaErrorInvalidMemcpyDirection;
    REQUIRE(cudaMemcpyArrayToArray(narrow, 0, 0, wide, 0, 0, 8, COPY_DEVICE_TO_HOST) == wrong);
    REQUIRE(cudaMemcpy2DArrayToArray(narrow, 0, 0, wide, 0, 0, 8, 1, COPY_HOST_TO_DEVICE) == wrong);
}

SECTION(linear_widths)
{
    const struct cudaChannelFormatDesc byte = {8, 0, 0, 0, 1}, three = {32, 32, 32, 0, 2}, four = {32, 32, 32, 32, 2};
    size_t width;
    WORKS(cudaDeviceGetTexture1DLinearMaxWidth(&width, &byte, 0));
    REQUIRE(width == (size_t)1 << 30);
    WORKS(cudaDeviceGetTexture1DLinearMaxWidth(&width, &four, 0));
    REQUIRE(width == (size_t)1 << 28);
    REQUIRE(cudaDeviceGetTexture1DLinearMaxWidth(&width, &three, 0) == cudaErrorInvalidChannelDescriptor);
    REFUSES(ERROR_INVALID_DEVICE, cudaDeviceGetTexture1DLinearMaxWidth(&width, &byte, 1));
    REFUSES(ERROR_INVALID_VALUE, cudaDeviceGetTexture1DLinearMaxWidth(NULL, &byte, 0));
    WORKS(cuDeviceGetTexture1DLinearMaxWidth(&width, FLOAT, 2, 0));
    REQUIRE(width == (size_t)1 << 29);
    REFUSES(ERROR_INVALID_VALUE, cuDeviceGetTexture1DLinearMaxWidth(&width, FLOAT, 3, 0));
}

static const char read_2d[] = ".visible .entry read(.param .u64 t, .param .u64 to, .param .f32 x, .param .f32 y)\n"
                              "{\n.reg .b64 %d<3>;\n.reg .f32 %f<7>;\nld.param.u64 %d1, [t];\nld.param.u64 %d2, [to];\n"
                              "ld.param.f32 %f1, [x];\nld.param.f32 %f2, [y];\n"
                              "tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%d1, {%f1, %f2}];\n"
                              "st.global.f32 [%d2], %f3;\nret;\n}\n";

static uint32_t read_at(struct CUfunc_st *kernel, unsigned long long texture, float x, float y)
{
    static unsigned long long to;
    if (to == 0) to = api_memory(64, 0);
    void *parameters[] = {&texture, &to, &x, &y};
    WORKS(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
    WORKS(cuCtxSynchronize());
    return api_word(to);
}

SECTION(textures)
{
    const uint32_t host[4] = {0x3f800000, 0x40000000, 0x40400000, 0x40800000}; // 1 2, 3 4
    unsigned long long texture;
    struct CUDA_TEXTURE_DESC_st sampler = {.addressMode = {1, 1, 1}}, told;
    api_ready();
    struct CUfunc_st *kernel = api_kernel(read_2d, "read");
    struct CUarray_st *array = array_of(2, 2, 0, 0);
    struct CUDA_MEMCPY2D_st box = {.srcMemoryType = MEMORY_OF_HOST,
                                   .srcHost = host,
                                   .srcPitch = 8,
                                   .dstMemoryType = MEMORY_OF_ARRAY,
                                   .dstArray = array,
                                   .WidthInBytes = 8,
                                   .Height = 2};
    WORKS(cuMemcpy2D_v2(&box));
    struct CUDA_RESOURCE_DESC_st resource = {.resType = ARRAY, .res = {.array = array}};
    WORKS(cuTexObjectCreate(&texture, &resource, &sampler, NULL));
    REQUIRE(read_at(kernel, texture, 1.5f, 0.5f) == 0x40000000);
    REQUIRE(read_at(kernel, texture, -7, 9) == 0x40400000);
    WORKS(cuTexObjectGetTextureDesc(&told, texture));
    REQUIRE(told.addressMode[2] == 1 && told.filterMode == 0);
    WORKS(cuTexObjectDestroy(texture));
    sampler.filterMode = 1;
    WORKS(cuTexObjectCreate(&texture, &resource, &sampler, NULL));
    REQUIRE(read_at(kernel, texture, 1, 1) == 0x40200000); // 2.5
    sampler.addressMode[0] = 4;
    REFUSES(ERROR_INVALID_VALUE, cuTexObjectCreate(&texture, &resource, &sampler, NULL));
    SAYS("an address mode, a filter mode or a flag");
    sampler.addressMode[0] = 1;
    resource = (struct CUDA_RESOURCE_DESC_st){.resType = LINEAR};
    resource.res.linear.devPtr = api_memory(1024, 0) + 4;
    resource.res.linear.format = FLOAT;
    resource.res.linear.numChannels = 1;
    resource.res.linear.sizeInBytes = 512;
    REFUSES(ERROR_INVALID_VALUE, cuTexObjectCreate(&texture, &resource, &sampler, NULL));
    SAYS("at a multiple of 512 bytes");
    resource.res.linear.devPtr -= 4;
    WORKS(cuTexObjectCreate(&texture, &resource, &sampler, NULL));
    WORKS(cuTexObjectDestroy(texture));
    void *parameters[] = {&texture, &resource.res.linear.devPtr, &(float){0}, &(float){0}};
    WORKS(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
    REFUSES(ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
    SAYS("there is no texture or surface object");
}

// A texture of more texels than its memory has: an H200 makes it, and reads those that are there.
SECTION(long_textures)
{
    static const char read[] =
        ".visible .entry read(.param .u64 t, .param .u64 p, .param .u32 i)\n"
        "{\n.reg .b64 %d<3>;\n.reg .b32 %r<2>;\n.reg .f32 %f<5>;\nld.param.u64 %d1, [t];\nld.param.u64 %d2, [p];\n"
        "ld.param.u32 %r1, [i];\ntex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%d1, {%r1}];\nst.global.f32 [%d2], %f1;\n"
        "ret;\n}\n";
    const struct CUDA_TEXTURE_DESC_st sampler = {0};
    const float host[128] = {[3] = 5};
    struct CUDA_RESOURCE_DESC_st resource = {.resType = LINEAR};
    unsigned long long texture, result;
    float back;
    api_ready();
    result = api_memory(4, 0);
    struct CUfunc_st *kernel = api_kernel(read, "read");
    resource.res.linear.devPtr = api_memory(sizeof host, 0);
    resource.res.linear.format = FLOAT;
    resource.res.linear.numChannels = 1;
    resource.res.linear.sizeInBytes = 2 * sizeof host;
    WORKS(cuMemcpyHtoD_v2(resource.res.linear.devPtr, host, sizeof host));
    WORKS(cuTexObjectCreate(&texture, &resource, &sampler, NULL));
    int i = 3;
    void *parameters[] = {&texture, &result, &i};
    WORKS(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
    WORKS(cuMemcpyDtoH_v2(&back, result, sizeof back));
    REQUIRE(back == 5);
    i = 128;
    WORKS(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
    REFUSES(ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
    SAYS("texel 128 of a texture of the 256 texels");
}

static const char copy_surface[] =
    ".visible .entry copy(.param .u64 s, .param .u32 x, .param .u32 y)\n"
    "{\n.reg .b64 %d<2>;\n.reg .b32 %r<5>;\nld.param.u64 %d1, [s];\nld.param.u32 %r1, [x];\nld.param.u32 %r2, [y];\n"
    "suld.b.2d.b32.zero {%r3}, [%d1, {%r1, %r2}];\nadd.u32 %r4, %r1, 4;\n"
    "sust.b.2d.b32.trap [%d1, {%r4, %r2}], {%r3};\nret;\n}\n";

// A word goes one texel to the right; from the last there is no place to go to.
SECTION(surfaces)
{
    const uint32_t host[4] = {1, 2, 3, 4};
    uint32_t back[4];
    unsigned long long surface;
    api_ready();
    struct CUfunc_st *kernel = api_kernel(copy_surface, "copy");
    struct CUarray_st *array = array_of(4, 1, 0, 2);
    const struct CUDA_RESOURCE_DESC_st resource = {.resType = ARRAY, .res = {.array = array}};
    struct CUDA_RESOURCE_DESC_st told;
    WORKS(cuMemcpyHtoA_v2(array, 0, host, sizeof host));
    WORKS(cuSurfObjectCreate(&surface, &resource));
    WORKS(cuSurfObjectGetResourceDesc(&told, surface));
    REQUIRE(told.res.array == array);
    int x = 4, y = 0;
    void *parameters[] = {&surface, &x, &y};
    WORKS(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
    WORKS(cuMemcpyAtoH_v2(back, array, 0, sizeof back));
    REQUIRE(back[0] == 1 && back[1] == 2 && back[2] == 2 && back[3] == 4);
    x = 12;
    WORKS(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
    REFUSES(ERROR_ILLEGAL_ADDRESS, cuCtxSynchronize());
    SAYS("the surface access at x 16");
}

// x counts bytes: a word lies at a multiple of 4.
SECTION(surface_places)
{
    const uint32_t host[4] = {1, 2, 3, 4};
    unsigned long long surface;
    api_ready();
    struct CUfunc_st *kernel = api_kernel(copy_surface, "copy");
    struct CUarray_st *array = array_of(4, 1, 0, 2);
    const struct CUDA_RESOURCE_DESC_st resource = {.resType = ARRAY, .res = {.array = array}};
    int x = 2, y = 0;
    WORKS(cuMemcpyHtoA_v2(array, 0, host, sizeof host));
    WORKS(cuSurfObjectCreate(&surface, &resource));
    void *parameters[] = {&surface, &x, &y};
    WORKS(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, parameters, NULL));
    REFUSES(ERROR_MISALIGNED_ADDRESS, cuCtxSynchronize());
    SAYS("the surface access moves 4 bytes at x 2; x counts bytes, and must be a multiple of 4");
}
