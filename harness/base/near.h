// SPDX-License-Identifier: MIT
// What a mistyped name may have meant: the names of a list that are few letters away from it, that begin so, or that
// hold it.
#ifndef TMAREF_NEAR_H
#define TMAREF_NEAR_H

#include "text.h"

// "; did you mean LOAD?" with up to three names, the nearest first; "" if none is near. name_at(0), name_at(1), ... are
// the list, up to the first NULL.
struct text near_names(const char *word, const char *(*name_at)(int i));

// The same for a tensor map's data types, which people know by other names: "; did you mean f16?" for half or fp16,
// "; FP8 moves as u8" for e4m3.
struct text near_dtype(const char *word);

// All names of a list: "encode, load or mbarrier".
struct text near_all(const char *(*name_at)(int i));

#endif
