"""Rewrites of plans: one rule a file, a driver that walks, checks and times them."""

from sqlax.compiler.rules.driver import RULES, Applied, rewrite_plan

__all__ = ["RULES", "Applied", "rewrite_plan"]
