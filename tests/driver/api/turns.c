// SPDX-License-Identifier: MIT
// Kernels of two threads of the host that wait for each other, and work that comes behind one of them.
#include "api.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

// meet(own, other): says that it is here, waits until the other one is, and writes 1 behind its own word.
static const char ptx_meet[] = ".visible .entry meet(.param .b64 own, .param .b64 other)\n{\n.reg .pred %p<2>;\n"
                               ".reg .b32 %r<2>;\n.reg .b64 %rd<3>;\nld.param.b64 %rd1, [own];\n"
                               "ld.param.b64 %rd2, [other];\nst.release.sys.b32 [%rd1], 1;\nwait:\n"
                               "ld.acquire.sys.b32 %r1, [%rd2];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra wait;\n"
                               "st.b32 [%rd1+4], 1;\nret;\n}\n";

static struct {
    struct CUfunc_st *meet;
    struct CUctx_st *context;
    struct CUstream_st *stream[2];
    _Atomic uint32_t *word;
    atomic_int is_set;
} test;

static void launch(int which)
{
    _Atomic uint32_t *own = test.word + 2 * which, *other = test.word + 2 * (1 - which);
    void *parameters[] = {(void *)&own, (void *)&other};
    WORKS(cuLaunchKernel(test.meet, 1, 1, 1, 1, 1, 1, 0, test.stream[which], parameters, NULL));
}

static void *launch_first(void *nothing)
{
    WORKS(cuCtxSetCurrent(test.context));
    launch(0);
    WORKS(cuStreamSynchronize(test.stream[0]));
    return nothing;
}

// Behind the kernel of launch_first(), which writes the same word.
static void *set_behind(void *nothing)
{
    WORKS(cuCtxSetCurrent(test.context));
    WORKS(cuMemsetD8Async((uintptr_t)(test.word + 1), 5, 4, test.stream[0]));
    WORKS(cuStreamSynchronize(test.stream[0]));
    atomic_store(&test.is_set, 1);
    return nothing;
}

static void rest(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
}

void show_turns(void)
{
    pthread_t first, behind;
    test.context = api_ready();
    test.meet = api_kernel(ptx_meet, "meet");
    WORKS(cuMemHostAlloc((void **)&test.word, 16, 0));
    memset((void *)test.word, 0, 16);
    for (int i = 0; i < 2; i++) WORKS(cuStreamCreate(&test.stream[i], CU_STREAM_NON_BLOCKING));
    REQUIRE(pthread_create(&first, NULL, launch_first, NULL) == 0);
    while (atomic_load(test.word) == 0) rest();
    REFUSES(ERROR_NOT_READY, cuStreamQuery(test.stream[0]));
    WORKS(cuStreamQuery(test.stream[1]));
    REQUIRE(pthread_create(&behind, NULL, set_behind, NULL) == 0);
    rest();
    REQUIRE(atomic_load(&test.is_set) == 0 && atomic_load(test.word + 1) == 0);
    launch(1);
    WORKS(cuCtxSynchronize());
    REQUIRE(pthread_join(first, NULL) == 0 && pthread_join(behind, NULL) == 0);
    WORKS(cuStreamQuery(test.stream[0]));
    REQUIRE(atomic_load(test.word + 1) == 0x05050505 && atomic_load(test.word + 3) == 1);
    for (int i = 0; i < 2; i++) WORKS(cuStreamDestroy_v2(test.stream[i]));
    WORKS(cuMemFreeHost((void *)test.word));
}
