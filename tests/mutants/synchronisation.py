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
#        synchronisation.py prove FILE PLAN [--tmaref COMMAND] -- ARGUMENTS   of edits in which nothing is found: are they harmless
# An edit is `proven` harmless, on the paths that the run takes, if the program prints and ends as without it, the sanitizer says of each
# kernel that it is clean, so all accesses are ordered, explore --paths says that all orders of what synchronises do the same, and
# no strong access carries an order. Then each access finds the same values in each order. Three other schedules may take other
# paths: there the sanitizer has to find nothing either. Of `order` explore --paths names an order that fails. A barrier of CTAs of
# one warp is `open`: between its lanes the sanitizer takes a shuffle, a vote and elect.sync for an order, which PTX does not say.
# own_kernel.sh runs a kernel of this tree.
import argparse, itertools, json, os, pathlib, re, signal, subprocess, sys, tempfile

from edits import CLASSES, Text, class_of, kernel_ranges, mutants, near, replaced, statement

NUMBERS = itertools.count()


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


def placed(arguments, data, path):
    """The mutated file, and the command that runs it."""
    path = path.with_name(f"{next(NUMBERS)}-{path.name}")  # a process that still runs keeps its file
    path.write_bytes(data)
    path.chmod(0o755)
    is_named = any("{}" in one for one in arguments.command)
    return path, [one.replace("{}", str(path)) for one in arguments.command] if is_named else [str(path), *arguments.command]


def outcome(arguments, data, path, judged=None, more=()):
    """judged: only what is found in these kernels counts"""
    path, command = placed(arguments, data, path)
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
            if verdict == "missed" and is_unrun(arguments, text, number, path, kernels):
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
    path, command = placed(arguments, data, path)
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


