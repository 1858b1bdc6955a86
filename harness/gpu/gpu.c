// SPDX-License-Identifier: MIT
// One device of this process: set-up, memory, launches.
#include "gpu.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arena.h"
#include "files.h"
#include "kernels_dir.h"
#include "late.h"

enum { PORTABLE_CLUSTER_CTAS = 8, WARM_UP = 3 };
#define RESERVED_BYTES ((size_t)64 << 30)

static bool failed(struct gpu *gpu, const char *call, int error, struct text *why)
{
    const char *name = "?";
    if (error == CUDA_SUCCESS) return false;
    gpu->driver.cuGetErrorName((enum cuda_result)error, &name);
    text_set(why, "%s failed: %s (%d)", call, name, error);
    return true;
}

// Under `tmaref exec` the machine's driver is the simulated one, whose device says so by its UUID.
static bool is_exec(int device)
{
    unsigned (*get_uuid)(unsigned char *uuid, int device);
    unsigned char uuid[16] = {0};
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    bool is_ours = library != NULL && symbol_find(library, "cuDeviceGetUuid", &get_uuid) &&
                   get_uuid(uuid, device) == 0 && memcmp(uuid, "tmaref", strlen("tmaref")) == 0;
    if (library != NULL) dlclose(library);
    return is_ours;
}

static int describe(struct gpu *gpu, int device, struct text *why)
{
    char name[100], driver[80];
    int cuda = 0, major = 0, minor = 0;
    struct cuda_driver *call = &gpu->driver;
    call->cuDeviceGetName(name, sizeof name, device);
    call->cuDriverGetVersion(&cuda);
    call->cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
    call->cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
    call->cuDeviceGetAttribute(&gpu->processors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device);
    nvml_open(&gpu->nvml, driver, sizeof driver);
    snprintf(gpu->description, sizeof gpu->description, "%s, driver %s, CUDA %d.%d", name, driver, cuda / 1000,
             cuda % 1000 / 10);
    gpu->driver.is_simulated |= is_exec(device);
    if (gpu->driver.is_simulated)
        snprintf(gpu->description, sizeof gpu->description, "tmaref's PTX machine as an %s", name);
    if (major == 9 && minor == 0) return 1;
    return text_fail(why, "%s has compute capability %d.%d: the kernels are for sm_90a (9.0) alone", name, major,
                     minor);
}

bool gpu_init(struct gpu *gpu, struct text *why)
{
    return gpu_init_device(gpu, 0, why);
}

bool gpu_init_device(struct gpu *gpu, int ordinal, struct text *why)
{
    int device;
    *gpu = (struct gpu){.core = gpu->core};
    if (!cuda_load(&gpu->driver, why)) return false;
    if (failed(gpu, "cuInit", (int)gpu->driver.cuInit(0), why)) return false;
    if (failed(gpu, "cuDeviceGet", (int)gpu->driver.cuDeviceGet(&device, ordinal), why)) return false;
    if (!describe(gpu, device, why)) return false;
    if (failed(gpu, "cuDevicePrimaryCtxRetain", (int)gpu->driver.cuDevicePrimaryCtxRetain(&gpu->context, device), why))
        return false;
    return !failed(gpu, "cuCtxSetCurrent", (int)gpu->driver.cuCtxSetCurrent(gpu->context), why);
}

unsigned long long gpu_buffer(struct gpu *gpu, int slot, size_t size_bytes)
{
    if (gpu->buffer[slot].size_bytes >= size_bytes) return gpu->buffer[slot].address;
    if (gpu->buffer[slot].size_bytes != 0) gpu->driver.cuMemFree_v2(gpu->buffer[slot].address);
    gpu->buffer[slot].size_bytes = 0;
    gpu->buffer[slot].address = 0;
    if (gpu->driver.cuMemAlloc_v2(&gpu->buffer[slot].address, size_bytes) != CUDA_SUCCESS) return 0;
    gpu->buffer[slot].size_bytes = size_bytes;
    return gpu->buffer[slot].address;
}

