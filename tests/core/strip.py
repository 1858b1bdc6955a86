# SPDX-License-Identifier: MIT
"""Makes a core dump of the CUDA driver small: strip.py DUMP OUT. Leaves out what `tmaref core` does not read: machine
code of modules that no grid runs, predicates, local memory, registers above R63, global memory behind the first 64 KiB of
a section, and tables of SMs' CTAs that are empty. All that stays keeps its bytes.

strip.py DUMP OUT no-shared leaves out shared memory as well, no-registers all registers, as the driver does with its flags;
sm-100 makes it a dump of a GPU of sm_100, no-lines one of code that was
compiled without -lineinfo; arrived has six arrivals more at the mbarrier at 0x400;
two-units a second section of PTX, as nvlink leaves."""

import struct
import sys

LOUSER = 0x80000000
GLOBAL, LOCAL, SHARED, REGISTERS, ELF_IMAGE, IMAGE, DEVICES, GRIDS, CTAS, PREDICATES, UPREDICATES, BARRIERS = 2, 3, 4, 5, 6, 7, 9, 12, 13, 17, 20, 23
GLOBAL_BYTES, REGISTER_BYTES, MANAGED = 1 << 16, 64 * 4, 1
SECTION = struct.Struct("<IIQQQQIIQQ")


def sections_of(data):
    (at,) = struct.unpack_from("<Q", data, 40)
    count, names = struct.unpack_from("<HH", data, 60)
    if count == 0:
        count = SECTION.unpack_from(data, at)[5]
    return [list(SECTION.unpack_from(data, at + SECTION.size * i)) for i in range(count)], names


def entries(image):
    """The addresses at which the code of a module lies."""
    return [(s[3], s[5]) for s in sections_of(image)[0] if s[2] & 4]


def keep(section, body, grids, how):
    kind = section[1] - LOUSER
    if (how == "no-shared" and kind == SHARED) or (how == "no-registers" and kind == REGISTERS):
        return None
    if how == "two-units" and kind == IMAGE:
        body = body.replace(b".nv_debug_line_sass\0", b".nv_debug_ptx_txt\0\0\0")
    if how == "arrived" and kind == SHARED:
        (word,) = struct.unpack_from("<Q", body, 0x400)
        return body[:0x400] + struct.pack("<Q", word + (6 << 43)) + body[0x408:]
    if how == "no-lines" and kind == IMAGE:
        for name in (b".debug_line\0", b".nv_debug_line_sass\0", b".nv_debug_ptx_txt\0"):
            body = body.replace(name, b".other" + name[6:])
    if how == "sm-100" and kind == DEVICES:
        return body[:56] + struct.pack("<II", 10, 0) + body[64:]
    if kind in (LOCAL, ELF_IMAGE, PREDICATES, UPREDICATES, BARRIERS):
        return None
    if kind == CTAS and not body:
        return None
    if kind == IMAGE and not any(a <= g < a + n for a, n in entries(body) for g in grids):
        return None
    if kind in (GLOBAL, MANAGED):
        return body[:GLOBAL_BYTES]
    return body[:REGISTER_BYTES] if kind == REGISTERS else body


def main(source, target, how=""):
    data = open(source, "rb").read()
    sections, names = sections_of(data)
    bodies = [b"" if s[1] == 8 else data[s[4] : s[4] + s[5]] for s in sections]
    grids = []
    for section, body in zip(sections, bodies):
        if section[1] - LOUSER == GRIDS:
            grids += [struct.unpack_from("<Q", body, 24 + i)[0] for i in range(0, len(body), section[9])]
    kept, number = [], {0: 0}
    for i, (section, body) in enumerate(zip(sections, bodies)):
        body = keep(section, body, grids, how) if i > 0 else b""
        if body is not None:
            number[i] = len(kept)
            kept.append((section, body))
    out = bytearray(data[:64])
    for section, body in kept:
        section[4], section[5] = (len(out) if body else 64), len(body)
        section[6] = number.get(section[6], 0)
        out += body
    out += bytes(-len(out) % 8)
    struct.pack_into("<Q", out, 40, len(out))
    struct.pack_into("<HH", out, 60, len(kept), number[names])
    for section, _ in kept:
        out += SECTION.pack(*section)
    open(target, "wb").write(out)


main(*sys.argv[1:])
