// SPDX-License-Identifier: MIT
// Do the inputs of a link contradict each other? Asked at each that comes, of all together this takes the square of how
// many there are. Of the inputs before it, only those count whose variables and functions are the ones that the names
// of the new one stand for: each was compared with that one when it came.
#ifndef TMAREF_LINK_PARTS_H
#define TMAREF_LINK_PARTS_H

#include "ptx.h"
#include "units.h"

struct link_parts {
    void *names; // a tree (tsearch): in which part the thing is that a name stands for
    size_t *start;
    uint32_t count;
};

enum link_fit { LINK_FITS, LINK_MAY_NOT, LINK_NO_MEMORY };

// The text from `start` on is new. LINK_MAY_NOT: the whole is to be looked at, to say what is wrong.
enum link_fit link_parts_add(struct link_parts *parts, const struct units *units, size_t start);
void link_parts_free(struct link_parts *parts);

#endif
