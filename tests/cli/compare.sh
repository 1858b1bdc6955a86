#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# `tmaref compare`: dumps and buffers that are the same, differ in one element, or cannot be compared. Argument: dumps
# that an H200 wrote (tests/driver/programs/dumps.cu).
. "$(dirname "$0")/expect.sh" || exit 2
tar -xzf "${1:?dumps of an H200}" -C "$work" || exit 2
cd "$work" || exit 2

altered() { # altered FILE AT BYTES: a copy with other bytes
    cp "h200/$1" "$1"
    printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

for file in swizzled outside plain; do run 0 compare h200/$file.dump h200/$file.dump; done
out "0 of 2048 elements (INT32) differ"
run 0 compare --type f32 h200/sums.f32 h200/sums.f32

# The clock (byte 80 of the head) and the tensor's address are no difference; the barrier's word is.
altered plain.dump 80 '\1'
run 0 compare h200/plain.dump plain.dump
altered plain.dump 79 '\1'
run 1 compare h200/plain.dump plain.dump
out "different: barrier"

# Byte 1000 behind the head of 232: shared address 0x7e8, four rows below the tensor's end.
altered outside.dump 1232 '\1\2'
run 1 compare h200/outside.dump outside.dump
out "first difference: shared 0x7e8 (bank 26), element (2, 44), which is out of bounds: fill"
out "    h200/outside.dump: 0x7ff77ff7 (nan)"
out "1 of 2048 elements (FLOAT32) differ"
run 1 compare --json h200/outside.dump outside.dump
json 1 different
json 2024 first shared
run 1 compare h200/outside.dump h200/swizzled.dump
out "different: map: tensorDataType"
out "different: coordinates"

altered sums.f32 400 '\166'
run 1 compare --type f32 --shape 40,96 h200/sums.f32 sums.f32
out "first difference: element 100 [1, 4]"
out "    that is 40 units in the last place"
run 1 compare h200/sums.f32 sums.f32
out "first difference: element 400"
head -c 15000 h200/sums.f32 >short.f32
run 1 compare --type f32 h200/sums.f32 short.f32
out "different: bytes"
out "0 of 3750 elements (FLOAT32) differ"

run 2 compare h200/sums.f32
err "takes two files"
run 2 compare h200/sums.f32 h200/plain.dump
err "one of the files is a dump of tmaref_dump(), the other is not"
run 2 compare h200/sums.f32 none
err "none: No such file or directory"
run 2 compare --type f33 h200/sums.f32 sums.f32
err "--type: 'f33' is no type of a tensor map's elements"
run 2 compare --type f32 --shape 3,5 h200/sums.f32 sums.f32
err "h200/sums.f32 has 3840 elements, the shape 15"
head -c 300 h200/plain.dump >short.dump
run 2 compare short.dump h200/plain.dump
err "short.dump is cut short, or of another version"
finish
