# SPDX-License-Identifier: MIT
"""tmaref inside gdb and cuda-gdb: what lies at an address, decoded by the command. In the debugger:

    source tmaref.py
    tmaref map ADDRESS
    tmaref barrier ADDRESS
    tmaref tile ADDRESS BYTES --map ADDRESS [--coord LIST] [OPTION...]

An ADDRESS is any expression of the debugger without blanks: &map, 0x7f0000000000, (@shared`int*)0x400 with a ` for each blank.
Memory is read by the debugger's own `x`, so that what cuda-gdb knows of address spaces holds. The command is that of
TMAREF_COMMAND, or of the PATH.
"""

import json
import math
import os
import re
import subprocess
import tempfile

import gdb

MAP_BYTES, BARRIER_BYTES, WORD_BYTES = 128, 8, 4
MOST_TENSOR_BYTES = 256 << 20
MOST_TILE_BYTES = 233472  # the shared memory of an SM
RANK_SHIFT, SHARED_END = 24, 0x40000  # of a shared address: the CTA's rank above, its own memory below


def run(*arguments):
    """What `tmaref arguments` prints. What it does not take is an error of the debugger's command."""
    command = os.environ.get("TMAREF_COMMAND", "tmaref")
    try:
        done = subprocess.run([command, *arguments], capture_output=True, text=True, check=False)
    except OSError as error:
        raise gdb.GdbError(f"cannot run {command}: {error.strerror}; set TMAREF_COMMAND to its path") from error
    if done.returncode not in (0, 1):
        raise gdb.GdbError(done.stderr.strip())
    return done.stdout


def given(argument, usage):
    if not argument.strip():
        raise gdb.GdbError(f"write: {usage}")
    return argument


def expression(word):
    return word.replace("`", " ")


def number(word):
    value = gdb.parse_and_eval(expression(word))
    if value.type.strip_typedefs().code == gdb.TYPE_CODE_ARRAY:
        value = value.address
    return int(value) & (1 << 64) - 1


def tile_bytes(word):
    size_bytes = number(word)
    if not 1 <= size_bytes <= MOST_TILE_BYTES:
        raise gdb.GdbError(f"BYTES is a number from 1 to {MOST_TILE_BYTES}, not {expression(word)}")
    return size_bytes


