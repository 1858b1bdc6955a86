#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Through which files and functions does a word pass? Runs a command, and prints each function of this tree that gets the word, in
the order in which they first get it: a coordinate, an argument of a launch, a token of PTX, a text of a trace.

usage: whereis.py [--build build/whereis] [--table] WORD[,WORD...] COMMAND [ARGUMENT...]

A WORD that is a number as C writes it is looked for as text and as a number of 32 or 64 bits, any other word as text. Take a rare
one: every function that gets it is printed, whatever it is there. Several words are one thing in several forms. A function
has the word in an argument, in what an argument points to, or behind a pointer there; --table prints the files and functions alone.

Build first:  cmake --preset whereis && cmake --build build/whereis --target tmaref whereis run_ptx
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import gdb  # this file is also the script by which gdb says what the addresses of one module are
except ImportError:
    gdb = None

SOURCE = pathlib.Path(__file__).resolve().parents[2]
REGISTERS, STACK, WORD_BYTES, ARRAY_ITEMS, VOID_BYTES = 6, 6, 8, 8, 64
JSON_TAIL = 8  # what jansson's header does not tell of an integer
KEEP_MEMORY = "glibc.malloc.mmap_max=0:glibc.malloc.trim_threshold=0x10000000000"  # free() unmaps nothing that whereis.c may look at
MODULE, ADDRESS, WORD, ARGUMENT, HOW, OFFSET = range(6)  # of a line of the log


def is_object(kind):
    return kind.code in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION)


def places(function, block):
    """Where the arguments are, as the ABI of x86-64 has it: (name, type) of each register, and (name, type, offset) on the stack."""
    registers, stack, used = [], [], 0
    result = function.type.target().strip_typedefs()
    if is_object(result) and result.sizeof > 2 * WORD_BYTES:
        registers.append((None, None))
    for symbol in block:
        if not symbol.is_argument:
            continue
        kind = symbol.type.strip_typedefs()
        words = (kind.sizeof + WORD_BYTES - 1) // WORD_BYTES
        if kind.code == gdb.TYPE_CODE_FLT:
            continue
        if words <= 2 and len(registers) + words <= REGISTERS:
            registers += [(symbol.name, kind)] * words
        else:
            stack.append((symbol.name, kind, used))
            used += words * WORD_BYTES
    return registers, stack


