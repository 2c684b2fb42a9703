"""From a sqlglot tree to a logical plan: names bound, semantic calls lifted out of expressions."""

from sqlax.compiler.build.plan import build_plan

__all__ = ["build_plan"]