def read(word, size_bytes):
    """Bytes of the program, or of the GPU, by `x`. Its lines are `ADDRESS <NAME>:` and hexadecimal words."""
    words = -(-size_bytes // WORD_BYTES)
    try:
        text = gdb.execute(f"x/{words}xw {expression(word)}", to_string=True)
    except gdb.error as error:
        raise gdb.GdbError(f"{size_bytes} bytes at {expression(word)}: {error}") from error
    values = [value for line in text.splitlines() for value in re.findall(r"0x[0-9a-f]{8}\b", line.rpartition(":")[2])]
    if len(values) != words:
        raise gdb.GdbError(f"{expression(word)}: `x` gave {len(values)} words of {words}")
    return b"".join(int(value, 16).to_bytes(WORD_BYTES, "little") for value in values)[:size_bytes]


def shared_address(word):
    address = number(word)
    if address >> 32 or address % (1 << RANK_SHIFT) >= SHARED_END:
        raise gdb.GdbError(f"{address:#x} is no address of shared memory: say with --shared which one it stands for")
    return address


def tensor_bytes(answer):
    """How many bytes a tensor spans in global memory, from `tmaref decode --json`."""
    call = answer["call"]
    dims, strides = call["globalDim"], call["globalStrides"]
    if call["interleave"]:  # rows of 16 or 32 bytes each: whole steps of the outermost dimension
        return max(dim * stride for dim, stride in zip(dims[1:], strides))
    elements = math.prod(call["boxDim"]) if "boxDim" in call else call["channelsPerPixel"] * call["pixelsPerColumn"]
    return dims[0] * answer["boxBytes"] // elements + sum((dim - 1) * stride for dim, stride in zip(dims[1:], strides))


def write_tensor(map_hex, path):
    """Writes the bytes of global memory that the map's tensor spans into a file."""
    answer = json.loads(run("decode", "--json", map_hex))
    address, size_bytes = answer["call"]["globalAddress"], tensor_bytes(answer)
    if address == 0:
        raise gdb.GdbError("the map has no tensor (its address is 0): see `tmaref map`")
    if size_bytes > MOST_TENSOR_BYTES:
        raise gdb.GdbError(f"the tensor has {size_bytes} bytes: write the part that matters into a file yourself, and "
                           "give it as --tensor FILE --tensor-at ADDRESS")
    try:
        gdb.execute(dump_of_global(path, address, size_bytes), to_string=True)
    except gdb.error as error:
        raise gdb.GdbError(f"the tensor, {size_bytes} bytes at {address:#x}: {error}") from error


def dump_of_global(path, address, size_bytes):
    """The debugger's command that writes global memory. cuda-gdb's `dump binary memory` would write the process's own."""
    try:
        gdb.parse_and_eval("(@global int *)0")
    except gdb.error:  # gdb, for a process without a GPU
        return f"dump binary memory {path} {address:#x} {address + size_bytes:#x}"
    return f"with max-value-size unlimited -- dump binary value {path} *(@global unsigned char *){address:#x}@{size_bytes}"


class Tmaref(gdb.Command):
    """Decode what the program has, with the command tmaref."""

    def __init__(self):
        super().__init__("tmaref", gdb.COMMAND_DATA, gdb.COMPLETE_NONE, prefix=True)


class Map(gdb.Command):
    """Name the fields of the tensor map at ADDRESS: tmaref map ADDRESS"""

    def __init__(self):
        super().__init__("tmaref map", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, from_tty):
        gdb.write(run("decode", read(given(argument, "tmaref map ADDRESS"), MAP_BYTES).hex()))


class Barrier(gdb.Command):
    """Decode the mbarrier at ADDRESS: tmaref barrier ADDRESS"""

    def __init__(self):
        super().__init__("tmaref barrier", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, from_tty):
        word = int.from_bytes(read(given(argument, "tmaref barrier ADDRESS"), BARRIER_BYTES), "little")
        gdb.write(run("mbarrier", f"{word:#018x}"))


class Tile(gdb.Command):
    """Say what explains a wrong tile: tmaref tile ADDRESS BYTES --map ADDRESS [--coord LIST] [OPTION...]

The BYTES at ADDRESS are what was found in shared memory. The tensor is read where the map says that it is, unless
--tensor FILE gives it. The other options are those of `tmaref diagnose`. Where ADDRESS is no shared address,
--shared says which one it stands for."""

    def __init__(self):
        super().__init__("tmaref tile", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, from_tty):
        words = gdb.string_to_argv(argument)
        options = words[2:]
        if len(words) < 4 or "--map" not in options[:-1]:
            raise gdb.GdbError("write: tmaref tile ADDRESS BYTES --map ADDRESS [--coord LIST] [OPTION...]")
        at = options.index("--map")
        map_hex = read(options[at + 1], MAP_BYTES).hex()
        del options[at : at + 2]
        with tempfile.TemporaryDirectory() as folder:
            dump, tensor = os.path.join(folder, "tile"), os.path.join(folder, "tensor")
            with open(dump, "wb") as file:
                file.write(read(words[0], tile_bytes(words[1])))
            if not any(option.split("=")[0] == "--tensor" for option in options):
                write_tensor(map_hex, tensor)
                options += ["--tensor", tensor]
            if not any(option.split("=")[0] == "--shared" for option in options):
                options += ["--shared", str(shared_address(words[0]))]
            gdb.write(run("diagnose", f"--map={map_hex}", "--dump", dump, *options))


Tmaref()
Map()
Barrier()
Tile()