def all_orders(arguments, data, path):
    """The answer of explore --paths."""
    path, command = placed(arguments, data, path)
    ran = subprocess.run([*arguments.tmaref.split(), "explore", "--paths", "--json", "--run-seconds", str(int(arguments.seconds)), "--",
                          *command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, errors="replace", check=False)
    path.unlink()
    return json.loads(ran.stdout) if ran.stdout.startswith("{") else {"cut": 1}


def judged_orders(told):
    """What explore --paths says of a program: the run fails, an order does (of what kind, and where), or none does."""
    if told["cut"] or told.get("failures"):
        return "cut" if told["cut"] else "run"
    found = told["paths"].get("findings", [])
    if found:
        return f"order {found[0]['kind']} {found[0]['at']}"
    return "none" if all(one["whole"] for one in told["paths"]["programs"]) else "not whole"


def printed(arguments, data, path):
    """What the program prints under the default schedule, and how it ends; and how many warps its largest CTA has."""
    path, command = placed(arguments, data, path)
    steps = path.with_name(path.name + ".steps")
    done = subprocess.run([*arguments.tmaref.split(), "exec", "--write-sync", str(steps), "--", *command], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, timeout=arguments.seconds, check=False)
    ctas = [line.split() for line in steps.read_text(errors="replace").splitlines() if line.startswith("C ")] if steps.exists() else []
    path.unlink()
    steps.unlink(missing_ok=True)
    return (done.returncode, done.stdout), max((int(cta[-1]) for cta in ctas), default=0)


def proof(arguments, edited, path, expected):
    """Is a mutant in which nothing is found proven to be harmless? edited: its text, and the class of the edited statement"""
    got, warps = printed(arguments, edited[0], path)
    if got != expected:
        return "differs"
    if edited[1] == "barrier" and warps <= 1:
        return "open, one warp"
    told = all_orders(arguments, edited[0], path)
    if (said := judged_orders(told)) != "none":
        return said if said.startswith("order") else f"open, {said}"
    return "open, strong accesses" if any(one["held"] for one in told["paths"]["programs"]) else "proven"


def other_path(arguments, data, path):
    """The schedule under which the mutant takes a path with a finding: a first try to wait may fail only there. None: there is none"""
    for schedule in ("late", "early", "shuffled"):
        got = outcome(arguments, data, path, None, ["--schedule", schedule])
        if got.rules("error") or got.ends or got.note:
            return f"found, {schedule}"
    return None


def is_unrun(arguments, text, number, path, kernels):
    return not outcome(arguments, text.with_lines(replaced(text.lines, number - 1, "trap;")), path, kernels).ends


def prove(arguments):
    text, count = Text(arguments.file), {}
    rows = [row.split("\t")[:4] for row in arguments.plan.read_text().splitlines()]
    made = {(edit, number + 1): new for _, edit, number, new in mutants(text.lines, "", {int(row[2]) for row in rows})}
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / arguments.file.name
        normal = outcome(arguments, text.data, path)
        kernels, expected = normal.clean, printed(arguments, text.data, path)[0]
        if (said := judged_orders(all_orders(arguments, text.data, path))) != "none":
            sys.exit(f"synchronisation.py: nothing can be proven: of the program as it is, explore --paths says: {said}")
        for _, edit, number, shown in rows:
            number, data = int(number), text.with_lines(made[edit, int(number)])
            if not any(begin < number <= end for part in kernels for begin, end in kernel_ranges(text.lines, part)):
                continue
            got = outcome(arguments, data, path)
            if got.rules("error") or got.rules("note") - normal.rules("note") or got.ends or got.note:
                said = "found"
            elif is_unrun(arguments, text, number, path, kernels):
                said = "unrun"
            elif not got.clean >= kernels:
                said = "open, not clean"
            else:
                said = other_path(arguments, data, path) or proof(arguments, (data, class_of(text.lines[number - 1])), path, expected)
            kind = re.match(r"\w+", said).group()
            count[kind] = count.get(kind, 0) + 1
            print(f"{said:24} {edit:8} {number:5} {shown[:80]}", flush=True)
    print(f"# {arguments.file.name}: " + ", ".join(f"{number} {said}" for said, number in sorted(count.items())))


def paths(arguments):
    text, count = Text(arguments.file), {}
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / arguments.file.name
        print(f"as it is: {judged_orders(all_orders(arguments, text.data, path))}")
        for _, edit, number, new in mutants(text.lines, arguments.kernel):
            if class_of(text.lines[number]) not in ("init", "expect", "arrive", "wait", "barrier", "cluster"):
                continue
            said = judged_orders(all_orders(arguments, text.with_lines(new), path))
            count[said.split()[0]] = count.get(said.split()[0], 0) + 1
            print(f"{said:40} {edit:8} {number + 1:5} {statement(text.lines[number])[:60]}", flush=True)
    print(f"# {arguments.file.name}: " + ", ".join(f"{number} {said}" for said, number in sorted(count.items())))


def main():
    parser = argparse.ArgumentParser()
    subparsers = parser.add_subparsers(required=True)
    def command(name, do, *, seconds=60.0, is_run=True):
        one = subparsers.add_parser(name)
        one.add_argument("file", type=pathlib.Path)
        if is_run:
            one.add_argument("--tmaref", default="tmaref")
            one.add_argument("--seconds", type=float, default=seconds, help="the time of one run")
        one.set_defaults(do=do)
        return one

    with_plan = [command("run", run), command("compare", compare), command("prove", prove)]
    of_kernel = [command("plan", plan, is_run=False), command("paths", paths, seconds=20.0)]
    with_plan[0].add_argument("--remedies", action="store_true", help="try what mends each mistake, too")
    with_plan[1].add_argument("--seeds", type=int, default=4)
    command("silent", silent).add_argument("--seeds", type=int, default=16)
    for one in with_plan:
        one.add_argument("plan", type=pathlib.Path)
    for one in of_kernel:
        one.add_argument("--kernel", default="", help="a part of the names of the kernels that are mutated")
    split = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    arguments = parser.parse_args(sys.argv[1:split])
    arguments.command = sys.argv[split + 1:]
    arguments.do(arguments)


if __name__ == "__main__":
    main()
