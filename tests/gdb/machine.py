# SPDX-License-Identifier: MIT
"""The PTX machine inside gdb, for who works on it: its structs print as what they mean, and decoded functions as a listing.

    source tests/gdb/machine.py
    print *strand
    print *strand->warp
    tmaref-code strand->frame->function

A listing has a line for each code: its index, its line of the PTX, what runs it, its operands, and the text of that line. The code at
which the strand `strand` of the frame is, if there is one, has an arrow.
"""
import re

import gdb

SLOT_BASES = ("frame", "constants", "warp")  # enum machine_base, which the low bits of a slot say; the fourth is ALU_LEFT_OUT
FILES = ("pred", "16", "32", "64", "128")  # enum ptx_file
ALL_LANES = 0xffffffff


def text_of(name):
    """A struct ptx_name as Python's text."""
    return name["at"].string(length=int(name["length"])) if int(name["at"]) else ""


def slot_of(slot):
    """A register as alu.h names it: where it is, and the offset there."""
    slot = int(slot)
    base = slot & 3
    return f"{SLOT_BASES[base]}+{slot & ~3}" if base < len(SLOT_BASES) else "-"


def function_name(pointer):
    """The name of the function to which a pointer points, "" for NULL."""
    found = re.search(r"<([^>+]+)", str(pointer))
    return found[1] if found else ""


def line_of(function, code):
    """The line of the PTX of a code; 0 of the return that decoding puts behind the last instruction."""
    source, instruction = function["source"], int(code["instruction"])
    return int(source["instruction"][instruction]["line"]) if instruction < int(source["instructions"]) else 0


def line_text(source, line):
    """Line `line` of the PTX, which stands in the body of the function."""
    body, end = source["body"], source["body_end"]
    lines = body.string(length=int(end) - int(body)).split("\n")
    at = line - int(source["body_line"])
    return lines[at].strip() if 0 <= at < len(lines) else ""


class Strand:
    """lanes 0x0000ffff at code 12 of keep, line 8: xor.b32 %value, %value, %token;"""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        strand = self.value
        if int(strand["frame"]) == 0:
            return f"lanes {int(strand['lanes']):#010x}, no frame"
        function, pc = strand["frame"]["function"], int(strand["pc"])
        where = f"lanes {int(strand['lanes']):#010x} at code {pc} of {text_of(function['source']['name'])}"
        if pc >= int(function["codes"]):
            return f"{where}, behind its end"
        line = line_of(function, function["code"][pc])
        waits = f", waiting since progress {int(strand['waiting_at'])}" if int(strand["waiting_at"]) else ""
        return f"{where}, line {line}{waits}: {line_text(function['source'], line)}"


class Warp:
    """warp 1 of CTA 0: 2 strands, live 0xffffffff; its strands are the children"""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        warp = self.value
        exited = ALL_LANES & ~int(warp["live"])
        return f"warp {int(warp['index'])} of CTA {int(warp['cta']['number'])}: {int(warp['strands'])} strands" + (
            f", lanes {exited:#010x} have exited" if exited else "")

    def children(self):
        return ((f"strand[{i}]", self.value["strand"][i]) for i in range(int(self.value["strands"])))


class Cta:
    """CTA 3 (3, 0, 0), rank 1 of its cluster: 4 warps, 2 of them live; its warps are the children"""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        cta = self.value
        place = ", ".join(str(int(cta["ctaid"][i])) for i in range(3))
        return f"CTA {int(cta['number'])} ({place}), rank {int(cta['rank'])}: {int(cta['warps'])} warps, {int(cta['live_warps'])} live"

    def children(self):
        return ((f"warp[{i}]", self.value["warp"][i]) for i in range(int(self.value["warps"])))


class Operand:
    """frame+192, 32 bits; with what is added to an address"""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        operand = self.value
        add = int(operand["add"])
        return f"{slot_of(operand['slot'])}:{FILES[int(operand['file'])]}" + (f"{add:+d}" if add else "")


class Name:
    """A name as text."""

    def __init__(self, value):
        self.value = value

    def to_string(self):
        return text_of(self.value)

    def display_hint(self):
        return "string"


PRINTERS = {"machine_strand": Strand, "machine_warp": Warp, "machine_cta": Cta, "machine_operand": Operand, "ptx_name": Name}


def find_printer(value):
    """gdb asks this for the printer of a value."""
    kind = value.type.strip_typedefs()
    printer = PRINTERS.get(kind.tag) if kind.code == gdb.TYPE_CODE_STRUCT else None
    return printer(value) if printer else None


def code_line(function, i):
    """One line of a listing."""
    code = function["code"][i]
    line = line_of(function, code)
    run = function_name(code["handler"]) or function_name(code["alu"]) or "-"
    guard = ("", f"@{slot_of(code['guard'])} ", f"@!{slot_of(code['guard'])} ")[int(code["guarded"])]
    operands = " ".join(Operand(code["operand"][k]).to_string() for k in range(int(code["operands"])))
    return f"{i:5} {line or '-':>6}  {run:<24} {guard + operands:<48}  {line_text(function['source'], line)}"


class Code(gdb.Command):
    """tmaref-code FUNCTION: what decoding has made of a function, an expression of type struct machine_function *."""

    def __init__(self):
        super().__init__("tmaref-code", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, _from_tty):
        function = gdb.parse_and_eval(argument)
        if function.type.strip_typedefs().code != gdb.TYPE_CODE_PTR or function.type.target().unqualified().strip_typedefs().tag != "machine_function":
            raise gdb.GdbError("tmaref-code: write an expression of type struct machine_function *")
        print(f"{text_of(function['source']['name'])}: {int(function['codes'])} codes, {int(function['frame_bytes'])} bytes of a frame")
        pc = self.pc_in(function)
        for i in range(int(function["codes"])):
            print(("->" if i == pc else "  ") + code_line(function, i))

    @staticmethod
    def pc_in(function):
        """The code at which the strand `strand` is, if there is such a variable and it runs this function."""
        try:
            strand = gdb.parse_and_eval("strand")
            return int(strand["pc"]) if int(strand["frame"]["function"]) == int(function) else None
        except gdb.error:
            return None


gdb.pretty_printers.insert(0, find_printer)
Code()
