#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds the tables of docs/paths.md against runs (whereis.py), or writes their files and functions anew; what happens there stays.

usage: paths.py [--write] [--build build/whereis]

A table stands behind its heading, in the order of PATHS. Ends with 77, and says why, where gdb cannot read the build.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import whereis

HERE = pathlib.Path(__file__).resolve().parent
PAGE = whereis.SOURCE / "docs/paths.md"
ROW = re.compile(r"^\| `([^`]+)` \| (.*) \| (.*) \|$")


def one_case(folder):
    """A trace of the first case of load.jsonl.zst, whose barrier ends as it begins."""
    lines = subprocess.run(["zstd", "-dc", whereis.SOURCE / "traces/sm_90a/load.jsonl.zst"], capture_output=True, text=True, check=True).stdout.split("\n", 2)
    trace = folder / "one.jsonl"
    trace.write_text(json.dumps(json.loads(lines[0]) | {"cases": 1}) + "\n" + lines[1] + "\n")
    return trace


def paths(build, folder):
    """Of each table its heading, the words, and the command."""
    command = str(build / "harness/tmaref")
    launch = [command, "exec", "-q", "--", str(build / "tests/whereis/whereis_launch"), str(HERE / "keep.ptx"), "777123"]
    element = 17592198354128 + 8 * 47120 + 800000
    return [
        ("## A coordinate of a case", ["47120", str(element)], [command, "run", "--family", "load", "--input", str(HERE / "coordinate.jsonl")]),
        ("## An argument of a launch", ["777123"], launch),
        ("## A token of PTX", ["190733"], launch),
        ("## A line of a trace", ["feff1f0000f8ffff", "0xfffff800001ffffe"], [command, "replay", "--jobs=1", str(one_case(folder))]),
    ]


def run_rows(build, words, command):
    """The rows of a run: (file, functions). Of `tmaref exec`, what is behind the program's own main()."""
    found = whereis.run(build, words, command)
    mains = [i for i, (path, _, _, _) in enumerate(found) if path.startswith("tests/")]
    files = {}
    for path, _, name, _ in found[mains[-1] + 1 if mains else 0:]:
        if not path.startswith("harness/command/"):
            files.setdefault(path, []).append(f"`{name}()`")
    return [(path, " ".join(names)) for path, names in files.items()]


def table_of(lines, heading):
    """Where the rows of the table behind a heading are: the first, and past the last."""
    first = next(i for i in range(lines.index(heading), len(lines)) if lines[i].startswith("|---")) + 1
    past = first
    while past < len(lines) and lines[past].startswith("|"):
        past += 1
    return first, past


def main(arguments):
    build = pathlib.Path(arguments[arguments.index("--build") + 1]) if "--build" in arguments else whereis.SOURCE / "build/whereis"
    for tool in ("gdb", "zstd", "setarch"):
        if shutil.which(tool) is None:
            print(f"skipped: there is no {tool} here")
            sys.exit(77)
    lines, wrong = PAGE.read_text().splitlines(), 0
    with tempfile.TemporaryDirectory() as folder:
        for heading, words, command in paths(build, pathlib.Path(folder)):
            first, past = table_of(lines, heading)
            old = {match[1]: (match[2], match[3]) for match in map(ROW.match, lines[first:past]) if match}
            rows = run_rows(build, words, command)
            new = [f"| `{path}` | {names} | {old.get(path, ('', ''))[1]} |" for path, names in rows]
            for line in sorted(set(lines[first:past]) ^ set(new)):
                print(f"docs/paths.md: {heading[3:]}: {'only the run has' if line in new else 'only the page has'} {line}")
            wrong += lines[first:past] != new
            lines[first:past] = new
    if "--write" in arguments:
        PAGE.write_text("\n".join(lines) + "\n")
    elif wrong:
        sys.exit(f"paths.py: {wrong} tables differ from the runs; if the code is right, --write writes them")


if __name__ == "__main__":
    main(sys.argv[1:])
