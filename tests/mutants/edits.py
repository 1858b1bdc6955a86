# SPDX-License-Identifier: MIT
# The instructions of PTX that synchronise, and what is done to each: removed, altered, moved past the next access. Also which lines of
# a kernel a mistake in one may be told at. For synchronisation.py.
import re, sys

COPY = "READ_BEFORE_COPY WRITE_BEFORE_COPY OPERATION_BEFORE_COPY REFILL COPIES"
OVER = "SOURCE_OVERWRITTEN PRODUCT_OVERWRITTEN"
# Of each class: how its statements begin, and which findings a mistake in one may have. `*`: any.
CLASSES = [("init", r"mbarrier\.init", "UNINITIALISED UNORDERED_INIT OVER_ARRIVAL " + COPY),
           ("expect", r"mbarrier\.(arrive\.)?expect_tx", "UNEXPECTED OVER_ARRIVAL " + COPY),
           ("arrive", r"mbarrier\.arrive", "OVER_ARRIVAL RACE EXIT " + COPY + " " + OVER),
           ("wait", r"mbarrier\.(try|test)_wait", "OVER_ARRIVAL RACE EXIT UNORDERED_INIT PRODUCT_REGISTER OPERATION_BEFORE_WRITE SMALL_COPY " + COPY + " " + OVER),
           ("proxy", r"fence\.proxy\.async", "FENCE GLOBAL_FENCE SMALL_COPY_FENCE OPERATION_BEFORE_WRITE"),
           ("inits", r"fence\.mbarrier_init", "UNORDERED_INIT"),
           ("fence", r"(fence\.(acq_rel|sc)|membar)", "GLOBAL_RACE SCOPE RACE GLOBAL_SOURCE MAP_RACE REFILL COPIES INVAL"),
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
