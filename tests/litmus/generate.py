#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes the generated litmus tests into a folder: generate.py FOLDER. Each asks whether a bad end exists; the memory
model says whether it may. A family holds one idea under all combinations of what may order it, from nothing to more than
enough, so that for each test that forbids its end there are weaker ones that allow it.

  message    one thread writes, tells, and another reads: flags, mbarriers, barriers
  store      the reader of a message is a bulk store of shared memory
  load       the reader of a message is a bulk load of global memory
  refill     one thread reads, tells, and another overwrites
  brought    what a copy or st.async brings, and who waits how
  tested     a message by an mbarrier that is looked at once: with a branch on what was found, and without
  third      a message about a place in a CTA that is neither the writer's nor the reader's
  alone      one thread and its own copies
  mp ...     the classic tests of two to four threads
  swapped    of messages and classic tests: one thread does its two accesses the other way round, so that threads that
             merely interleave finely enough show the bad end. They judge the stress, not the hardware
"""
import itertools
import os
import sys

tests = {}

CTA, CLUSTER, GPU = "cta", "cluster", "gpu"


def places_of(threads, where):
    """The heads of the columns: all in one CTA, each in a CTA of one cluster, or each in a CTA alone."""
    if where == CTA:
        return [f"P{i}@cta 0,cluster 0,gpu 0" for i in range(threads)]
    if where == CLUSTER:
        return [f"P{i}@cta {i},cluster 0,gpu 0" for i in range(threads)]
    return [f"P{i}@cta {i},gpu 0" for i in range(threads)]


def test(name, places, heads, columns, question):
    rows = max(len(column) for column in columns)
    cells = [[head] + column + [""] * (rows - len(column)) for head, column in zip(heads, columns)]
    widths = [max(len(cell) for cell in column) for column in cells]
    lines = [" | ".join(cell.ljust(width) for cell, width in zip(row, widths)) for row in zip(*cells)]
    body = "".join(f" {line} ;\n" for line in lines)
    assert name not in tests, name
    tests[name] = f"PTX {name}\n{{ {places} }}\n{body}exists ({question})\n"


class Telling:
    """How one thread (`sender`) tells another (`receiver`): a name, the places it needs, what both do, and what has to
    hold for the message to have arrived (a flag may be read too early; a wait cannot)."""

    def __init__(self, name, places, send, receive, arrived=False):
        self.name, self.places, self.send, self.receive, self.arrived = name, places, send, receive, arrived


def flags(scopes):
    for order, scope in itertools.product(("relaxed", "release", "fence", "sc"), scopes):
        acquire = {"release": "acquire"}.get(order, "relaxed")
        release = {"release": "release"}.get(order, "relaxed")
        fence = {"fence": [f"fence.acq_rel.{scope}"], "sc": [f"fence.sc.{scope}"]}.get(order, [])
        yield Telling(f"flag-{order}-{scope}", "f = 0;", fence + [f"st.{release}.{scope} f, 1"],
                      [f"ld.{acquire}.{scope} r9, f"] + fence, True)


def mbarriers(scopes):
    for arrive, wait, scope in itertools.product(("relaxed", "release"), ("relaxed", "acquire"), scopes):
        yield Telling(f"mbar-{arrive}-{wait}-{scope}", "mbarrier b = 1;", [f"mbarrier.arrive.{arrive}.{scope} b, 1"],
                      [f"mbarrier.try_wait.parity.{wait}.{scope} b, 0"])


def barriers(where):
    for order in ("relaxed", "release"):
        both = [f"barrier.cluster.arrive.{order}", "barrier.cluster.wait.acquire"]
        yield Telling(f"cluster-{order}", "", both, both)
    if where == CTA:
        yield Telling("barsync", "", ["bar.sync 1"], ["bar.sync 1"])


def tellings(where):
    yield from flags((GPU,) if where == GPU else (CTA, CLUSTER, GPU))
    if where != GPU:
        yield from mbarriers((CTA, CLUSTER))
        yield from barriers(where)


def question_of(telling, receiver, bad):
    return f"P{receiver}:r9 == 1 /\\ {bad}" if telling.arrived else bad


def messages():
    for where, space in ((CTA, "shared"), (CTA, "global"), (CLUSTER, "shared"), (CLUSTER, "global"), (GPU, "global")):
        for telling in tellings(where) if where != GPU else flags((CTA, CLUSTER, GPU)):
            test(f"message-{where}-{space}-{telling.name}", f".{space} x = 0; {telling.places}".strip(),
                 places_of(2, where), [["st.weak x, 1"] + telling.send, telling.receive + ["ld.weak r0, x"]],
                 question_of(telling, 1, "P1:r0 == 0"))
            if (where, space) in ((CTA, "shared"), (CLUSTER, "shared"), (GPU, "global")):
                test(f"swapped-message-{where}-{space}-{telling.name}", f".{space} x = 0; {telling.places}".strip(),
                     places_of(2, where), [telling.send + ["st.weak x, 1"], telling.receive + ["ld.weak r0, x"]],
                     question_of(telling, 1, "P1:r0 == 0"))


BULK_STORE = ["cp.async.bulk y, x", "cp.async.bulk.commit_group", "cp.async.bulk.wait_group 0"]
BULK_LOAD = ["mbarrier.arrive.expect_tx.release.cta m, 1", "cp.async.bulk y, x, m",
             "mbarrier.try_wait.parity.acquire.cta m, 0", "ld.weak r0, y"]
FENCES = (("none", False, False), ("writer", True, False), ("reader", False, True), ("both", True, True))


def copied_messages():
    """A message whose reader is the async proxy, with a proxy fence at neither end, one, or both."""
    def some(where):
        wanted = {f"flag-{order}" for order in ("relaxed-gpu", "release-gpu", "release-cta", "fence-gpu")}
        if where == CTA:
            wanted |= {"mbar-relaxed-relaxed-cta", "mbar-release-acquire-cta", "barsync"}
        everywhere = list(flags((CTA, GPU))) + list(mbarriers((CTA,))) + list(barriers(CTA))
        return [telling for telling in everywhere if telling.name in wanted]

    for kind, where in (("store", CTA), ("load", CTA), ("load", GPU)):
        for telling, (name, writes, reads) in itertools.product(some(where), FENCES):
            fence = ["fence.proxy.async"]
            columns = [["st.weak x, 1"] + fence * writes + telling.send,
                       telling.receive + fence * reads + (BULK_STORE if kind == "store" else BULK_LOAD)]
            places = ".shared x = 0; .global y = 7;" if kind == "store" else ".global x = 0; .shared y = 7; mbarrier m = 1;"
            bad = "y == 0" if kind == "store" else "P1:r0 == 0"
            head = "store" if kind == "store" else f"load-{where}"
            test(f"{head}-{telling.name}-{name}", f"{places} {telling.places}".strip(), places_of(2, where), columns,
                 question_of(telling, 1, bad))
    test("load-cta-barsync-threadfence", ".global x = 0; .shared y = 7; mbarrier m = 1;", places_of(2, CTA),
         [["st.weak x, 1", "fence.acq_rel.gpu", "bar.sync 1"], ["bar.sync 1"] + BULK_LOAD], "P1:r0 == 0")


def refills():
    for where, by in ((CTA, "thread"), (CTA, "bulk"), (CLUSTER, "thread"), (CLUSTER, "bulk"), (GPU, "thread")):
        space = "global" if where == GPU else "shared"
        overwrite = ["st.weak x, 1"]
        places = f".{space} x = 0;"
        if by == "bulk":
            overwrite = ["mbarrier.arrive.expect_tx.release.cta m, 1", "cp.async.bulk x, z, m",
                         "mbarrier.try_wait.parity.acquire.cta m, 0"]
            places = ".global z = 1; .shared x = 0; mbarrier m = 1;"
        for telling in tellings(where):
            if by == "bulk" and telling.arrived:
                continue  # the copy would run in front of a message that has not come
            name = f"refill-{where}-{by}-{telling.name}"
            places_told = f"{places} {telling.places}".strip()
            bad = question_of(telling, 0, "P1:r0 == 1")
            test(name, places_told, places_of(2, where), [telling.receive + overwrite, ["ld.weak r0, x"] + telling.send], bad)
            if by != "bulk" or telling.name not in ("barsync", f"mbar-release-acquire-{where}"):
                continue
            fence = ["fence.proxy.async"]
            for fenced, writes, reads in FENCES[1:]:  # "writer" is the one that overwrites
                test(f"{name}-{fenced}", places_told, places_of(2, where),
                     [telling.receive + fence * writes + overwrite, ["ld.weak r0, x"] + fence * reads + telling.send], bad)
            used = ["ld.weak r0, x", "bne r0, 0, LC0"] + telling.send + ["LC0:"]
            if where == CTA and not telling.name.startswith("bar"):
                test(f"{name}-used", places_told, places_of(2, where), [telling.receive + overwrite, used], bad)


def brought():
    bringing = {"bulk": ("cp.async.bulk y, x, m", ".global x = 1;"), "copy": ("cp.async.bulk y, z, m", ".shared z = 1;"),
                "stasync": ("st.async y, 1, m", "")}
    waits = [(f"{order}-{scope}", [f"mbarrier.try_wait.parity.{order}.{scope} m, 0"])
             for order in ("acquire", "relaxed") for scope in (CTA, CLUSTER)] + [("none", [])]
    for where, (name, (bring, place)), (wait, does) in itertools.product((CTA, CLUSTER), bringing.items(), waits):
        if where == CTA and name == "copy":
            continue  # its source and its destination would be of one CTA
        test(f"brought-{where}-{name}-{wait}", f"{place} .shared y = 0; mbarrier m = 1;".strip(), places_of(2, where),
             [[bring], ["mbarrier.arrive.expect_tx.release.cta m, 1"] + does + ["ld.weak r0, y"]], "P1:r0 == 0")


def tested():
    for where, space in ((CTA, "shared"), (CTA, "global"), (CLUSTER, "shared"), (CLUSTER, "global")):
        for wait, branch in itertools.product(("acquire", "relaxed"), ("branch", "straight")):
            scope = CTA if where == CTA else CLUSTER
            read_it = ["ld.weak r0, x"] if branch == "straight" else ["bne r9, 1, LC0", "ld.weak r0, x", "LC0:"]
            test(f"tested-{where}-{space}-{wait}-{branch}", f".{space} x = 0; mbarrier b = 1;", places_of(2, where),
                 [["st.weak x, 1", f"mbarrier.arrive.release.{scope} b, 1"],
                  [f"mbarrier.test_wait.parity.{wait}.{scope} r9, b, 0"] + read_it], "P1:r9 == 1 /\\ P1:r0 == 0")


def third():
    """P0's CTA owns x, because P0 is the first that reads it."""
    for arrive, wait, scope in itertools.product(("relaxed", "release"), ("relaxed", "acquire"), (CTA, CLUSTER)):
        test(f"third-mbar-{arrive}-{wait}-{scope}", ".shared x = 0; mbarrier b = 1;", places_of(3, CLUSTER),
             [["ld.weak r1, x"], ["st.weak x, 1", f"mbarrier.arrive.{arrive}.{scope} b, 1"],
              [f"mbarrier.try_wait.parity.{wait}.{scope} b, 0", "ld.weak r0, x"]], "P2:r0 == 0")


