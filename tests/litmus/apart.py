#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Random kernels of several CTAs that nothing orders: what the sanitizer says of them on one thread of the host and on
# several. Each CTA of one or two warps reads and writes a few bytes of global memory, in words of all sizes and by bulk
# stores, between barriers; half of the kernels have two or three warps, which do so in shared memory too, most without a
# bulk store, so that no cells are kept (model/order/between.h, stamps.h). Half have atomics, and half lanes of global memory in another order. Which pairs of lines race is known from the kernel alone. The report must be the same, byte
# for byte, for each number of threads; each finding must be such a pair, and a kernel with such pairs must have one.
# usage: apart.py TMAREF RUN_ZOO [--even] [--count N] [--first SEED] [--threads N,N...] [--keep FOLDER]; kernel N is made from seed N.
#        apart.py --right FILE [--count N] [--first SEED]  writes the kernels in which nothing races
import argparse, collections, itertools, json, pathlib, random, re, subprocess, sys, tempfile

BATCH = 200
HEAD = ".version 8.6\n.target sm_90a\n.address_size 64\n"
# Few bytes, over the ends of cells of 16, of 64 and of a page of 1024.
PLACES = [0, 8, 48, 64, 1008, 1024, 4096]
WORDS = {"u8": 1, "u16": 2, "u32": 4, "v4.u32": 16}
READS, ATOMICS = ("ld", "gather", "lds", "ldr", "ldc", "ldp"), ("at", "atw", "ats", "atr", "atc", "atp")
# Of lanes in shared memory: side by side, in a column, in another order than theirs; each a word
ROWS = {"r": "row", "c": "column", "p": "permuted"}
COLUMN = 36
# Of each warp, if its CTA's are not near; SHARED: where the first CTA's begins for who compares places.
MINE, SHARED = 1536, 1 << 24


