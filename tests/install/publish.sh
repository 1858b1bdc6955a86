#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What cmake/publish.sh makes of a small model, and what it refuses. Usage: publish.sh CC, from the top of the tree.
set -eu -o pipefail
cc=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
model="$scratch/a model" # with a blank, as paths of users may have
mkdir -p "$model/core"

cat >"$model/core/rules.def" <<'END'
RULE(1, FIRST, WORKS, WORKS, 0,
     "It is \"first\" "
     "of all.", "", "", "")
END
printf '#include "box.h"\n' >"$model/core/tmaref.h"
mv "$model/core/tmaref.h" "$model/tmaref.h"
cat >"$model/core/box.h" <<'END'
// A box. Rule FIRST; see box_of().
#include <stdint.h>
#define BOX_MOST 8u // boxes
#define SIDES(X) X(LEFT) X(RIGHT)

enum rule {
    RULE_OK,
#define RULE(number, id) RULE_##id = number,
#include "rule_ids.def"
#undef RULE
};
enum side {
#define SIDE(name) SIDE_##name,
    SIDES(SIDE)
#undef SIDE
};

struct memory; // elsewhere

struct box {
    struct memory *memory;
    enum side side;
};

// The box of `memory`, a struct memory, on the side SIDE_LEFT.
struct box box_of(struct memory *memory, enum side side);
static inline uint32_t box_most(void)
{
    return BOX_MOST;
}
END
cat >"$scratch/expected" <<'END'
// A box. Rule FIRST; see tmaref_box_of().
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TMAREF_BOX_MOST 8u // boxes

enum tmaref_rule {
    TMAREF_RULE_OK,
    // It is "first" of all.
    TMAREF_RULE_FIRST = 1,
};
enum tmaref_side {
    TMAREF_SIDE_LEFT,
    TMAREF_SIDE_RIGHT,
};

struct tmaref_memory; // elsewhere

struct tmaref_box {
    struct tmaref_memory *memory;
    enum tmaref_side side;
};

// The box of `memory`, a struct tmaref_memory, on the side TMAREF_SIDE_LEFT.
struct tmaref_box tmaref_box_of(struct tmaref_memory *memory, enum tmaref_side side);
static inline uint32_t tmaref_box_most(void)
{
    return TMAREF_BOX_MOST;
}

#ifdef __cplusplus
}
#endif

#endif
END
sed -i '1a #ifndef TMAREF_BOX_H' "$model/core/box.h"
sed -i '1a #ifndef TMAREF_BOX_H' "$scratch/expected"
echo '#endif' >>"$model/core/box.h"

status=0
sh cmake/publish.sh "$cc" "$model" "$scratch/out"
diff "$scratch/expected" "$scratch/out/include/tmaref/core/box.h" || status=1
echo 'box_of tmaref_box_of' | diff - "$scratch/out/renames" || status=1

# refuses LINE WORD: with the line in the header nothing is made, and the message has the word.
refuses() {
    sed "/^struct memory;/a $1" "$model/core/box.h" >"$scratch/box.h"
    cp -r "$model" "$scratch/other"
    mv "$scratch/box.h" "$scratch/other/core/box.h"
    if sh cmake/publish.sh "$cc" "$scratch/other" "$scratch/none" >"$scratch/said" 2>&1; then
        echo "not refused: $1"
        status=1
    fi
    grep -q -- "$2" "$scratch/said" || { echo "$1: nothing said of '$2':"; cat "$scratch/said"; status=1; }
    rm -rf "$scratch/other"
}
refuses 'typedef int length;' 'a typedef'
refuses 'extern int boxes;' 'a variable'
refuses 'struct other { int box_of; };' 'box_of is a function and something else'
exit $status
