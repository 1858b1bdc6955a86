// SPDX-License-Identifier: MIT
// Launches one kernel of a PTX file, for the tests of `tmaref exec` that need no nvcc.
// usage: run_ptx FILE KERNEL [GRID [BLOCK[xROWS] [CLUSTER]]]; prints the CUDA error that the program sees in the end.
// Parameters of 8 bytes get the address of 64 KiB, whose 32-bit word i is i; those of 128 bytes a tensor map of it: two
// dimensions of 64 words, boxes of 16 times 16. With RUN_PTX_TWICE it launches twice; with RUN_PTX_FORKS a child ends
// before it does; with RUN_PTX_LEAVES it ends while another thread's launch runs.
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "run.h"

enum { BUFFER_BYTES = 65536, MOST_PARAMETERS = 8 };

static int fails(enum cuda_result error, const char *what)
{
    const char *name = "?";
    if (error == CUDA_SUCCESS) return 0;
    cuGetErrorName(error, &name);
    printf("%s: %s\n", what, name);
    return 1;
}

static enum cuda_result run(struct CUfunc_st *function, unsigned long long buffer, const unsigned size[4])
{
    static struct tensormap_image map;
    void *parameter[MOST_PARAMETERS];
    encode(&map, buffer, (const uint32_t[]){RUN_TILE, RUN_TILE}, 0);
    for (size_t i = 0, offset, bytes; i < MOST_PARAMETERS; i++) {
        if (cuFuncGetParamInfo(function, i, &offset, &bytes) != CUDA_SUCCESS) break;
        parameter[i] = bytes == sizeof map ? (void *)&map : (void *)&buffer;
    }
    struct cuda_launch_attribute cluster = clusters_of(size[2]);
    struct cuda_launch_config config = config_of(size[0], size[1], &cluster, size[2] > 0);
    config.block_y = size[3];
    const enum cuda_result error = cuLaunchKernelEx(&config, function, parameter, NULL);
    return error != CUDA_SUCCESS ? error : cuCtxSynchronize();
}

struct launch {
    struct CUctx_st *context;
    struct CUfunc_st *function;
    unsigned long long buffer;
};

static void *launch_for_ever(void *argument)
{
    const struct launch *launch = argument;
    const unsigned size[4] = {1, 1, 0, 1};
    cuCtxSetCurrent(launch->context);
    run(launch->function, launch->buffer, size);
    return NULL;
}

int main(int argc, char **argv)
{
    struct CUmod_st *module;
    struct CUfunc_st *function;
    unsigned long long buffer;
    uint32_t word[BUFFER_BYTES / 4];
    unsigned size[4] = {1, 1, 0, 1}; // the last: rows of a block
    if (argc < 3) return 2;
    for (int i = 3; i < argc && i < 6; i++) size[i - 3] = (unsigned)atoi(argv[i]);
    if (argc > 4 && strchr(argv[4], 'x') != NULL) size[3] = (unsigned)atoi(strchr(argv[4], 'x') + 1);
    char *text = read_text(argv[1]);
    for (uint32_t i = 0; i < BUFFER_BYTES / 4; i++) word[i] = i;
    struct CUctx_st *const context = begin();
    must(cuMemAlloc_v2(&buffer, sizeof word), "memory");
    must(cuMemcpyHtoD_v2(buffer, word, sizeof word), "copy");
    must(cuModuleLoadData(&module, text), "module");
    must(cuModuleGetFunction(&function, module, argv[2]), "function");
    free(text);
    if (getenv("RUN_PTX_LEAVES") != NULL) {
        pthread_t thread;
        static struct launch launch;
        launch = (struct launch){context, function, buffer};
        pthread_create(&thread, NULL, launch_for_ever, &launch);
        usleep(300000);
        return 0;
    }
    int failed = fails(run(function, buffer, size), "launch");
    if (getenv("RUN_PTX_TWICE") != NULL) failed |= fails(run(function, buffer, size), "launch");
    if (getenv("RUN_PTX_FORKS") == NULL) return failed;
    const pid_t child = fork();
    if (child == 0) exit(0);
    waitpid(child, NULL, 0);
    return failed;
}
