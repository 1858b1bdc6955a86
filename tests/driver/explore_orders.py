# SPDX-License-Identifier: MIT
"""`tmaref explore --all` beside an enumeration by hand: random kernels of two or three warps, each with a few stores, loads, exchanges
and additions of few words. It has to find as many orders, and as many outcomes, as all interleavings have, taken one by one.
usage: explore_orders.py KERNELS [SEED]; TMAREF is the command, RUN_ZOO a program that launches kernels of a file."""

import os
import random
import re
import subprocess
import sys
import tempfile

HEAD = """.version 8.6
.target sm_90a
.address_size 64
// zoo mixed 1 {threads} 0
.visible .entry mixed(.param .u64 out)
{{
    .reg .pred %p;
    .reg .b32 %t, %w, %got, %sum, %value;
    .reg .b64 %out, %mine;
    ld.param.u64 %out, [out];
    mov.u32 %t, %tid.x;
    mov.u32 %sum, 0;
    mul.wide.u32 %mine, %t, 4;
    add.u64 %mine, %out, %mine;
    and.b32 %w, %t, 31;
    setp.ne.u32 %p, %w, 0;
    @%p bra done;
"""


def draw(rng):
    """Two or three warps: lists of (what, word, value)."""
    warps = rng.choice([2, 2, 3])
    words = rng.choice([1, 2, 2, 3])
    most = 4 if warps == 2 else 3
    return [[(rng.choice(["store", "load", "load", "add", "exchange"]), rng.randrange(words), rng.randrange(1, 4))
             for _ in range(rng.randint(1, most))] for _ in range(warps)]


def ptx_of(program):
    text = HEAD.format(threads=32 * len(program))
    for warp in range(len(program)):
        text += f"    setp.eq.u32 %p, %t, {32 * warp};\n    @%p bra warp{warp};\n"
    for warp, steps in enumerate(program):
        text += f"warp{warp}:\n"
        for what, word, value in steps:
            at = f"[%out+{4096 + 64 * word}]"
            if what == "store":
                text += f"    st.relaxed.gpu.global.u32 {at}, {value};\n"
            elif what == "load":
                text += f"    ld.relaxed.gpu.global.u32 %got, {at};\n"
            else:
                name = "add.u32" if what == "add" else "exch.b32"
                text += f"    mov.u32 %value, {value};\n    atom.relaxed.gpu.global.{name} %got, {at}, %value;\n"
            if what != "store":
                text += "    mad.lo.u32 %sum, %sum, 31, %got;\n"
        text += "    st.global.u32 [%mine], %sum;\n    bra done;\n"
    return text + "done:\n    ret;\n}\n"


def run(program, order):
    """What an interleaving leaves, and the order of its steps as far as it matters: of each pair that touch one word, not both reading."""
    memory, sums, at = {}, [0] * len(program), [0] * len(program)
    made, pairs = [], []
    for warp in order:
        what, word, value = program[warp][at[warp]]
        old = memory.get(word, 1024 + 16 * word)  # run_zoo: word i is i
        if what != "store":
            sums[warp] = (sums[warp] * 31 + old) % 2**32
        if what != "load":
            memory[word] = (old + value) % 2**32 if what == "add" else value
        here = (warp, at[warp])
        pairs += [(before, here) for before, its, reads in made if its == word and not (reads and what == "load") and before[0] != warp]
        made.append((here, word, what == "load"))
        at[warp] += 1
    return (tuple(sorted(memory.items())), tuple(sums)), frozenset(pairs)


def interleavings(left):
    if not any(left):
        yield ()
    for warp, steps in enumerate(left):
        if steps:
            for rest in interleavings(left[:warp] + (steps - 1,) + left[warp + 1:]):
                yield (warp,) + rest


def main():
    rng = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 1)
    failed = orders_of_all = runs_of_all = 0
    for number in range(int(sys.argv[1])):
        program = draw(rng)
        ends = [run(program, order) for order in interleavings(tuple(len(steps) for steps in program))]
        outcomes, orders = len({end for end, _ in ends}), len({pairs for _, pairs in ends})
        with open("mixed.ptx", "w", encoding="ascii") as file:
            file.write(ptx_of(program))
        done = subprocess.run([os.environ["TMAREF"], "explore", "--all", "--", os.environ["RUN_ZOO"], "mixed.ptx", "mixed", "digest"],
                              capture_output=True, text=True, check=False)
        found = re.search(r"^(\d+) orders of steps, (\d+) outcomes: none is left$", done.stdout, re.M)
        if found is None or (int(found[1]), int(found[2])) != (orders, outcomes):
            print(f"kernel {number} has {orders} orders, {outcomes} outcomes: {program}\n{done.stdout}{done.stderr}")
            failed = 1
        orders_of_all += orders
        runs_of_all += int(re.search(r"(\d+) delay", done.stdout + "0 delay")[1])
    print(f"{sys.argv[1]} kernels, {orders_of_all} orders in {runs_of_all} runs")
    return failed


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        for name in ("TMAREF", "RUN_ZOO"):
            os.environ[name] = os.path.abspath(os.environ[name])
        os.chdir(scratch)
        sys.exit(main())
