// SPDX-License-Identifier: MIT
// Works of streams under --sanitize: launches, copies, fills, and frees in the order of a stream. Who submits them
// (model/driver/stream/sanitize_order.c) says what orders them, by the times of history.h; sanitize_works.c tells which
// accesses nothing orders.
#ifndef TMAREF_LOOK_WORKS_H
#define TMAREF_LOOK_WORKS_H

#include "history.h"
#include "machine.h"

#pragma GCC visibility push(hidden)

enum look_work_kind { LOOK_WORK_LAUNCH, LOOK_WORK_OTHER, LOOK_WORK_ALLOCATES, LOOK_WORK_FREES };

// What a work is: "kernel f", "copy"; the stream's number, 0: the default one; where: of who submits it.
// `launch` is this folder's.
enum { LOOK_WORK_BYTES = 192 };
struct sanitize_front;
struct look_work {
    enum look_work_kind kind;
    char what[LOOK_WORK_BYTES];
    uint64_t stream;
    void *where;
    struct sanitize_front *launch;
};

// Texts that the submitter has: where a work was submitted (NULL: what the host does now), what memory is at an
// address. Their lengths. He is told of the global memory that a launch has touched.
struct look_works_names {
    void *context;
    size_t (*where)(void *context, const struct look_work *work, char *text, size_t bytes);
    size_t (*memory)(void *context, uint64_t address, char *text, size_t bytes);
    void (*touched)(void *context, uint64_t address, uint64_t bytes, uint32_t flags);
};

struct look;
struct look_launch;

// The history of works, whose owners are struct look_work of malloc(); NULL where nobody asks for it.
struct history *look_works_begin(struct look *look, const struct look_works_names *names);

// The launch is that work.
void look_launch_is(struct look_launch *launch, uint32_t work);

#pragma GCC visibility pop

#endif
