# SPDX-License-Identifier: MIT
"""Writes the tables of docs/performance.md from what `tmaref bench --json` printed.

    python3 harness/bench/tables.py docs/performance.md FILE.json...

A table stands between a line `<!-- table NAME -->` and the next `<!-- end -->`; its rows are the contests of all files
that belong to it. A table of which the files have nothing stays as it is.
"""

import json
import re
import sys


def ratio(c):
    return f"{c['ratio']:.3f}x ({c['ratio_least']:.3f} to {c['ratio_greatest']:.3f})"


def verdict(c):
    if not c["bar"]:
        return ""
    return f"{c['bar']:.2f}x {'reached' if c['ratio'] >= c['bar'] else '**not reached**'}"


def gemm_kernel(name):
    kernel, tile = re.match(r"gemm_(.*?)_(?:bf16|e4m3)_bf16_(\d+x\d+)", name).groups()
    return f"{kernel} {tile}"


def contests_table(contests):
    yield "| contest | ours | opponent | ratio | bar |"
    yield "|---|---|---|---|---|"
    for c in contests:
        yield (f"| {c['contest']} | {c['our_rate']:.4g} {c['unit']}/s | {c['their_rate']:.4g} {c['unit']}/s | {ratio(c)} "
               f"| {verdict(c)} |")


def gemm_table(contests):
    yield "| contest | kernel | TFLOP/s | cuBLASLt | ratio | bar | first choices | long runs | MHz, W in long runs | host, us |"
    yield "|---|---|---|---|---|---|---|---|---|---|"
    for c in contests:
        yield (f"| {c['contest'][5:]} | {gemm_kernel(c['ours'])} | {c['our_rate']:.0f} | {c['their_rate']:.0f} | {ratio(c)} "
               f"| {verdict(c)} | {c['first_ratio']:.2f}x | {c['long_ratio']:.3f}x "
               f"| {c['our_long_sm_mhz']:.0f} and {c['their_long_sm_mhz']:.0f}, {c['our_long_watts']:.0f} and "
               f"{c['their_long_watts']:.0f} | {c['our_host_us']:.1f} and {c['their_host_us']:.1f} |")


def random_table(contests, bar):
    """The shapes that do not reach the bar, the worst first."""
    yield "| type, m x n x k | kernel | TFLOP/s | cuBLASLt | ratio |"
    yield "|---|---|---|---|---|"
    for c in sorted((c for c in contests if c["ratio"] < bar), key=lambda c: c["ratio"]):
        yield (f"| {c['contest'][5:]} | {gemm_kernel(c['ours'])} | {c['our_rate']:.4g} | {c['their_rate']:.4g} "
               f"| {c['ratio']:.3f}x |")


def triton_table(contests):
    yield "| m x n x k | our kernel | TFLOP/s | Triton | its kernel | ratio |"
    yield "|---|---|---|---|---|---|"
    for c in contests:
        yield (f"| {c['contest'][10:]} | {gemm_kernel(c['ours'])} | {c['our_rate']:.0f} | {c['their_rate']:.0f} "
               f"| {c['theirs'][7:]} | {ratio(c)} |")


def summary_table(summaries):
    yield "| type | shapes, seed | geometric mean | of first choices | worst | below 0.85x |"
    yield "|---|---|---|---|---|---|"
    for s in summaries:
        yield (f"| {s['type']} | {s['shapes']}, {s['seed']} | {s['geometric_mean']:.3f}x | {s['first_mean']:.3f}x "
               f"| {s['worst']:.3f}x ({s['worst_contest']}) | {s['below_worst_bar']} |")


def tables(files):
    listed, random, summaries = [], [], []
    for file in files:
        with open(file) as text:
            contests = json.load(text)["contests"]
        is_random = any("summary" in c for c in contests)
        summaries += [c for c in contests if "summary" in c]
        (random if is_random else listed).extend(c for c in contests if "contest" in c)
    starts = lambda *prefixes: [c for c in listed if c["contest"].startswith(prefixes)]
    gemms = starts("gemm")
    found = {
        "copies": contests_table(starts("copy", "prefetch", "multicast", "stream", "transpose")),
        "turns": contests_table(starts("turn")),
        "histograms": contests_table(starts("histogram")),
        "attention": contests_table(starts("attention")),
        "gemm": gemm_table([c for c in gemms if c["theirs"].startswith("cuBLASLt")]),
        "triton": triton_table([c for c in gemms if c["theirs"].startswith("triton")]),
        "random": summary_table(summaries),
        "below the bar": random_table(random, summaries[0]["worst_bar"] if summaries else 0),
    }
    found = {name: list(rows) for name, rows in found.items()}
    return {name: rows for name, rows in found.items() if len(rows) > 2 or (name == "below the bar" and summaries)}


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    with open(sys.argv[1]) as page:
        text = page.read()
    for name, rows in tables(sys.argv[2:]).items():
        block = "\n".join(rows)
        pattern = re.compile(rf"(<!-- table {re.escape(name)} -->\n).*?(<!-- end -->)", re.DOTALL)
        if not pattern.search(text):
            sys.exit(f"{sys.argv[1]} has no place for the table '{name}'")
        text = pattern.sub(lambda found: f"{found[1]}\n{block}\n\n{found[2]}", text)
    with open(sys.argv[1], "w") as page:
        page.write(text)


if __name__ == "__main__":
    main()