class Kernel:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.name, self.ctas, self.warps = f"a{seed}", self.random.randint(2, 6), self.random.randint(1, 2)
        self.epochs, self.value = self.random.randint(1, 3), 0
        self.shares = self.random.random() < 0.5
        self.kinds = ["ld", "ld", "st", "st", "bulk"]
        if self.shares:
            self.warps, self.stride = self.random.randint(2, 3), self.random.choice([None, 0, 64, 96])
            self.kinds = ["ld", "st", "lds", "lds", "sts", "sts", "ldr", "str", "ldc", "stc", "ldp", "stp"] + ["bulk"] * (self.random.random() < 0.2)
        self.kinds += ["gather", "scatter"] * (self.random.random() < 0.5)
        if self.random.random() < 0.5:  # atomics, of shared memory, of global memory or of both
            self.kinds += self.random.choice([["ats", "atr", "atc", "atp"], ["at", "atw"], ["at", "ats", "atp"]] if self.shares else [["at", "atw"]])
        self.near = self.random.random() < 0.5  # else each CTA has bytes of its own, with few exceptions
        self.uses, self.text = [], collections.defaultdict(list)
        for epoch in range(self.epochs):
            for cta in range(self.ctas):
                for warp in range(self.warps):
                    for _ in range(self.random.randint(0, 2 if self.near else 4)):
                        self.access(epoch, cta, warp)
        self.races()

    def place(self, cta, size):
        at = self.random.choice(PLACES) // size * size + self.random.randrange(0, 16, size)
        return at if self.near or self.random.random() < 0.02 else at + 8192 * (cta + 1)

    def shared_place(self, warp, size):
        at = self.random.choice(PLACES[:-1]) // size * size + self.random.randrange(0, 16, size)
        return at if self.near or self.random.random() < 0.02 else at + MINE * warp

    def ranges(self, kind, warp, size):
        if kind[2] == "s":
            return [(0, size)]
        if kind[2] == "c":
            return [(COLUMN * lane, 4) for lane in range(32)]
        if kind[2] == "p":
            return [(0, 128)]
        return [(128 * warp, 128)] if self.stride is None else [(row * self.stride, 64) for row in (2 * warp, 2 * warp + 1)]

    def shared_access(self, epoch, cta, warp, kind):
        """By one lane, or by all, a word each. Behind it lanes meet. Rows are two, if blocks have two dimensions."""
        is_atomic = kind in ATOMICS
        word = "u32" if kind[2] != "s" or is_atomic else self.random.choice(list(WORDS))
        at, mark, size = self.shared_place(warp, WORDS[word]), f"// at {len(self.uses)}", WORDS[word]
        for begin, length in self.ranges(kind, warp, size):
            begin += SHARED + (cta << 16) + at
            self.uses.append((epoch, cta, warp, begin, begin + length, kind))
        self.value += 1
        lines = self.text[epoch, cta, warp]
        if not kind in READS:
            lines.append(f"mov.u32 %v, {self.value % 250 + 1};")
        to, what = ("{%r, %r1, %r2, %r3}", "{%v, %v, %v, %v}") if size == 16 else ("%r", "%v")
        where = f"[mine + {at}]" if kind[2] == "s" else f"[%{ROWS[kind[2]]} + {at}]"
        atomic = self.random.choice([f"red.shared.add.u32 {where}, %v;", f"atom.shared.add.u32 %r, {where}, %v;"])
        line = f"ld.shared.{word} {to}, {where};" if kind in READS else atomic if is_atomic else f"st.shared.{word} {where}, {what};"
        lines += ["@%first " * (kind[2] == "s") + f"{line} {mark}", "bar.warp.sync -1;"]

    def jump(self, epoch, cta, warp, kind):
        """By all lanes, a word each in another order than theirs. They meet around it."""
        at, mark = self.place(cta, 4), f"// at {len(self.uses)}"
        self.uses.append((epoch, cta, warp, at, at + 128, kind))
        self.value += 1
        line = f"ld.global.u32 %r, [%jump + {at}];" if kind == "gather" else f"st.global.u32 [%jump + {at}], %v;"
        self.text[epoch, cta, warp] += ["bar.warp.sync -1;", f"mov.u32 %v, {self.value % 250 + 1};", f"{line} {mark}", "bar.warp.sync -1;"]

    def atomic(self, epoch, cta, warp, kind):
        """By one lane, or by all, a word each side by side. Lanes meet around it."""
        at, mark, size = self.place(cta, 4), f"// at {len(self.uses)}", 4 if kind == "at" else 128
        self.uses.append((epoch, cta, warp, at, at + size, kind))
        where = f"[%out + {at}]" if kind == "at" else f"[%lane + {at}]"
        line = self.random.choice([f"red.global.add.u32 {where}, 1;", f"atom.global.add.u32 %r, {where}, 1;", f"atom.add.u32 %r, {where}, 1;"])
        self.text[epoch, cta, warp] += ["bar.warp.sync -1;", "@%first " * (kind == "at") + f"{line} {mark}", "bar.warp.sync -1;"]

    def access(self, epoch, cta, warp):
        kind = self.random.choice(self.kinds)
        if len(kind) == 3 and kind != "atw":
            self.shared_access(epoch, cta, warp, kind)
            return
        if kind in ("gather", "scatter"):
            self.jump(epoch, cta, warp, kind)
            return
        if kind in ATOMICS:
            self.atomic(epoch, cta, warp, kind)
            return
        size = 16 if kind == "bulk" else WORDS[word := self.random.choice(list(WORDS))]
        at, mark = self.place(cta, size), f"// at {len(self.uses)}"
        self.uses.append((epoch, cta, warp, at, at + size, kind))
        self.value += 1
        lines = self.text[epoch, cta, warp]
        if kind == "bulk":
            lines += ["@%first fence.proxy.async;", f"@%first cp.async.bulk.global.shared::cta.bulk_group [%out + {at}], [%stage], 16; {mark}",
                      "@%first cp.async.bulk.commit_group;", "@%first cp.async.bulk.wait_group 0;"]
        elif kind == "ld":
            to = "{%r, %r1, %r2, %r3}" if size == 16 else "%r"
            lines.append(f"@%first ld.global.{word} {to}, [%out + {at}]; {mark}")
        else:
            value = self.value % 250 + 1
            lines.append(f"mov.u32 %v, {value};")
            what = "{%v, %v, %v, %v}" if size == 16 else "%v"
            lines.append(f"@%first st.global.{word} [%out + {at}], {what}; {mark}")

    def races(self):
        """Pairs of who races: a CTA, its warp, and how many barriers are before. Within 16 bytes the sanitizer names one line for
        all that a warp accesses in one way. An error must come where two bulk stores do not race, whose values are the same."""
        self.pairs, self.must = set(), 1
        for i, (*who, begin, end, kind) in enumerate(self.uses):
            for *other, first, past, before in self.uses[:i]:
                apart = other[1] != who[1] or (other[2] != who[2] and other[0] == who[0])
                alike = any(kind in kinds and before in kinds for kinds in (READS, ATOMICS))
                if apart and first < end and begin < past and not alike:
                    self.pairs.add(frozenset((tuple(who), tuple(other))))
                    self.must &= not kind == before == "bulk" and not self.orders((who, begin, end, kind), (other, first, past, before))

    def orders(self, one, two):
        """May an atomic of the one that accesses weakly have ordered it? It reads what an atomic of the other wrote."""
        if (one[3] in ATOMICS) == (two[3] in ATOMICS):
            return False
        weak, strong = (two, one) if one[3] in ATOMICS else (one, two)
        return any(use[1:3] == tuple(weak[0][1:]) and use[5] in ATOMICS and use[3] < strong[2] and strong[1] < use[4] for use in self.uses)

    def ptx(self):
        block = 32 * self.warps if not self.shares or self.stride is None else f"16x{2 * self.warps}"
        yield f"// zoo {self.name} {self.ctas} {block} 0"
        yield f".visible .entry {self.name}(.param .u64 out)\n{{"
        yield ".reg .pred %p, %first;\n.reg .b32 %t, %w, %c, %v, %r, %r1, %r2, %r3, %stage;\n.reg .b64 %out, %lane, %jump;"
        yield ".shared .align 128 .b8 stage[128];\nld.param.u64 %out, [out];\nmov.u32 %stage, stage;\nmov.u32 %t, %tid.x;"
        if self.shares:  # each thread writes a part of it, before all
            yield f".shared .align 128 .b8 mine[{4 * MINE}];\n.reg .b32 %row, %init, %column, %permuted;\nmov.u32 %row, mine;"
            if self.stride is not None:
                yield "mov.u32 %r, %tid.y;\nmad.lo.u32 %t, %r, 16, %t;"
            yield "mad.lo.u32 %init, %t, 16, %row;\nmov.u32 %r1, %tid.x;\nmad.lo.u32 %row, %r1, 4, %row;\nmov.u32 %v, 0;"
            if self.stride is not None:
                yield f"mad.lo.u32 %row, %r, {self.stride}, %row;"
            for at in range(0, 4 * MINE, 512 * self.warps):
                yield f"st.shared.v4.u32 [%init + {at}], {{%v, %v, %v, %v}};"
            yield "bar.sync 0;"
        yield f"shr.u32 %w, %t, 5;\nmov.u32 %c, %ctaid.x;\nmad.lo.u32 %w, %c, {self.warps}, %w;\nand.b32 %t, %t, 31;"
        yield "setp.eq.u32 %first, %t, 0;\nmad.wide.u32 %lane, %t, 4, %out;\nmul.lo.u32 %r, %t, 7;\nand.b32 %r, %r, 31;\nmad.wide.u32 %jump, %r, 4, %out;"
        if self.shares:
            yield f"mov.u32 %permuted, mine;\nmad.lo.u32 %column, %t, {COLUMN}, %permuted;\nmul.lo.u32 %r, %t, 5;\nand.b32 %r, %r, 31;"
            yield "mad.lo.u32 %permuted, %r, 4, %permuted;"
        for epoch in range(self.epochs):
            for cta in range(self.ctas):
                for warp in range(self.warps):
                    yield f"setp.ne.u32 %p, %w, {cta * self.warps + warp};\n@%p bra not{epoch}_{cta}_{warp};"
                    yield from self.text[epoch, cta, warp]
                    yield f"not{epoch}_{cta}_{warp}:"
            yield "bar.sync 0;"
        yield "ret;\n}\n"


