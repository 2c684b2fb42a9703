"""From the last state of a program to the rows of its result."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from sqlax.compiler.lowering.assemble import Assembly
from sqlax.compiler.plan.flow import carried_from
from sqlax.compiler.plan.schema import Field, decimal_scale, enum_values
from sqlax.compiler.texts import RunTexts
from sqlax.errors import OutsideGraphError
from sqlax.runtime.decode import OutputColumn, arrow_column
from sqlax.runtime.state import ProgramState


def check_numbers(state: ProgramState) -> None:
    """Raise where the graph cannot give the answer, but DuckDB gives it or its own error.

    Raises:
        OutsideGraphError: a value left its type's range or 64 bits, or was divided by zero.
    """
    if bool(state.overflow):
        raise OutsideGraphError("a number left the range of its SQL type, or was divided by zero")


def decode(assembly: Assembly, state: ProgramState, texts: RunTexts) -> pa.Table:
    """The result rows of a finished run, its columns named c0, c1, ..."""
    plan = assembly.plan.placed
    count = int(np.asarray(state.output.mask).sum())
    columns = []
    for output in plan.schema.fields:
        column = state.output.columns[output.name]
        data, valid = np.asarray(column.data[:count]), np.asarray(column.valid[:count])
        held = _held(assembly, output, texts)
        columns.append(arrow_column(held, data, valid, assembly.dictionary))
    numbered = [f"c{place}" for place in range(len(columns))]
    return pa.table(columns, names=numbered)


def _held(assembly: Assembly, output: Field, texts: RunTexts) -> OutputColumn:
    if output.is_made:
        return OutputColumn(output.kind, source=texts.values)
    origin = carried_from(assembly.plan.placed, output.name)
    if origin is not None and assembly.columns.is_carried(*origin):
        scan, name = origin
        return OutputColumn(output.kind, source=assembly.tables[scan].column(name))
    labels = output.labels or enum_values(output.type)
    return OutputColumn(output.kind, decimal_scale(output.type), labels=labels)
