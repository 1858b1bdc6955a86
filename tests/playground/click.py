#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""click.py PAGE COMMAND BROWSER: opens the playground and compares what it shows with what the command prints."""

import json
import random
import re
import subprocess
import sys
from urllib.parse import urlencode

from playwright.sync_api import sync_playwright

PAGE, COMMAND, BROWSER = sys.argv[1:4]
STATES, PROGRAMS, LAYOUTS = 240, 60, 120
SIZES = {"u8": 1, "u16": 2, "f16": 2, "bf16": 2, "u64": 8, "s64": 8, "f64": 8}
TYPES = ["u8", "u16", "u32", "s32", "u64", "s64", "f16", "f32", "f64", "bf16", "f32.ftz", "tf32", "tf32.ftz"]
failures = []
counts = {"accepted": 0, "refused": 0, "loads": 0, "faults": 0, "chunks": 0, "clusters": 0, "programs": 0, "patterns": 0,
          "layouts": 0, "unfilled layouts": 0, "refused layouts": 0}


def command(*arguments):
    done = subprocess.run([COMMAND, *arguments], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


def expect(what, shown, wanted):
    if shown != wanted:
        failures.append(f"{what}\n    page:    {shown}\n    command: {wanted}")


def random_state(chance):
    """Fields of a map that is legal, or wrong in one or two ways; and a copy with it."""
    rank, dtype = chance.randint(1, 5), chance.choice(TYPES)
    size = SIZES.get(dtype, 4)
    interleave = chance.choice(["none"] * 5 + ["16B", "32B"])
    swizzle = chance.choice(["none", "32B", "64B", "128B"] if interleave != "32B" else ["none", "32B"])
    if interleave != "none":
        rank = chance.randint(3, 5)
    dim = [chance.choice([16, 64, 100, 256, 4096])] + [chance.choice([1, 7, 64, 100]) for _ in range(rank - 1)]
    box = [chance.choice([16, 32, 64, 128]) // size] + [chance.choice([1, 2, 3, 8]) for _ in range(rank - 1)]
    strides = []
    for i in range(rank - 1):
        below = strides[-1] * dim[i] if strides else dim[0] * size
        strides.append((below + 31) // 32 * 32)
    if chance.random() < 0.25 and strides:
        strides[chance.randrange(len(strides))] += chance.choice([8, 4, 16])
    if chance.random() < 0.15:
        box[chance.randrange(rank)] = chance.choice([0, 257, 300])
    listed = lambda values: ", ".join(str(v) for v in values)
    step = 16 // size
    coord = [step * chance.randint(-4, 20) if interleave == "none" else chance.randint(0, 3)] + [chance.randint(-2, 20) for _ in range(rank - 1)]
    if chance.random() < 0.1:
        coord[0] += 1
    return {
        "dtype": dtype, "dim": listed(dim), "strides": listed(strides), "box": listed(box),
        "estride": listed([1] + [chance.choice([1, 1, 1, 2]) for _ in range(rank - 1)]),
        "address": chance.choice(["0x7f0000000000", "0x1000", "0x7f0000000010"]), "swizzle": swizzle, "interleave": interleave,
        "fill": chance.choice(["none", "none", "nan"]), "coord": listed(coord),
        "shared": chance.choice(["0x400", "0x480", "0x800", "0x2000", "0x410"]), "access": "nothing",
        "cluster": chance.choice(["2, 1, 1", "2, 2, 1", "4, 1, 1"]), "along": chance.choice(["x", "y", "xy"]),
    }  # fmt: skip


def map_options(state):
    plain = {name: value.replace(" ", "") for name, value in state.items()}
    options = [f"--dtype={plain['dtype']}", f"--dim={plain['dim']}", f"--box={plain['box']}", f"--address={plain['address']}",
               f"--element-strides={plain['estride']}", f"--swizzle={plain['swizzle']}", f"--interleave={plain['interleave']}",
               f"--oob-fill={plain['fill']}"]
    return options + ([f"--strides={plain['strides']}"] if plain["strides"] else [])


def heads(page, target):
    """Rule and severity of each finding that the page shows there."""
    return [re.match(r"(\w+), rule (\w+)", text).groups() for text in page.locator(f"{target} .finding").all_inner_texts()]


def wanted_heads(answer):
    return [(f["severity"], f["rule"]) for f in answer["findings"]]


def check_map(page, state):
    status, printed = command("encode", "--json", *map_options(state))
    answer = json.loads(printed)
    expect(f"findings of {state}", heads(page, "#verdict"), wanted_heads(answer))
    if status != 0:
        counts["refused"] += 1
        said = re.findall(r"^  (\S.*, rule .*)$", command("encode", *map_options(state))[1], re.M)
        shown = [text.split("\n")[0] for text in page.locator("#verdict .finding").all_inner_texts()]
        expect(f"sentences of {state}", shown, said)
        return False
    counts["accepted"] += 1
    expect(f"bytes of {state}", page.locator("#bytes").text_content().replace(" ", "").replace("\n", ""), answer["map"].removeprefix("0x"))
    return True


def copy_options(state):
    return [*map_options(state), f"--coord={state['coord'].replace(' ', '')}", f"--shared={state['shared']}"]


def check_load(page, state):
    answer = json.loads(command("explain", "--json", *copy_options(state))[1])
    expect(f"the load of {state}", heads(page, "#load"), wanted_heads(answer))
    counts["loads" if answer["result"] == 0 else "faults"] += 1
    if answer["result"] == 0:
        expect(f"bytes of the load of {state}", f"tells the barrier {answer['expectTx']} bytes" in page.inner_text("#load"), True)
    return answer["result"] == 0


def check_chunk(page, state, chance):
    cells = page.locator("#tile td:not(.none)")
    if cells.count() == 0:
        return
    cell = cells.nth(chance.randrange(cells.count()))
    cell.click()
    address, title = int(cell.get_attribute("data-address")), page.inner_text("#cell")
    answer = json.loads(command("explain", "--json", *copy_options(state), f"--byte={address}")[1])["byte"]
    counts["chunks"] += 1
    where = "out of bounds: filled" if answer["fill"] else f"global {int(answer['global'], 16):#x}"
    element = f"({', '.join(str(i) for i in answer['index'])})"
    expect(f"chunk {address:#x} of {state}", title,
           f"shared {address:#x}: byte {answer['byte']} of element {element}; {where}; bank {answer['bank']}; chunk {answer['chunk']} "
           f"of line {address - address % 128:#x}; without swizzle {answer['unswizzled']:#x}")


def check_cluster(page, state):
    status, printed = command("explain", "--json", *map_options(state), f"--coord={state['coord'].replace(' ', '')}",
                              f"--cluster={state['cluster'].replace(', ', 'x')}", f"--multicast={state['along']}")
    if status == 2 or not printed:
        return
    answer = json.loads(printed)
    if any("coord" not in cta for cta in answer["ctas"]):  # the command takes the slices of another direction
        return
    shown = [row.split("\t") for row in page.locator("#slices").inner_text().splitlines()[1:]]
    wanted = [[str(c["cta"]), str(c["slice"]), f"({', '.join(str(i) for i in c['coord'])})", hex(c["ctaMask"])] for c in answer["ctas"]]
    counts["clusters"] += 1
    expect(f"the cluster of {state}", [row[:4] for row in shown], wanted)


def check_programs(page, chance):
    names = ["arrive 1", "arrive 2", "arrive.expect_tx 64", "expect_tx 32", "complete_tx 32", "complete_tx 64", "arrive_drop 1",
             "test_wait.parity 0", "test_wait.parity 1"]
    for _ in range(PROGRAMS):
        steps = [f"init {chance.randint(1, 4)}"] + [chance.choice(names) for _ in range(chance.randint(2, 9))]
        page.fill("#program", "\n".join(steps))
        shown = page.locator("#steps tr td:nth-child(3)").all_inner_texts()
        printed = command("mbarrier", *steps)[1]
        wanted = re.findall(r"b0 (0x[0-9a-f]{16})", printed)
        counts["programs"] += 1
        expect(f"the program {steps}", shown[: len(wanted)], wanted)
        rules = list(dict.fromkeys(re.findall(r"rule (\w+)", printed)))
        said = re.findall(r"^barrier 0: (.*)$", printed, re.M)
        expect(f"what {steps} waits for", said[:1] == [] or said[0] in page.inner_text("#ledger"), True)
        expect(f"the rules of {steps}", [rule for _, rule in heads(page, "#ledger")], rules)


def check_words(page):
    """What the page proposes the command takes; what the command refuses the page refuses in its words."""
    show(page, {})
    for line in page.input_value("#program").split("\n")[1:]:
        expect(f"the command takes {line}", command("mbarrier", "init 1", line)[0] != 2, True)
    page.fill("#program", "init 1\nfoo 3")
    expect("an instruction that is none", "'foo' is not an mbarrier operation" in page.inner_text("#ledger"), True)
    page.fill("#program", "init 32\nexpect_tx 4096\ncomplete_tx 8192")
    expect("bytes that came too early", page.inner_text("#ledger").split("\n")[0],
           "Phase 0 waits for 32 arrivals and an expect_tx of 4096 bytes that are completed already.")
    page.fill("#address", "0x7f0000000008")
    expect("addresses are hexadecimal", "globalAddress is 0x7f0000000008" in page.inner_text("#verdict"), True)


def check_patterns(page):
    for mode in ["none", "32B", "64B", "128B"]:
        columns = {"none": 64, "32B": 16, "64B": 32, "128B": 64}[mode]
        show(page, {"swizzle": mode, "box": f"{columns}, 64", "access": "16 bytes of a column, 8 lanes"})
        printed = command("swizzle", mode, f"--row-bytes={2 * columns}", "--access", "row=l,chunk=0,lanes=8")[1]
        wanted = re.search(rf"  {mode} +(\d+) wavefront", printed).group(1)
        counts["patterns"] += 1
        expect(f"conflicts with {mode}", re.search(r": (\d+) wavefront", page.inner_text("#conflicts")).group(1), wanted)


def random_layout(chance):
    """A layout and the type of its elements: tiles of an atom of wgmma, rows with or without padding, anything, or nonsense."""
    dtype = chance.choice(["u8", "bf16", "f16", "f32", "f64"])
    size, bits, m, n = SIZES.get(dtype, 4), chance.randint(0, 3), chance.choice([1, 2, 4, 16]), chance.choice([1, 2, 4])
    row, kind = (16 << bits) // size, chance.randrange(6)
    atom = f"Sw<{bits},4,3> o smem_ptr[{8 * size}b](unset) o "
    if kind == 0:
        return f"{atom}((8,{m}),({row},{n})):(({row},{8 * row}),(1,{8 * row * m}))", dtype
    if kind == 1:
        return f"{atom}(({row},{n}),(8,{m})):((1,{8 * row}),({row},{8 * row * n}))", dtype
    if kind == 2:
        return f"{chance.choice([8, 64])},{row * n}".join("()") + f":({row * n + chance.choice([0, 0, 4, 8, 16])},1)", dtype
    if kind == 3:
        return f"{atom}(8,{row},{m}):({row},1,{8 * row})", dtype
    if kind == 4:
        return f"Sw<{bits},{chance.randint(0, 4)},3> o {chance.choice([0, 0, 64])} o ({chance.randint(1, 40)},{row}):({row},1)", dtype
    return chance.choice(["(8,64", "Sw<3,4,3>", "(8,?):(1,8)", "gmem_ptr[16b](0x400) o (8,64):(64,1)", "(2,2):(1,2,3)", "", "(0,4)"]), dtype


def layout_lines(printed):
    """The label and the text of each line that explain --layout prints; where there is none, only why."""
    lines = [(line[:20].strip(), line[21:]) for line in printed.split("\n\n")[0].splitlines()]
    return [line for line in lines if line[0]]


def check_layout(page, text, dtype):
    done = subprocess.run([COMMAND, "explain", f"--layout={text}", f"--dtype={dtype}"], capture_output=True, text=True, check=False)
    show(page, {"layout": text, "ltype": dtype})
    says = page.inner_text("#layout-says")
    if done.returncode == 2:
        counts["refused layouts"] += 1
        expect(f"the refusal of {text}", says.strip().split("\n")[0], done.stderr.split("\n")[0].removeprefix("tmaref explain: --layout: "))
        return
    counts["layouts" if done.returncode == 0 else "unfilled layouts"] += 1
    expect(f"whether copies fill {text}", "fill" in says and "No " not in says, done.returncode == 0)
    rows = page.locator("#layout-facts tr").all()
    shown = [(row.locator("th").text_content(), row.locator("td").text_content().split("\n")[0]) for row in rows]
    expect(f"the facts of {text} as {dtype}", shown, layout_lines(done.stdout))
    answer = json.loads(command("explain", "--json", f"--layout={text}")[1])
    if answer["rank"] > 2:
        return
    table = json.loads(command("explain", "--json", "--table", f"--layout={text}")[1])["table"]
    cells = page.locator("#elements tr").evaluate_all("rows => rows.slice(1).map(row => [...row.querySelectorAll('td')].map(cell => +cell.textContent))")
    expect(f"the table of {text}", cells, [row[:16] for row in table[:16]])


def check_layouts(page, chance):
    for _ in range(LAYOUTS):
        check_layout(page, *random_layout(chance))
    show(page, {})
    page.click("#fill-map")
    expect("a layout's box becomes the map", [page.input_value(f"#{i}") for i in ("dtype", "dim", "box", "swizzle")],
           ["bf16", "128, 128", "64, 128", "128B"])
    expect("which is accepted", page.inner_text("#verdict"), "The driver accepts it.")
    page.click("#take-box")
    expect("and its box becomes a layout", page.input_value("#layout"), "Sw<3,4,3> o smem_ptr[16b](unset) o (128,64):(64,1)")
    page.fill("#corner", "100, 60")
    expect("another corner", page.locator("#elements td").first.text_content(), command("explain", "--layout", page.input_value("#layout"), "--element", "100,60")[1].split("index ")[1].split()[0].strip(","))
    page.select_option("#interleave", "16B")
    page.click("#take-box")
    expect("a box that is no layout", "is no layout of CuTe's" in page.inner_text("#layout-says"), True)
    page.fill("#modes", "7")
    expect("too many modes", "Modes: 7; from 1 to 2" in page.inner_text("#layout-says"), True)


def show(page, state):
    page.evaluate("hash => { location.hash = hash }", urlencode(state))
    page.wait_for_function("hash => location.hash.slice(1) === hash", arg=urlencode(state))
    page.wait_for_timeout(5)  # the event comes behind the address


def check_typing(page):
    """Typing changes the verdict and the link; the link brings the state back; keys move the selection."""
    show(page, {})
    page.fill("#box", "65, 64")
    expect("typing shows the refusal", "MAP_INNER_BYTES" in page.inner_text("#verdict"), True)
    link = page.url
    page.fill("#box", "64, 64")
    expect("and takes it back", page.inner_text("#verdict"), "The driver accepts it.")
    page.goto(link)
    page.reload()
    page.wait_for_selector("body[data-ready]")
    expect("the link brings it back", page.input_value("#box"), "65, 64")
    show(page, {})
    page.locator("#tile td").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    expect("keys move the selection", page.inner_text("#cell").split(":")[0], "shared 0x490")
    page.fill("#dim", "4096, many")
    expect("nonsense is told", "'many' is not a whole number" in page.inner_text("#verdict"), True)
    page.fill("#dim", "4096, 4096")
    page.fill("#start", "many")
    expect("in any field", "'many' is not a whole number" in page.inner_text("#descriptor-says"), True)
    large = {"dtype": "u8", "dim": "32, 256, 64", "strides": "", "box": "32, 256, 16", "estride": "1, 1, 1", "swizzle": "none",
             "coord": "0, 0, 0", "line": "900"}
    show(page, large)  # 8,192 rows
    expect("the end of a large box", page.locator("#tile td").first.inner_text(), "(0, 16, 14)")
    show(page, {})
    page.fill("#bits", "0x4000004000010040")
    expect("a descriptor is taken apart", [page.input_value(f"#{i}") for i in ("start", "stride", "mode")], ["0x400", "1024", "128B"])


def check_names(page):
    """Each field has a name, and the page fits a telephone."""
    for field in page.locator("input, select, textarea, button").all():
        name = field.evaluate("e => (e.labels && e.labels[0] ? e.labels[0].innerText : e.innerText).trim()")
        expect("a field without a name", bool(name), True)
    page.set_viewport_size({"width": 360, "height": 700})
    expect("the page is wider than a telephone", page.evaluate("document.documentElement.scrollWidth <= 360"), True)
    page.set_viewport_size({"width": 1100, "height": 900})


def main():
    chance = random.Random(20261122)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1100, "height": 900})
        page.on("pageerror", lambda error: failures.append(f"the page failed: {error}"))
        page.on("request", lambda request: request.url.startswith(("file:", "data:", "blob:")) or failures.append(f"asks for {request.url}"))
        page.goto(f"file://{PAGE}")
        page.wait_for_selector("body[data-ready]")
        check_typing(page)
        check_names(page)
        check_words(page)
        check_patterns(page)
        check_layouts(page, chance)
        for _ in range(STATES):
            state = random_state(chance)
            show(page, state)
            if check_map(page, state) and check_load(page, state):
                check_chunk(page, state, chance)
                check_cluster(page, state)
        check_programs(page, chance)
        browser.close()
    print(", ".join(f"{count} {name}" for name, count in counts.items()))
    if min(counts.values()) == 0:
        failures.append(f"something was never reached: {counts}")
    for failure in failures[:10]:
        print(failure)
    print(f"{len(failures)} differences" if failures else "what the page shows is what the command prints")
    return 1 if failures else 0


sys.exit(main())
