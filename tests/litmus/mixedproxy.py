#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the tests of NVlabs/mixedproxy (tests/*.test) in the syntax of `tmaref litmus`: one file for each row of a
test's table. `permit` becomes exists, `assert` becomes forall, and `ld r0, [x] == 1` a filter. See docs/memory-model.md.

    mixedproxy.py TEST... FOLDER
"""
import os
import re
import sys


def rows_of(text):
    """The test with each row of its table filled in; the test itself if it has no table."""
    body, mark, table = text.partition("$$")
    if not mark:
        return [text]
    filled = []
    for line in table.splitlines():
        if "|" not in line:
            continue
        cells = [cell.strip() for cell in line.split("|")]
        filled.append(re.sub(r"\$(\d+)", lambda match: cells[int(match.group(1))], body))
    return filled


def declarations(text):
    found = []
    for kind, name, alias in re.findall(r"^\.(\w+)\s+(\w+)(?:\s+\w+\s+aliases\s+(\w+))?\s*;", text, re.M):
        proxy = {"global": "generic", "shared": "generic", "texref": "texture", "surfref": "surface"}[kind]
        found.append(f"{name} @ {proxy} aliases {alias};" if alias else f"{name} = 0;")
    return " ".join(found)


def instruction(text, thread, filters):
    text, _, value = text.partition("==")
    words = text.split(None, 1)
    operands = words[1].replace("[", "").replace("]", "").strip() if len(words) > 1 else ""
    if value:
        filters.append(f"P{thread}:{operands.split(',')[0].strip()} == {value.strip()}")
    return f"{words[0]} {operands}".strip()


def threads(text):
    heads, columns, filters = [], [], []
    for device, block, body in re.findall(r"d(\d+)\.b(\d+)\.t\d+\s*\{(.*?)\}", text, re.S):
        thread = len(heads)
        heads.append(f"P{thread}@cta {block},gpu {device}")
        columns.append([instruction(part.strip(), thread, filters) for part in body.split(";") if part.strip()])
    return heads, columns, filters


def question(text, heads, columns, filters):
    kind, condition = re.search(r"(permit|assert)\s*\((.*)\)\s*as", text, re.S).groups()

    def where(match):
        register = match.group(0)
        thread = next(i for i, column in enumerate(columns) if any(re.search(rf"\b{register}\b", c) for c in column))
        return f"P{thread}:{register}"

    condition = re.sub(r"\br\d+\b", where, condition).replace("||", "\\/").replace("&&", "/\\")
    lines = ["filter (" + " /\\ ".join(filters) + ")"] if filters else []
    return "\n".join(lines + [f"{'exists' if kind == 'permit' else 'forall'} ({condition})"])


def convert(name, text):
    text = re.sub(r"//[^\n]*", "", text)
    heads, columns, filters = threads(text)
    depth = max(len(column) for column in columns)
    rows = [[column[i] if i < len(column) else "" for column in columns] for i in range(depth)]
    table = [heads] + rows
    return "\n".join([f"PTX {name}", "{ " + declarations(text) + " }"] + [" | ".join(row) + " ;" for row in table] +
                     [question(text, heads, columns, filters), ""])


def main(paths, folder):
    os.makedirs(folder, exist_ok=True)
    for path in paths:
        with open(path) as file:
            filled = rows_of(file.read())
        for number, text in enumerate(filled):
            name = os.path.splitext(os.path.basename(path))[0] + (f"-{number + 1}" if len(filled) > 1 else "")
            with open(os.path.join(folder, name + ".litmus"), "w") as file:
                file.write(convert(name, text))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1:-1], sys.argv[-1])
