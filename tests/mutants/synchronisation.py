#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# Which mistakes in the synchronisation of a kernel does the sanitizer name? Removes, alters or moves each instruction of the PTX
# that synchronises, one at a time, and runs the program once for each under `tmaref exec --sanitize`.
# FILE is a .ptx, or a program whose PTX is not compressed (nvcc -gencode arch=compute_90a,code=compute_90a --compress-mode=none).
# Kernels in which something is found as they are, and those that are not launched, are left out.
# Usage: synchronisation.py plan FILE [--kernel PART] > PLAN      what will be tried, and what is expected
#        synchronisation.py run FILE PLAN [--tmaref COMMAND] -- ARGUMENTS        {} is the mutated file; without it, the program
# A row of PLAN: expectation, edit, line, and the statement. Expectations are `needed` and `idle`; read and correct them before the
# run. An edit that is expected to be needed is named if there is a finding of its class, or the launch fails or hangs with a report. It
# is `unrun` if the run does not execute the statement: a trap in its place does not fail.
# The line is right (`@`) if one of the two lines of such a finding is reached from the edited statement, forward or backward, without
# another of its kind in between; or if a launch hangs at a wait, fails at such a line, or traps and the wait that the report
# leads with, or what has come to its mbarrier, is at one. With --remedies the tool tries
# what mends each finding: `mended` if one of its class is gone, or all are.
#        synchronisation.py compare FILE PLAN [--tmaref COMMAND] -- ARGUMENTS    under three schedules and four seeds of `shuffled`:
#            does the program print anything that it does not print without the edit
#        synchronisation.py silent FILE [--seeds N] [--tmaref COMMAND] -- ARGUMENTS   as it is, under four schedules
#        synchronisation.py paths FILE [--kernel PART] [--tmaref COMMAND] -- ARGUMENTS   what explore --paths names of those of barriers
# own_kernel.sh runs a kernel of this tree.
import argparse, itertools, json, os, pathlib, re, signal, subprocess, sys, tempfile

COPY = "READ_BEFORE_COPY WRITE_BEFORE_COPY OPERATION_BEFORE_COPY REFILL COPIES"
OVER = "SOURCE_OVERWRITTEN PRODUCT_OVERWRITTEN"
# Of each class: how its statements begin, and which findings a mistake in one may have. `*`: any.
CLASSES = [("init", r"mbarrier\.init", "UNINITIALISED UNORDERED_INIT OVER_ARRIVAL " + COPY),
           ("expect", r"mbarrier\.(arrive\.)?expect_tx", "UNEXPECTED OVER_ARRIVAL " + COPY),
           ("arrive", r"mbarrier\.arrive", "OVER_ARRIVAL RACE EXIT " + COPY + " " + OVER),
           ("wait", r"mbarrier\.(try|test)_wait", "OVER_ARRIVAL RACE EXIT UNORDERED_INIT PRODUCT_REGISTER OPERATION_BEFORE_WRITE SMALL_COPY " + COPY + " " + OVER),
           ("proxy", r"fence\.proxy\.async", "FENCE GLOBAL_FENCE SMALL_COPY_FENCE OPERATION_BEFORE_WRITE"),
           ("inits", r"fence\.mbarrier_init", "UNORDERED_INIT"),
           ("fence", r"(fence\.(acq_rel|sc)|membar)", "GLOBAL_RACE SCOPE RACE GLOBAL_SOURCE MAP_RACE"),
           ("barrier", r"(bar|barrier)\.(cta\.)?(sync|arrive|red)", "*"),
           ("cluster", r"barrier\.cluster", "*"),
           ("products", r"wgmma\.(commit_group|wait_group)", "PRODUCT_REGISTER PRODUCT_SOURCE PRODUCT_OVERWRITTEN REFILL EXIT PRODUCT_FENCE"),
           ("wgmma", r"wgmma\.fence", "PRODUCT_FENCE"),
           ("bulk", r"cp\.async\.bulk\.(commit|wait)_group", "SOURCE_OVERWRITTEN GLOBAL_STORE EXIT REFILL OPERATION_BEFORE_COPY OPERATION_BEFORE_WRITE COPIES"),
           ("small", r"cp\.async\.(commit|wait|mbarrier)", "SMALL_COPY EXIT")]
