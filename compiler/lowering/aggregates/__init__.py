"""Aggregate calls over groups, with DuckDB's result types."""

from sqlax.compiler.lowering.aggregates.column import aggregate_column
from sqlax.compiler.lowering.aggregates.stream import streamed

__all__ = ["aggregate_column", "streamed"]
