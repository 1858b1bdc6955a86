# SPDX-License-Identifier: MIT
"""mbarriers, stepped: one instruction at a time on the 64-bit word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ._library import ffi, library, pointer
from .errors import Finding, Report
from .tensors import unsigned


@dataclass(frozen=True)
class BarrierFields:
    """phase (0 or 1); error; arrivals still pending in it; arrivals expected in the next one; tx: bytes expected minus
    bytes completed."""

    phase: int
    error: int
    pending: int
    expected: int
    tx: int


class Barrier:
    """An mbarrier in shared memory: its 64-bit word, and the instructions that change it, each by one thread at a time.

    A phase ends when all arrivals have come and as many bytes were completed as were expected. `word` is what lies in
    shared memory, `fields` what it means, `findings` what the last instruction did that PTX leaves undefined. What faults
    on an H200 raises Fault and leaves the word.

    >>> barrier = tmaref.Barrier(1)
    >>> token = barrier.arrive_expect_tx(4096)
    >>> barrier.land(4096)  # what a TMA load does when its bytes are there
    >>> barrier.test_wait(token), barrier.fields
    (True, BarrierFields(phase=1, error=0, pending=1, expected=1, tx=0))
    >>> barrier.reading
    'Phase 1 waits for 1 arrival.'
    """

    def __init__(self, count: int) -> None:
        """mbarrier.init with `count` arrivals a phase. PTX allows 1 to 2**20 - 1; an H200 takes any count, so another one is
        in `findings`, and the word is the one that an H200 makes."""
        self._barrier = ffi.new("struct native_barrier *")
        library.native_barrier_start(self._barrier)
        self.findings: tuple[Finding, ...] = ()
        self.operate("init", [unsigned("count", count, 32)])

    def __repr__(self) -> str:
        f = self.fields
        return f"<Barrier {self.word:#018x}: phase {f.phase}, pending {f.pending}, tx {f.tx}{', error' if f.error else ''}>"

    def operate(self, opcode: str, operands: Sequence[int] = (), lanes: int = 1) -> tuple[list[int], int]:
        """Any instruction: `opcode` as PTX has it ("arrive_drop.expect_tx", "try_wait.parity"), its operand in each of
        the lanes of the mask `lanes`, lane by lane (the last one counts for the lanes behind it).

        returns  token or count of each of the 32 lanes, and the lanes whose wait is true
        raises   Fault where an H200 faults; what PTX leaves undefined is in `findings`
        """
        if not library.native_barrier_has(opcode.encode()):
            raise ValueError(f"there is no mbarrier.{opcode}; for example arrive, arrive.expect_tx, test_wait.parity")
        if unsigned("lanes", lanes, 32) == 0:
            raise ValueError("lanes is 0: it is the mask of the lanes that take part")
        given = [unsigned("the operand", value, 64) for value in operands]
        operand = np.zeros(32, np.uint64)
        for lane in range(32 if given else 0):
            operand[lane] = given[min(lane, len(given) - 1)]
        value = np.zeros(32, np.uint64)
        ballot = ffi.new("uint32_t *")
        report = Report()
        library.native_barrier_operate(self._barrier, opcode.encode(), lanes, pointer("uint64_t *", operand),
                                       pointer("uint64_t *", value), ballot, report.c)
        self.findings = report.findings
        report.raise_fault(f"mbarrier.{opcode}")
        return [int(v) for v in value], int(ballot[0])

    def arrive(self, count: int = 1) -> int:
        """mbarrier.arrive by one thread; returns the token."""
        return self.operate("arrive", [unsigned("count", count, 32)])[0][0]

    def expect_tx(self, size_bytes: int) -> None:
        """mbarrier.expect_tx."""
        self.operate("expect_tx", [unsigned("size_bytes", size_bytes, 32)])

    def arrive_expect_tx(self, size_bytes: int) -> int:
        """mbarrier.arrive.expect_tx; returns the token."""
        return self.operate("arrive.expect_tx", [unsigned("size_bytes", size_bytes, 32)])[0][0]

    def complete_tx(self, size_bytes: int) -> None:
        """mbarrier.complete_tx by a thread."""
        self.operate("complete_tx", [unsigned("size_bytes", size_bytes, 32)])

    def land(self, size_bytes: int) -> None:
        """complete_tx of an asynchronous copy: a broken rule sets the error bit, and nothing faults yet."""
        report = Report()
        library.native_barrier_land(self._barrier, unsigned("size_bytes", size_bytes, 32), report.c)
        self.findings = report.findings

    def test_wait(self, token: int) -> bool:
        """mbarrier.test_wait: has the phase of the token completed?"""
        return bool(self.operate("test_wait", [unsigned("token", token, 64)])[1])

    def test_wait_parity(self, parity: int) -> bool:
        """mbarrier.test_wait.parity: has the phase of this parity completed?"""
        return bool(self.operate("test_wait.parity", [unsigned("parity", parity, 32)])[1])

    @property
    def word(self) -> int:
        """The 64 bits in shared memory."""
        return int(self._barrier.word)

    @word.setter
    def word(self, word: int) -> None:
        self._barrier.word = unsigned("word", word, 64)

    @property
    def fields(self) -> BarrierFields:
        """What the word says."""
        fields = ffi.new("int64_t[5]")
        library.native_barrier_fields(self._barrier.word, fields)
        return BarrierFields(*fields)

    @property
    def reading(self) -> str:
        """What the phase waits for, as `tmaref mbarrier` says it."""
        report = Report()
        library.native_barrier_reading(self._barrier.word, report.c)
        return report.text
