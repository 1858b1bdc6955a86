#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Judges the reports of hangs: plants one mistake of synchronisation at a time in the pipelines of this folder.

usage: mutants.py TMAREF FOLDER [--all]     FOLDER has the programs; TMAREF is the command

A line of a pipeline that ends in `//@ a b: kind` is about the barriers a and b. Each DROP and ALTER on it is a mistake. What
the report has to say is known before the run: its first line has to name a line about one of these barriers, and what it calls
likely must be one of the sentences that fit the kind of the mistake. It fails below 150 hangs, 90 % of lines, or with wrong advice. Mistakes that do not make the kernel hang, or fault at a
barrier, are counted and not judged.
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).parent / "pipelines"

BYTES = r"asks? for \d+|bytes went to another|no copy has signalled|no expect_tx has announced|is not an arrival"
WHERE = r"has not (in this one|at this one).*: it (is at|waits)"  # says where the missing warp is, and blames nothing
GONE = r"made a round less than the waiter, or left it out"
NONE = r"the arrive is missing|or an arrival before it"
NEXT = r"belongs? to the next phase|it has waited for none of them"
POLL = r"wrote it last .* a write behind that is missing or goes to another address, or this one left another value|The write of this one is missing or"
COUNT = r"count of init .*or an arrive is missing"
EARLY = r"The parity must flip|must have parity 0"  # a wait that let its thread pass
PASSED = r"since it did for this one: it left this one out"
PARTED = r"came with \d+ of its \d+ arrivals|or they left out what it waits for"
SKIPPED = r"has left out the barrier at"
AWAY = r"(is past it|is ahead of|is as far as).*left this barrier out|some of them name the wrong barrier|barrier.cluster.arrive is missing"
FITS = {  # kind of the mistake: sentences that do not contradict it
    "init count": r"count of init|no mbarrier.init has created|the init is missing|init .* ran \d+ times|" + NEXT + "|" + WHERE + "|is lower than the arrivals",
    "parity": "|".join((r"parity|starts empty|for a phase too many", NEXT, WHERE, EARLY)),
    "wait": "|".join(("parity", NEXT, WHERE, POLL, EARLY)),
    "expect": "|".join((BYTES, WHERE, GONE, NONE, NEXT, COUNT)),
    "copy": "|".join((BYTES, WHERE, GONE, PASSED, "something else has written")),
    "arrive": "|".join((PARTED, SKIPPED, WHERE, GONE, NONE, COUNT, NEXT, POLL, PASSED, "an arrive for it named another|wrong barrier|different counts|have exited|the CTA has only|last phase of barrier|without .noinc")),
    "rounds": "|".join((PARTED, SKIPPED, WHERE, GONE, POLL, AWAY, "no copy has signalled|wrong barrier|have exited|cannot come to it")),
    "sync": "|".join((SKIPPED, WHERE, AWAY, "no barrier of all threads after it|wrong barrier|different counts|have exited|the CTA has only|last phase of barrier|cannot come to it|its mask")),
    "set": POLL, "": "",
}


def marks(path):
    """The mistakes of a pipeline, and the lines about each barrier."""
    mistakes, about = [], {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        code, _, mark = line.partition("//@")
        names, _, kind = mark.partition(":")
        for name in names.split():
            about.setdefault(name, set()).add(number)
        if not mark:
            continue
        if re.search(r"\bDROP\(", code):
            mistakes.append((number * 10, number, names.split(), kind.strip(), "left out"))
        for k in sorted(set(re.findall(r"\bALTER\((\d)", code))):
            mistakes.append((number * 10 + int(k), number, names.split(), kind.strip(), "altered"))
    return mistakes, about


def run(tmaref, program, number):
    command = [tmaref, "exec", "--limit-seconds", "60", "--", str(program), str(number)]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=120).stderr
    except subprocess.TimeoutExpired:
        return "timeout"


def judge(path, mistake, about, report):
    number, line, names, kind, _ = mistake
    first = report.splitlines()[0] if report else ""
    if " hangs: " not in first and not ("(719)" in first and "mbarrier" in report):
        return None
    wanted = set().union(*(about[name] for name in names)) | {line}
    found = any(int(named) in wanted for named in re.findall(rf"\b{re.escape(path.name)}:(\d+)", first))
    likely = re.findall(r"Likely: (.*)", report)
    wrong = [text for text in likely if not FITS[kind] or not re.search(FITS[kind], text)]
    return found, likely, wrong, first


def main():
    tmaref, folder = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    jobs = []
    for path in sorted(HERE.glob("*.cu*")):  # of a header: in the program of its name
        mistakes, about = marks(path)
        jobs += [(path, mistake, about) for mistake in mistakes]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        reports = list(pool.map(lambda job: run(tmaref, folder / job[0].stem, job[1][0]), jobs))
    rows, total = {}, [0] * 6
    for (path, mistake, about), report in zip(jobs, reports):
        row = rows.setdefault(path.stem, [0] * 6)
        row[0] += 1
        verdict = judge(path, mistake, about, report)
        if verdict is None:
            continue
        found, likely, wrong, first = verdict
        for at, is_so in enumerate((True, found, likely, wrong, len(report.splitlines()) > 17), 1):
            row[at] += bool(is_so)
        if "--all" in sys.argv or not found or wrong:
            print(f"{path.name}:{mistake[1]} {mistake[4]} {mistake[0]} ({' '.join(mistake[2])}: {mistake[3]}): "
                  f"{'' if found else 'ANOTHER LINE '}{'WRONG ADVICE ' if wrong else ''}\n  {first}")
            for text in likely:
                print(f"  Likely: {text}")
    print("| pipeline | mistakes | hang | first line names the place | has advice | wrong advice | over a screen |")
    print("|---|---|---|---|---|---|---|")
    for name, row in rows.items():
        total = [a + b for a, b in zip(total, row)]
        print(f"| {name} | " + " | ".join(map(str, row)) + " |")
    print("| all | " + " | ".join(map(str, total)) + " |")
    _, hangs, named, _, wrong, long = total
    return not (hangs >= 150 and named >= 0.9 * hangs and wrong == 0 and long == 0)


sys.exit(main())
