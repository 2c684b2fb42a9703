"""Window calls as operations on places; calls with equal clauses share one sort."""

from sqlax.compiler.lowering.windows.column import window_columns

__all__ = ["window_columns"]