def alone():
    head = places_of(1, CTA)
    fences = {"none": [], "fence-proxy-async": ["fence.proxy.async"],
              "fence-proxy-async-global": ["fence.proxy.async.global"],
              "fence-proxy-async-shared-cta": ["fence.proxy.async.shared::cta"], "fence-acq_rel-gpu": ["fence.acq_rel.gpu"],
              "fence-sc-gpu": ["fence.sc.gpu"]}
    for name, fence in fences.items():
        test(f"alone-store-{name}", ".shared x = 0; .global y = 7;", head, [["st.weak x, 1"] + fence + BULK_STORE], "y == 0")
        test(f"alone-load-{name}", ".global x = 0; .shared y = 7; mbarrier m = 1;", head,
             [["st.weak x, 1"] + fence + BULK_LOAD], "P0:r0 == 0")
    waits = {"none": [], "wait_group": ["cp.async.bulk.wait_group 0"], "wait_group-read": ["cp.async.bulk.wait_group.read 0"]}
    for name, wait in waits.items():
        test(f"alone-after-{name}", ".shared x = 1; .global y = 0;", head,
             [BULK_STORE[:2] + wait + ["ld.weak r0, y"]], "P0:r0 == 0")
        test(f"alone-after-{name}-overwrite", ".shared x = 1; .global y = 0;", head,
             [BULK_STORE[:2] + wait + ["st.weak x, 2"]], "y == 2")
    for name, wait in {"acquire": ["mbarrier.try_wait.parity.acquire.cta m, 0"],
                       "relaxed": ["mbarrier.try_wait.parity.relaxed.cta m, 0"], "unwaited": []}.items():
        test(f"alone-brought-{name}", ".global x = 1; .shared y = 0; mbarrier m = 1;", head,
             [BULK_LOAD[:2] + wait + ["ld.weak r0, y"]], "P0:r0 == 0")
    for name, wait in {"unwaited": [], "wait_all": ["cp.async.wait_all"],
                       "wait_group-0": ["cp.async.commit_group", "cp.async.wait_group 0"]}.items():
        test(f"alone-cpasync-{name}", ".global x = 1; .shared y = 0;", head,
             [["cp.async.cg y, x"] + wait + ["ld.weak r0, y"]], "P0:r0 == 0")


