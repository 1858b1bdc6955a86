#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Rows of docs/machine.md from the JSON of machine_bench, engine_bench and kernels_bench: table.py FILE..."""

import json
import sys


def ratio(side: dict) -> str:
    return f"{side['ratio']:.2f} ({side['least']:.2f} to {side['most']:.2f})"


def row(contest: dict) -> str:
    seconds = contest["ours"]["seconds"]
    rates = [
        f"{contest[of] * 1e-9 / seconds:.2g}" if contest[of] else "" for of in ("bytes", "thread_instructions")
    ]
    moved = f"{contest['bytes'] / contest['thread_instructions']:.2g}" if all(rates) else ""
    ratios = ([ratio(side) for side in contest["theirs"]] + [""])[:2]
    spread = " ".join(f"{side['variation_percent']:.0f}" for side in [contest["ours"], *contest["theirs"]])
    return "| " + " | ".join([contest["what"], *ratios, *rates, moved, spread]) + " |"


def main() -> int:
    print("| what | against C | C by vectors | GB/s | G instructions of threads/s | bytes for one | variation, % |")
    print("|---|---|---|---|---|---|---|")
    for name in sys.argv[1:]:
        with open(name, encoding="utf-8") as file:
            for contest in json.load(file):
                if "theirs" in contest:
                    print(row(contest))
    return 0


if __name__ == "__main__":
    sys.exit(main())
