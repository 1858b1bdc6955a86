#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The debugger's commands (harness/gdb), under gdb, on the memory of an ordinary process: a map, a barrier, and a tile that was
# read as if it had no swizzle. gdb.sh SOURCE CC; the command is $TMAREF. Ends with 77, and says why, without such a gdb.
set -u
source=$1 cc=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$(dirname "${BASH_SOURCE[0]}")/able.sh"

# The program has the tensor at a fixed address, and its map; its tile is the one that a load without swizzle leaves.
cat >"$work/program.c" <<'END'
#include <stdint.h>
#include <stdio.h>
#include <string.h>
__attribute__((aligned(4096))) unsigned char tensor[64 * 256];
__attribute__((aligned(1024))) unsigned char tile[64 * 128], map[128], zeroed[128];
uint64_t barrier = 0xfffff807f81ffffe;
void ready(void) { __asm__ volatile(""); }
int main(int argc, char **argv)
{
    FILE *file = argc > 1 ? fopen(argv[1], "rb") : 0;
    if (file == 0 || fread(map, 1, 128, file) != 128) return 1;
    for (unsigned i = 0; i < sizeof tensor; i++) tensor[i] = (unsigned char)(i * 2654435761u >> 13);
    for (int row = 0; row < 64; row++) memcpy(tile + 128 * row, tensor + 256 * row + 128, 128);
    ready();
    return 0;
}
END
"$cc" -g -no-pie -o "$work/program" "$work/program.c" || exit 1
address=$(nm "$work/program" | sed -n 's/^\([0-9a-f]*\) . tensor$/0x\1/p')
"$TMAREF" encode --dtype u8 --dim 256,64 --box 128,64 --swizzle 128B --address "$address" --raw "$work/map" >/dev/null || exit 1

failed=0
debugger() { # debugger COMMAND: what gdb prints for it where the program is ready
    TMAREF_COMMAND=$TMAREF gdb -nx -batch -ex 'set confirm off' -ex 'set debuginfod enabled off' -ex "source $source/harness/gdb/tmaref.py" \
        -ex 'break ready' -ex "run $work/map" -ex 'echo ----\n' -ex "$1" "$work/program" 2>&1 </dev/null | sed '1,/^----$/d'
}
says() { # says "TEXT" COMMAND
    debugger "$2" >"$work/out"
    grep -qF -- "$1" "$work/out" && return
    failed=1
    printf 'FAILED: (gdb) %s\n  does not say: %s\n' "$2" "$1"
    cat "$work/out"
}
# same COMMAND ARGUMENT...: it prints what `tmaref ARGUMENT...` prints.
same() {
    debugger "$1" >"$work/out"
    "$TMAREF" "${@:2}" | diff - "$work/out" && return
    failed=1
    echo "FAILED: (gdb) $1"
}

same "tmaref map &map" decode "$work/map"
same "tmaref map map" decode "$work/map"
same "tmaref barrier &barrier" mbarrier 0xfffff807f81ffffe
says "SWIZZLE_MODE" "tmaref tile tile sizeof(tile) --map &map --coord 128,0 --shared 0x400"
says "is not a whole number" "tmaref tile tile 8192 --map &map --coord x --shared=0"
says "say with --shared which one" "tmaref tile tile 8192 --map &map"
says "write: tmaref tile ADDRESS BYTES --map ADDRESS" "tmaref tile tile 8192"
says "write: tmaref map ADDRESS" "tmaref map"
says "write: tmaref barrier ADDRESS" "tmaref barrier"
says "BYTES is a number from 1 to 233472, not -5" "tmaref tile tile -5 --map &map"
says "BYTES is a number from 1 to 233472, not 0" "tmaref tile tile 0 --map &map"
says 'the map has no tensor (its address is 0): see `tmaref map`' "tmaref tile tile 8192 --map &zeroed --shared 0"
says 'No symbol "nothing"' "tmaref map nothing"
says "Cannot access memory" "tmaref barrier 0x10"
[ $failed = 0 ] && echo "gdb.sh: all as it should be"
exit $failed