def member(kind, offset):
    """The name of what is at an offset of a type: .tile.coord"""
    kind = kind.strip_typedefs()
    if is_object(kind):
        for field in kind.fields():
            if hasattr(field, "bitpos") and field.bitpos // 8 <= offset < field.bitpos // 8 + field.type.sizeof:
                return (f".{field.name}" if field.name else "") + member(field.type, offset - field.bitpos // 8)
    return ""


def extent(kind, is_behind):
    """How many bytes behind a pointer may belong to it; with is_behind, of pointers there."""
    target = kind.target().strip_typedefs()
    if is_object(target):
        return target.sizeof + (JSON_TAIL if target.name == "json_t" else 0)
    if target.code == gdb.TYPE_CODE_VOID:
        return VOID_BYTES
    return 0 if is_behind and target.code != gdb.TYPE_CODE_PTR else target.sizeof * ARRAY_ITEMS


def describe(argument, how, offset, registers, stack):
    """What the function has, in words; None where the register is no parameter, or the offset past what it points to."""
    if argument == STACK:
        for name, kind, at in stack:
            if how.startswith("number") and at <= offset < at + kind.sizeof:
                return f"{name}{member(kind, offset - at)}"
        return None
    name, kind = registers[argument] if argument < len(registers) else (None, None)
    if name is None:
        return None
    if how == "number":
        return name if kind.code != gdb.TYPE_CODE_PTR else None
    if how == "text in" and kind.code == gdb.TYPE_CODE_PTR and kind.target().sizeof == 1:
        return f"the text in {name}"
    if kind.code != gdb.TYPE_CODE_PTR or how == "text in" or offset >= extent(kind, how.endswith("behind")):
        return None
    target = kind.target().strip_typedefs()
    inside = name + (member(target, offset).replace(".", "->", 1) if is_object(target) else f"[{offset // target.sizeof}]" if offset else "")
    return inside if how == "number in" else f"the text at {inside}" if how.startswith("text") else f"*{inside}"


def resolve(log):
    """In gdb: reads lines of the log from a file, and writes one JSON list for each that stands."""
    with open(log, encoding="utf-8") as lines:
        rows = [line.rstrip("\n").split("\t") for line in lines]
    for row in rows:
        block = gdb.block_for_pc(int(row[ADDRESS], 0))
        while block and not block.function:
            block = block.superblock
        answer = ["", 0, "", None]
        if block:
            what = describe(int(row[ARGUMENT]), row[HOW], int(row[OFFSET]), *places(block.function, block))
            answer = [block.function.symtab.fullname(), block.function.line, block.function.name, what]
        print(json.dumps(answer))


def functions(log):
    """The functions of this tree in the log, in its order: (file, line, function, what it has)."""
    rows = [line.split("\t") for line in log.read_text().splitlines()]
    found = {}
    for module in dict.fromkeys(row[MODULE] for row in rows):
        numbers = [i for i, row in enumerate(rows) if row[MODULE] == module]
        part = log.with_suffix(".part")
        part.write_text("".join("\t".join(rows[i]) + "\n" for i in numbers))
        done = subprocess.run(["gdb", "-nx", "-batch", "-iex", "set debuginfod enabled off", "-ex", f"python LOG = {str(part)!r}", "-x", __file__, module],
                              capture_output=True, text=True, check=False)
        answers = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]
        if len(answers) != len(numbers):
            sys.exit(f"whereis: gdb cannot say what is in {module}: {done.stderr.strip()}")
        found |= dict(zip(numbers, answers))
    seen = {}
    for i in sorted(found):
        path, line, name, what = found[i]
        if what is not None and pathlib.Path(path).is_relative_to(SOURCE):
            seen.setdefault((str(pathlib.Path(path).relative_to(SOURCE)), name), (line, what))
    return [(path, line, name, what) for (path, name), (line, what) in seen.items()]


def run(build, words, command):
    """Runs the command with the library of whereis.c, and returns what functions() returns."""
    library = build / "tests/whereis/libwhereis.so"
    if not library.is_file():
        sys.exit(f"whereis: there is no {library}; see the begin of {__file__}")
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder) / "log"
        log.touch()
        preload = f"{library}:{os.environ['LD_PRELOAD']}" if os.environ.get("LD_PRELOAD") else str(library)
        done = subprocess.run(["setarch", "-R", "env", f"LD_PRELOAD={preload}", "GLIBC_TUNABLES=" + KEEP_MEMORY, f"WHEREIS_LOG={log}", "WHEREIS_WORDS=" + "\n".join(words), *command],
                              stdout=sys.stderr, check=False)
        if done.returncode < 0 or done.returncode > 1:
            sys.exit(f"whereis: the command ended with {done.returncode}")
        return functions(log)


def main(arguments):
    build, is_table = SOURCE / "build/whereis", False
    while arguments and arguments[0].startswith("--"):
        option = arguments.pop(0)
        if option == "--table":
            is_table = True
        elif option == "--build" and arguments:
            build = pathlib.Path(arguments.pop(0))
        else:
            sys.exit(__doc__)
    if len(arguments) < 2:
        sys.exit(__doc__)
    rows = run(build, arguments[0].split(","), arguments[1:])
    files = {}
    for path, line, name, what in rows:
        files.setdefault(path, []).append(f"`{name}()`")
        if not is_table:
            print(f"{path}:{line}: {name}: {what}")
    if is_table:
        print("\n".join(f"| `{path}` | {' '.join(names)} |" for path, names in files.items()))
    sys.exit(0 if rows else 1)


if gdb:
    resolve(globals()["LOG"])
elif __name__ == "__main__":
    main(sys.argv[1:])