# What ends the way from a statement of the same kind: a commit does not end that of a wait.
KIND = re.compile(r"(mbarrier\.\w+|fence\.\w+|membar|bar(rier)?\.\w+(\.\w+)?|wgmma\.\w+|cp\.async\.bulk\.\w+|cp\.async\.\w+)")
ACCESS = re.compile(r"(ld|st|red|atom|cp\.async|wgmma\.mma|ldmatrix|stmatrix)[.\w]*")
LABEL = re.compile(r"^[\w$]+:\s*$")
REGISTER = re.compile(r"%\w+|(?<=\s)p(?=[,;\s])|\bP1\b")
NUMBERS = itertools.count()


class Text:
    """The PTX in a file, by lines. What is written back is as long as what was read."""

    def __init__(self, path):
        self.data = path.read_bytes()
        # The largest run without a NUL that begins with .version.
        best = max(re.finditer(rb"(//[^\0]*?)?\.version [^\0]*", self.data), key=lambda match: len(match.group()), default=None)
        if best is None:
            sys.exit(f"synchronisation.py: {path} has no PTX as text")
        self.begin, self.end = best.span()
        self.lines = best.group().decode().split("\n")

    def with_lines(self, lines):
        if b"\0" not in self.data:
            return "\n".join(lines).encode()
        lines = list(lines)
        room = self.end - self.begin - len("\n".join(lines).encode())
        for number in range(len(lines) - 1, 0, -1):  # the last line numbers of the source give the room
            if room >= 0:
                break
            if lines[number].strip().startswith(".loc"):
                room += len(lines[number])
                lines[number] = ""
        assert room >= 0, "no .loc gives room: compile with -lineinfo"
        return self.data[:self.begin] + "\n".join(lines).encode().ljust(self.end - self.begin) + self.data[self.end:]


def statement(line):
    return re.sub(r"//.*", "", line).strip()


def word(line):
    return re.sub(r"^@\S+\s+", "", statement(line))


def class_of(line):
    return next((name for name, begin, _ in CLASSES if re.match(begin, word(line))), None)


def kernel_ranges(lines, part):
    depth, name = 0, ""
    for number, line in enumerate(lines):
        text = statement(line)
        if entry := re.search(r"\.entry\s+(\w+)", text):
            name = entry.group(1)
        before, depth = depth, depth + text.count("{") - text.count("}")
        if before == 0 and depth > 0:
            begin = number
        if before > 0 and depth == 0 and name and part in name:
            yield begin, number


def same_run(lines, number, step):
    """The lines from here on, until a label, a branch, or a block."""
    at = number + step
    while 0 < at < len(lines) and not LABEL.match(statement(lines[at])) and not re.match(r"(bra|ret|exit|call)\b", word(lines[at])) \
            and not statement(lines[at]).startswith(("{", "}")):
        yield at
        at += step


def writes(line):
    operands = word(line).split(None, 1)
    return set(REGISTER.findall(operands[1].split(",")[0].split("[")[0])) if len(operands) == 2 and not word(line).startswith("st.") else set()


def uses(line):
    return set(REGISTER.findall(" " + statement(line)))


def moved(lines, number, step):
    """Past the next access, if no register is in the way."""
    if class_of(lines[number]) == "wait":
        return None
    passed = []
    for at in same_run(lines, number, step):
        passed.append(at)
        if any(writes(lines[number]) & uses(lines[one]) or writes(lines[one]) & uses(lines[number]) for one in (at,)):
            return None
        if class_of(lines[at]):
            return None
        if ACCESS.match(word(lines[at])) and not word(lines[at]).startswith("ld.param"):
            new = list(lines)
            text = new.pop(number)
            new.insert(at, text)
            return new
    return None


