// SPDX-License-Identifier: MIT
// The PTX machine, as the driver and the tests see it: a module made of PTX, and a launch of one of its kernels that
// runs to its end. Nothing is kept between launches but the module's variables and the heap. docs/machine.md says how
// it runs; state.h and handler.h are for who adds instructions.
#ifndef TMAREF_MACHINE_H
#define TMAREF_MACHINE_H

#include <stdbool.h>

#include "event.h"
#include "memory.h"
#include "ptx.h"
#include "rule.h"

#pragma GCC visibility push(hidden) // not for users of the shared library

// --- Modules ---------------------------------------------------------------------------------------------------------

struct machine_module;

// Reads a module and places its global and constant variables in host memory, with what they are initialised to. The
// text is copied. NULL if it has errors (they are in `errors`), or there is no memory (then errors->count is 0).
struct machine_module *machine_module_open(const char *ptx, size_t bytes, struct ptx_errors *errors);
void machine_module_close(struct machine_module *module);

// The same of a text behind which a 0 stands, and which becomes the module's if there is one: free() gives it back.
struct machine_module *machine_module_adopt(char *text, size_t bytes, struct ptx_errors *errors);

// What was read, the front end's own handle of it, and the text, ended by 0.
const struct ptx_program *machine_module_program(const struct machine_module *module);
struct ptx_module *machine_module_front(const struct machine_module *module);
const char *machine_module_text(const struct machine_module *module);

// The entry of that name, or -1.
int machine_module_kernel(const struct machine_module *module, const char *name);

// Where a variable of the module lies: 1, or 0 if there is none.
bool machine_module_variable(const struct machine_module *module, const char *name, uint64_t *address, uint64_t *bytes);

// The variable of the module in which an address lies, and how far behind its begin; NULL: in none.
struct ptx_variable;
const struct ptx_variable *machine_module_variable_at(const struct machine_module *module, uint64_t address,
                                                      uint64_t *offset);

// Its variables as regions of global memory: at most two, in rising order of address. The machine knows them without
// being told; who else uses the memory adds them to a table of his own.
enum { MACHINE_MODULE_REGIONS = 2 };
uint32_t machine_module_regions(const struct machine_module *module, struct region region[MACHINE_MODULE_REGIONS]);

// One parameter of a kernel, in the order of its head.
struct machine_parameter {
    uint32_t offset, bytes;
};

//   parameter        `parameters` of them; the module's, until it is closed
//   registers        of a thread, in 32 bits, as the PTX declares them: ptxas needs far fewer
//   reqntid, ...     0 where the PTX does not say
struct machine_kernel_facts {
    uint32_t parameters, parameter_bytes;
    const struct machine_parameter *parameter;
    uint64_t static_shared_bytes, local_bytes, constant_bytes;
    uint32_t registers, max_threads, reqntid[3], reqnctapercluster[3], max_cluster_rank;
    uint32_t start_registers; // of each thread, from which setmaxnreg counts; 0: it does nothing
    int is_explicit_cluster;
    bool is_tile; // of CUDA Tile: a launch counts tiles, and leaves the threads of each to .reqntid
};

// Decodes the kernel and all it calls, once; later launches find it done. 0 if the body has errors, or there is no
// memory (then errors->count is 0). Not for two threads at once on one module.
bool machine_module_facts(struct machine_module *module, int kernel, struct machine_kernel_facts *facts,
                          struct ptx_errors *errors);

// How many registers of 32 bits ptxas would give a thread: an estimate, of the values that are alive at once in the
// kernel and what it calls. Of 77 kernels of this tree 68 are within 15 of what ptxas 13.0 says, 8 on average. Not for
// two threads at once on one module.
uint32_t machine_module_registers(struct machine_module *module, int kernel);

// --- The heap of malloc() and free() in kernels ----------------------------------------------------------------------

struct machine_heap;
struct machine_heap *machine_heap_open(uint64_t bytes);
void machine_heap_close(struct machine_heap *heap);

// --- Programmatic launches -------------------------------------------------------------------------------------------