def write(place, value):
    return ("st", place, value)


def read(register, place):
    return ("ld", register, place)


# The accesses of each thread, and the bad end. The last thread of two accesses is the one that is swapped.
CLASSICS = {
    "sb": ([[write("x", 1), read("r0", "y")], [write("y", 1), read("r0", "x")]], "P0:r0 == 0 /\\ P1:r0 == 0"),
    "lb": ([[read("r0", "y"), write("x", 1)], [read("r0", "x"), write("y", 1)]], "P0:r0 == 1 /\\ P1:r0 == 1"),
    "mp": ([[write("x", 1), write("y", 1)], [read("r0", "y"), read("r1", "x")]], "P1:r0 == 1 /\\ P1:r1 == 0"),
    "s": ([[write("x", 2), write("y", 1)], [read("r0", "y"), write("x", 1)]], "P1:r0 == 1 /\\ x == 2"),
    "r": ([[write("x", 1), write("y", 1)], [write("y", 2), read("r0", "x")]], "P1:r0 == 0 /\\ y == 2"),
    "2+2w": ([[write("x", 1), write("y", 2)], [write("y", 1), write("x", 2)]], "x == 1 /\\ y == 1"),
    "corr": ([[write("x", 1)], [read("r0", "x"), read("r1", "x")]], "P1:r0 == 1 /\\ P1:r1 == 0"),
    "wrc": ([[write("x", 1)], [read("r0", "x"), write("y", 1)], [read("r0", "y"), read("r1", "x")]],
            "P1:r0 == 1 /\\ P2:r0 == 1 /\\ P2:r1 == 0"),
    "isa2": ([[write("x", 1), write("y", 1)], [read("r0", "y"), write("z", 1)], [read("r0", "z"), read("r1", "x")]],
             "P1:r0 == 1 /\\ P2:r0 == 1 /\\ P2:r1 == 0"),
    "iriw": ([[write("x", 1)], [write("y", 1)], [read("r0", "x"), read("r1", "y")], [read("r0", "y"), read("r1", "x")]],
             "P2:r0 == 1 /\\ P2:r1 == 0 /\\ P3:r0 == 1 /\\ P3:r1 == 0"),
}


