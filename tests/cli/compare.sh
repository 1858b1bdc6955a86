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

# Every other field of the head is compared, each of its bytes but those of clock, unused and the address of the map.
field() { # field FILE BYTE NAME
    altered "$1" "$2" "$(printf '\\%03o' $((0x$(xxd -s "$2" -l 1 -p "h200/$1") ^ 1)))"
    run 1 compare "h200/$1" "$1"
    out "different: $3"
}
field plain.dump 12 'what the dump has'
field plain.dump 16 'shared address'
field plain.dump 24 'destination'
field plain.dump 28 'dimensions'
field plain.dump 48 'coordinates'
for byte in 52 54 56 58; do field plain.dump $byte 'im2col offsets'; done
field plain.dump 60 "barrier's address"
field plain.dump 64 'expected bytes'
for byte in 72 76; do field plain.dump $byte 'barrier'; done
for byte in 88 92 96; do field plain.dump $byte 'block'; done
for byte in 112 120 136 150 170 190 210 231; do field swizzled.dump $byte 'map: '; done
altered swizzled.dump 104 '\0\0\0\1'
run 0 compare h200/swizzled.dump swizzled.dump
head -c 128 /dev/zero | tr '\0' '\377' | dd of=swizzled.dump bs=1 seek=104 conv=notrunc status=none
run 1 compare h200/swizzled.dump swizzled.dump # no map of a rank and type that exist
out "different: map: "
out "0 of 8192 elements (UINT8) differ"

# A poisoned dump whose bytes are no whole elements: the rest is compared too, and nothing behind it is read.
shortened() { # shortened FILE
    { head -c 20 h200/outside.dump; printf '\377\37\0\0'; tail -c +25 h200/outside.dump | head -c 8399; } >"$1"
}
shortened one.dump
shortened two.dump
printf '\125' | dd of=two.dump bs=1 seek=8422 conv=notrunc status=none
run 0 compare one.dump one.dump
run 1 compare one.dump two.dump
out "different: bytes behind the last element"
out "0 of 2047 elements (FLOAT32) differ"

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

array() { # array FILE TYPE SHAPE BYTES: a .npy file, its head padded to 118 bytes
    { printf '\223NUMPY\1\0v\0%-117s\n' "{'descr': '$2', 'fortran_order': ${5:-False}, 'shape': ($3), }"
        printf "$4"; } >"$1"
}
array a.npy '<f4' 2,3 '0000111122223333444455556'
array b.npy '<f4' 3,2 '0000111122223333444455556'
run 0 compare a.npy a.npy
out "0 of 6 elements (FLOAT32) differ"
run 1 compare a.npy b.npy
out "different: shape"
out "    a.npy: (2, 3)"
array b.npy '<f4' 2,3 '000011112222333344445565'
run 1 compare a.npy b.npy
out "first difference: element 5 [1, 2]"
array b.npy '<i4' 2,3 '000011112222333344445555'
run 1 compare a.npy b.npy
out "different: type"
array b.npy '>f4' 2,3 '000011112222333344445555'
run 2 compare a.npy b.npy
err "b.npy is big-endian (>f4): a GPU is little-endian; save it as '<f4'"
array b.npy '<f4' 2,3 '000011112222333344445555' True
run 2 compare a.npy b.npy
err "b.npy is in Fortran order"
# Ulps that a signed number of JSON cannot hold are a string.
array a.npy '<f8' 1 '\0\0\0\0\0\0\357\177'
array b.npy '<f8' 1 '\0\0\0\0\0\0\357\377'
run 1 compare --json a.npy b.npy
json '"0xffde000000000000"' largestUlps

run 2 compare h200/sums.f32
err "takes two files"
run 2 compare h200/sums.f32 h200/plain.dump
err "one of the files is a dump of tmaref_dump(), the other is not"
run 2 compare h200/sums.f32 none
err "none: No such file or directory"
run 2 compare --type f33 h200/sums.f32 sums.f32
err "--type: takes "
err ", not 'f33'; did you mean"
run 2 compare --type 99 h200/sums.f32 sums.f32
err "--type: 99 is not a type of a tensor map's elements"
run 2 compare --type f32 --shape 3,5 h200/sums.f32 sums.f32
err "h200/sums.f32 has 3840 elements, the shape 15"
head -c 300 h200/plain.dump >short.dump
run 2 compare short.dump h200/plain.dump
err "short.dump is cut short, or of another version"
finish
