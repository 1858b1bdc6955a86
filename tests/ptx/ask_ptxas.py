#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What ptxas says of the cases of cases.c.

  ask_ptxas.py PTX_VERDICTS > FILE             asks about all of them (half an hour of a core) and writes the record
  ask_ptxas.py PTX_VERDICTS --since OLD > FILE the same, and asks only about cases that OLD, the program from before the
                                               change, does not have: verdicts.tsv is its record (a minute for a new word)
  ask_ptxas.py PTX_VERDICTS --rows PATTERN     prints the lines of the rows whose whole name PATTERN matches, to be put into it
  ask_ptxas.py PTX_VERDICTS --sample N         asks about every N-th and wants the front end to refuse what ptxas refuses

Exit status 77: there is no ptxas for sm_90a here.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

SECONDS, MEMORY_KB, TOGETHER = 20, 1500000, 400
if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
    sys.exit(__doc__)
program = sys.argv[1]
step = int(sys.argv[3]) if sys.argv[2:3] == ["--sample"] else 1
old = sys.argv[3] if sys.argv[2:3] == ["--since"] else None
names = re.compile(sys.argv[3] if sys.argv[2:3] == ["--rows"] else ".*")
ptxas = shutil.which("ptxas") or "/usr/local/cuda/bin/ptxas"


def read(*arguments, of=program):
    return subprocess.run([of, *arguments], capture_output=True, text=True, check=True).stdout


def ask(instructions, work, head, tail):
    """The lines that ptxas names, and whether it went through."""
    path = os.path.join(work, "cases.ptx")
    with open(path, "w") as file:
        file.write(head + "\n".join(instructions) + "\n" + tail)
    limit = f"ulimit -v {MEMORY_KB}; exec timeout {SECONDS} {ptxas} -O0 -arch=sm_90a {path} -o /dev/null"
    run = subprocess.run(["bash", "-c", limit], capture_output=True, text=True)
    # not those of <builtin>, the functions that ptxas calls for some instructions
    lines = (int(at) - head.count("\n") - 1 for at in re.findall(r"cases\.ptx, line (\d+); (?:error|fatal)", run.stderr))
    return {line for line in lines if 0 <= line < len(instructions)}, run.returncode == 0


def judge(instructions, verdicts, *around):
    """ptxas stops at some mistakes: what it names is taken out until it goes through. What it names nothing of is halved."""
    left = list(instructions)
    while left:
        named, is_through = ask(left, *around)
        if is_through:
            verdicts.update((instruction, "+") for instruction in left)
            return
        if not named and len(left) == 1:
            verdicts[left[0]] = "?"
            return
        if not named:
            half = len(left) // 2
            judge(left[:half], verdicts, *around)
            judge(left[half:], verdicts, *around)
            return
        verdicts.update((left[line], "-") for line in named)
        left = [instruction for line, instruction in enumerate(left) if line not in named]


def runs(verdicts):
    return "".join(f"{len(run.group())}{run.group()[0]}" for run in re.finditer(r"\++|-+|\?+", verdicts))


def digest(instructions):
    value = 14695981039346656037
    for byte in "".join(instruction + "\n" for instruction in instructions).encode():
        value = (value ^ byte) * 1099511628211 % 2**64
    return value


def rows_of(cases):
    rows = {}
    for case in cases:
        rows.setdefault(case[1], []).append(case)
    return rows


def known(old):
    """The verdicts on the cases of the old program, out of its record."""
    verdicts = {}
    cases = rows_of(line.split(" ", 2) for line in read(of=old).splitlines())
    with open(os.path.join(os.path.dirname(__file__), "verdicts.tsv")) as record:
        for name, count, recorded, _, said in (line.split() for line in record):
            instructions = [case[2] for case in cases.get(name, [])]
            if f"{digest(instructions):016x}" != recorded:
                sys.exit(f"{name}: verdicts.tsv is not the record of {old}")
            said = "".join(verdict * int(n) for n, verdict in re.findall(r"(\d+)(\D)", said))
            verdicts.update(zip(instructions, said, strict=True))
    return verdicts


def main():
    if not os.path.exists(ptxas) or "sm_90a" not in subprocess.run([ptxas, "--help"], capture_output=True, text=True).stdout:
        print("skipped: there is no ptxas that knows sm_90a")
        return 77
    cases = [line.split(" ", 2) for line in read().splitlines()][::step]
    cases = [case for case in cases if names.fullmatch(case[1])]
    verdicts = known(old) if old else {}
    wanted = list(dict.fromkeys(instruction for _, _, instruction in cases if instruction not in verdicts))
    head, tail = read("--head"), read("--tail")

    def judge_from(first):
        with tempfile.TemporaryDirectory() as work:
            judge(wanted[first:first + TOGETHER], verdicts, work, head, tail)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(judge_from, range(0, len(wanted), TOGETHER)))
    if step > 1:
        looser = [case for case in cases if case[0] == "+" and verdicts[case[2]] == "-"]
        print(*(f"ptxas refuses, the front end does not: {case[2]}" for case in looser), sep="\n", end="\n" if looser else "")
        print(f"{len(cases)} cases, {len(looser)} that ptxas alone refuses")
        return 1 if looser else 0
    for name, row in rows_of(cases).items():
        said = "".join(verdicts[case[2]] for case in row)
        stricter = sum(case[0] == "-" and verdict == "+" for case, verdict in zip(row, said))
        print(name, len(row), f"{digest([case[2] for case in row]):016x}", stricter, runs(said))
    return 0


sys.exit(main())
