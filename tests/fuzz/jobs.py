"""The queries of a run divided over processes."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from multiprocessing import get_context

import jax

from sqlax.runtime.compilation import cache_folder
from tests.fuzz.case import Failure, still_fails
from tests.fuzz.report import as_test
from tests.fuzz.run import Plan, Tally, run
from tests.fuzz.shrink import shrink


def run_jobs(plan: Plan, jobs: int, most: int) -> Tally:
    """Run a plan's queries in so many processes; which queries these are does not depend on it.

    Args:
        plan: the whole run.
        jobs: how many processes.
        most: how many failures of a kind each process makes small.
    """
    if jobs == 1:
        return _run_job(most, plan)
    parts = [replace(plan, job=job, jobs=jobs) for job in range(jobs)]
    tally = Tally()
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        for part in pool.map(partial(_run_job, most), parts):
            tally.add(part)
    return tally


def _run_job(most: int, plan: Plan) -> Tally:
    _keep_compiled_operations()
    return run(plan, _Printer(most))


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
        seed, _, number = failure.name.partition(":")
        again = f"    # again: --seed {seed} --first {number} --count 1"
        if self._kinds[failure.kind] <= self._most:
            case = shrink(failure.case, partial(still_fails, failure))
            print(f"{again}\n{as_test(failure, case)}", flush=True)
        else:
            print(f"{again}; {failure.mode}: {failure.what[:200]}", flush=True)
