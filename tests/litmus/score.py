#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The mutants' score of the recorded tries: score.py TMAREF RECORDED UNSEEN PAGE. A mutant is a test whose bad end is
allowed. Each was seen in some record, or has a line in UNSEEN, with a class that PAGE explains; none has both. PAGE has
the score, and a row `CLASS` | tests | tries for each class."""
import collections
import glob
import json
import os
import subprocess
import sys


def mutants(tmaref, recorded):
    """How often each mutant's bad end was seen, and in how many tries."""
    seen, tries = collections.Counter(), collections.Counter()
    records = sorted(glob.glob(os.path.join(recorded, "*.jsonl.zst")))
    assert records, f"{recorded}: no records"
    for record in records:
        answer = subprocess.run([tmaref, "litmus", "--executor", "trace", "--json", record], stdout=subprocess.PIPE, check=False)
        for test in json.loads(answer.stdout)["tests"]:
            if test["question"] == "allowed":
                seen[test["test"]] += test["seen"]
                tries[test["test"]] += test["tries"]
    return seen, tries


def main():
    tmaref, recorded, unseen, page = sys.argv[1:]
    with open(unseen, encoding="ascii") as file:
        reason = dict(line.rstrip("\n").split("\t") for line in file if not line.startswith("#"))
    with open(page, encoding="utf-8") as file:
        text = file.read()
    seen, tries = mutants(tmaref, recorded)
    faults = [f"{name}: not seen in {tries[name]} tries, and unseen.tsv gives no class" for name in seen
              if seen[name] == 0 and name not in reason]
    faults += [f"{name}: unseen.tsv has it, but " + ("it was seen" if name in seen else "no record has it as a mutant")
               for name in reason if seen[name] > 0 or name not in seen]
    shown = sum(count > 0 for count in seen.values())
    tests, tried = collections.Counter(reason.values()), collections.Counter()
    for name, why in reason.items():
        tried[why] += tries[name]
    rows = [f"An H200 showed it in {shown} of {len(seen)} tests, or {round(100 * shown / len(seen))} %."]
    rows += [f"| `{why}` | {count} | {tried[why]:,} |" for why, count in tests.most_common()]
    faults += [f"{page} lacks: {row}" for row in rows if row not in text]
    print("\n".join(rows + faults))
    return 1 if faults else 0


sys.exit(main())
