#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# A judge that needs no tmaref: it asks an adapter (docs/conformance-kit.md) for the vectors of files, and says what agrees.
#   python3 judge.py ./adapter FILE.json...
import json
import subprocess
import sys


def number(value):
    return int(value, 0) if isinstance(value, str) else value


def window(name, said, vector):
    """The bytes of a window that an answer or a vector has in either form."""
    if "bytes" in said:
        return bytes.fromhex(said["bytes"])
    size = number(vector["windows"][name]["size"])
    held = bytearray.fromhex(vector.get("before", {}).get(name, {"bytes": "00" * size})["bytes"])
    for change in said["changed"]:
        at, new = number(change["at"]), bytes.fromhex(change["bytes"])
        held[at:at + len(new)] = new
    return bytes(held)


def difference(vector, said):
    """What differs, in words; "" if nothing does."""
    want = vector["result"]
    if said["status"] != want["status"]:
        return f"status {want['status']} expected, {said['status']} found"
    for name in want.keys() - {"status"}:
        expected, found = window(name, want[name], vector), window(name, said[name], vector)
        if expected != found:
            at = next((i for i, (a, b) in enumerate(zip(expected, found)) if a != b), min(len(expected), len(found)))
            return f"{name}+{at:#x}: {expected[at:at + 1].hex()} expected, {found[at:at + 1].hex()} found"
    return ""


def verdict(vector, said):
    if "unsupported" in said:
        return "unsupported"
    differs = difference(vector, said["result"])
    if not differs or (vector["verdict"] == "must not" and said["result"]["status"] != 0):
        return "agrees"
    return "differs" if vector["verdict"] == "may" else f"FAILED: {differs}"


def main():
    counts = {}
    with subprocess.Popen(sys.argv[1], shell=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as adapter:
        for path in sys.argv[2:]:
            with open(path, encoding="utf-8") as file:
                vectors = json.load(file)
            for vector in vectors["vectors"]:
                keys = ("index", "case", "windows", "before")
                asked = {"family": vectors["family"], **{key: vector[key] for key in keys if key in vector}}
                print(json.dumps(asked), file=adapter.stdin, flush=True)
                judged = verdict(vector, json.loads(adapter.stdout.readline()))
                word = judged.split(":")[0]
                counts[vector["verdict"], word] = counts.get((vector["verdict"], word), 0) + 1
                if word == "FAILED":
                    print(f"{vector['id']} ({', '.join(vector['flags'])}): {judged}")
        adapter.stdin.close()
    for (kind, word), count in sorted(counts.items()):
        print(f"{kind}: {count} {word}")
    sys.exit(any(word == "FAILED" for _, word in counts))


if len(sys.argv) < 3:
    sys.exit("judge.py: write: judge.py ADAPTER FILE.json...")
try:
    main()
except (OSError, ValueError, KeyError) as wrong: # a file without vectors, or an adapter without answers
    print(f"judge.py: {type(wrong).__name__}: {wrong}", file=sys.stderr)
    sys.exit(2)
