"""Random queries in DuckDB and in every mode of sqlax.

python -m tests.fuzz --count 5000 --seed 1

Prints each difference as a test case in its smallest form. The last line counts them.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from functools import partial

import jax

from sqlax.runtime.compilation import cache_folder
from tests.fuzz.case import Failure, still_fails
from tests.fuzz.engines import MODES
from tests.fuzz.report import as_test
from tests.fuzz.run import Plan, run
from tests.fuzz.shrink import shrink


def main(arguments: Sequence[str]) -> int:
    """Run the command; 1 where there was a difference."""
    given = _parser().parse_args(arguments)
    plan = Plan(given.count, given.seed, tuple(given.modes), given.semantic, given.compiled)
    print(f"seed {plan.seed}", flush=True)
    printer = _Printer(given.shrink)
    _keep_compiled_operations()
    tally = run(plan, printer)
    times = ", ".join(f"{mode} {seconds:.0f} s" for mode, seconds in tally.seconds.items())
    kinds = ", ".join(f"{count} {kind}" for kind, count in tally.answers.items())
    print(f"answers: {kinds}; {times}")
    print(f"{tally.queries} queries, {len(tally.failures)} differences")
    return 1 if tally.failures else 0


def _keep_compiled_operations() -> None:
    """Every operation is compiled once for each shape: another run finds it on disk."""
    settings = {
        "jax_compilation_cache_dir": str(cache_folder().parent / "fuzz"),
        "jax_persistent_cache_min_compile_time_secs": 0.0,
        "jax_persistent_cache_min_entry_size_bytes": -1,
        "jax_disable_most_optimizations": True,
    }
    for name, value in settings.items():
        jax.config.update(name, value)  # type: ignore[no-untyped-call]


class _Printer:
    """Prints failures; shrinks the first ones of each kind."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kinds: Counter[str] = Counter()

    def __call__(self, failure: Failure) -> None:
        self._kinds[failure.kind] += 1
        case = failure.case
        if self._kinds[failure.kind] <= self._most:
            case = shrink(case, partial(still_fails, failure))
            print(as_test(failure, case), flush=True)
        else:
            print(f"    # {failure.name} {failure.mode}: {failure.what[:200]}", flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m tests.fuzz", description=__doc__)
    parser.add_argument("--count", type=int, default=100, help="how many queries")
    parser.add_argument("--seed", type=int, default=1, help="decides tables and queries")
    parser.add_argument("--modes", nargs="+", choices=MODES, default=MODES)
    parser.add_argument("--semantic", type=float, default=0.04, help="share that asks the model")
    parser.add_argument("--compiled", type=float, default=0.02, help="share that is compiled")
    parser.add_argument("--shrink", type=int, default=2, help="how many of a kind are made small")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
