// SPDX-License-Identifier: MIT
// A program to be watched: caller WAY ACTION gets the driver's functions in the given way (entry.h) and makes the calls
// of one action. It prints what the driver answered to standard output, and nothing else there.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda_calls.h"
#include "entry.h"
#include "tensormap.h"

enum { EXIT_CHOSEN = 3, EXIT_NO_ENTRY = 9, THREADS = 4, THREAD_CALLS = 25, BOX_TOO_BIG = 257, HUGE_RANK = -1 };

static const char *way;

// The arguments of a legal two-dimensional tiled map; an action changes what it is about.
struct arguments {
    struct tensormap_image map;
    uint64_t dim[5], stride[5];
    uint32_t box[5], estride[5], rank, interleave, swizzle;
};

static struct arguments legal(void)
{
    return (struct arguments){.dim = {64, 32, 4, 4, 4},
                              .stride = {128, 4096, 16384, 65536, 0},
                              .box = {32, 8, 1, 1, 1},
                              .estride = {1, 1, 1, 1, 1},
                              .rank = 2,
                              .swizzle = CU_TENSOR_MAP_SWIZZLE_64B};
}

static void *entry(const char *name)
{
    void *function = entry_find(way, name);
    if (function == NULL) exit(EXIT_NO_ENTRY);
    return function;
}

static int encode(struct arguments *a, struct tensormap_image *map)
{
    cuTensorMapEncodeTiled_fn function = (cuTensorMapEncodeTiled_fn)entry("cuTensorMapEncodeTiled");
    return (int)function(map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, a->rank, (void *)0x10000, a->dim, a->stride, a->box,
                         a->estride, a->interleave, a->swizzle, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                         CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

static int action_legal(void)
{
    struct arguments a = legal();
    return encode(&a, &a.map);
}

static int action_refused(void)
{
    struct arguments a = legal();
    a.box[1] = BOX_TOO_BIG;
    a.estride[1] = 9;
    a.stride[0] = 24;
    return encode(&a, &a.map);
}

static int action_warned(void)
{
    struct arguments a = legal();
    unsigned char room[256];
    struct tensormap_image *map = (struct tensormap_image *)(void *)(room + 64 - (uintptr_t)room % 64 + 1);
    a.stride[0] = 64;
    return encode(&a, map);
}

static int action_null(void)
{
    cuTensorMapEncodeTiled_fn function = (cuTensorMapEncodeTiled_fn)entry("cuTensorMapEncodeTiled");
    return (int)function(NULL, 6, 2, NULL, NULL, NULL, NULL, NULL, 0, 0, 0, 0);
}

static int action_rank(void)
{
    struct arguments a = legal();
    a.rank = 6;
    return encode(&a, &a.map);
}

static int action_huge(void)
{
    struct arguments a = legal();
    a.rank = (uint32_t)HUGE_RANK;
    return encode(&a, &a.map);
}

// Memory that is not there: the stand-in dies of it, as a driver does.
static int action_unreadable(void)
{
    struct arguments a = legal();
    cuTensorMapEncodeTiled_fn function = (cuTensorMapEncodeTiled_fn)entry("cuTensorMapEncodeTiled");
    return (int)function(&a.map, 6, 2, NULL, (const uint64_t *)8, a.stride, a.box, a.estride, 0, 0, 0, 0);
}

static int action_im2col(void)
{
    struct arguments a = legal();
    const int lower[2] = {-1, -1}, upper[2] = {-1, -1};
    cuTensorMapEncodeIm2col_fn im2col = (cuTensorMapEncodeIm2col_fn)entry("cuTensorMapEncodeIm2col");
    cuTensorMapEncodeIm2colWide_fn wide = (cuTensorMapEncodeIm2colWide_fn)entry("cuTensorMapEncodeIm2colWide");
    cuTensorMapReplaceAddress_fn replace = (cuTensorMapReplaceAddress_fn)entry("cuTensorMapReplaceAddress");
    int first = (int)im2col(&a.map, 6, 4, (void *)0x10000, a.dim, a.stride, lower, upper, 32, 8, a.estride, 0, 0, 0, 0);
    int second = (int)wide(&a.map, 6, 4, (void *)0x10000, a.dim, a.stride, -1, 1, 32, 8, a.estride, 0, 1, 3, 0, 0);
    return first + second + (int)replace(&a.map, (void *)0x20000) + (int)replace(&a.map, (void *)0x20001);
}

static int action_corner(void)
{
    struct arguments a = legal();
    cuTensorMapEncodeIm2col_fn im2col = (cuTensorMapEncodeIm2col_fn)entry("cuTensorMapEncodeIm2col");
    return (int)im2col(&a.map, 6, 3, (void *)0x10000, a.dim, a.stride, NULL, NULL, 32, 8, a.estride, 0, 0, 0, 0);
}

static void *encode_many(void *unused)
{
    (void)unused;
    for (int i = 0; i < THREAD_CALLS; i++) action_refused();
    return NULL;
}

static int action_threads(void)
{
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++) pthread_create(&thread[i], NULL, encode_many, NULL);
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    return 0;
}

// Closes what it does not know, as daemons do, and gives the numbers to a file of its own.
static int action_closed(void)
{
    for (int fd = 2; fd < 1024; fd++) close(fd);
    for (int fd = 2; fd < 1024; fd++) dup2(STDOUT_FILENO, fd);
    return action_legal();
}

static int action_exit(void)
{
    action_legal();
    exit(EXIT_CHOSEN);
}

static int action_abort(void)
{
    action_legal();
    abort();
}

static int action_nothing(void)
{
    return 0;
}

static const struct {
    const char *name;
    int (*run)(void);
} actions[] = {{"legal", action_legal},     {"refused", action_refused},
               {"warned", action_warned},   {"null", action_null},
               {"rank", action_rank},       {"huge", action_huge},
               {"im2col", action_im2col},   {"corner", action_corner},
               {"threads", action_threads}, {"closed", action_closed},
               {"exit", action_exit},       {"abort", action_abort},
               {"nothing", action_nothing}, {"unreadable", action_unreadable}};

int main(int argc, char **argv)
{
    if (argc != 3) return EXIT_FAILURE;
    way = argv[1];
    for (size_t i = 0; i < sizeof actions / sizeof actions[0]; i++) {
        if (strcmp(actions[i].name, argv[2]) != 0) continue;
        printf("answer %d\n", actions[i].run());
        return EXIT_SUCCESS;
    }
    return EXIT_FAILURE;
}