class Even(Kernel):
    """All threads go straight through, at addresses that rise by equal steps, so that CTAs take courses (model/machine/run/course.h).
    Between two threads everything that one of them writes races; none of a CTA write the same in one instruction."""

    ARRAY, FIRST = 40960, 4096

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.name, self.ctas, self.warps = f"a{seed}", self.random.randint(3, 6), self.random.randint(2, 4)
        self.width = self.random.choice([32 * self.warps, 32, 16, 8])
        self.height = 32 * self.warps // self.width
        self.limit = self.some() or self.width
        self.text = [self.use() for _ in range(self.random.randint(2, 5))]
        self.uses, self.must = [(number, 0, 0) for number in range(len(self.text))], 1
        names = set(self.races(16)) if set(self.races(4)) else []  # within 16 bytes one line stands for what a warp does in one way
        self.pairs = {frozenset((self.uses[i], self.uses[j])) for i, j in names}

    def some(self):
        """Those below some %tid.x, the same lanes in each warp; None, most often: all."""
        return self.random.choice([None, None, self.random.randint(2, self.width - 1)]) if self.width <= 32 else None

    def use(self):
        """(writes, bytes, where it begins, what it rises by with %tid.x, %tid.y and %ctaid.x, before which %tid.x)"""
        writes, size = self.random.random() < 0.4, self.random.choice([4, 4, 4, 8, 16])
        begin = self.FIRST + self.ARRAY * self.random.randrange(3)
        if self.random.random() < 0.3:
            begin += size * self.random.choice([-self.width, -1, 1, 2, 32, self.width])
        row, far = size * self.width, size * self.width * self.ctas
        rises = [(size, row, row * self.height)] * 3 + [(size, far, row), (2 * size, 2 * row, 2 * row * self.height), (size, row, 0)]
        rises += [] if writes else [(0, size, size * self.height), (0, 0, size), (size, 0, row), (0, 0, 0)]
        return writes, size, begin, self.random.choice(rises), self.some() or self.limit

    def threads_at(self, use, unit):
        """Of each unit of so many bytes: the threads that access it."""
        threads, (_, size, begin, rise, limit) = collections.defaultdict(set), use
        for who in itertools.product(range(min(limit, self.limit)), range(self.height), range(self.ctas)):
            at = begin + sum(step * index for step, index in zip(rise, who))
            for number in range(at // unit, (at + size - 1) // unit + 1):
                threads[number].add(who)
        return threads

    def races(self, unit):
        at = [self.threads_at(use, unit) for use in self.text]
        for i, j in itertools.combinations_with_replacement(range(len(at)), 2):
            if (self.text[i][0] or self.text[j][0]) and any(len(who | at[j][place]) > 1 for place, who in at[i].items() if place in at[j]):
                yield i, j

    def ptx(self):
        yield f"// zoo {self.name} {self.ctas} {self.width}x{self.height} 0"
        yield f".visible .entry {self.name}(.param .u64 out)\n{{"
        yield ".reg .pred %p, %q;\n.reg .b32 %x, %y, %c, %r, %v, %r<4>;\n.reg .b64 %out, %at;"
        yield "ld.param.u64 %out, [out];\nmov.u32 %x, %tid.x;\nmov.u32 %y, %tid.y;\nmov.u32 %c, %ctaid.x;"
        if self.limit < self.width:
            yield f"setp.ge.u32 %p, %x, {self.limit};\n@%p bra over;"
        for number, (writes, size, begin, rise, limit) in enumerate(self.text):
            yield f"mul.lo.u32 %r, %x, {rise[0]};\nmad.lo.u32 %r, %y, {rise[1]}, %r;\nmad.lo.u32 %r, %c, {rise[2]}, %r;"
            yield f"mul.wide.u32 %at, %r, 1;\nadd.s64 %at, %at, %out;\nmad.lo.u32 %v, %c, 1000, %x;\nmad.lo.u32 %v, %y, {self.width}, %v;\nadd.u32 %v, %v, {10000 * number};"
            what = {4: "%v", 8: "{%v, %v}", 16: "{%v, %v, %v, %v}"}[size] if writes else {4: "%r0", 8: "{%r0, %r1}", 16: "{%r0, %r1, %r2, %r3}"}[size]
            word = {4: "u32", 8: "v2.u32", 16: "v4.u32"}[size]
            if limit < self.limit:
                yield f"setp.ge.u32 %q, %x, {limit};\n@%q bra not{number};"
            yield (f"st.global.{word} [%at + {begin}], {what};" if writes else f"ld.global.{word} {what}, [%at + {begin}];") + f" // at {number}\nnot{number}:"
        yield "over:\nret;\n}\n"


def lines_of(text):
    """Of each kernel: its marks, by the line of PTX that has it."""
    marks, kernel = collections.defaultdict(dict), None
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("// zoo "):
            kernel = line.split()[2]
        if "// at " in line:
            marks[kernel][number] = line[line.index("// at "):]
    return marks


def judge(kernel, findings, verdict, marks):
    """What disagrees, in words; None: nothing."""
    if verdict not in ("clean", "findings"):
        return f"its verdict is {verdict}"
    for one in findings:
        uses = [kernel.uses[int(marks[one[key]].split()[-1])] for key in ("ptx_line", "other_ptx_line")]
        if frozenset(tuple(use[:3]) for use in uses) not in kernel.pairs:
            return f"{one['sanitize']} of lines {one['ptx_line']} and {one.get('other_ptx_line')}, which do not race"
    return "no finding, and a pair races" if kernel.pairs and kernel.must and not findings else None


def report(options, path, threads):
    done = subprocess.run([options.tmaref, "exec", "--sanitize", "--json", "--threads", threads, "--", options.run_zoo, path],
                          stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True, timeout=600)
    return re.sub(r"0x[0-9a-f]{9,}", "ADDRESS", done.stderr)


def run(options, seeds, folder):
    kernels = {f"a{seed}": options.kind(seed) for seed in seeds}
    text = HEAD + "\n".join(line for kernel in kernels.values() for line in kernel.ptx())
    path = pathlib.Path(folder) / f"apart{seeds[0]}.ptx"
    path.write_text(text)
    reports = [report(options, path, threads) for threads in options.threads.split(",")]
    findings, verdicts = collections.defaultdict(list), {}
    for line in reports[0].split("\n"):
        one = json.loads(line) if line.startswith('{"sanitize"') else {}
        if one.get("sanitize") == "VERDICT":
            verdicts[one["kernel"]] = one["verdict"]
        elif one.get("level") == "error":
            findings[one["kernel"]].append(one)
    marks, bad = lines_of(text), 0
    for threads, other in zip(options.threads.split(","), reports):
        bad += other != reports[0]
        for one, two in zip(reports[0].split("\n"), other.split("\n")):
            if one != two:
                print(f"apart.py: from {seeds[0]} on: with {threads} threads the report has\n{two}\ninstead of\n{one}")
                break
    for name, kernel in kernels.items():
        wrong = judge(kernel, findings[name], verdicts.get(name, "missing"), marks[name])
        if wrong is not None:
            print(f"apart.py: kernel {name}: {wrong}; to see it: --first {name[1:]} --count 1 --keep FOLDER")
            bad += 1
    return bad, sum(bool(kernel.pairs) for kernel in kernels.values())


def main():
    parser = argparse.ArgumentParser(description="compares the sanitizer on one thread and on several, on random kernels whose races are known")
    parser.add_argument("tmaref", nargs="?")
    parser.add_argument("run_zoo", nargs="?")
    parser.add_argument("--right", help="write the kernels in which nothing races into this file, and run nothing")
    parser.add_argument("--count", type=int, default=BATCH)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--threads", default="1,2,8,0")
    parser.add_argument("--keep", help="keep the PTX in this folder")
    parser.add_argument("--even", dest="kind", action="store_const", const=Even, default=Kernel, help="kernels whose CTAs take courses")
    options = parser.parse_args()
    if options.count < 1:
        parser.error("--count takes a number from 1 on")
    if options.right:
        kernels = map(options.kind, range(options.first, options.first + options.count))
        pathlib.Path(options.right).write_text(HEAD + "\n".join(line for kernel in kernels if not kernel.pairs for line in kernel.ptx()))
        return
    if options.run_zoo is None:
        parser.error("give TMAREF and RUN_ZOO")
    bad = racing = 0
    with tempfile.TemporaryDirectory() as scratch:
        for first in range(options.first, options.first + options.count, BATCH):
            seeds = range(first, min(first + BATCH, options.first + options.count))
            wrong, some = run(options, seeds, options.keep or scratch)
            bad, racing = bad + wrong, racing + some
    print(f"{options.count} kernels, {racing} of them with a race: {bad} disagree")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