// Reserves addresses and maps `size_bytes` in their middle, so that what lies around is known not to be mapped. The
// hint asks for the model's own addresses: cases then mean the same on both, tensors that begin far outside included.
static bool map_arena(struct gpu *gpu, size_t size_bytes)
{
    struct cuda_driver *call = &gpu->driver;
    struct cuda_mem_allocation_prop prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                                            .location = {CU_MEM_LOCATION_TYPE_DEVICE, 0}};
    struct cuda_mem_access_desc access = {prop.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    unsigned long long reserved, handle;
    if (call->cuMemAddressReserve(&reserved, RESERVED_BYTES, 0, ARENA_BASE - RESERVED_BYTES / 2, 0) != CUDA_SUCCESS)
        return false;
    if (call->cuMemCreate(&handle, size_bytes, &prop, 0) != CUDA_SUCCESS) return false;
    gpu->arena = reserved + RESERVED_BYTES / 2;
    return call->cuMemMap(gpu->arena, size_bytes, 0, handle, 0) == CUDA_SUCCESS &&
           call->cuMemSetAccess(gpu->arena, size_bytes, &access, 1) == CUDA_SUCCESS;
}

unsigned long long gpu_arena(struct gpu *gpu)
{
    if (gpu->arena != 0) return gpu->arena;
    const struct memory *memory = arena();
    if (memory->bytes == NULL || !map_arena(gpu, memory->size_bytes) ||
        gpu->driver.cuMemcpyHtoD_v2(gpu->arena, memory->bytes, memory->size_bytes) != CUDA_SUCCESS)
        gpu->arena = 0;
    return gpu->arena;
}

unsigned long long gpu_far_arena(struct gpu *gpu)
{
    const struct memory *memory = arena();
    void *far;
    if (gpu->far_arena != 0) return gpu->far_arena;
    if (memory->bytes == NULL || gpu->driver.cuMemAllocHost_v2(&far, memory->size_bytes) != CUDA_SUCCESS) return 0;
    memcpy(far, memory->bytes, memory->size_bytes);
    return gpu->far_arena = (unsigned long long)(uintptr_t)far;
}

// The file that this code is in: a library by the path it was loaded from, else the program. Returns 0 if unknown.
static bool own_path(char self[PATH_MAX])
{
    static const char here;
    Dl_info info;
    if (dladdr(&here, &info) != 0 && strchr(info.dli_fname, '/') != NULL && realpath(info.dli_fname, self) != NULL)
        return true;
    ssize_t length = readlink("/proc/self/exe", self, PATH_MAX - 1);
    self[length > 0 ? length : 0] = '\0';
    return length > 0;
}

bool gpu_kernel_path(const char *name, char *path, size_t path_bytes)
{
    char self[PATH_MAX];
    if (own_path(self)) {
        *strrchr(self, '/') = '\0';
        static const char *const places[] = {"kernels", "../kernels", "../share/tmaref/kernels",
                                             "../../share/tmaref/kernels"};
        for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
            snprintf(path, path_bytes, "%s/%s/%s", self, places[i], name);
            if (access(path, R_OK) == 0) return true;
        }
    }
    snprintf(path, path_bytes, "%s/%s", TMAREF_KERNELS_DIR, name);
    return access(path, R_OK) == 0;
}

static struct CUmod_st *module_of(struct gpu *gpu, const char *name)
{
    size_t i = 0;
    for (; i + 1 < sizeof gpu->module / sizeof gpu->module[0] && gpu->module[i].name != NULL; i++)
        if (strcmp(gpu->module[i].name, name) == 0) return gpu->module[i].module;
    char file[80], path[2 * PATH_MAX];
    struct text why;
    size_t size_bytes;
    snprintf(file, sizeof file, gpu->driver.is_simulated ? "%s.ptx" : "%s.cubin", name);
    char *image =
        gpu_kernel_path(file, path, sizeof path) ? read_file(path, (size_t)64 << 20, &size_bytes, &why) : NULL;
    if (image != NULL && gpu->driver.cuModuleLoadData(&gpu->module[i].module, image) == CUDA_SUCCESS)
        gpu->module[i].name = name;
    else
        gpu->module[i].module = NULL;
    free(image);
    return gpu->module[i].module;
}

