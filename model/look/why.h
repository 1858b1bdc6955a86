// SPDX-License-Identifier: MIT
// --why: the history of the value of one place. why.c hears of every write, why_watch.c keeps those to the place,
// why_keep.h who wrote every other byte, and why_tell.c says it when the program ends.
#ifndef TMAREF_LOOK_WHY_H
#define TMAREF_LOOK_WHY_H

#include "json_line.h"
#include "why_keep.h"

#pragma GCC visibility push(hidden)

// How many bytes are done at a time: as many as a swizzle moves together.
enum { WHY_CHUNK = 16 };

// A write to the place. `lanes`: of one instruction of a warp, those that wrote there. first: the offset in the place
// of the first byte that it wrote, whose writer is `writer`.
enum { WHY_MOST_TOLD = 64, WHY_TOLD = 4 };
struct why_entry {
    uint32_t writer, lanes, first;
    bool is_stale; // a copy of other bytes than lay at its source then
    uint64_t step;
    uint8_t before[WHY_MOST_WIDTH], after[WHY_MOST_WIDTH];
};

//   is_on     the place is known; is_shared: in the shared memory of the CTA of number `cta`, in the launch `launch`
//   now       its value, if is_known; is_open: the last entry's write may still be under way, is_remote: until the next
//   count     writes; the last of them are in `entry`, number n at n % WHY_MOST_TOLD
struct why_watch {
    bool is_on, is_shared, is_known, is_open, is_remote;
    uint64_t address, cta, count;
    uint32_t bytes, launch;
    uint8_t now[WHY_MOST_WIDTH];
    struct why_entry entry[WHY_MOST_TOLD];
};

// Does it touch the place?
bool why_watch_meets(const struct why_watch *watch, enum access_space space, uint64_t address, uint64_t bytes);

// A write, of an instruction or a call that is number `step`. NULL `after`: it is yet to be seen.
void why_watch_add(struct why_watch *watch, const struct why_entry *entry, const uint8_t *after);

// What the place holds now.
void why_watch_see(struct why_watch *watch, const uint8_t *now);

// Memory that the program knows by a name: an allocation, from 1, or a variable of a module (number 0).
struct why_area {
    char name[WHY_SHARED_NAME_BYTES];
    uint64_t address, bytes, number;
    bool is_gone;
};

struct look_why_launch;
struct why_kernel {
    char *name;
    uint64_t launches;
};

//   most      how many writes are told
//   global    the place, if it is in global memory; shared: as it was in the last launch in which it was there
//   who       the site of the call of the host that writes now, of `calls`
//   wrong     why the place was nowhere, as far as that is known
//   named     how often the kernel that is named was launched
//   steps     instructions and calls that wrote up to now
struct look_why {
    struct why_place place;
    const char *text, *notes;
    struct json_lines lines;
    uint64_t most;
    struct why_keep keep;
    struct why_watch global, shared;
    struct why_area *area;
    struct why_kernel *kernel;
    struct look_why_launch *under_way;
    uint32_t areas, areas_room, kernels, kernels_room, who;
    uint64_t allocations, calls, steps, named;
    char wrong[1024];
};

// Is the place outside of the `bytes` bytes of `of`? Then it notes so.
bool why_is_outside(struct look_why *why, const char *of, uint64_t bytes);

// The place is at a global address.
void why_watch_global(struct look_why *why, uint64_t address);

// Where nothing is half done: makes room for writers, if it is time.
void why_make_room(struct look_why *why);

// The area of an address, NULL: nobody knows.
const struct why_area *why_area_of(const struct look_why *why, uint64_t address);

// All of it at the end; or of a watch, before the end.
void why_tell(const struct look_why *why);
void why_tell_now(const struct look_why *why, const struct why_watch *watch);

// What why_host.h says.
void why_allocate(struct look_why *why, uint64_t address, uint64_t bytes);
void why_module(struct look_why *why, const struct machine_module *module);
void why_begin_call(struct look_why *why, const char *who);
void why_write(struct look_why *why, uint64_t to, uint64_t from, uint64_t bytes);

#pragma GCC visibility pop

#endif
