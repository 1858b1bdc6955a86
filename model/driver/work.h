// SPDX-License-Identifier: MIT
// What can be asked of a stream: the same struct is run at once, kept in a graph while a stream is captured, and run
// again when the graph is launched.
#ifndef TMAREF_WORK_H
#define TMAREF_WORK_H

#include "driver.h"

// A box of bytes. A pitch is the distance of two rows, a slice that of two planes; the types say whose memory it is.
struct work_copy {
    uint64_t to, from;
    uint32_t to_type, from_type;
    size_t to_pitch, from_pitch, to_slice, from_slice;
    size_t width, height, depth;
};

// `width` elements in each of `height` rows.
struct work_set {
    uint64_t to;
    size_t pitch, width, height;
    uint32_t value, element_bytes;
};

// `parameters` are laid out as the kernel's facts say, which may be gone before them. `cluster` counts where the launch
// has the attribute.
struct work_kernel {
    struct CUfunc_st *function;
    uint32_t grid[3], block[3], cluster[3], shared_bytes;
    int is_cooperative, has_cluster;
    uint8_t *parameters;
    uint32_t parameter_bytes;
};

struct work_host {
    void (*call)(void *user);
    void *user;
};

enum { MOST_STREAM_OPERATIONS = 256 };

// On one word each, one after the other.
struct work_operations {
    union CUstreamBatchMemOpParams_union *at;
    uint32_t count;
};

struct work {
    enum graph_node_type type;
    union {
        struct work_copy copy;
        struct work_set set;
        struct work_kernel kernel;
        struct work_host host;
        struct CUevent_st *event;
        struct CUgraph_st *graph;
        struct work_operations operations;
        uint64_t address;
    } of;
};

// Is what it names still there, and large enough? Before it is submitted, kept, and whenever a graph is launched.
enum cuda_result work_check(struct driver *driver, const char *call, const struct work *work);

// Does it, now.
enum cuda_result work_run(struct driver *driver, const struct work *work);

// A copy that has its own parameters and its own child graph; 0 if there is no memory.
int work_duplicate(struct driver *driver, struct work *to, const struct work *from);
void work_release(struct driver *driver, struct work *work);

// Runs it, or adds it to what is captured of the stream.
enum cuda_result stream_submit(struct driver *driver, struct CUstream_st *stream, const struct work *work);

// Runs it in the order of this stream, which is not captured.
enum cuda_result stream_run(struct driver *driver, const struct CUstream_st *stream, const struct work *work);

// The stream of a handle: the default ones too. NULL if it is none.
struct CUstream_st *stream_of(struct driver *driver, struct CUstream_st *handle);

// Those that a new stream has.
void stream_attributes_begin(struct CUstream_st *stream);

// What a launch on a GPU refuses (RULE_OK and CUDA_SUCCESS if nothing), and the launch itself.
enum cuda_result kernel_check(struct driver *driver, const char *call, const struct work_kernel *kernel);
enum cuda_result kernel_run(struct driver *driver, const struct work_kernel *kernel);

// Fills a kernel's parameters from a launch's. The caller frees kernel->parameters.
enum cuda_result kernel_gather(struct driver *driver, struct work_kernel *kernel, void **parameters, void **extra);

// Are these bytes one piece of memory that is mapped? Memory that nobody knows is the program's own; of the device
// (`type`) it must be known. `side` says in the report what they are.
enum cuda_result memory_check(struct driver *driver, const char *call, const char *side, uint64_t address, size_t bytes,
                              uint32_t type);

enum cuda_result copy_of_box(const struct CUDA_MEMCPY3D_st *box, struct work_copy *copy);
struct CUDA_MEMCPY3D_st copy_box(const struct work_copy *copy);
enum cuda_result copy_check(struct driver *driver, const char *call, const struct work_copy *copy);
enum cuda_result set_check(struct driver *driver, const char *call, const struct work_set *set);

// New memory of the device, of the host or managed, within what the device has.
enum cuda_result memory_allocate(struct driver *driver, const char *call, unsigned long long *address, size_t bytes,
                                 enum allocation_kind kind, uint32_t flags);

enum cuda_result operations_check(struct driver *driver, const char *call, const struct work_operations *operations);
enum cuda_result operations_run(struct driver *driver, const struct work_operations *operations);

double seconds_of_clock(void);

#endif