def replaced(lines, number, text):
    return lines[:number] + [text] + lines[number + 1:]


def without(line):
    """Nothing, or what is true at once in place of a wait that gives a predicate."""
    if class_of(line) != "wait":
        return ""
    guard = re.match(r"(@\S+\s+)?", statement(line)).group()
    return f"{guard}setp.eq.u32 {re.split(r'[ ,]+', word(line))[1]}, 0, 0;"


def altered(line):
    """(edit, the line) of each way to alter it."""
    text = statement(line)
    if parity := re.search(r"_wait\.parity[^\]]*\] *, *([^,;\s]+)", text):
        begin, end = parity.span(1)
        yield "parity", f"{{.reg .b32 %q;xor.b32 %q,{parity.group(1)},1;{text[:begin]}%q{text[end:]}}}"
    if re.search(r"wait_group[.\w]* +0;", text):
        yield "group", re.sub(r" +0;", " 1;", text)
    if "fence.proxy.async" in text:
        yield "space", re.sub(r"fence\.proxy\.async[.\w:]*", "fence.proxy.async.global", text)
    if re.match(r"(@\S+ +)?(bar|barrier)\.(cta\.)?sync\S* +\d+ *;", text):
        yield "count", text.replace(";", ", 32;")
    if re.search(r"(\.acq_rel|\.release|\.acquire|fence\.sc|membar)\S*\.gpu|membar\.gl", text):
        yield "scope", text.replace(".gpu", ".cta").replace("membar.gl", "membar.cta")
    if re.search(r"barrier\.cluster\.arrive", text) and "relaxed" not in text:
        yield "relaxed", re.sub(r"barrier\.cluster\.arrive(\.release)?", "barrier.cluster.arrive.relaxed", text)


def expectation(lines, begin, number, edit):
    kind = class_of(lines[number])
    if kind == "proxy":
        stores = any(re.match(r"(st\.shared|stmatrix|st\.(b|u|v|f|s)\d)", word(line)) for line in lines[begin:number])
        return "needed" if stores and edit != "later" else "idle"
    if kind == "inits" or edit == "later":
        return "idle"
    return "needed"


def mutants(lines, part, wanted=None):
    """wanted: of these lines, counted from 1; None: of all"""
    for begin, end in kernel_ranges(lines, part):
        for number in range(begin, end):
            if class_of(lines[number]) is None or (wanted is not None and number + 1 not in wanted):
                continue
            tries = [("remove", replaced(lines, number, without(lines[number])))]
            tries += [(edit, replaced(lines, number, text)) for edit, text in altered(lines[number])]
            if class_of(lines[number]) in ("arrive", "proxy", "wgmma", "products", "bulk", "fence"):
                tries += [("earlier", moved(lines, number, -1)), ("later", moved(lines, number, 1))]
            for edit, new in tries:
                if new is not None:
                    yield expectation(lines, begin, number, edit), edit, number, new


def target(lines, number, begin, end):
    """The line of the label that a branch names: the nearest, as blocks have labels of their own."""
    name = word(lines[number]).rstrip(";").split()[-1]
    return min((at for at in range(begin, end) if statement(lines[at]) == name + ":"), key=lambda at: abs(at - number), default=None)


def ways(lines, begin, end):
    """Which lines of a kernel may come behind each."""
    behind = {}
    for number in range(begin, end):
        text = word(lines[number])
        behind[number] = [number + 1]
        if re.match(r"(ret|exit|trap)\b", text) and not statement(lines[number]).startswith("@"):
            behind[number] = []
        if re.match(r"bra\b", text):
            at = target(lines, number, begin, end)
            behind[number] = ([] if at is None else [at]) + ([number + 1] if statement(lines[number]).startswith("@") else [])
    return behind


def reached(edges, number, is_end):
    found, left = set(), list(edges.get(number, []))
    while left:
        at = left.pop()
        if at in found:
            continue
        found.add(at)
        if not is_end(at):
            left += edges.get(at, [])
    return found


