"""Aggregate calls over groups, with DuckDB's result types."""

from sqlax.compiler.lowering.aggregates.column import aggregate_column

__all__ = ["aggregate_column"]
