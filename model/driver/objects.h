// SPDX-License-Identifier: MIT
// What CUDA's handles point at. Every object begins with a struct object; one that was destroyed is known as such until
// its memory is used again for another of its kind, which that of contexts, modules, functions and green contexts never
// is.
#ifndef TMAREF_OBJECTS_H
#define TMAREF_OBJECTS_H

#include <stdbool.h>

#include "cuda_types.h"
#include "history.h"
#include "machine.h"

enum object_kind {
    OBJECT_CONTEXT = 1,
    OBJECT_MODULE,
    OBJECT_FUNCTION,
    OBJECT_STREAM,
    OBJECT_EVENT,
    OBJECT_GRAPH,
    OBJECT_NODE,
    OBJECT_GRAPH_EXEC,
    OBJECT_POOL,
    OBJECT_RESERVATION,
    OBJECT_BACKING,
    OBJECT_LINK,
    OBJECT_USER,
    OBJECT_CONDITION,
    OBJECT_LOG_CALL,
    OBJECT_GREEN,
    OBJECT_RESOURCES,
    OBJECT_NOTIFICATION,
    OBJECT_ARRAY,
    OBJECT_MIPMAP,
    OBJECT_TEXTURE,
    OBJECT_KINDS
};

struct object {
    uint32_t kind; // 0 when destroyed
    struct object *next, *before;
    const void *owner;
};

struct objects {
    struct object *live[OBJECT_KINDS], *destroyed[OBJECT_KINDS];
};

// A new object, all zero but for its head; NULL if there is no memory.
void *object_new(struct objects *objects, enum object_kind kind, size_t size_bytes);
void object_destroy(struct objects *objects, void *object);

// Was this one of that kind, destroyed and not used again since?
bool object_was(const struct objects *objects, const void *object, enum object_kind kind);

// Is this a live object of that kind? Any pointer may be asked about: it is looked at only if it is an object.
int object_is(const void *object, enum object_kind kind);

// The two that a launch asks for; they have CUDA's numbers.
enum { LIMIT_STACK_BYTES = 0, LIMIT_HEAP_BYTES = 2 };

// Attributes of core files (coredump.c).
enum { CORE_TRIGGER_HOST = 2, CORE_LIGHTWEIGHT = 3, CORE_SWITCHES = 5, CORE_TEXT_BYTES = 1024 };
struct coredump {
    unsigned char is_on[CORE_SWITCHES];
    uint32_t flags;
    char file[CORE_TEXT_BYTES], pipe[CORE_TEXT_BYTES];
};

struct CUctx_st {
    struct object object;
    struct coredump *coredump;          // once somebody asked
    uint32_t flags, retained, attached; // attached: cuCtxAttach, less cuCtxDetach
    uint64_t id;
    size_t limit[16];
    uint32_t cache_config;
    struct CUctx_st *base;       // of a green context: the primary, which has all that is made; else NULL
    struct CUgreenCtx_st *green; // this one
    struct machine_heap *heap;
    uint64_t grid_workspace; // where the CTAs of cooperative launches meet
};

struct CUfunc_st {
    struct object object;
    struct CUmod_st *module;
    int kernel;
    char *name;
    struct machine_kernel_facts facts;
    int max_dynamic_bytes;
    bool is_dynamic_set;
    int carveout, non_portable, cluster[3], policy;
    struct old_launch *old; // of cuParamSetv and its like; NULL: nothing was set
    struct CUfunc_st *next;
};

struct CUmod_st {
    struct object object;
    struct machine_module *machine;
    struct CUfunc_st *functions, **function_of; // function_of: by its number in the program; NULL until it is asked for
    const struct CUctx_st *context;             // NULL: a library, which is of all contexts
    enum cuda_result error; // of a library whose PTX is wrong, which has no machine: what its calls answer
};

struct CUevent_st {
    struct object object;
    uint32_t flags;
    bool is_recorded;
    double seconds;
    uint64_t turn;              // that records it, while it is under way
    struct CUgraph_st *capture; // of the capture that it was last recorded in
    uint64_t capture_id;
    bool is_of_ended; // that capture has ended
    struct CUgraphNode_st **after;
    uint32_t after_count;
    struct history_times times; // behind what it was recorded
};

enum { STREAM_ATTRIBUTES = 4 };
union stream_attribute {
    uint32_t number;
    uint8_t domain[8], window[32];
};

struct CUstream_st {
    struct object object;
    uint32_t flags;
    int priority;
    uint64_t id;
    struct CUctx_st *context;
    struct CUgreenCtx_st *green; // that it was made in, or NULL
    uint64_t whose;              // of a default stream: 1 is all threads', more is one thread's
    struct CUgraph_st *capture;  // what is being captured
    uint64_t capture_id;
    uint32_t capture_mode;
    uint64_t capture_thread;                          // who began it
    bool is_origin, is_invalidated, is_foreign_graph; // foreign: the user's own, captured into
    bool is_ending;                                   // destroyed, and goes when its work is done
    struct CUgraphNode_st **after;                    // what the next node depends on
    struct CUgraphEdgeData_st *edges;                 // of these, once somebody asked
    uint32_t after_count;
    union stream_attribute attribute[STREAM_ATTRIBUTES];
    struct history_times times; // what its next work is behind (sanitize_order.h)
    uint32_t track;             // of the history, plus 1; 0: none yet
};

struct CUmemPoolHandle_st {
    struct object object;
    uint64_t threshold, used_bytes;                // what is in use is what is reserved: what is freed goes back
    uint64_t used_high_bytes, reserved_high_bytes; // the most since it was set back
    int does_not_reuse[4];
    bool is_on_host;
    bool is_open; // of the host: the device has access to it
    uint32_t handle_types;
    int file;
    bool is_imported; // that other processes have of it (pool_share.c), plus 1; 0: none
};

#endif
