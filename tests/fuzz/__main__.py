"""Random queries in DuckDB and in every mode of sqlax.

python -m tests.fuzz --count 5000 --seed 1

Prints each difference as a test case in its smallest form. The last line counts them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from tests.fuzz.engines import MODES
from tests.fuzz.jobs import run_jobs
from tests.fuzz.planning import MIXED
from tests.fuzz.run import Plan, Tally


def main(arguments: Sequence[str]) -> int:
    """Run the command; 1 where there was a difference."""
    given = _parser().parse_args(arguments)
    plan = Plan(
        given.count, given.seed, tuple(given.modes), given.semantic, given.compiled, given.first
    )
    print(f"seed {plan.seed}", flush=True)
    tally = run_jobs(plan, given.jobs, given.shrink)
    _summarize(tally)
    return 1 if tally.failures else 0


def _summarize(tally: Tally) -> None:
    times = ", ".join(f"{mode} {seconds:.0f} s" for mode, seconds in tally.seconds.items())
    kinds = ", ".join(f"{count} {kind}" for kind, count in tally.answers.items())
    mixed = ", ".join(f"{mode} {count}" for mode, count in tally.mixed.items())
    print(f"answers: {kinds}; {times}")
    print(f"plans with parts in DuckDB and in the graph: {mixed}")
    print(f"{tally.queries} queries, {len(tally.failures)} differences")


def _parser() -> argparse.ArgumentParser:
    modes = (*MODES, MIXED)
    parser = argparse.ArgumentParser("python -m tests.fuzz", description=__doc__)
    parser.add_argument("--count", type=int, default=100, help="how many queries")
    parser.add_argument("--seed", type=int, default=1, help="decides tables and queries")
    parser.add_argument("--first", type=int, default=0, help="the first query's number")
    parser.add_argument("--jobs", type=int, default=1, help="how many processes")
    parser.add_argument("--modes", nargs="+", choices=modes, default=modes)
    parser.add_argument("--semantic", type=float, default=0.04, help="share that asks the model")
    parser.add_argument("--compiled", type=float, default=0.02, help="share that is compiled")
    parser.add_argument("--shrink", type=int, default=2, help="how many of a kind are made small")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
