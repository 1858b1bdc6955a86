// SPDX-License-Identifier: MIT
// Who wrote each byte last, of global memory and of the shared memory of CTAs that run, and from which byte: a cell for
// each byte holds the number of a writer. One that copied knows the writer of the byte that it copied, as that was
// then.
#ifndef TMAREF_LOOK_WHY_KEEP_H
#define TMAREF_LOOK_WHY_KEEP_H

#include "flight_item.h"
#include "provenance.h"
#include "why_place.h"

#pragma GCC visibility push(hidden)

// Bounds of what is kept: writers, pages of 4096 bytes of global memory in which not all bytes have one writer, and
// CTAs that have ended while operations may still read what they wrote.
enum { WHY_MOST_WRITERS = 1 << 23, WHY_MOST_PAGES = 1 << 15, WHY_ENDED_CTAS = 64, WHY_PAGE_BYTES = 4096 };

// NOBODY: what is there has been there from the beginning. LOST: there was no room for its writer.
enum { WHY_NOBODY, WHY_LOST, WHY_WRITERS };
enum why_writer_kind { WHY_THREAD, WHY_OPERATION, WHY_CALL };

//   launch  the number of its struct why_launch_facts; site: of its struct why_site; call: of its struct why_call
//   operation  the number of its struct why_operation
//   source  the writer of the byte that was copied; previous: of what lay there, where this was added to it
struct why_writer {
    uint32_t launch, site, cta, operation, source, previous;
    uint8_t kind, warp, lane, is_barrier;
};

// An instruction: its place ("tile.cu:8 (PTX line 25)") and its text.
struct why_site {
    char *place, *file, *instruction;
    uint32_t ptx_line, line;
};

// A launch, of its kernel the `number`-th. variable: the shared variables, by what a report calls them.
struct why_variable {
    char name[WHY_SHARED_NAME_BYTES];
    uint64_t at, bytes;
};
struct why_launch_facts {
    char *kernel;
    uint64_t number;
    uint32_t grid[3], block[3], variables;
    struct why_variable *variable;
};

// One stretch that a call of the host wrote, of all calls that copy or set bytes the `number`-th. from: as in
// why_host.h. who: the number of a site whose place is the call.
struct why_call {
    uint32_t who;
    uint64_t number, to, from, bytes;
};

// An asynchronous operation, as its instruction gave it. copies: one cp.async of the lanes of a warp.
struct why_operation {
    struct operation operation;
    uint64_t number;
    uint32_t cta, users;
    bool is_copies;
    const struct machine_cluster *cluster; // valid until it is done
    struct why_operation *next;
    uint32_t slot;
    uint32_t lanes, bytes;
    uint8_t read[MACHINE_LANES];
    uint64_t from_address[MACHINE_LANES];
    uint32_t to_address[MACHINE_LANES];
};

// The shared memory of a CTA.
struct why_cta {
    struct why_cta *next;
    uint64_t number, bytes;
    uint32_t *cell;
};

// Bytes of one memory: `cta` NULL is global memory.
struct why_bytes {
    struct why_cta *cta;
    uint64_t address;
};

struct why_page {
    struct why_page *next;
    uint64_t number;
    uint32_t all, *cell; // cell NULL: all bytes have the writer `all`
};

enum { WHY_BUCKETS = 1 << 14 };
struct why_keep {
    struct why_writer *writer;
    struct why_site *site;
    struct why_launch_facts *launch;
    struct why_call *call;
    struct why_operation **operation;
    uint32_t writers, writers_room, sites, sites_room, launches, launches_room, calls, calls_room, operations,
        operations_room, pages;
    struct why_page *page[WHY_BUCKETS], *last;
    bool is_short; // there was no room for all
    uint32_t unused,
        used;      // the first writer that nobody needs any more (each `source` is the next), 0: none; all others
    uint8_t *mark; // while why_sweep() is prepared: how many links of a chain each writer has to have
};

// The writers of some bytes.
void why_get(struct why_keep *keep, struct why_bytes at, uint32_t bytes, uint32_t *writer);
void why_set(struct why_keep *keep, struct why_bytes at, uint32_t bytes, const uint32_t *writer);

// The same of any number of bytes of global memory that have one writer: do they? Now they do.
bool why_is_even(struct why_keep *keep, uint64_t address, uint64_t bytes, uint32_t *writer);
void why_fill(struct why_keep *keep, uint64_t address, uint64_t bytes, uint32_t writer);

// Numbers of new ones: of a writer WHY_LOST, of the others UINT32_MAX, if there is no room.
uint32_t why_add_writer(struct why_keep *keep, const struct why_writer *writer);
uint32_t why_add_site(struct why_keep *keep, const struct why_site *site); // copies its texts; one that is there again
uint32_t why_add_launch(struct why_keep *keep, const struct why_launch_facts *launch); // takes what it points at
uint32_t why_add_call(struct why_keep *keep, const struct why_call *call);
uint32_t why_add_operation(struct why_keep *keep, struct why_operation *operation);

// Gives the room of writers free that nobody can ask about any more: why_is_full() says that it is time. why_mark() the
// writers of cells, and of what else is to stay, between why_sweep_begin() and why_sweep(). They have no room for more
// links than are told.
enum { WHY_MOST_LINKS = 8 };
bool why_is_full(const struct why_keep *keep);
bool why_sweep_begin(struct why_keep *keep); // 0: no memory
void why_mark(struct why_keep *keep, const uint32_t *writer, uint64_t count);
void why_sweep(struct why_keep *keep);

void why_drop(struct why_keep *keep);

// Where the byte at `address` that an operation has written came from.
enum why_source_kind {
    WHY_FROM_GLOBAL,
    WHY_FROM_SHARED,
    WHY_FROM_REGISTERS,
    WHY_FROM_FILL,
    WHY_FROM_OWN,
    WHY_FROM_UNKNOWN
};
struct why_source {
    enum why_source_kind kind;
    uint64_t address;
    bool is_tensor;
    struct provenance place;
};
struct why_source why_source_of(const struct why_operation *operation, enum access_space space, uint64_t address);

#pragma GCC visibility pop

#endif
