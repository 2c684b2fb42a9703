"""Where a run's time goes: reading rows, tokenising, the program, decoding."""

from __future__ import annotations

import time
from dataclasses import dataclass

import jax

from sqlax.compiler.execution import Execution
from sqlax.compiler.lowering.assemble import Assembly
from sqlax.compiler.lowering.models import Models
from sqlax.compiler.query import plan_query
from sqlax.connection import Connection
from sqlax.models.language_model import LanguageModel
from sqlax.runtime.load.pool import DEFAULT_TOKEN_BUDGET


@dataclass(frozen=True)
class Phases:
    """Seconds of one warm run, part by part.

    Attributes:
        load: DuckDB's share, up to Arrow tables.
        tokenise: dictionary, tokens and the transfer to the device.
        program: the compiled program alone.
        decode: the check for errors, the report and the result's Arrow table: what is left of a
            whole run.
    """

    load: float
    tokenise: float
    program: float
    decode: float


def time_phases(connection: Connection, sql: str, model: LanguageModel, whole: float) -> Phases:
    """Run a query without parameters as `CompiledQuery.run` does, with a watch on each part.

    Args:
        connection: has the query's tables.
        sql: the query.
        model: its model.
        whole: seconds of a warm run.
    """
    plan = plan_query(sql, connection.duckdb, dialect=connection.dialect, mode=connection.mode)
    execution = Execution(plan, Models(model.name, {model.name: model}))
    execution.run()  # compiles
    load, tokenise, program = _time_parts(execution)
    return Phases(load, tokenise, program, max(0.0, whole - load - tokenise - program))


def _time_parts(execution: Execution) -> tuple[float, float, float]:
    marks = [time.perf_counter()]
    tables = execution.load()
    marks.append(time.perf_counter())
    with jax.enable_x64(True):
        assembly = Assembly(execution.plan, execution.models, tables, DEFAULT_TOKEN_BUDGET, {})
        inputs = assembly.inputs()
        for leaf in jax.tree.leaves(inputs):
            leaf.block_until_ready()
        program = execution.program(assembly)
        marks.append(time.perf_counter())
        for _ in program.slices(inputs, lambda codes: assembly.with_windows(inputs, codes)):
            pass
    marks.append(time.perf_counter())
    return marks[1] - marks[0], marks[2] - marks[1], marks[3] - marks[2]