// What a launch writes to global memory, with the bytes from before, for the programmatic launch behind it.
struct machine_written;
struct machine_written *machine_written_open(void); // NULL if there is no memory
void machine_written_close(struct machine_written *written);

// Is all that it wrote known? Not where that is too much.
bool machine_written_is_known(const struct machine_written *written);

// Does a kernel of the module that was decoded have griddepcontrol?
bool machine_module_depends(const struct machine_module *module);

// --- Launches --------------------------------------------------------------------------------------------------------

// When asynchronous operations advance: as warps yield; as late as is legal; at their issue; at random; by priorities
// that the seed draws, as those of warps; as DEFAULT, but for what a list delays (delays.h).
enum machine_policy { MACHINE_DEFAULT, MACHINE_LATE, MACHINE_EARLY, MACHINE_SHUFFLED, MACHINE_PCT, MACHINE_DELAY };

// `threads` of the host run clusters, 0: one. The same seed gives the same run, for any number of threads, as long as
// the clusters of the launch do not speak to each other.
struct machine_schedule {
    enum machine_policy policy;
    uint64_t seed;
    uint32_t threads;
};

// 0: no limit. Instructions are those of warps, of all clusters together.
struct machine_limits {
    uint64_t instructions;
    double seconds;
    const int *stop; // the number of a signal, when one has come; NULL: none can
};

// What a kernel asks for: a launch, a copy, or that bytes are set. It is done when the grid that asked for it has
// ended; a tail launch, when the others of that grid have ended too, and all that they launched.
enum machine_child_kind { MACHINE_CHILD_KERNEL, MACHINE_CHILD_COPY, MACHINE_CHILD_SET };

//   parameters  laid out as the kernel's facts say, which may want more bytes than there are
//   to, ...     of the other kinds
struct machine_child {
    enum machine_child_kind kind;
    int kernel;
    uint32_t grid[3], block[3], shared_bytes;
    bool is_tail;
    const void *parameters;
    uint32_t parameter_bytes;
    uint64_t to, from, bytes;
    uint8_t value;
};

//   cluster            0, 0, 0: what the kernel says, else none
//   parameters         parameter_bytes of them, laid out as the kernel's facts say
//   global             what is mapped besides the module's variables; NULL: nothing
//   stack_bytes        of local memory of each thread beyond what the entry names; 0: 64 KiB
//   looker             is told of each instruction (looker.h); NULL: nobody
//   print              takes what printf() writes; NULL: it is lost
//   print_error        the same of what assert() says of each thread
//   heap               NULL: malloc() returns 0
//   meanwhile          called in this thread with meanwhile_context now and then, above all where nobody gets on: the
//                      kernel may wait for another thread of the host; NULL: nothing is
//   child              takes what kernels ask for, and answers with an error of the CUDA runtime. It needs a heap.
//                      Several threads may call it at once. NULL: no kernel may ask
//   error_text         what the CUDA runtime calls an error; goes with `child`
//   set_condition      takes what cudaGraphSetConditional() says, 0: there is no such handle; may be called in any
//                      thread that runs clusters; NULL: there is none
//   texture            what a handle of a texture or surface object stands for, NULL: nothing; called in any thread that
//                      runs clusters. NULL: there are none
//   describe           writes what is known of global memory at an address that is mapped or was, as a text that goes on
//                      from "128 bytes at 0x1000, "; returns its length, 0: nothing. NULL: nobody knows
//   untouched          of `pages` pages of the host, up to 32, from that of the address on: a bit for each that nobody
//                      has written, nor read. With describe_context. NULL: not known
//   untouch            the page of the host with that address, which untouched() said 1 of, is so again
//   hung               takes the state of a launch that hangs or has reached a limit (hang.h), while it is there
//   views              who looks at the clusters of each thread of the host, where they may be looked at apart; with
//                      `looker` and `observer`, which hear nothing of clusters then. NULL: one thread runs a launch that
//                      somebody looks at
//   only_alike         more than one of schedule.threads only where the order of clusters cannot matter (commute.h), and
//                      where the launch is long
//   may_wait           machine_go_on() returns where the launch waits for memory that others write
//   written            takes what the launch writes, under LATE and SHUFFLED; NULL: nobody
//   before             what the launch in front has written, if this one is programmatic: under LATE and SHUFFLED it
//                      begins without that. The memory must still be mapped. NULL: that launch has ended
//   follows            the number of the launch in front, if this one is programmatic; 0: that has ended
//   delays             under DELAY: what is late; NULL under other policies
//   depth, steps       under PCT: one more than how many warps of a cluster get another priority on their way, after 1 to
//                      `steps` of their instructions; 0: MACHINE_PCT_DEPTH, MACHINE_PCT_STEPS
//   delayed            takes a line for each delay as it begins, and comments (delays.h); NULL: nobody
//   grid_workspace     of a cooperative launch: where its CTAs meet, in %envreg1 and %envreg2; 0 of others
enum {
    MACHINE_PATIENCE = 10
}; // seconds for which nothing may change that a launch waits for, where it counts its tries
enum { MACHINE_PCT_DEPTH = 3, MACHINE_PCT_MOST_DEPTH = 16, MACHINE_PCT_STEPS = 256 };
struct machine_delays;
struct machine_hang;
struct texture;