int gpu_function(struct gpu *gpu, const char *module, const char *kernel, struct CUfunc_st **function)
{
    struct CUmod_st *loaded = module_of(gpu, module);
    if (loaded == NULL) return CUDA_ERROR_FILE_NOT_FOUND;
    gpu->kernel.module = module;
    snprintf(gpu->kernel.name, sizeof gpu->kernel.name, "%s", kernel);
    return (int)gpu->driver.cuModuleGetFunction(function, loaded, kernel);
}

void gpu_load_as(struct gpu *gpu, const struct gpu *other)
{
    for (size_t i = 0; i < sizeof other->module / sizeof other->module[0] && other->module[i].name != NULL; i++)
        module_of(gpu, other->module[i].name);
    struct CUfunc_st *function;
    int registers; // who asks has the kernel decoded
    if (other->kernel.module != NULL &&
        gpu_function(gpu, other->kernel.module, other->kernel.name, &function) == CUDA_SUCCESS)
        gpu->driver.cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, function);
    if (other->arena != 0) gpu_arena(gpu);
    if (other->far_arena != 0) gpu_far_arena(gpu);
}

unsigned long long gpu_symbol(struct gpu *gpu, const char *module, const char *name)
{
    unsigned long long address;
    size_t size_bytes;
    struct CUmod_st *loaded = module_of(gpu, module);
    bool found =
        loaded != NULL && gpu->driver.cuModuleGetGlobal_v2(&address, &size_bytes, loaded, name) == CUDA_SUCCESS;
    return found ? address : 0;
}

int gpu_late(struct gpu *gpu, const char *module, struct given_up *late)
{
    static const struct late none;
    unsigned long long address = gpu_symbol(gpu, module, LATE_SYMBOL);
    if (address == 0) return CUDA_ERROR_NOT_FOUND;
    struct late found = none;
    int error = (int)gpu->driver.cuMemcpyDtoH_v2(&found, address, sizeof found);
    *late = (struct given_up){found.waits, found.cta, found.thread, found.barrier, found.parity};
    if (error != CUDA_SUCCESS || found.waits == 0) return error;
    error = (int)gpu->driver.cuMemcpyHtoD_v2(address, &none, sizeof none);
    return error == CUDA_SUCCESS ? CUDA_ERROR_LAUNCH_TIMEOUT : error;
}

static unsigned at_least_1(unsigned number)
{
    return number > 0 ? number : 1;
}

// CTAs of a cluster.
static unsigned ctas_of(const struct gpu_launch *launch)
{
    return at_least_1(launch->cluster) * at_least_1(launch->cluster_y) * at_least_1(launch->cluster_z);
}

// Notes which jobs the launch has, for gpu_told(). A dump tells of one CTA on an SM, and of its first fault alone:
// where one is wanted no CTA gets a second job, whose fault would be taken for that of a first one which did not fault.
// `ctas`: of one job. Returns the CTAs to launch.
static unsigned note_jobs(struct gpu *gpu, const struct gpu_launch *launch, unsigned ctas)
{
    unsigned side_by_side = (unsigned)gpu->processors / ctas, grid = launch->grid;
    int *jobs = launch->jobs;
    if (gpu->core != NULL && jobs != NULL && side_by_side > 0 && (unsigned)*jobs > side_by_side) {
        *jobs = (int)side_by_side;
        grid = side_by_side * ctas;
    }
    gpu->launched.jobs = jobs != NULL ? *jobs : 0;
    gpu->launched.first_job = launch->first_job;
    gpu->launched.ctas = ctas;
    return grid;
}

