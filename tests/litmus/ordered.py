#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Random kernels of which it is known which accesses are ordered: does the sanitizer say the same? Each kernel is a random
# list of steps of two to four warps of one CTA: accesses to slots of shared and global memory, barriers, named barriers
# that some arrive at and others wait for, mbarriers, flags with every strength, bulk loads and stores, proxy fences. Vector clocks
# over the list say which pairs race, without any knowledge of the sanitizer. Each finding has to be such a pair, and a kernel with such pairs
# has to have a finding. The order of the list is one in which nobody waits for what is not to come.
# usage: ordered.py TMAREF RUN_ZOO [--count N] [--first SEED] [--keep FOLDER]; kernel N is made from seed N.
import argparse, collections, json, os, pathlib, random, subprocess, sys, tempfile

BATCH = 200
HEAD = ".version 8.6\n.target sm_90a\n.address_size 64\n"
SLOTS, COPIES, STAGED, GLOBALS, MBARRIERS, FLAGS, NAMED = 3, 2, 2, 2, 6, 6, 14
# How a flag is set and seen. A relaxed access is a release for what is in front of a fence before it, and an acquire for what is
# behind a fence after it, also a fence of another step.
FENCE = "fence.acq_rel.cta"
SETS = ["st.release.cta.shared.u32", "st.release.gpu.shared.u32", f"{FENCE};st.relaxed.cta.shared.u32", "st.relaxed.cta.shared.u32"]
SEES = ["ld.acquire.cta.shared.u32", f"ld.relaxed.cta.shared.u32;{FENCE}", "ld.relaxed.cta.shared.u32"]
NOTHING = collections.Counter(), collections.Counter()