// Who looks at the clusters that one thread of the host runs, each from its begin to its end before the next. `view`
// says who that is, NULL without memory. goes_on: is asked now and then, and when a cluster has ended; 0: the launch is
// given up. It is also where a cluster waits. No result of it counts then (MACHINE_GIVEN_UP).
struct machine_view {
    const struct machine_looker *looker;
    const struct observer *observer;
};
struct machine_views {
    void *context;
    const struct machine_view *(*view)(void *context, uint32_t thread);
    int (*goes_on)(void *context, uint32_t thread, int has_ended);
};

struct machine_launch {
    struct machine_module *module;
    int kernel;
    uint32_t grid[3], block[3], cluster[3];
    uint64_t dynamic_shared_bytes;
    const void *parameters;
    const struct global_memory *global;
    uint64_t number; // event_origin.launch
    uint32_t stack_bytes;
    struct machine_schedule schedule;
    int only_alike;
    struct machine_limits limits;
    const struct observer *observer;
    bool hears_ranges; // the observer: one weak access of lanes that lie side by side, or at one place
    const struct machine_looker *looker;
    const struct machine_views *views;
    void (*print)(void *context, const char *text, size_t bytes);
    void (*print_error)(void *context, const char *text, size_t bytes);
    void *print_context;
    struct machine_heap *heap;
    uint64_t grid_workspace;
    int (*child)(void *context, const struct machine_child *child);
    void *child_context;
    const char *(*error_text)(int error);
    void (*meanwhile)(void *context);
    void *meanwhile_context;
    int (*set_condition)(void *context, uint64_t handle, uint32_t value);
    void *condition_context;
    const struct texture *(*texture)(void *context, uint64_t handle);
    void *texture_context;
    size_t (*describe)(void *context, uint64_t address, char *text, size_t bytes);
    uint32_t (*untouched)(void *context, uint64_t address, uint32_t pages);
    void (*untouch)(void *context, uint64_t address);
    void *describe_context;
    void (*hung)(void *context, const struct machine_hang *hang);
    void *hung_context;
    bool may_wait;
    struct machine_written *written, *before;
    uint64_t follows;
    const struct machine_delays *delays;
    uint32_t depth;
    uint64_t steps;
    void (*delayed)(void *context, const char *line);
    void *delayed_context;
};

// Is the schedule out to show what goes wrong? Then what threads write is not always there at once. PCT is with odd
// seeds.
bool machine_schedule_is_weak(const struct machine_schedule *schedule, const struct machine_delays *delays);

// REFUSED: the launch itself is wrong, nothing ran. UNSUPPORTED: an instruction that the machine does not run yet.
enum machine_kind {
    MACHINE_DONE,
    MACHINE_REFUSED,
    MACHINE_FAULTED,
    MACHINE_TRAPPED,
    MACHINE_HUNG,
    MACHINE_LIMITED,
    MACHINE_INTERRUPTED,
    MACHINE_UNSUPPORTED,
    MACHINE_NO_MEMORY,
    MACHINE_GIVEN_UP,
};

