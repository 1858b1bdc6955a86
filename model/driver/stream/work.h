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
    int is_cooperative;
    bool has_cluster;
    bool is_programmatic; // it may begin before the launch in front of it on the stream has ended
    const struct CUstream_st *stream;
    uint32_t multiprocessors; // that a green context has for it; 0: all
    uint8_t *parameters;
    uint32_t parameter_bytes;
};

// A callback, if it is not NULL, is told of its stream and of errors.
struct work_host {
    void (*call)(void *user);
    void *user;
    void (*callback)(struct CUstream_st *stream, enum cuda_result error, void *user);
    struct CUstream_st *handle;
};

struct kernel_run;

// How far work has come that waits for memory which others write: its kernel, or how many operations of a stream are
// done. All zero before it begins.
struct work_state {
    struct kernel_run *kernel; // kernel.c's
    uint32_t operations;
    bool is_alone;              // told: nobody else can write now
    bool has_changed, is_stuck; // in the part that was done last: something; and for ever
};

// `body`: as many graphs as `size` says, or NULL of what is instantiated.
struct graph_condition;
struct work_condition {
    struct graph_condition *condition;
    uint32_t type, size;
    struct CUgraph_st **body;
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
        struct work_condition condition;
        uint64_t address;
    } of;
};

// Is what it names still there, and large enough? Before it is submitted, kept, and whenever a graph is launched.
enum cuda_result work_check(struct driver *driver, const char *call, const struct work *work);

// Does it, now, as far as it can be done: CUDA_ERROR_NOT_READY where it waits, and may be called again.
enum cuda_result work_run(struct driver *driver, const struct work *work, struct work_state *state);

// Ends what waits, and says why it hangs. Nothing if it does not wait.
void work_hang(struct driver *driver, const struct work *work, struct work_state *state, const char *why);

// A copy that has its own parameters and its own child graph; 0 if there is no memory.
bool work_duplicate(struct driver *driver, struct work *to, const struct work *from);
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
struct cluster_launch kernel_launch_of(const struct work_kernel *kernel); // for the rules of launches
enum cuda_result kernel_check(struct driver *driver, const char *call, const struct work_kernel *kernel);
enum cuda_result kernel_run(struct driver *driver, const struct work_kernel *kernel, struct work_state *state);
void kernel_hang(struct driver *driver, const struct work_kernel *kernel, const struct work_state *state,
                 const char *why);
void kernel_drop(struct work_state *state);

// What comes now does so behind the end of the launch that ran last: something else was done, or waited for it.
void kernel_forget_primary(struct driver *driver);

// Fills a kernel's parameters from a launch's. The caller frees kernel->parameters.
enum cuda_result kernel_gather(struct driver *driver, struct work_kernel *kernel, void **parameters, void **extra);

// Are these bytes one piece of memory that is mapped? Memory that nobody knows is the program's own; of the device
// (`type`) it must be known. `side` says in the report what they are.
enum cuda_result memory_check(struct driver *driver, const char *call, const char *side, uint64_t address, size_t bytes,
                              uint32_t type);

enum cuda_result copy_of_box(const struct CUDA_MEMCPY3D_st *box, struct work_copy *copy);
struct CUDA_MEMCPY3D_st copy_box(const struct work_copy *copy);
enum cuda_result copy_check(struct driver *driver, const char *call, const struct work_copy *copy);
void copy_run(const struct work_copy *copy);

// Memory of the program's own that the driver does not know.
bool copy_is_pageable(const struct driver *driver, uint64_t address, uint32_t type);

// Does a call return only when this is done? Copies to pageable memory, from the host to the host, and of much pageable
// memory to the device, as an H200's driver does them.
bool copy_is_waited_for(const struct driver *driver, const struct work_copy *copy);
enum cuda_result set_check(struct driver *driver, const char *call, const struct work_set *set);

// New memory of the device, of the host or managed, within what the device has.
enum cuda_result memory_allocate(struct driver *driver, const char *call, unsigned long long *address, size_t bytes,
                                 enum allocation_kind kind, uint32_t flags);

enum cuda_result operations_check(struct driver *driver, const char *call, const struct work_operations *operations);
enum cuda_result operations_run(struct driver *driver, const struct work_operations *operations,
                                struct work_state *state);
void operations_hang(struct driver *driver, const struct work_operations *operations, const struct work_state *state,
                     const char *why);

// Of a graph's node, or any other in the order of a stream.
enum cuda_result memory_free_in_order(struct driver *driver, uint64_t address);

double seconds_of_clock(void);

#endif