def near(original, number):
    """The lines, counted from 1, where a finding about the edited statement may be."""
    kind, right = KIND.match(word(original[number])), {number + 1}
    def is_end(at):
        other = KIND.match(word(original[at]))
        return at != number and class_of(original[number]) != "init" and kind and other and kind.group() == other.group()
    for begin, end in kernel_ranges(original, ""):
        if begin < number <= end:
            behind = ways(original, begin, end)
            before = {}
            for one, others in behind.items():
                for other in others:
                    before.setdefault(other, []).append(one)
            right |= {at + 1 for edges in (behind, before) for at in reached(edges, number, is_end)}
    return right


class Outcome:
    """What a run told. rows: (rule, level, lines, remedy) of each finding; ends: the line of each failure, and whether it hangs."""
    def __init__(self):
        self.rows, self.ends, self.clean, self.note = [], [], set(), ""

    def rules(self, level):
        return {rule for rule, one, _, _ in self.rows if one == level}

    def is_right(self, rules, right):
        return any(rule in rules and right & set(at) for rule, _, at, _ in self.rows) or \
            any(is_hang or line in right for line, is_hang in self.ends)

    def mended(self, rules):
        states = [remedy for rule, level, _, remedy in self.rows if level == "error" and rule in rules]
        return None if not states else any(state in ("clean", "gone") for state in states)


def outcome(arguments, data, path, judged=None, more=()):
    """judged: only what is found in these kernels counts"""
    path = path.with_name(f"{next(NUMBERS)}-{path.name}")  # a process that still runs keeps its file
    path.write_bytes(data)
    path.chmod(0o755)
    command = [one.replace("{}", str(path)) for one in arguments.command] if any("{}" in one for one in arguments.command) \
        else [str(path), *arguments.command]
    with subprocess.Popen([*arguments.tmaref.split(), "exec", "--sanitize", "--json", *more, "--", *command], stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True, errors="replace", start_new_session=True) as process:
        try:
            told = process.communicate(timeout=arguments.seconds)[1]
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            told = ""
    got = Outcome()
    got.note = "" if told else "time over"
    path.unlink()
    for line in told.splitlines():
        if not line.startswith("{"):
            continue
        row = json.loads(line)
        if judged is not None and row.get("kernel", "") not in judged:
            continue
        if row.get("sanitize", "VERDICT") != "VERDICT":
            got.rows.append((row["sanitize"].replace("SANITIZE_", ""), row["level"], [row.get("ptx_line", 0), row.get("other_ptx_line", 0)],
                             row.get("remedy", "")))
        if row.get("verdict") == "clean":
            got.clean.add(row["kernel"])
        if "error" in row:
            hang = row.get("hang", {"roots": [], "waits": []})
            got.ends.append((row["ptx_line"], "hang" in row and row["kind"] != "trapped"))
            for root in hang["roots"]:
                told = hang["waits"][root].get("barrier", {"history": {"this_phase": []}})["history"]["this_phase"]
                got.ends += [(at["ptx_line"], False) for at in [hang["waits"][root]["place"], *told]]
    return got


def judge(expected, allowed, errors, advice, failed):
    fits = failed or (errors | advice) & allowed
    if expected == "idle":
        return "silent" if not errors and not failed else "alarm"
    return "named" if fits else "misnamed" if errors else "missed"


def plan(arguments):
    text = Text(arguments.file)
    for expected, edit, number, _ in mutants(text.lines, arguments.kernel):
        print(f"{expected}\t{edit}\t{number + 1}\t{statement(text.lines[number])}")