class Kernel:
    """Text of each warp, and the clocks. An actor is a warp or an operation; clock[w][b] is how much of b is before warp w, and
    fenced[w][b] how much of that has crossed a proxy fence."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.name, self.warps = f"k{seed}", self.random.randint(2, 4)
        self.text = [[] for _ in range(self.warps)]
        self.clock = [collections.Counter({w: 1}) for w in range(self.warps)]
        self.fenced = [collections.Counter() for _ in range(self.warps)]
        self.actors, self.named, self.labels, self.stores = self.warps, 0, 0, 0
        self.stored = [[] for _ in range(self.warps)]  # the operations that each has not waited for
        self.released = [NOTHING] * self.warps  # what each has in front of its last fence
        self.seen = [[] for _ in range(self.warps)]  # what its next fence acquires
        self.mbarrier, self.flag = {}, {}  # of each that is in use: what a wait learns
        self.uses = collections.defaultdict(list)  # of each slot: (actor, time, is a write, mark of its line)
        self.pairs = set()
        self.copied = set()

    def say(self, warp, *lines):
        self.text[warp] += lines

    def learn(self, warp, given):
        for clocks, other in zip((self.clock, self.fenced), given):
            for actor, time in other.items():
                clocks[warp][actor] = max(clocks[warp][actor], time)

    def give(self, warp):
        """What the warp has done so far, for others; what it does next is behind."""
        given = collections.Counter(self.clock[warp]), collections.Counter(self.fenced[warp])
        self.clock[warp][warp] += 1
        return given

    def use(self, slot, actor, time, clock, writes):
        mark = f"// at {len(self.uses)}.{sum(map(len, self.uses.values()))}"
        for other, when, wrote, there in self.uses[slot]:
            if (wrote or writes) and other != actor and clock[other] < when:
                self.pairs.add(frozenset((there, mark)))
        self.uses[slot].append((actor, time, writes, mark))
        return mark

    # The steps. Each returns false where it cannot be.
    def access(self):
        warp = self.random.randrange(self.warps)
        kind = self.random.choice(["shared", "shared", "global", "copied", "staged"])
        writes = kind != "copied" and self.random.random() < 0.5
        slot = self.random.randrange({"shared": SLOTS, "global": GLOBALS, "copied": COPIES, "staged": STAGED}[kind])
        if kind == "copied" and slot not in self.copied:
            return False
        mark = self.use((kind, slot), warp, self.clock[warp][warp], self.clock[warp], writes)
        space, at = ("global", f"[%out + {128 * slot}]") if kind == "global" else ("shared", f"[%{kind} + {128 * slot}]")
        word = self.random.choice(["u32", "u32", "u16", "u8"])  # all of them begin at one byte
        self.say(warp, f"st.{space}.{word} {at}, %t; {mark}" if writes else f"ld.{space}.{word} %r, {at}; {mark}")
        return True

    def some(self, least=2):
        return self.random.sample(range(self.warps), self.random.randint(least, self.warps))

    def barrier(self):
        """bar.sync of all, or of some by a number of their own."""
        warps = list(range(self.warps)) if self.random.random() < 0.4 else self.some()
        if len(warps) < self.warps and self.named == NAMED:
            return False
        self.named += len(warps) < self.warps
        number = 0 if len(warps) == self.warps else self.named
        given = [self.give(warp) for warp in warps]
        for warp in warps:
            self.say(warp, f"bar.sync {number}, {32 * len(warps)};")
            for other in given:
                self.learn(warp, other)
        return True

    def arrive_and_sync(self):
        if self.named == NAMED:
            return False
        self.named += 1
        warps = self.some()
        cut = self.random.randint(1, len(warps) - 1)
        given = [self.give(warp) for warp in warps]
        for place, warp in enumerate(warps):
            self.say(warp, f"bar.{'arrive' if place < cut else 'sync'} {self.named}, {32 * len(warps)};")
            for other in given if place >= cut else []:
                self.learn(warp, other)
        return True

    def arrive(self):
        if len(self.mbarrier) == MBARRIERS:
            return False
        number, warp = len(self.mbarrier), self.random.randrange(self.warps)
        if self.random.random() < 0.5:
            self.say(warp, "bar.warp.sync -1;", f"@%first mbarrier.arrive.shared.b64 _, [%full + {8 * number}];")
            self.mbarrier[number] = self.give(warp)
            return True
        slot, actor = self.random.randrange(COPIES), self.actors
        self.actors += 1
        self.copied.add(slot)
        given = self.give(warp)
        given[0][actor] = 1
        mark = self.use(("copied", slot), actor, 1, given[0], True)
        self.say(warp, "bar.warp.sync -1;", f"@%first mbarrier.arrive.expect_tx.shared.b64 _, [%full + {8 * number}], 128;",
                 "@%first cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 f"[%copied0 + {128 * slot}], [%from], 128, [%full + {8 * number}]; {mark}")
        self.mbarrier[number] = given
        return True

    def fence(self):
        warp = self.random.randrange(self.warps)
        self.say(warp, "fence.proxy.async;")
        self.fenced[warp] = self.give(warp)[0]
        return True

    def store(self):
        """A bulk store: what threads wrote to its source has to have crossed a fence."""
        slot, warp, actor = self.random.randrange(STAGED), self.random.randrange(self.warps), self.actors
        self.actors += 1
        self.stores += 1
        self.stored[warp].append(actor)
        mark = self.use(("staged", slot), actor, 1, self.give(warp)[1], False)
        self.say(warp, "bar.warp.sync -1;", f"@%first cp.async.bulk.global.shared::cta.bulk_group [%from + {128 * self.stores}], "
                 f"[%staged0 + {128 * slot}], 128; {mark}", "@%first cp.async.bulk.commit_group;")
        return True

    def wait_stores(self, warp=None):
        warp = self.random.randrange(self.warps) if warp is None else warp
        if not self.stored[warp]:
            return False
        self.say(warp, "@%first cp.async.bulk.wait_group.read 0;", "bar.warp.sync -1;")
        self.clock[warp].update({actor: 1 for actor in self.stored[warp]})
        self.stored[warp] = []
        return True

    def wait(self, number=None, warp=None):
        if not self.mbarrier:
            return False
        number = self.random.choice(list(self.mbarrier)) if number is None else number
        warp = self.random.randrange(self.warps) if warp is None else warp
        self.spin(warp, f"mbarrier.try_wait.parity.shared.b64 %p, [%full + {8 * number}], 0;")
        self.learn(warp, self.mbarrier[number])
        return True

    def spin(self, warp, *condition):
        self.labels += 1
        self.say(warp, f"spin{self.labels}:", *condition, f"@!%p bra spin{self.labels};")

    def thread_fence(self, warp):
        self.say(warp, FENCE + ";")
        for given in self.seen[warp]:
            self.learn(warp, given)
        self.seen[warp] = []
        self.released[warp] = self.give(warp)

    def set_flag(self):
        if len(self.flag) == FLAGS:
            return False
        number, warp, how = len(self.flag), self.random.randrange(self.warps), self.random.choice(SETS)
        self.say(warp, "bar.warp.sync -1;")
        if how.startswith(FENCE):
            self.thread_fence(warp)
        self.say(warp, f"@%first {how.split(';')[-1]} [%flag + {4 * number}], 1;")
        self.flag[number] = self.give(warp) if "release" in how else self.released[warp]
        return True

    def see_flag(self):
        if not self.flag:
            return False
        number, warp, how = self.random.choice(list(self.flag)), self.random.randrange(self.warps), self.random.choice(SEES)
        self.spin(warp, f"{how.split(';')[0]} %r, [%flag + {4 * number}];", "setp.ne.u32 %p, %r, 0;")
        if "acquire" in how:
            self.learn(warp, self.flag[number])
        else:
            self.seen[warp].append(self.flag[number])
        if how.endswith(FENCE):
            self.thread_fence(warp)
        return True

    def build(self):
        steps = [self.access] * 8 + [self.barrier, self.arrive_and_sync, self.arrive, self.arrive, self.wait, self.wait,
                                     self.set_flag, self.see_flag, self.see_flag, self.fence, self.fence, self.store,
                                     self.store, self.wait_stores, self.wait_stores]
        for _ in range(self.random.randint(6, 30)):
            while not self.random.choice(steps)():
                pass
        for number in self.mbarrier:  # nobody leaves under a copy
            self.wait(number, 0)
        for warp in range(self.warps):
            self.wait_stores(warp)
        return self

    def ptx(self):
        yield f"// zoo {self.name} 1 {32 * self.warps} 0"
        yield f".visible .entry {self.name}(.param .u64 out)\n{{"
        yield ".reg .pred %p, %first;\n.reg .b32 %t, %w, %r, %at, %shared, %copied, %copied0, %staged, %staged0, %full, %flag;\n.reg .b64 %out, %from, %far;"
        yield f".shared .align 128 .b8 slots[{128 * SLOTS}];\n.shared .align 128 .b8 copies[{128 * COPIES}];"
        yield f".shared .align 128 .b8 stage[{128 * STAGED}];"
        yield f".shared .align 8 .b64 full[{MBARRIERS}];\n.shared .align 4 .b32 flags[{FLAGS}];"
        yield "ld.param.u64 %out, [out];\nadd.u64 %from, %out, 32768;\nmov.u32 %t, %tid.x;\nshr.u32 %w, %t, 5;\nand.b32 %at, %t, 31;"
        yield "setp.eq.u32 %first, %at, 0;\nshl.b32 %at, %at, 2;\ncvt.u64.u32 %far, %at;\nadd.u64 %out, %out, %far;"
        yield "mov.u32 %shared, slots;\nadd.u32 %shared, %shared, %at;\nmov.u32 %copied0, copies;\nadd.u32 %copied, %copied0, %at;"
        yield "mov.u32 %staged0, stage;\nadd.u32 %staged, %staged0, %at;"
        yield "mov.u32 %full, full;\nmov.u32 %flag, flags;\nsetp.ne.u32 %p, %t, 0;\n@%p bra begin;"
        yield from (f"mbarrier.init.shared.b64 [%full + {8 * i}], 1;" for i in range(MBARRIERS))
        yield from (f"st.shared.u32 [%flag + {4 * i}], 0;" for i in range(FLAGS))
        yield "begin:\nsetp.ne.u32 %p, %w, 0;\n@%p bra ready;"
        yield from (f"st.shared.u32 [%shared + {128 * i}], %t;" for i in range(SLOTS))
        yield from (f"st.shared.u32 [%staged + {128 * i}], %t;" for i in range(STAGED))
        yield "fence.proxy.async;"
        yield "ready:\nbar.sync 0;"
        for warp, text in enumerate(self.text):
            yield f"setp.ne.u32 %p, %w, {warp};\n@%p bra not{warp};"
            yield from text
            yield f"not{warp}:"
        yield "ret;\n}\n"


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
        pair = frozenset(marks.get(one.get(key)) for key in ("ptx_line", "other_ptx_line"))
        if pair not in kernel.pairs:
            return f"{one['sanitize']} of lines {one['ptx_line']} and {one.get('other_ptx_line')}, which are ordered"
    return "no finding, and a pair races" if kernel.pairs and not findings else None


def run(options, seeds, folder):
    kernels = {f"k{seed}": Kernel(seed).build() for seed in seeds}
    text = HEAD + "\n".join(line for kernel in kernels.values() for line in kernel.ptx())
    path = pathlib.Path(folder) / f"ordered{seeds[0]}.ptx"
    path.write_text(text)
    done = subprocess.run([options.tmaref, "exec", "--sanitize", "--json", "--", options.run_zoo, path], stderr=subprocess.PIPE,
                          stdout=subprocess.DEVNULL, text=True, timeout=600)
    findings, verdicts = collections.defaultdict(list), {}
    for line in done.stderr.split("\n"):
        one = json.loads(line) if line.startswith('{"sanitize"') else {}
        if one.get("sanitize") == "VERDICT":
            verdicts[one["kernel"]] = one["verdict"]
        elif one.get("level") == "error":
            findings[one["kernel"]].append(one)
    marks, bad = lines_of(text), 0
    for name, kernel in kernels.items():
        wrong = judge(kernel, findings[name], verdicts.get(name, "missing"), marks[name])
        if wrong is not None:
            print(f"ordered.py: kernel {name}: {wrong}; to see it: --first {name[1:]} --count 1 --keep FOLDER")
            bad += 1
    return bad, sum(bool(kernel.pairs) for kernel in kernels.values())


def main():
    parser = argparse.ArgumentParser(description="compares the sanitizer with random kernels whose order is known")
    parser.add_argument("tmaref")
    parser.add_argument("run_zoo")
    parser.add_argument("--count", type=int, default=BATCH)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--keep", help="keep the PTX in this folder")
    options = parser.parse_args()
    if options.count < 1:
        parser.error("--count takes a number from 1 on")
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