// The kernel, which is allowed what the launch wants of it.
static int prepare(struct gpu *gpu, const struct gpu_launch *launch, struct CUfunc_st **function)
{
    int error = gpu_function(gpu, launch->module, launch->kernel, function);
    if (error == CUDA_SUCCESS && launch->shared_bytes > 48 * 1024)
        error = (int)gpu->driver.cuFuncSetAttribute(*function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                                    (int)launch->shared_bytes);
    if (error == CUDA_SUCCESS && ctas_of(launch) > PORTABLE_CLUSTER_CTAS)
        error = (int)gpu->driver.cuFuncSetAttribute(*function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
    return error;
}

// The launch as the driver takes it, with room for its attributes.
static struct cuda_launch_config config_of(const struct gpu *gpu, const struct gpu_launch *launch,
                                           struct cuda_launch_attribute attributes[2])
{
    unsigned count = 0;
    if (launch->cluster > 0) {
        attributes[count] = (struct cuda_launch_attribute){.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION};
        attributes[count].value.cluster.x = launch->cluster;
        attributes[count].value.cluster.y = at_least_1(launch->cluster_y);
        attributes[count++].value.cluster.z = at_least_1(launch->cluster_z);
    }
    if (launch->is_programmatic) {
        attributes[count] = (struct cuda_launch_attribute){.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION};
        attributes[count++].value.programmatic_stream_serialization_allowed = 1;
    }
    return (struct cuda_launch_config){
        .grid_x = launch->grid,
        .grid_y = at_least_1(launch->grid_y),
        .grid_z = at_least_1(launch->grid_z),
        .block_x = launch->block,
        .block_y = 1,
        .block_z = 1,
        .shared_bytes = launch->shared_bytes,
        .stream = launch->stream != NULL ? launch->stream : gpu->stream,
        .attributes = attributes,
        .attribute_count = count,
    };
}

int gpu_start(struct gpu *gpu, const struct gpu_launch *launch)
{
    struct CUfunc_st *function;
    struct cuda_launch_attribute attributes[2];
    int error = prepare(gpu, launch, &function);
    if (error != CUDA_SUCCESS) return error;
    struct cuda_launch_config config = config_of(gpu, launch, attributes);
    config.grid_x = note_jobs(gpu, launch, ctas_of(launch));
    return (int)gpu->driver.cuLaunchKernelEx(&config, function, launch->arguments, NULL);
}

int gpu_clusters(struct gpu *gpu, const struct gpu_launch *launch)
{
    struct CUfunc_st *function;
    struct cuda_launch_attribute attributes[2];
    struct cuda_launch_config config = config_of(gpu, launch, attributes);
    int clusters = 0;
    config.grid_x = launch->cluster;
    if (prepare(gpu, launch, &function) != CUDA_SUCCESS ||
        gpu->driver.cuOccupancyMaxActiveClusters(&clusters, function, &config) != CUDA_SUCCESS)
        return 0;
    return clusters;
}

int gpu_launch(struct gpu *gpu, const struct gpu_launch *launch)
{
    int error = gpu_start(gpu, launch);
    if (error == CUDA_SUCCESS) error = (int)gpu->driver.cuCtxSynchronize();
    bool has_faulted = gpu->core != NULL && access(gpu->core, F_OK) == 0;
    return error == CUDA_SUCCESS && has_faulted ? CUDA_ERROR_LAUNCH_FAILED : error;
}

// One launch between two events.
static int time_launch(struct gpu *gpu, const struct gpu_launch *launch, struct CUevent_st *const event[2],
                       float *milliseconds)
{
    int error = (int)gpu->driver.cuEventRecord(event[0], NULL);
    if (error == CUDA_SUCCESS) error = gpu_start(gpu, launch);
    if (error == CUDA_SUCCESS) error = (int)gpu->driver.cuEventRecord(event[1], NULL);
    if (error == CUDA_SUCCESS) error = (int)gpu->driver.cuCtxSynchronize();
    if (error == CUDA_SUCCESS) error = (int)gpu->driver.cuEventElapsedTime_v2(milliseconds, event[0], event[1]);
    return error;
}

int gpu_time(struct gpu *gpu, const struct gpu_launch *launch, int rounds, float *milliseconds)
{
    struct CUevent_st *event[2];
    int error = CUDA_SUCCESS;
    for (int i = 0; i < 2 && error == CUDA_SUCCESS; i++) error = (int)gpu->driver.cuEventCreate(&event[i], 0);
    for (int i = -WARM_UP; i < rounds && error == CUDA_SUCCESS; i++)
        error = time_launch(gpu, launch, event, &milliseconds[i < 0 ? 0 : i]);
    return error;
}
