"""The phases of a program by number."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Phases:
    """Numbers of the phases of a program with `operators` score operators and `chains` limits."""

    operators: int
    chains: int

    def prepare(self, operator: int) -> int:
        """PREPARE of an operator; FINISH after the last one."""
        return 3 * operator if operator < self.operators else self.finish

    def prefill(self, operator: int) -> int:
        """PREFILL of an operator."""
        return 3 * operator + 1

    def run(self, operator: int) -> int:
        """RUN of an operator."""
        return 3 * operator + 2

    def check(self, chain: int) -> int:
        """CHECK of an early-stopping LIMIT."""
        return 3 * self.operators + chain

    @property
    def finish(self) -> int:
        """FINISH: compute the output rows."""
        return 3 * self.operators + self.chains

    @property
    def done(self) -> int:
        """Nothing left to do."""
        return self.finish + 1