def classics():
    def spell(access, order, scope):
        word = {"acqrel": {"ld": "acquire", "st": "release"}}.get(order, {}).get(access[0], order)
        scoped = "" if order == "weak" else f".{scope}"
        return f"{access[0]}.{word}{scoped} {access[1]}, {access[2]}"

    orders = [("weak", "none"), ("relaxed", "none"), ("relaxed", "acq_rel"), ("relaxed", "sc"), ("acqrel", "none"),
              ("acqrel", "sc")]
    for name, (threads, bad) in CLASSICS.items():
        used = sorted({access[1] if access[0] == "st" else access[2] for thread in threads for access in thread})
        places = " ".join(f"{place} = 0;" for place in used)
        for (order, fence), scope, where in itertools.product(orders, (CTA, GPU), (CTA, GPU)):
            if order == "weak" and scope == GPU:
                continue  # it has no scope
            heads = [f"P{i}@cta {i if where == GPU else 0},gpu 0" for i in range(len(threads))]
            swapped = max(i for i, thread in enumerate(threads) if len(thread) > 1)
            for turned in (False, True) if scope == where else (False,):
                columns = []
                for i, thread in enumerate(threads):
                    column = [spell(access, order, scope) for access in (thread[::-1] if turned and i == swapped else thread)]
                    if fence != "none" and len(column) > 1:
                        column.insert(1, f"fence.{fence}.{scope}")
                    columns.append(column)
                test(f"{'swapped-' * turned}{name}-{order}-{fence}-{scope}-in-{where}", places, heads, columns, bad)


def main():
    if len(sys.argv) != 2:
        sys.exit("usage: generate.py FOLDER")
    for family in (messages, copied_messages, refills, brought, tested, third, alone, classics):
        family()
    os.makedirs(sys.argv[1], exist_ok=True)
    for name, text in tests.items():
        with open(os.path.join(sys.argv[1], name + ".litmus"), "w", encoding="ascii") as file:
            file.write(text)
    print(f"{len(tests)} tests")


main()
