// SPDX-License-Identifier: MIT
// What the scripts know of the API: its headers, and CUDA's names of types that these do not have.
#include "cuda_api.h"
#include "runtime_api.h"

typedef unsigned long long CUmemGenericAllocationHandle;
typedef struct CUmemPoolProps_st CUmemPoolProps;
typedef struct cuda_mem_location CUmemLocation;
typedef struct cuda_mem_access_desc CUmemAccessDesc;
typedef struct cuda_mem_allocation_prop CUmemAllocationProp;
typedef struct CUDA_KERNEL_NODE_PARAMS_v2_st CUDA_KERNEL_NODE_PARAMS;
typedef struct CUDA_MEMSET_NODE_PARAMS_st CUDA_MEMSET_NODE_PARAMS;
typedef struct CUDA_HOST_NODE_PARAMS_st CUDA_HOST_NODE_PARAMS;
typedef struct CUDA_MEMCPY3D_st CUDA_MEMCPY3D;
typedef struct CUDA_MEMCPY3D_PEER_st CUDA_MEMCPY3D_PEER;
typedef struct CUDA_MEMCPY3D_BATCH_OP_st CUDA_MEMCPY3D_BATCH_OP;
typedef struct CUDA_BATCH_MEM_OP_NODE_PARAMS_v1_st CUDA_BATCH_MEM_OP_NODE_PARAMS;
typedef struct CUDA_GRAPH_INSTANTIATE_PARAMS_st CUDA_GRAPH_INSTANTIATE_PARAMS;
typedef struct CUDA_LAUNCH_PARAMS_st CUDA_LAUNCH_PARAMS;
typedef struct CUdevResource_st CUdevResource;
typedef struct CUgraphEdgeData_st CUgraphEdgeData;
typedef struct CUgraphNodeParams_st CUgraphNodeParams;
typedef struct CUgraphExecUpdateResultInfo_st CUgraphExecUpdateResultInfo;
typedef struct CUmemcpyAttributes_st CUmemcpyAttributes;
typedef struct CUexecAffinityParam_st CUexecAffinityParam;
typedef struct CUctxCreateParams_st CUctxCreateParams;
typedef struct CUdevprop_st CUdevprop;
typedef union CUstreamBatchMemOpParams_union CUstreamBatchMemOpParams;
enum { CU_POINTER_ATTRIBUTE_ACCESS_FLAGS = 16 };
typedef union {
    int priority;
    uint32_t number;
    unsigned char map[8], bytes[64];
    struct {
        unsigned long long base;
        size_t bytes;
        float hit_ratio;
        uint32_t hit, miss;
    } window;
} CUstreamAttrValue;

// Calls that libcuda.so.1 has and its header does not declare by these names.
enum cuda_result cuCtxCreate_v3(CUcontext *context, CUexecAffinityParam *affinity, int count, unsigned flags,
                                int device);
enum cuda_result cuCtxGetDevice_v2(int *device, CUcontext context);
enum cuda_result cuCtxSynchronize_v2(CUcontext context);
enum cuda_result cuStreamGetCtx_v2(CUstream stream, CUcontext *context, struct CUgreenCtx_st **green);
enum cuda_result cuStreamGetGreenCtx(CUstream stream, struct CUgreenCtx_st **green);

// The C library, and what the runner has of the host (host.c).
void *memset(void *to, int byte, size_t bytes);
void *memcpy(void *to, const void *from, size_t bytes);
int memcmp(const void *a, const void *b, size_t bytes);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t bytes);
size_t strlen(const char *text);
void *calloc(size_t count, size_t bytes);
void *malloc(size_t bytes);
void free(void *memory);
void *dlopen(const char *path, int flags);
double fabs(double number);
double sqrt(double number);
double fourier_error(const int *n, const double *from, const double *to, int sign, int count_z);
int usleep(unsigned microseconds);
int snprintf(char *to, size_t bytes, const char *format, ...);
char *strstr(const char *in, const char *text);
char *strtok(char *text, const char *ends);
void *aligned_alloc(size_t align, size_t bytes);
int dup(int file);
int close(int file);
int ftruncate(int file, long bytes);
int mkstemp(char *path);
int unlink(const char *path);
int memfd_create(const char *name, unsigned flags);
char *getenv(const char *name);
int setenv(const char *name, const char *value, int overwrites);
int unsetenv(const char *name);
int pipe(int ends[2]);
int open(const char *path, int flags);
int getpid(void);
long read(int file, void *to, size_t bytes);
long write(int file, const void *from, size_t bytes);
unsigned alarm(unsigned seconds);
int gettid(void);
int pthread_create(unsigned long *thread, const void *attributes, void *(*run)(void *of), void *of);
int pthread_join(unsigned long thread, void **result);
int pthread_barrier_init(void *barrier, const void *attributes, unsigned count);
int pthread_barrier_wait(void *barrier);
int waitpid(int process, int *status, int options);
void _exit(int status);
int tied_child(void);
void nothing(void *user);
void add_one(void *user);
void set_word(void *at, uint32_t value);
void set_long(void *at, uint64_t value);
uint32_t get_word(const void *at);
uint64_t get_long(const void *at);
void set_soon(int milliseconds, void *at);
char *file_text(const char *path);
void exit(int status);

// What __cudaRegisterFatBinary takes (api/fatbin.c).
void *api_image(const char *ptx);
