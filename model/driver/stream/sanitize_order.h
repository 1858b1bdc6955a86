// SPDX-License-Identifier: MIT
// What --sanitize is told of streams: which works there are, what orders them (streams, events, graphs, waits of the
// host), and which memory copies, fills, allocations and frees access. Launches tell of theirs in model/look.
#ifndef TMAREF_SANITIZE_ORDER_H
#define TMAREF_SANITIZE_ORDER_H

#include "turns.h"
#include "work.h"

// The history, NULL if nobody asks for it.
struct history *sanitize_order_open(struct driver *driver);

// A turn begins on its stream. Its work is submitted: behind what the stream, or the steps of the graph, say.
void sanitize_order_begin(struct driver *driver, struct turn *turn);
void sanitize_order_submit(struct driver *driver, struct turn *turn, const struct work *work);

// It is done now, and then over: what its launch met in memory is in front of what comes behind it.
void sanitize_order_run(struct driver *driver, const struct turn *turn, const struct work *work);
void sanitize_order_over(struct driver *driver, const struct turn *turn, const struct work *work);

// The host has waited for a stream, NULL: for all; for an event. A stream waits for an event.
void sanitize_order_wait(struct driver *driver, struct CUstream_st *stream);
void sanitize_order_wait_event(struct driver *driver, const struct CUevent_st *event);
void sanitize_order_behind(struct driver *driver, struct CUstream_st *stream, const struct CUevent_st *event);

// Memory is new, in the order of a stream (NULL: at once); the host frees what no stream orders.
void sanitize_order_allocate(struct driver *driver, struct CUstream_st *stream, uint64_t address, uint64_t bytes);
void sanitize_order_free(struct driver *driver, uint64_t address, uint64_t bytes);

// The launch of a graph, `launched` has its steps as they are now: of each step, behind which it is. NULL if nobody
// asks. In the end the stream is behind all.
struct sanitize_graph;
struct CUgraphExec_st;
struct sanitize_graph *sanitize_graph_begin(struct driver *driver, const struct turn *turn, struct CUgraphExec_st *exec,
                                            const struct CUgraphExec_st *launched);
void sanitize_graph_step(struct sanitize_graph *graph, struct turn *turn, uint32_t step);
void sanitize_graph_end(struct sanitize_graph *graph, struct turn *turn);

#endif