enum { MACHINE_CALLERS = 16 };

// A line that the compiler put a function into, or that calls one.
struct machine_caller {
    struct ptx_name file;
    uint32_t line;
};

// Where it stopped. Texts are the module's, not ended by 0. source_line is 0 where the PTX says no .loc.
//   caller      the lines that source_line was inlined at, from the inside out; the last `called` of them are calls; of too
//               many the outermost is the last
//   telling     how many of the callers, from the inside, up to the line that says most of a wait (role.h)
//   has_helper  the function that holds the innermost caller was inlined once
struct machine_where {
    struct ptx_name function, source_file, instruction;
    uint32_t ptx_line, source_line, source_column;
    uint32_t cta[3], thread[3], rank, warp, lanes;
    uint32_t callers, called, telling;
    bool has_helper;
    struct machine_caller caller[MACHINE_CALLERS];
};

// "inlined at", or "called at": how the outermost of its callers has it.
const char *machine_where_joined(const struct machine_where *where);

// The line that is its user's own: the innermost of no header; where all are of headers, the innermost of the file that
// the kernel is in, or, where that does nothing but call, the telling one. line 0: it is not known.
struct machine_caller machine_where_own(const struct machine_where *where);

// The same of a wait, which is often in a helper that many call: the outermost line of no header, but within the role
// that waits, such as a producer's function.
struct machine_caller machine_where_outer(const struct machine_where *where);

// That of the two with which the report of a fault begins: the outer one where the instruction is of an mbarrier or a
// copy.
struct machine_caller machine_where_lead(const struct machine_where *where);

// The line of a helper of no header, between the outer one and a function that holds the instruction; line 0: there is
// none.
struct machine_caller machine_where_helper(const struct machine_where *where);

enum { MACHINE_MESSAGE_BYTES = 8192 };

//   rule        the first that was broken, or RULE_OK
//   cuda_error  what a launch on a GPU would return, 0 for none
//   address     that was named, where one was
//   message     sentences for people, the first line says what happened; of a hang, its report on one
//               screen
struct machine_outcome {
    enum machine_kind kind;
    enum rule rule;
    int cuda_error;
    struct machine_where where;
    uint64_t address;
    uint64_t instructions, thread_instructions; // of warps, of threads
    char message[MACHINE_MESSAGE_BYTES];
};

// A launch that is run in parts: from machine_begin() on, which copies *launch, until machine_close(). `outcome` stays
// the caller's. NULL if there is no memory. Each part may run in another thread.
struct machine_launched;
struct machine_launched *machine_begin(const struct machine_launch *launch, struct machine_outcome *outcome);
void machine_close(struct machine_launched *launched);

//   ENDED  *outcome says how
//   WAITS  nobody gets on but by global memory that others write
//   STAYS  the same, and this part has changed nothing
//   STUCK  the same, and no part ever will: whoever runs comes back to a state in which he was. This shows after some
//          parts with is_alone
// is_alone: nobody else can write global memory now, nor has since the last part. Then time is hurried.
enum machine_part { MACHINE_PART_ENDED, MACHINE_PART_WAITS, MACHINE_PART_STAYS, MACHINE_PART_STUCK };
enum machine_part machine_go_on(struct machine_launched *launched, bool is_alone);

// What is mapped from now on: while the launch waits, or in its `meanwhile`. 0 if there is no memory.
bool machine_map(struct machine_launched *launched, const struct global_memory *global);

// Ends a launch that waits as one that hangs: `why`, and where its warps are.
void machine_hang(struct machine_launched *launched, const char *why);

// Runs the launch to its end. Returns 1 if it ended as MACHINE_DONE.
bool machine_run(const struct machine_launch *launch, struct machine_outcome *outcome);

const char *machine_kind_name(enum machine_kind kind);

#pragma GCC visibility pop

#endif