def run(arguments):
    text = Text(arguments.file)
    rows = [row.split("\t")[:4] for row in arguments.plan.read_text().splitlines()]
    made = {(edit, number + 1): new for _, edit, number, new in mutants(text.lines, "", {int(row[2]) for row in rows})}
    lines = text.lines
    count = {}
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / arguments.file.name
        kernels = outcome(arguments, text.data, path).clean
        normal = outcome(arguments, text.data, path, kernels)
        if not kernels or normal.rules("error") or normal.ends or normal.note:
            sys.exit(f"synchronisation.py: the program is not clean as it is: {normal.rows} {normal.ends} {normal.note}")
        for expected, edit, number, shown in rows:
            number = int(number)
            if not any(begin < number <= end for part in kernels for begin, end in kernel_ranges(lines, part)):
                continue
            got = outcome(arguments, text.with_lines(made[edit, number]), path, kernels)
            errors, advice = got.rules("error"), got.rules("note") - normal.rules("note")
            allowed = next(rules for name, _, rules in CLASSES if name == class_of(lines[number - 1]))
            allowed = errors | advice if allowed == "*" else set(allowed.split())
            verdict = judge(expected, allowed, errors, advice, bool(got.ends))
            if verdict == "missed" and not outcome(arguments, text.with_lines(replaced(lines, number - 1, "trap;")), path, kernels).ends:
                verdict = "unrun"
            told = [verdict]
            if verdict == "named" and got.is_right(allowed, near(lines, number - 1)):
                told.append("right line")
            if verdict == "named" and arguments.remedies and errors & allowed:
                mended = outcome(arguments, text.with_lines(made[edit, number]), path, kernels, ["--remedies"]).mended(allowed)
                told.append("mended" if mended else "not mended")
            for name in told:
                count[name] = count.get(name, 0) + 1
            print(f"{verdict + '@' * ('right line' in told):9} {' '.join(told[1 + ('right line' in told):]):10} {expected:6} {edit:8} {number:5} {shown[:60]:60} "
                  f"{' '.join(sorted(errors))} ({' '.join(sorted(advice))}){' failed' if got.ends else ''} {got.note}", flush=True)
    print(f"# {arguments.file.name}: " + ", ".join(
        f"{count.get(name, 0)} {name}" for name in ("named", "right line", "mended", "not mended", "silent", "unrun", "misnamed", "missed", "alarm")))


def results(arguments, data, path):
    """What the program prints, and how it ends, under each of some schedules."""
    path = path.with_name(f"{next(NUMBERS)}-{path.name}")
    path.write_bytes(data)
    path.chmod(0o755)
    command = [one.replace("{}", str(path)) for one in arguments.command] if any("{}" in one for one in arguments.command) \
        else [str(path), *arguments.command]
    got = []
    for schedule, seed in [("default", 0), ("late", 0), ("early", 0), *(("shuffled", seed) for seed in range(arguments.seeds))]:
        done = subprocess.run([*arguments.tmaref.split(), "exec", "--schedule", schedule, "--seed", str(seed), "--", *command],
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=arguments.seconds, check=False)
        got.append((done.returncode, done.stdout))
    path.unlink()
    return got


def compare(arguments):
    text = Text(arguments.file)
    rows = [row.split("\t")[:4] for row in arguments.plan.read_text().splitlines()]
    made = {(edit, number + 1): new for _, edit, number, new in mutants(text.lines, "", {int(row[2]) for row in rows})}
    count = {"same": 0, "differs": 0}
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / arguments.file.name
        right = set(results(arguments, text.data, path))
        for _, edit, number, shown in rows:
            verdict = "same" if set(results(arguments, text.with_lines(made[edit, int(number)]), path)) <= right else "differs"
            count[verdict] += 1
            print(f"{verdict:8} {edit:8} {number:>5} {shown[:80]}", flush=True)
    print(f"# {arguments.file.name}: {count['same']} same, {count['differs']} differs")


def silent(arguments):
    text = Text(arguments.file)
    alarms, runs = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / arguments.file.name
        for schedule in ("default", "late", "early", "shuffled"):
            for seed in range(arguments.seeds):
                got = outcome(arguments, text.data, path, None, ["--schedule", schedule, "--seed", str(seed)])
                runs += 1
                if got.rules("error") or got.ends or got.note:
                    alarms += 1
                    print(f"{schedule} {seed}: {got.rows} {got.ends} {got.note}", flush=True)
    print(f"# {arguments.file.name}: {runs} runs, {alarms} with a finding")


