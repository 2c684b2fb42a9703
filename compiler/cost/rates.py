"""How fast DuckDB and the graph are on this machine: measured once, kept in the cache folder."""

from __future__ import annotations

import hashlib
import json
import platform
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import duckdb
import jax
import jax.numpy as jnp
import numpy as np

from sqlax.runtime.compilation import cache_folder

_ROWS = 1 << 18
_REPEATS = 3


@dataclass(frozen=True)
class Rates:
    """Nanoseconds of each unit of work.

    Attributes:
        transfer: a byte from DuckDB through Arrow to the device.
        duckdb_row: a row through a cheap operator of DuckDB.
        duckdb_join: a row into or out of a hash join of DuckDB.
        graph_row: a value through an elementwise operation or a gather of the graph.
        graph_sort: a row through the graph's sort, for each doubling of the rows.
        compile: a further operator in a program, shared by the runs that are expected of it.
    """

    transfer: float
    duckdb_row: float
    duckdb_join: float
    graph_row: float
    graph_sort: float
    compile: float


SEEDS = Rates(1.5, 2.0, 20.0, 1.5, 3.0, 1e8)
"""Measured by hand on two cores: see tensor_relational.md, the project's reference."""


def rates() -> Rates:
    """This machine's rates; measured at the first call and read from the cache folder later."""
    path = _path()
    try:
        return Rates(**json.loads(path.read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        found = measure()
        _keep(path, found)
        return found


def measure() -> Rates:
    """Time small amounts of each kind of work; takes about a second."""
    with duckdb.connect() as connection, jax.enable_x64(True):
        connection.execute(
            f"CREATE TABLE t AS SELECT i, i * 7 % {_ROWS} AS j FROM range({_ROWS}) r(i)"
        )
        transfer = _best(lambda: _transferred(connection))
        scan = _best(lambda: connection.execute("SELECT SUM(i + j) FROM t").fetchall())
        join = "SELECT COUNT(*) FROM t a JOIN t b ON a.i = b.j"
        joined = _best(lambda: connection.execute(join).fetchall())
        keys = jnp.asarray(np.random.default_rng(0).integers(0, _ROWS, _ROWS))
        gather, sort = jax.jit(lambda k: k[k] + 1), jax.jit(jnp.sort)
        gathered = _best(lambda: gather(keys).block_until_ready())
        ordered = _best(lambda: sort(keys).block_until_ready())
    doublings = _ROWS.bit_length() - 1
    return Rates(
        transfer=transfer / (16 * _ROWS),
        duckdb_row=scan / _ROWS,
        duckdb_join=joined / (2 * _ROWS),
        graph_row=gathered / _ROWS,
        graph_sort=ordered / (_ROWS * doublings),
        compile=SEEDS.compile,
    )


def _transferred(connection: duckdb.DuckDBPyConnection) -> None:
    table = connection.sql("SELECT * FROM t").to_arrow_table()
    for column in table.columns:
        jax.device_put(column.to_numpy()).block_until_ready()


def _best(work: Callable[[], object]) -> float:
    """Nanoseconds of the fastest of a few runs after one that warms up."""
    work()
    seconds = []
    for _ in range(_REPEATS):
        begin = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - begin)
    return min(seconds) * 1e9


def _path() -> Path:
    """One file for each kind of machine and version."""
    device = jax.devices()[0]
    parts = (platform.processor(), platform.machine(), device.platform, device.device_kind)
    versions = (jax.__version__, duckdb.__version__)
    name = hashlib.sha256(repr((*parts, *versions)).encode()).hexdigest()[:16]
    return cache_folder().parent / "rates" / f"{name}.json"


def _keep(path: Path, found: Rates) -> None:
    """Write the file whole or not at all; a folder that cannot be written is no error."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(f".{time.time_ns()}.part")
        part.write_text(json.dumps(asdict(found), indent=2) + "\n", encoding="utf-8")
        part.replace(path)
    except OSError:
        return
