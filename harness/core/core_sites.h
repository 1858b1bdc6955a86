// SPDX-License-Identifier: MIT
// Where a kernel's machine code meets its barriers: each instruction that arrives at one, brings bytes to one or
// initialises one, with the barrier as the PTX names it; and which instructions one may still come to.
#ifndef TMAREF_CORE_SITES_H
#define TMAREF_CORE_SITES_H

#include "core_code.h"
#include "sass.h"

enum core_site_kind {
    CORE_SITE_INIT,
    CORE_SITE_ARRIVE,
    CORE_SITE_EXPECT,  // arrive.expect_tx or expect_tx
    CORE_SITE_COPY,    // a copy that completes bytes
    CORE_SITE_NAMED,   // a named barrier
    CORE_SITE_CLUSTER, // barrier.cluster.arrive
};

//   at, is_exact  the address in shared memory that is known of it, UINT64_MAX if none: an index adds to it if not exact
//   variable      where the variable begins that it is in
//   is_remote     of an arrive: the form for any CTA of the cluster
//   number        of a named barrier
struct core_site {
    enum core_site_kind kind;
    uint64_t offset, at, variable;
    bool is_exact, is_remote;
    uint32_t number;
};

struct core_sites {
    struct core_site *site;
    uint32_t sites;
};

// All of the function, in the order of its code. 0 if there is no memory.
bool core_sites_open(struct core_sites *sites, const struct core_code *code, const struct core_function *function);
void core_sites_close(struct core_sites *sites);

// May `site` be at the barrier at `address`, which is in the variable that begins at `variable`? One with an index may
// be anywhere in its variable.
bool core_site_may_be_at(const struct core_site *site, uint64_t variable, uint64_t address);

// Is it at that barrier, as far as one can tell: of sites with an index, those that begin last at or before it.
bool core_site_is_at(const struct core_sites *sites, const struct core_site *site, uint64_t variable, uint64_t address);

// Is the variable of `bytes` bytes that begins at `variable` an array of mbarriers and of nothing else: each of its
// words is initialised, or it is indexed from its start?
bool core_sites_is_array(const struct core_sites *sites, uint64_t variable, uint64_t bytes);

// Marks in `marks`, a byte for each instruction of the function, those that a thread at `from` may execute: along all
// branches. Returns 0 if there is a jump whose target the code does not say.
bool core_reach(const struct core_function *function, uint64_t from, uint8_t *marks);

#endif