def searched(arguments, data, path):
    """What explore --paths says of a program: the run fails, an order does (of what kind, and where), or none does."""
    path = path.with_name(f"{next(NUMBERS)}-{path.name}")
    path.write_bytes(data)
    path.chmod(0o755)
    command = [one.replace("{}", str(path)) for one in arguments.command]
    ran = subprocess.run([*arguments.tmaref.split(), "explore", "--paths", "--json", "--run-seconds", str(int(arguments.seconds)), "--",
                          *command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace")
    path.unlink()
    told = json.loads(ran.stdout) if ran.stdout.startswith("{") else {"cut": 1}
    if told["cut"] or told.get("failures"):
        return "cut" if told["cut"] else "run"
    found = told["paths"].get("findings", [])
    if found:
        return f"order {found[0]['kind']} {found[0]['at']}"
    return "none" if all(one["whole"] for one in told["paths"]["programs"]) else "not whole"


def paths(arguments):
    text, count = Text(arguments.file), {}
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / arguments.file.name
        print(f"as it is: {searched(arguments, text.data, path)}")
        for _, edit, number, new in mutants(text.lines, arguments.kernel):
            if class_of(text.lines[number]) not in ("init", "expect", "arrive", "wait", "barrier", "cluster"):
                continue
            said = searched(arguments, text.with_lines(new), path)
            count[said.split()[0]] = count.get(said.split()[0], 0) + 1
            print(f"{said:40} {edit:8} {number + 1:5} {statement(text.lines[number])[:60]}", flush=True)
    print(f"# {arguments.file.name}: " + ", ".join(f"{number} {said}" for said, number in sorted(count.items())))


def main():
    parser = argparse.ArgumentParser()
    subparsers = parser.add_subparsers(required=True)
    planning = subparsers.add_parser("plan")
    planning.add_argument("file", type=pathlib.Path)
    planning.add_argument("--kernel", default="", help="a part of the names of the kernels that are mutated")
    planning.set_defaults(do=plan)
    running = subparsers.add_parser("run")
    running.add_argument("file", type=pathlib.Path)
    running.add_argument("plan", type=pathlib.Path)
    running.add_argument("--tmaref", default="tmaref")
    running.add_argument("--seconds", type=float, default=60, help="the time of one run")
    running.add_argument("--remedies", action="store_true", help="try what mends each mistake, too")
    running.set_defaults(do=run)
    comparing = subparsers.add_parser("compare")
    comparing.add_argument("file", type=pathlib.Path)
    comparing.add_argument("plan", type=pathlib.Path)
    comparing.add_argument("--tmaref", default="tmaref")
    comparing.add_argument("--seconds", type=float, default=60, help="the time of one run")
    comparing.add_argument("--seeds", type=int, default=4)
    comparing.set_defaults(do=compare)
    quiet = subparsers.add_parser("silent")
    quiet.add_argument("file", type=pathlib.Path)
    quiet.add_argument("--tmaref", default="tmaref")
    quiet.add_argument("--seconds", type=float, default=60, help="the time of one run")
    quiet.add_argument("--seeds", type=int, default=16)
    quiet.set_defaults(do=silent)
    orders = subparsers.add_parser("paths")
    orders.add_argument("file", type=pathlib.Path)
    orders.add_argument("--kernel", default="", help="a part of the names of the kernels that are mutated")
    orders.add_argument("--tmaref", default="tmaref")
    orders.add_argument("--seconds", type=float, default=20, help="the time of one run")
    orders.set_defaults(do=paths)
    split = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    arguments = parser.parse_args(sys.argv[1:split])
    arguments.command = sys.argv[split + 1:]
    arguments.do(arguments)


if __name__ == "__main__":
    main()
