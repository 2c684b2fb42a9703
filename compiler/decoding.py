"""From the last state of a program to the rows of its result."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from sqlax.compiler.lowering.assemble import Assembly
from sqlax.compiler.lowering.kinds import written
from sqlax.compiler.plan.flow import carried_from
from sqlax.compiler.plan.schema import Field, decimal_scale, enum_values
from sqlax.errors import OutsideGraphError
from sqlax.runtime.decode import OutputColumn, arrow_column
from sqlax.runtime.spell import spelled
from sqlax.runtime.state import ProgramState


def check_numbers(state: ProgramState) -> None:
    """Raise where the graph cannot give the answer, but DuckDB gives it or its own error.

    Raises:
        OutsideGraphError: a value left its type's range or 64 bits, or was divided by zero.
    """
    if bool(state.overflow):
        raise OutsideGraphError("a number left the range of its SQL type, or was divided by zero")


def decode(assembly: Assembly, state: ProgramState) -> pa.Table:
    """The result rows of a finished run, its columns named c0, c1, ..."""
    plan = assembly.plan.placed
    count = int(np.asarray(state.output.mask).sum())
    columns = []
    for output in plan.schema.fields:
        column = state.output.columns[output.name]
        data, valid = np.asarray(column.data[:count]), np.asarray(column.valid[:count])
        held = _texts(assembly, state, output) if output.is_made else _held(assembly, output)
        columns.append(arrow_column(held, data, valid, assembly.dictionary))
    numbered = [f"c{place}" for place in range(len(columns))]
    return pa.table(columns, names=numbered)


def _held(assembly: Assembly, output: Field) -> OutputColumn:
    origin = carried_from(assembly.plan.placed, output.name)
    if origin is not None and assembly.columns.is_carried(*origin):
        scan, name = origin
        return OutputColumn(output.kind, source=assembly.tables[scan].column(name))
    labels = output.labels or enum_values(output.type)
    return OutputColumn(output.kind, decimal_scale(output.type), labels=labels)


def _texts(assembly: Assembly, state: ProgramState, output: Field) -> OutputColumn:
    """The texts by their ids: the dictionary, then what each operator has written."""
    texts = [assembly.dictionary.values.cast(pa.string())]
    gap = assembly.code_capacity - len(assembly.dictionary)
    texts.append(pa.nulls(gap, pa.string()))
    for operator, progress in zip(assembly.blueprint().operators, state.operators, strict=True):
        made = written(operator, progress)
        if made is not None:
            tokens, length = np.asarray(made.tokens), np.asarray(made.length)
            texts.append(spelled(tokens, length, operator.model.tokenizer))
    return OutputColumn(output.kind, source=pa.chunked_array(texts))
